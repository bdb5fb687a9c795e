import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

/// Products that are owned for a limited time.
@Suite(.hangLimit) struct SubscriptionTests {
    private static let start = Date(timeIntervalSince1970: 1_790_000_000)
    private let start = Self.start
    private let catalog = Catalog(products: [
        CatalogProduct(identifier: "maps", kind: .nonConsumable),
        CatalogProduct(identifier: "tours", kind: .nonConsumable),
        CatalogProduct(identifier: "basic", kind: .autoRenewableSubscription, childProducts: ["maps"]),
        CatalogProduct(identifier: "best", kind: .autoRenewableSubscription, childProducts: ["tours"]),
        CatalogProduct(
            identifier: "season", kind: .nonRenewingSubscription, childProducts: ["tours"],
            subscriptionDuration: SubscriptionDuration("P1M")),
    ])

    private func entries(_ facts: [Fact], after sequence: Int64 = 0) -> [LedgerEntry] {
        facts.enumerated().map { LedgerEntry(sequence: sequence + Int64($0 + 1), recordedAt: start, fact: $1) }
    }

    private func snapshot(_ facts: [Fact], at seconds: TimeInterval = 0) throws -> EntitlementSnapshot {
        try EntitlementSnapshot(catalog: catalog, entries: entries(facts), at: start + seconds)
    }

    /// Returns a period of the only subscription, with dates in seconds after the start.
    private func period(
        _ transaction: String, of product: String = "basic", from first: TimeInterval = 0,
        to last: TimeInterval = 100, isUpgraded: Bool = false, contents: [String]? = nil, isFamilyShared: Bool = false
    ) -> Fact {
        .bought(
            product, transaction: transaction, kind: .autoRenewableSubscription, signed: start,
            until: .init(expirationDate: start + last, isUpgraded: isUpgraded), original: "1", at: start + first,
            contents: contents ?? (product == "basic" ? ["maps"] : ["tours"]), isFamilyShared: isFamilyShared)
    }

    private func term(
        _ transaction: String, to last: TimeInterval, isUpgraded: Bool = false, signed: TimeInterval = 1
    ) -> Fact {
        .termed(
            "basic", transaction: transaction, signed: start + signed,
            until: .init(expirationDate: start + last, isUpgraded: isUpgraded))
    }

    private func reason(
        _ transaction: String, from first: TimeInterval = 0, to last: TimeInterval, isInGracePeriod: Bool = false,
        isFamilyShared: Bool = false
    ) -> Ownership.Reason {
        .transaction(
            .init(
                id: transaction, purchaseDate: start + first, expirationDate: start + last,
                isInGracePeriod: isInGracePeriod, isFamilyShared: isFamilyShared))
    }

    struct Moment: Sendable, CustomTestStringConvertible {
        let second: TimeInterval
        let owned: [String]
        var testDescription: String { "second \(second)" }
    }

    @Test(arguments: [
        Moment(second: -10, owned: ["maps", "basic"]), Moment(second: 0, owned: ["maps", "basic"]),
        Moment(second: 99.999, owned: ["maps", "basic"]), Moment(second: 100, owned: []),
        Moment(second: 1_000, owned: []),
    ])
    func `a subscription and its children are owned until the subscription ends`(_ moment: Moment) throws {
        let snapshot = try snapshot([period("1")], at: moment.second)

        #expect(snapshot.owned == moment.owned)
        #expect(snapshot.nextEnd == (moment.owned.isEmpty ? nil : start + 100))
    }

    @Test func `advancing the clock reports the products that expired, and the date of the next expiration`() throws {
        var snapshot = try snapshot([period("1"), .given("tours", token: "a", until: start + 50)])
        #expect(snapshot.nextEnd == start + 50)
        #expect(snapshot.ownership(of: "maps") == .owned(because: [.bundle(identifier: "basic")]))

        #expect(snapshot.set(date: start + 49).changesNothing)
        #expect(Set(snapshot.set(date: start + 50).noLongerOwned) == ["tours"])
        #expect(snapshot.nextEnd == start + 100)
        #expect(Set(snapshot.set(date: start + 200).noLongerOwned) == ["maps", "basic"])
        #expect(snapshot.nextEnd == nil)
        #expect(snapshot.ownership(of: "maps") == .notOwned)
        #expect(snapshot.ended(of: "basic").map(\.end) == [start + 100])
        #expect(snapshot.ended(of: "basic").map(\.reason) == [reason("1", to: 100)])
        #expect(snapshot.ended(of: "maps").isEmpty)
    }

