import Foundation
import Testing
import VitrineCatalog
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

@testable import VitrineStoreSimulator

/// Purchase histories of customers as an app knows them, which are repeated in a store.
@Suite(.hangLimit) struct CustomerCaseTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        let edit: @Sendable (inout CustomerCase) -> Void
        /// Expected transactions: product, days from the start to the beginning and end of the period, and further
        /// properties.
        let transactions: [String]
        /// State of the subscription at the end; `nil` if there is none.
        var state: SubscriptionState?
        var omissions: [String] = []

        var testDescription: String { id }
    }

    private static let start = Date.at("2030-01-01")

    private static func day(_ number: Double) -> Date { start + number * .day }

    private static func period(
        _ id: String, _ product: String = "news", from begin: Double, to end: Double, grace: Double? = nil,
        isFamilyShared: Bool = false, isRenewal: Bool = false
    ) -> CustomerCase.Purchase {
        CustomerCase.Purchase(
            id: id, original: "1", product: product, date: day(begin), end: day(end), graceEnd: grace.map(day),
            isFamilyShared: isFamilyShared, isRenewal: isRenewal)
    }

    private static func statement(_ date: Double, isRenewing: Bool = false) -> CustomerCase.Statement {
        CustomerCase.Statement(original: "1", date: day(date), isRenewing: isRenewing)
    }

    static let cases: [Case] = [
        Case(
            id: "purchases, one of them refunded in part",
            edit: { past in
                past.purchases = [
                    .init(id: "1", original: "1", product: "map", date: day(1)),
                    .init(id: "2", original: "2", product: "coins", quantity: 4, date: day(2)),
                ]
                past.changes = [.init(of: "1", at: day(3), .revocation(percentage: 40_000))]
            }, transactions: ["map 1 - revoked 3 40000", "coins 2 - 4 times"]),
        Case(
            id: "a refund of the whole price, which the store has stated as 100 percent",
            edit: { past in
                past.purchases = [.init(id: "1", original: "1", product: "map", date: day(1))]
                past.changes = [.init(of: "1", at: day(3), .revocation(percentage: 100_000))]
            }, transactions: ["map 1 - revoked 3 0"]),
        Case(
            id: "a refund that was reversed",
            edit: { past in
                past.purchases = [.init(id: "1", original: "1", product: "map", date: day(1))]
                past.changes = [
                    .init(of: "1", at: day(3), .revocation(percentage: nil)),
                    .init(of: "1", at: day(4), .reinstatement),
                ]
            }, transactions: ["map 1 -"]),
        Case(
            id: "a product that the family shares, until it does not",
            edit: { past in
                past.purchases = [
                    .init(id: "1", original: "1", product: "map", date: day(1), isFamilyShared: true)
                ]
                past.changes = [.init(of: "1", at: day(3), .revocation(percentage: nil))]
            }, transactions: ["map 1 - shared revoked 3 0"]),
        Case(
            id: "periods with ends of their own",
            edit: {
                $0.purchases = [
                    period("1", from: 0, to: 5), period("2", from: 5, to: 11), period("3", from: 11, to: 99),
                ]
            },
            transactions: ["news 0 5", "news 5 11 renewal", "news 11 99 renewal"], state: .active),
        Case(
            id: "an end by the customer",
            edit: { past in
                past.purchases = [period("1", from: 0, to: 5)]
                past.statements = [statement(2)]
            }, transactions: ["news 0 5"], state: .expired),
        Case(
            id: "an end that is not known", edit: { $0.purchases = [period("1", from: 0, to: 5)] },
            transactions: ["news 0 5"], state: .expired,
            omissions: ["how the subscription to news went on after 2030-01-06 00:00:00 UTC: it ends there"]),
        Case(
            id: "a pause",
            edit: { $0.purchases = [period("1", from: 0, to: 5), period("2", from: 20, to: 99)] },
            transactions: ["news 0 5", "news 20 99"], state: .active,
            omissions: ["why the subscription to news ended at 2030-01-06 00:00:00 UTC: the customer cancels it"]),
        Case(
            id: "a charge that succeeded late, as only the later transaction says",
            edit: {
                $0.purchases = [period("1", from: 0, to: 5), period("2", from: 20, to: 99, isRenewal: true)]
            }, transactions: ["news 0 5", "news 20 99 renewal"], state: .active),
        Case(
            id: "a grace period that goes on",
            edit: { $0.purchases = [period("1", from: 0, to: 48, grace: 60)] },
            transactions: ["news 0 48"], state: .billingGracePeriod),
        Case(
            id: "a charge that is tried again, and made",
            edit: { past in
                past.purchases = [period("1", from: 0, to: 5), period("2", from: 20, to: 99)]
                var failed = statement(6, isRenewing: true)
                failed.isInBillingRetry = true
                past.statements = [failed]
            }, transactions: ["news 0 5", "news 20 99 renewal"], state: .active),
        Case(
            id: "a charge that is tried again",
            edit: { past in
                past.purchases = [period("1", from: 0, to: 5)]
                var failed = statement(6, isRenewing: true)
                failed.isInBillingRetry = true
                past.statements = [failed]
            }, transactions: ["news 0 5"], state: .billingRetry),
        Case(
            id: "an upgrade, and a plan that begins with the next period",
            edit: { past in
                past.purchases = [
                    period("1", "club.silver", from: 0, to: 30), period("2", "club.gold", from: 3, to: 33),
                    period("3", "club.bronze", from: 33, to: 99),
                ]
            },
            transactions: ["club.silver 0 30 upgraded", "club.gold 3 33", "club.bronze 33 99 renewal"], state: .active),
        Case(
            id: "an extension",
            edit: { past in
                past.purchases = [period("1", from: 0, to: 30), period("2", from: 40, to: 99)]
                past.changes = [.init(of: "1", at: day(3), .extended(to: day(40)))]
            }, transactions: ["news 0 40", "news 40 99 renewal"], state: .active),
        Case(
            id: "a refund of the running period",
            edit: { past in
                past.purchases = [period("1", from: 0, to: 30)]
                past.changes = [.init(of: "1", at: day(3), .revocation(percentage: nil))]
            }, transactions: ["news 0 30 revoked 3 0"], state: .revoked),
        Case(
            id: "what no store can repeat",
            edit: { past in
                past.purchases = [
                    .init(id: "8", original: "8", product: "moon", date: day(1)),
                    .init(id: "9", original: "9", product: "coins", quantity: 12, date: day(1)),
                    period("1", from: 0, to: 5, isFamilyShared: true),
                ]
                past.changes = [.init(of: "8", at: day(3), .revocation(percentage: nil))]
                past.omissions = ["a grant"]
            }, transactions: [],
            omissions: [
                "a grant", "the subscription to news, which a member of the family shares",
                "the purchase of moon at 2030-01-02 00:00:00 UTC: the store does not sell moon",
                "the purchase of coins at 2030-01-02 00:00:00 UTC: the store does not sell coins in a quantity of 12",
                "the refund at 2030-01-04 00:00:00 UTC: the purchase was left out",
            ]),
        Case(
            id: "a renewal to a product that is not sold",
            edit: { $0.purchases = [period("1", from: 0, to: 5), period("2", "moon", from: 5, to: 99)] },
            transactions: ["news 0 5"], state: .expired,
            omissions: ["the renewal to moon at 2030-01-06 00:00:00 UTC: the store does not sell moon"]),
    ]

    @Test(arguments: cases)
    func `a customer's purchase history is replayed in a store, and omitted parts are reported`(row: Case) async throws
    {
        let store = try RecordedStore.club()
        var past = CustomerCase(until: Self.day(50))
        past.app = OriginalPurchase(version: "3", date: Self.day(-100), platform: .iOS)
        row.edit(&past)
        let replay = try await store.replay(past)

        #expect(try await store.transactions().map(Self.text) == row.transactions)
        #expect(try await store.subscriptions().map(\.state) == [row.state].compactMap(\.self))
        #expect(replay.omissions == row.omissions)
        #expect(store.clock.now == Self.day(50))
        #expect(try await store.appTransaction() != nil)
    }

    private static func text(_ transaction: SimulatedTransaction) -> String {
        [
            transaction.productIdentifier, number(transaction.purchaseDate),
            transaction.expirationDate.map(number) ?? "-",
            transaction.quantity > 1 ? "\(transaction.quantity) times" : nil,
            transaction.ownershipType == .familyShared ? "shared" : nil, transaction.isRenewal ? "renewal" : nil,
            transaction.isUpgraded ? "upgraded" : nil,
            transaction.revocationDate.map { "revoked \(number($0)) \(transaction.revocationPercentage ?? 0)" },
        ].compactMap(\.self).joined(separator: " ")
    }

    private static func number(_ date: Date) -> String { String(Int(date.timeIntervalSince(start) / .day)) }

    @Test func `a purchase history that cannot be replayed leaves the store unchanged`() async throws {
        let store = try RecordedStore.club()
        var past = CustomerCase(until: .at("2130-01-01"))
        past.purchases = [.init(id: "1", original: "1", product: "map", date: Self.day(1))]
        let error = await #expect(throws: StoreRecordingError.self) { try await store.replay(past) }

        #expect(error?.code == .refused)
        #expect(try await store.transactions().isEmpty)
    }
}
