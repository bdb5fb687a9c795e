import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

/// Clock of the device that is ahead of the store's, as the store's answer to a purchase has shown.
@Suite(.hangLimit) struct ClockLeadTests {
    private static let start = Date(timeIntervalSince1970: 1_790_000_000)

    private static func day(_ number: Double) -> Date { start + number * 86_400 }

    private static let catalog = Catalog(products: [
        CatalogProduct(identifier: "basic", kind: .autoRenewableSubscription),
        CatalogProduct(
            identifier: "season", kind: .nonRenewingSubscription, subscriptionDuration: SubscriptionDuration("P30D")),
        CatalogProduct(identifier: "maps", kind: .nonConsumable),
    ])

    private static let facts: [Fact] = [
        .bought(
            "basic", transaction: "1", kind: .autoRenewableSubscription, signed: start,
            until: .init(expirationDate: day(30)), at: start),
        .bought(
            "season", transaction: "2", kind: .nonRenewingSubscription, signed: start,
            until: .init(expirationDate: day(30)), at: start),
    ]

    private func entries(_ facts: [Fact], after sequence: Int64 = 0) -> [LedgerEntry] {
        facts.enumerated().map {
            LedgerEntry(sequence: sequence + Int64($0 + 1), recordedAt: Self.start, fact: $1)
        }
    }

    /// Returns the state of a device whose clock was on day 60 when the store sold a subscription and a pass for 30
    /// days, on day 0.
    private func aheadBySixtyDays() throws -> EntitlementSnapshot {
        var snapshot = try EntitlementSnapshot(catalog: Self.catalog, entries: [], at: Self.day(60))
        _ = snapshot.apply(ClockLead(deviceDate: Self.day(60), storeDate: Self.start))
        _ = try snapshot.apply(entries(Self.facts))
        return snapshot
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let id: String
        /// Days that the device's clock shows, one after the other.
        let clock: [Double]
        let owned: [String]
        var testDescription: String { id }
    }

    private static let both = ["basic", "season"]

    @Test(arguments: [
        Row(id: "at the purchase", clock: [60], owned: both),
        Row(id: "on the last day", clock: [89.9], owned: both),
        Row(id: "after the end", clock: [90], owned: []),
        Row(id: "long after the end", clock: [200], owned: []),
        Row(id: "put right in the period", clock: [10], owned: both),
        Row(id: "put right after the end", clock: [31], owned: []),
        Row(id: "set back by a day", clock: [59], owned: []),
        Row(id: "set back by a day, then forward", clock: [59, 70], owned: []),
        Row(id: "put right, then ahead again", clock: [10, 70], owned: []),
        // A pass is owned again when a clock was ahead: the customer may have put it right.
        Row(id: "set back after the end", clock: [91, 10], owned: ["season"]),
        Row(id: "set back after the end, but not before the purchase", clock: [91, 61], owned: ["season"]),
        Row(id: "before the store's last signature", clock: [91, -10], owned: ["season"]),
    ])
    func `a purchase is owned for its period by the store's clock while the device's clock keeps its lead`(
        _ row: Row
    ) throws {
        var snapshot = try aheadBySixtyDays()
        for day in row.clock { _ = snapshot.set(date: Self.day(day)) }
        #expect(snapshot.owned == row.owned)
        let rebuilt = try EntitlementSnapshot(
            catalog: Self.catalog, entries: entries(Self.facts), at: snapshot.date, check: snapshot.check)
        #expect(rebuilt.owned == row.owned)
    }

    @Test func `the next end is a date of the device's clock, at which the product is no longer owned`() throws {
        var snapshot = try aheadBySixtyDays()
        let end = try #require(snapshot.nextEnd)
        #expect(abs(end.timeIntervalSince(Self.day(90))) < 0.01)
        #expect(snapshot.set(date: end).noLongerOwned.sorted() == Self.both)
        #expect(snapshot.nextEnd == nil)
    }

    @Test func `an answer about subscriptions keeps the lead, and a later purchase replaces it`() throws {
        var snapshot = try aheadBySixtyDays()
        _ = snapshot.applyAnswer(aboutSubscriptions: ["1"])
        #expect(snapshot.owned == Self.both)
        #expect(snapshot.check.answerDate == Self.start)

        // The customer has put the clock right, and buys again.
        _ = snapshot.set(date: Self.day(61))
        let lead = ClockLead(deviceDate: Self.day(61), storeDate: Self.day(61))
        #expect(lead == nil)
        #expect(snapshot.apply(lead).noLongerOwned.sorted() == Self.both)
    }

    @Test func `a subscription whose end a wrong clock has shown is owned once the lead is known`() throws {
        var snapshot = try EntitlementSnapshot(
            catalog: Self.catalog, entries: entries(Self.facts), at: Self.day(60))
        #expect(snapshot.owned.isEmpty)
        #expect(snapshot.check.latestSeenEnd == Self.day(30))

        let changes = snapshot.apply(ClockLead(deviceDate: Self.day(60), storeDate: Self.day(5)))
        #expect(changes.newlyOwned == Self.both)
        #expect(snapshot.check.latestSeenEnd == .distantPast)
    }

    @Test func `a purchase after the end of a subscription does not let a clock that is set back revive it`() throws {
        var snapshot = try EntitlementSnapshot(
            catalog: Self.catalog, entries: entries(Self.facts), at: Self.day(40))
        _ = snapshot.apply(ClockLead(deviceDate: Self.day(80), storeDate: Self.day(40)))
        _ = snapshot.set(date: Self.day(20))
        #expect(!snapshot.isOwned("basic"))
    }

    @Test func `an answer that arrives within a minute shows no lead of the clock`() {
        #expect(ClockLead(deviceDate: Self.start + 60, storeDate: Self.start) == nil)
        #expect(ClockLead(deviceDate: Self.start + 61, storeDate: Self.start)?.seconds == 61)
        #expect(ClockLead(deviceDate: Self.start - 90, storeDate: Self.start) == nil)
    }

    @Test func `a stored answer about subscriptions is read with and without a lead of the clock`() throws {
        let check = SubscriptionCheck(
            answerDate: Self.start, listed: ["1"],
            clockLead: ClockLead(deviceDate: Self.day(1), storeDate: Self.start))
        let data = try JSONEncoder().encode(check)
        #expect(try JSONDecoder().decode(SubscriptionCheck.self, from: data) == check)
        let older = #"{"answerDate": 0, "listed": ["1"], "latestSeenEnd": 0}"#
        #expect(try JSONDecoder().decode(SubscriptionCheck.self, from: Data(older.utf8)).clockLead == nil)
    }
}
