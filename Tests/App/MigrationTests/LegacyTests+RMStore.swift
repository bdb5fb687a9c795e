import Foundation
import Testing
import Vitrine
import VitrineTestSupport

@testable import VitrineMigration

/// Object that encodes itself like RMStore's `RMStoreTransaction`. Linux can archive only classes that are not private.
final class ArchivedTransaction: NSObject, NSCoding {
    let fields: [String: NSObject]
    let consumed: Bool?

    init(_ fields: [String: NSObject], consumed: Bool?) {
        self.fields = fields
        self.consumed = consumed
    }

    init?(coder: NSCoder) { nil }

    func encode(with coder: NSCoder) {
        if let consumed { coder.encode(consumed, forKey: "consumed") }
        for (key, value) in fields { coder.encode(value, forKey: key) }
    }
}

extension LegacyTests {
    private static let source = "RMStoreTransactions in the preferences"
    private static let bought = Date(timeIntervalSince1970: 1_400_000_000)

    private func transaction(
        _ product: String, number: String? = nil, date: Date = bought, consumed: Bool? = false,
        other: [String: SampleObject] = [:]
    ) -> PreferenceValue {
        var fields: [String: NSObject] = [
            "productIdentifier": product as NSString,
            "transactionDate": NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate),
            "transactionReceipt": NSData(data: Data([1, 2, 3])),
        ]
        if let number { fields["transactionIdentifier"] = number as NSString }
        fields.merge(other.mapValues(\.object)) { $1 }
        let archiver = NSKeyedArchiver(requiringSecureCoding: false)
        archiver.encode(ArchivedTransaction(fields, consumed: consumed))
        archiver.finishEncoding()
        return .data(archiver.encodedData)
    }

    private func read(_ transactions: [String: PreferenceValue]) throws -> LegacyState {
        try read(.rmStore, preferences: ["RMStoreTransactions": .dictionary(transactions)])
    }

    @Test func `RMStore: a product's earliest transaction is its purchase, and unused consumables add to a balance`()
        throws
    {
        let found = try read([
            "lisbon": .array([
                transaction("lisbon", number: "11", date: Self.bought + 60), transaction("lisbon", number: "10"),
            ]),
            "coins50": .array([
                transaction("coins50", number: "20"), transaction("coins50", number: "21", consumed: true),
                transaction("coins50", number: "22"),
            ]),
            "coins500": .array([transaction("coins500", number: "30")]),
            "hints": .array([transaction("hints", number: "40", consumed: true)]),
        ])

        #expect(
            found.owned == [
                .init(
                    identifier: "lisbon", transactionID: "10", purchaseDate: Self.bought,
                    source: "\"lisbon\" of \(Self.source)")
            ])
        #expect(
            found.balances == [
                .init(
                    wallet: "coins", units: 600,
                    source: "\"coins50\" of \(Self.source) and \"coins500\" of \(Self.source)")
            ])
        #expect(found.unreadable.isEmpty)
    }

    @Test func `RMStore: a repeated transaction counts once, and transactions without an identifier each count`() throws
    {
        let found = try read([
            "hints": .array([
                transaction("hints", number: "40"), transaction("hints", number: "40"), transaction("hints"),
                transaction("hints"),
            ])
        ])

        #expect(found.balances.map(\.units) == [9])
    }

    @Test(arguments: ["season", "anything", "unheard-of"])
    func `RMStore: each transaction of a product that may be a subscription is read once`(product: String) throws {
        let found = try read([
            product: .array([
                transaction(product, number: "50"), transaction(product, number: "51"),
                transaction(product, number: "50"),
            ])
        ])

        #expect(found.owned.map(\.transactionID) == ["50", "51"])
    }

    @Test func `RMStore: missing fields of a transaction are accepted`() throws {
        let found = try read([
            "lisbon": .array([
                transaction("lisbon", consumed: nil, other: ["transactionDate": .null])
            ])
        ])

        #expect(found.owned == [.init(identifier: "lisbon", source: "\"lisbon\" of \(Self.source)")])
        #expect(found.unreadable.isEmpty)
    }

    @Test(
        arguments: [
            (
                ["transactionDate": .text("today")], "has a string as its transactionDate"
            ),
            (["transactionIdentifier": .integer(7)], "has a number as its transactionIdentifier"),
            (["productIdentifier": .text("porto")], "is of another product, \"porto\""),
            (["productIdentifier": .array], "has an array as its productIdentifier"),
            (["consumed": .integer(1)], "has a number as its consumed"),
        ] as [([String: SampleObject], String)]
    )
    func `RMStore: a transaction with an invalid field is reported`(
        other: [String: SampleObject], reason: String
    ) throws {
        let found = try read([
            "lisbon": .array([
                transaction("lisbon", consumed: nil, other: other), transaction("lisbon", number: "10"),
            ])
        ])

        #expect(found.owned.map(\.transactionID) == ["10"])
        #expect(found.unreadable == [.init(source: "\"lisbon\" of \(Self.source)", reason: "transaction 1 \(reason)")])
    }

    @Test func `RMStore: a value that is not a transaction is reported`() throws {
        let dictionary = try NSKeyedArchiver.archivedData(
            withRootObject: ["a": "b"] as NSDictionary, requiringSecureCoding: false)
        let found = try read([
            "athens": .string("bought"),
            "lisbon": .array([.data(dictionary), .string("x"), .data(Data("bplist00".utf8))]),
        ])

        #expect(
            found.unreadable.map(\.reason) == [
                "must be an array, but is a string", "transaction 1 must be an object, but is a dictionary",
                "transaction 2 must be data, but is a string",
                "transaction 3 @0: the file is too short for a binary property list",
            ])
        #expect(
            try read(.rmStore, preferences: ["RMStoreTransactions": .array([])]).unreadable == [
                .init(source: Self.source, reason: "must be a dictionary, but is an array")
            ])
    }

    // MARK: Keychain

    @Test func `RMStore: counts in the keychain are read as purchases and balances`() throws {
        let keychain = SampleKeychain(transactions: #"{"coins50": 2, "hints": 0, "lisbon": 1, "athens": 0}"#)

        let found = try read(.rmStore, keychain: keychain)

        #expect(
            found.balances == [
                .init(wallet: "coins", units: 100, source: "\"coins50\" of RMStoreTransactions in the keychain")
            ])
        #expect(
            found.owned == [
                .init(identifier: "lisbon", source: "\"lisbon\" of RMStoreTransactions in the keychain")
            ])
    }

    @Test(
        arguments: [
            (#"{"hints": "2"}"#, "must be a number"), (#"{"hints": true}"#, "must be a number"),
            (#"{"hints": -2}"#, "-2 is below zero"), (#"{"hints": 1.5}"#, "1.5 is not an integer"),
            (#"{"hints": 1e40}"#, "1e+40 is too large to be a count"),
            (
                #"{"hints": 9223372036854775807}"#,
                "9223372036854775807 purchases of \"hints\" are too many to be counted"
            ),
            ("[]", "is not a JSON object"), (#"{"hints": 2"#, "is not a JSON object"),
        ]
    )
    func `RMStore: an invalid keychain item is reported`(item: String, reason: String) throws {
        let found = try read(.rmStore, keychain: SampleKeychain(transactions: item))

        #expect(found.balances.isEmpty)
        #expect(found.unreadable.map(\.reason) == [reason])
    }
}
