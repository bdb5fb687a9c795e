import Foundation
import Testing
import Vitrine
import VitrineTestSupport

@testable import VitrineMigration

extension LegacyTests {
    private static let source = "purchaserecord.plist in Documents"

    private func writeRecord(_ bytes: some Sequence<UInt8>) throws {
        try Data(bytes).write(to: documents.appending(path: "purchaserecord.plist"))
    }

    /// Writes a record in the format of MKStoreKit.
    private func writeRecord(_ entries: [String: SampleObject]) throws {
        let record = NSMutableDictionary()
        for (key, value) in entries { record[key as NSString] = value.object }
        try writeRecord(NSKeyedArchiver.archivedData(withRootObject: record, requiringSecureCoding: false))
    }

    @Test func `MKStoreKit: a null value is a purchase, and a number is the balance of a wallet`() throws {
        try writeRecord([
            "lisbon": .null, "unheard-of": .null, "coins": .real(150.0),
            "hints": .real(0.0), "SKOrigBundleRef": .text("1.0"),
        ])

        let found = try read(.mkStoreKit)

        #expect(
            found.owned == [
                .init(identifier: "lisbon", source: "\"lisbon\" in \(Self.source)"),
                .init(identifier: "unheard-of", source: "\"unheard-of\" in \(Self.source)"),
            ])
        #expect(found.balances == [.init(wallet: "coins", units: 150, source: "\"coins\" in \(Self.source)")])
        #expect(found.unreadable.isEmpty)
    }

    @Test(arguments: [.integer(1_416_273_600_000), .text("1416273600000"), .real(1.4162736e12)] as [SampleObject])
    func `MKStoreKit: milliseconds stored as a number or as text are the expiration date of a subscription`(
        milliseconds: SampleObject
    ) throws {
        try writeRecord(["season": milliseconds])

        let owned = try #require(try read(.mkStoreKit).owned.first)

        #expect(owned.identifier == "season")
        #expect(owned.expirationDate == Date(timeIntervalSince1970: 1_416_273_600))
    }

    @Test func `MKStoreKit: a count under a consumable's identifier is added to the balance of its wallet`() throws {
        try writeRecord(["coins": .integer(150), "coins50": .integer(30)])

        #expect(
            try read(.mkStoreKit).balances == [
                .init(
                    wallet: "coins", units: 180,
                    source: "\"coins\" in \(Self.source) and \"coins50\" in \(Self.source)")
            ])
    }

    @Test(
        arguments: [
            ("coins", .real(-20.0), "-20.0 is below zero"),
            ("coins", .integer(-20), "-20 is below zero"),
            ("coins", .real(1e300), "1e+300 is too large to be a count"),
            ("coins", .unsigned(.max), "1.8446744073709552e+19 is too large to be a count"),
            ("coins", .real(0.25), "0.25 is not an integer"),
            ("coins", .boolean(true), "must be a number, but is a boolean"),
            ("coins", .text("20"), "must be a number, but is a string"),
            ("coins", .null, "must be a number, but is null"),
            ("coins50", .null, "must be a number, but is null"),
            ("season", .text("soon"), "contains \"soon\" where milliseconds are required"),
            ("season", .text(""), "contains \"\" where milliseconds are required"),
            ("season", .text("-5"), "contains \"-5\" where milliseconds are required"),
            (
                "season", .text("99999999999999999999"),
                "contains \"99999999999999999999\" where milliseconds are required"
            ),
            ("season", .integer(-1), "-1 is below zero"),
            (
                "season", .integer(253_402_300_800_000),
                "253402300800000 milliseconds are after the year 9999"
            ),
            ("season", .date, "must be null or a number, but is a date"),
            ("season", .array, "must be null or a number, but is an array"),
            (
                "unheard-of", .integer(7),
                "is neither a wallet nor a product of the catalog, so that its number may be units or a date"
            ),
        ] as [(String, SampleObject, String)]
    )
    func `MKStoreKit: an entry with an unusable value is reported`(key: String, value: SampleObject, reason: String)
        throws
    {
        try writeRecord([key: value, "lisbon": .null])

        let found = try read(.mkStoreKit)

        #expect(found.owned.map(\.identifier) == ["lisbon"])
        #expect(found.balances.isEmpty)
        #expect(found.unreadable == [.init(source: "\"\(key)\" in \(Self.source)", reason: reason)])
    }

    @Test func `MKStoreKit: balances whose sum overflows are reported`() throws {
        try writeRecord(["coins": .integer(.max), "coins50": .integer(1)])

        let found = try read(.mkStoreKit)

        #expect(found.balances.map(\.units) == [.max])
        #expect(found.unreadable.map(\.reason) == ["makes the balance of \"coins\" too large"])
    }

    @Test func `MKStoreKit: a record that is not a dictionary is reported`() throws {
        try writeRecord(NSKeyedArchiver.archivedData(withRootObject: ["a"] as NSArray, requiringSecureCoding: false))

        #expect(
            try read(.mkStoreKit).unreadable == [
                .init(source: Self.source, reason: "must be a dictionary, but is an array")
            ])
    }

    @Test func `MKStoreKit: a truncated record is reported`() throws {
        try writeRecord(["lisbon": .null, "coins": .real(150.0)])
        let whole = try Data(contentsOf: documents.appending(path: "purchaserecord.plist"))

        for count in stride(from: 0, to: whole.count, by: 7) {
            try writeRecord(whole.prefix(count))
            let found = try read(.mkStoreKit)
            #expect(found.owned.isEmpty && found.balances.isEmpty && found.unreadable.count == 1)
        }
    }
}