    @Test func `a subscription that is renewed before its end remains owned without a gap`() throws {
        var snapshot = try snapshot([period("1"), period("2", from: 100, to: 200)], at: 90)
        #expect(
            snapshot.ownership(of: "basic") == .owned(because: [reason("1", to: 100), reason("2", from: 100, to: 200)]))

        #expect(snapshot.set(date: start + 100).changesNothing)
        #expect(snapshot.ownership(of: "basic") == .owned(because: [reason("2", from: 100, to: 200)]))
        #expect(snapshot.nextEnd == start + 200)
    }

    @Test func `a subscription that is renewed after its expiration is owned again`() throws {
        var snapshot = try snapshot([period("1")], at: 150)
        #expect(snapshot.owned.isEmpty)
        let changes = try snapshot.apply(entries([period("2", from: 140, to: 240)], after: 1))

        #expect(changes.newlyOwned == ["maps", "basic"])
        #expect(snapshot.nextEnd == start + 240)
    }

    @Test func `entitlements that began and ended since the last update cause no change`() throws {
        var snapshot = try snapshot([], at: 500)
        let changes = try snapshot.apply(
            entries([period("1"), .given("tours", token: "a"), .locked("tours", token: "b")]))

        #expect(changes.changesNothing)
        #expect(snapshot.owned.isEmpty)
    }

    @Test func `a subscription in its grace period is owned and marked as in grace period`() throws {
        let statement = Fact.renewed(
            "basic", transaction: "1", signed: start + 1,
            terms: .init(gracePeriodExpirationDate: start + 150, isInBillingRetry: true))
        var snapshot = try snapshot([period("1"), statement], at: 90)
        #expect(snapshot.ownership(of: "basic") == .owned(because: [reason("1", to: 150)]))
        #expect(snapshot.nextEnd == start + 100)

        let changes = snapshot.set(date: start + 120)
        #expect(changes.changesNothing)
        #expect(changes.touched == ["basic"])
        #expect(snapshot.nextEnd == start + 150)
        #expect(snapshot.ownership(of: "basic") == .owned(because: [reason("1", to: 150, isInGracePeriod: true)]))
        #expect(snapshot.isOwned("maps"))
        #expect(Set(snapshot.set(date: start + 150).noLongerOwned) == ["maps", "basic"])
    }

    @Test func `an extended subscription ends at its new end date and not before`() throws {
        var snapshot = try snapshot([period("1")])
        #expect(try snapshot.apply(entries([term("1", to: 300)], after: 1)).changesNothing)

        #expect(snapshot.nextEnd == start + 300)
        #expect(snapshot.set(date: start + 100).changesNothing)
        #expect(Set(snapshot.set(date: start + 300).noLongerOwned) == ["maps", "basic"])
    }

    @Test func `a subscription that is extended after its end is owned again`() throws {
        var snapshot = try snapshot([period("1")], at: 150)
        #expect(try snapshot.apply(entries([term("1", to: 300)], after: 1)).newlyOwned == ["maps", "basic"])
        #expect(snapshot.nextEnd == start + 300)
    }

    @Test func `an upgrade ends the ownership of the earlier subscription and its children`() throws {
        var snapshot = try snapshot([period("1")], at: 50)
        let changes = try snapshot.apply(
            entries([term("1", to: 100, isUpgraded: true), period("2", of: "best", from: 50, to: 150)], after: 1))

        #expect(changes.newlyOwned == ["tours", "best"])
        #expect(Set(changes.noLongerOwned) == ["maps", "basic"])
        #expect(snapshot.owned == ["tours", "best"])
        #expect(snapshot.nextEnd == start + 150)
        #expect(snapshot.ended(of: "basic").map(\.end) == [start + 50])
    }

    @Test(arguments: [true, false])
    func `a later period of another product in the same subscription ends the earlier one, in any arrival order`(
        inOrder: Bool
    ) throws {
        let facts = [period("1"), period("2", of: "best", from: 50, to: 150)]
        let snapshot = try snapshot(inOrder ? facts : facts.reversed(), at: 60)

        #expect(snapshot.owned == ["tours", "best"])
        #expect(snapshot.ownership(of: "maps") == .notOwned)
        #expect(snapshot.ended(of: "basic").map(\.end) == [start + 50])
    }

    @Test(arguments: [true, false])
    func `after an upgrade and a change back, the last period determines the owned subscription`(inOrder: Bool) throws {
        let facts = [
            period("1"), period("2", of: "best", from: 50, to: 150), period("3", of: "basic", from: 70, to: 170),
        ]
        let snapshot = try snapshot(inOrder ? facts : facts.reversed(), at: 80)

        #expect(snapshot.owned == ["maps", "basic"])
        #expect(snapshot.ownership(of: "basic") == .owned(because: [reason("3", from: 70, to: 170)]))
    }

    @Test(arguments: [true, false])
    func `a downgrade of a subscription becomes effective at the renewal`(inOrder: Bool) throws {
        let facts = [period("1", of: "best"), period("2", of: "basic", from: 100, to: 200)]
        var snapshot = try snapshot(inOrder ? facts : facts.reversed(), at: 99)
        #expect(snapshot.isOwned("best") && snapshot.isOwned("tours"))

        #expect(Set(snapshot.set(date: start + 100).noLongerOwned) == ["tours", "best"])
        #expect(snapshot.owned == ["maps", "basic"])
        #expect(snapshot.nextEnd == start + 200)
    }

    @Test func `subscriptions with different original transactions do not end each other`() throws {
        let other = Fact.bought(
            "best", transaction: "9", kind: .autoRenewableSubscription, signed: start,
            until: .init(expirationDate: start + 150), original: "9", at: start + 50)

        #expect(try snapshot([period("1"), other], at: 60).owned == ["maps", "tours", "basic", "best"])
    }

    @Test func `a non-renewing subscription that is purchased twice at once is owned for the sum of both`() throws {
        func season(_ id: String, to last: TimeInterval) -> Fact {
            .bought(
                "season", transaction: id, kind: .nonRenewingSubscription, until: .init(expirationDate: start + last),
                contents: ["tours"])
        }
        var snapshot = try snapshot([season("1", to: 100), season("2", to: 130)], at: 50)
        #expect(snapshot.owned == ["tours", "season"])

        #expect(snapshot.set(date: start + 130).changesNothing)
        #expect(snapshot.set(date: start + 229).changesNothing)
        #expect(Set(snapshot.set(date: start + 230).noLongerOwned) == ["tours", "season"])
    }

    @Test func `a subscription in a bundle, and the subscription's children, are owned as long as the bundle`() throws {
        let catalog = Catalog(products: [
            CatalogProduct(identifier: "maps", kind: .nonConsumable),
            CatalogProduct(identifier: "basic", kind: .autoRenewableSubscription, childProducts: ["maps"]),
            CatalogProduct(identifier: "all", kind: .autoRenewableSubscription, childProducts: ["basic"]),
            CatalogProduct(identifier: "life", kind: .nonConsumable, childProducts: ["basic"]),
        ])
        #expect(!catalog.hasErrors)
        var subscribed = try EntitlementSnapshot(
            catalog: catalog, entries: entries([period("1", of: "all", contents: ["basic", "maps"])]), at: start)
        #expect(Set(subscribed.owned) == ["maps", "basic", "all"])
        #expect(subscribed.subscriptions.map(\.productIdentifier) == ["all"])
        #expect(Set(subscribed.set(date: start + 100).noLongerOwned) == ["maps", "basic", "all"])

        var bought = try EntitlementSnapshot(
            catalog: catalog, entries: entries([.bought("life", transaction: "7", contents: ["basic", "maps"])]),
            at: start)
        #expect(bought.set(date: start + 1_000_000_000).noLongerOwned.isEmpty)
        #expect(Set(bought.owned) == ["maps", "basic", "life"])
        #expect(bought.subscriptions.isEmpty)
    }

    @Test func `a refunded subscription period is not owned and has no end until the refund is reversed`() throws {
        var snapshot = try snapshot([period("1")], at: 50)
        let changes = try snapshot.apply(
            entries([.revoked("basic", transaction: "1", signed: start + 50)], after: 1))
        #expect(Set(changes.noLongerOwned) == ["maps", "basic"])
        #expect(snapshot.nextEnd == nil)

        let back = try snapshot.apply(entries([.credited("basic", transaction: "1", signed: start + 60)], after: 2))
        #expect(back.newlyOwned == ["maps", "basic"])
        #expect(snapshot.nextEnd == start + 100)
        #expect(Set(snapshot.set(date: start + 100).noLongerOwned) == ["maps", "basic"])
    }

    @Test func `correcting a clock that was ahead restores ended subscriptions once the store has answered`() throws {
        var snapshot = try snapshot([period("1"), .given("tours", token: "a", until: start + 50)])
        #expect(snapshot.dependsOnDate)
        #expect(Set(snapshot.set(date: start + 1_000).noLongerOwned) == ["maps", "basic", "tours"])
        #expect(snapshot.nextEnd == nil)
        #expect(snapshot.dependsOnDate)

        #expect(snapshot.set(date: start + 60).newlyOwned.isEmpty)
        #expect(snapshot.ownership(of: "maps") == .unknown(.clockSetBack(product: "basic", end: start + 100)))
        #expect(Set(snapshot.applyAnswer(aboutSubscriptions: ["1"]).newlyOwned) == ["maps", "basic"])
        #expect(snapshot.nextEnd == start + 100)
        #expect(Set(snapshot.set(date: start + 10).newlyOwned) == ["tours"])
        #expect(snapshot.nextEnd == start + 50)
        #expect(Set(snapshot.set(date: start + 100).noLongerOwned) == ["maps", "basic", "tours"])
    }

    @Test
    func `a subscription period recorded while the clock was ahead is owned once the clock is corrected`()
        throws
    {
        var snapshot = try snapshot([], at: 1_000)
        #expect(try snapshot.apply(entries([period("1")])).newlyOwned.isEmpty)

        #expect(snapshot.set(date: start + 10).newlyOwned.isEmpty)
        #expect(Set(snapshot.applyAnswer(aboutSubscriptions: ["1"]).newlyOwned) == ["maps", "basic"])
        #expect(snapshot.nextEnd == start + 100)
    }

    @Test func `a clock set back does not revive a subscription that ended before the store's latest signature`() throws
    {
        let later = Fact.bought("maps", transaction: "8", signed: start + 120)
        var snapshot = try snapshot([period("1"), later], at: 1_000)
        #expect(!snapshot.dependsOnDate)
        #expect(snapshot.set(date: start + 50).changesNothing)

        #expect(snapshot.owned == ["maps"])
        #expect(snapshot.with(catalog: catalog).owned == ["maps"])
        #expect(try snapshot.apply(entries([term("1", to: 110, signed: 130)], after: 2)).changesNothing)
        #expect(snapshot.owned == ["maps"])
    }

    @Test func `a later signature date of the store overrides an earlier date of the device clock`() throws {
        let later = Fact.bought("maps", transaction: "8", signed: start + 120)
        let snapshot = try snapshot([period("1"), later], at: -1_000)

        #expect(snapshot.owned == ["maps"])
        #expect(snapshot.nextEnd == nil)
        var updated = try self.snapshot([period("1")], at: -1_000)
        #expect(Set(try updated.apply(entries([later], after: 1)).noLongerOwned) == ["basic"])
        #expect(updated.set(date: start).changesNothing)
        #expect(updated.owned == ["maps"])
    }

    @Test func `a family-shared product is owned, and lost when it is no longer shared`() throws {
        var snapshot = try snapshot([period("1", isFamilyShared: true)])
        #expect(snapshot.ownership(of: "basic") == .owned(because: [reason("1", to: 100, isFamilyShared: true)]))

        let lost = try snapshot.apply(entries([.revoked("basic", transaction: "1", signed: start + 1)], after: 1))
        #expect(Set(lost.noLongerOwned) == ["maps", "basic"])
        let shared = Fact.bought("maps", transaction: "7", isFamilyShared: true)
        #expect(try snapshot.apply(entries([shared], after: 2)).newlyOwned == ["maps"])
    }
}
