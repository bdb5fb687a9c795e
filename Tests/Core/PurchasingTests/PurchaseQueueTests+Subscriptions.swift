import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

extension PurchaseQueueTests {
    private static let day: TimeInterval = 86_400
    private static let club = String.voyager("club")
    private static let goldClub = String.voyager("goldclub")
    private static let pass = String.voyager("pass")

    private static let subscriptions = Catalog(products: [
        CatalogProduct(
            identifier: club, kind: .autoRenewableSubscription, childProducts: [.voyager("lisbon")],
            subscriptionGroup: "clubs", level: 2),
        CatalogProduct(
            identifier: goldClub, kind: .autoRenewableSubscription, subscriptionGroup: "clubs", level: 1),
        CatalogProduct(
            identifier: pass, kind: .nonRenewingSubscription, subscriptionDuration: SubscriptionDuration("P1M")),
        CatalogProduct(identifier: .voyager("lisbon"), kind: .nonConsumable),
    ])

    private var start: Date { voyager.clock.now }

    private func makeClub() throws -> (Signer, PurchaseQueue) {
        let signer = try Signer(around: start)
        return (signer, try makeQueue(verifier: signer.verifier, catalog: { Self.subscriptions }))
    }

    private func after(days: Double) -> Date { start + days * Self.day }

    private func isOwned(_ product: String, days: Double) async throws -> Bool {
        try EntitlementSnapshot(
            catalog: Self.subscriptions, entries: await ledger.entries(after: 0), at: after(days: days)
        ).isOwned(product)
    }

    /// Returns a period of a month, signed on its first day.
    private func period(
        _ number: Int, _ signer: Signer, of product: String? = nil, signed: Double? = nil, isUpgraded: Bool? = nil,
        renewal: String? = nil
    ) throws -> StoreTransaction {
        let begin = Double(number - 1) * 30
        return try signer.transaction(
            "\(100 + number)", of: product ?? Self.club, .autoRenewableSubscription, original: "101",
            bought: after(days: begin), signed: after(days: signed ?? begin), until: after(days: begin + 30),
            isUpgraded: isUpgraded, renewal: renewal)
    }

    private func grace(_ signer: Signer, until days: Double, signed: Double, of product: String? = nil) throws -> String
    {
        try signer.renewal(
            of: "101", product ?? Self.club, grace: after(days: days), signed: after(days: signed))
    }

    // MARK: Periods

    @Test func `a subscription and its child products are owned until the subscription expires`() async throws {
        let (signer, queue) = try makeClub()
        #expect(await queue.deliver(try period(1, signer)).word == "delivered, new")

        for product in [Self.club, .voyager("lisbon")] {
            #expect(try await isOwned(product, days: 29))
            #expect(try await !isOwned(product, days: 30))
        }
        guard case .purchase(let purchase)? = await ledger.entries(after: 0).first?.fact else {
            Issue.record("no purchase was recorded")
            return
        }
        #expect(purchase.period == Fact.Period(expirationDate: after(days: 30)))
        #expect(purchase.contents == [.voyager("lisbon")])
    }

    @Test func `a subscription renewal is recorded as a purchase of the next period`() async throws {
        let (signer, queue) = try makeClub()
        for number in [1, 2] { #expect(await queue.deliver(try period(number, signer)).word == "delivered, new") }

        #expect(await ledger.entries(after: 0).map(\.fact.kind) == [.purchase, .purchase])
        #expect(try await isOwned(Self.club, days: 59))
        #expect(try await !isOwned(Self.club, days: 60))
    }

    @Test func `a refund of one subscription period leaves the other periods owned`() async throws {
        let (signer, queue) = try makeClub()
        await queue.deliver(try period(1, signer))
        for revoked in [nil, after(days: 29.2)] {
            await queue.deliver(
                try signer.transaction(
                    "102", of: Self.club, .autoRenewableSubscription, original: "101", bought: after(days: 29),
                    signed: revoked ?? after(days: 29), revoked: revoked, until: after(days: 60)))
        }

        #expect(await ledger.isRevoked("102"))
        #expect(try await isOwned(Self.club, days: 29.5))
        #expect(try await !isOwned(Self.club, days: 31))
    }

    @Test func `a subscription is no longer owned after an upgrade to a better one`() async throws {
        let (signer, queue) = try makeClub()
        await queue.deliver(try period(1, signer))
        await queue.deliver(
            try signer.transaction(
                "150", of: Self.goldClub, .autoRenewableSubscription, original: "101", bought: after(days: 10),
                signed: after(days: 10), until: after(days: 40)))
        #expect(await queue.deliver(try period(1, signer, signed: 10, isUpgraded: true)).word == "delivered, known")

        #expect(await ledger.entries(after: 0).map(\.fact.kind) == [.purchase, .purchase, .term])
        #expect(try await !isOwned(Self.club, days: 11))
        #expect(try await isOwned(Self.goldClub, days: 11))
    }

    @Test func `an older copy of a subscription transaction does not undo an extension that was signed later`()
        async throws
    {
        let (signer, queue) = try makeClub()
        let extended = try signer.transaction(
            "101", of: Self.club, .autoRenewableSubscription, bought: start, signed: after(days: 5),
            until: after(days: 44))
        for transaction in [extended, try period(1, signer)] { await queue.deliver(transaction) }
        #expect(try await isOwned(Self.club, days: 43))

        let (other, ledgerBefore) = (
            try makeQueue(verifier: signer.verifier, catalog: { nil }), await ledger.checkWritable()
        )
        await other.deliver(extended)
        #expect(await ledger.checkWritable() == ledgerBefore)
    }

    @Test func `a subscription transaction without an expiration date waits and is not delivered`() async throws {
        let (signer, queue) = try makeClub()
        let endless = try signer.transaction("101", of: Self.club, .autoRenewableSubscription, signed: start)

        #expect(
            await queue.deliver(endless).word
                == "waiting: the subscription com.example.voyager.club has no known end")
    }

    // MARK: Grace

    @Test func `a subscription in its grace period is owned beyond its expiration date`() async throws {
        let (signer, queue) = try makeClub()
        await queue.deliver(try period(1, signer))
        await queue.deliver(try period(1, signer, signed: 30, renewal: try grace(signer, until: 46, signed: 30.5)))

        #expect(try await isOwned(Self.club, days: 45))
        #expect(try await !isOwned(Self.club, days: 46))
    }

    @Test func `a grace period in a device's first copy of a subscription transaction is applied`() async throws {
        let (signer, queue) = try makeClub()
        let renewal = try grace(signer, until: 46, signed: 30)

        #expect(await queue.deliver(try period(1, signer, signed: 30, renewal: renewal)).word == "delivered, new")
        #expect(try await isOwned(Self.club, days: 45))
    }

    @Test func `a subscription transaction without renewal information does not end a known grace period`() async throws
    {
        let (signer, queue) = try makeClub()
        await queue.deliver(try period(1, signer, signed: 30, renewal: try grace(signer, until: 46, signed: 30)))
        await queue.deliver(try period(1, signer, signed: 31))

        #expect(try await isOwned(Self.club, days: 45))
    }

    @Test func `renewal information signed by an untrusted key is reported as ignored and grants no grace period`()
        async throws
    {
        let (signer, queue) = try makeClub()
        let forged = try grace(Signer(around: start), until: 400, signed: 30)

        #expect(await queue.deliver(try period(1, signer, signed: 30, renewal: forged)).word == "delivered, new")
        #expect(steps.values.contains("renewal ignored"))
        #expect(try await !isOwned(Self.club, days: 31))
    }

    @Test(arguments: ["another product", "an earlier end", "another subscription"])
    func `a grace period of another product or subscription, or with an earlier end, is ignored`(_ difference: String)
        async throws
    {
        let (signer, queue) = try makeClub()
        let renewal =
            switch difference {
            case "another product": try grace(signer, until: 46, signed: 29, of: Self.goldClub)
            case "an earlier end": try grace(signer, until: 29.2, signed: 29)
            default: try signer.renewal(of: "777", Self.club, grace: after(days: 46), signed: after(days: 29))
            }
        await queue.deliver(try period(1, signer, signed: 29, renewal: renewal))

        #expect(try await isOwned(Self.club, days: 29.5))
        #expect(try await !isOwned(Self.club, days: 31))
    }

    // MARK: Without renewal

    @Test func `a non-renewing subscription lasts as long as the catalog states`() async throws {
        let (signer, queue) = try makeClub()
        let bought = try signer.transaction("201", of: Self.pass, .nonRenewingSubscription, signed: start)
        #expect(await queue.deliver(bought).word == "delivered, new")

        guard case .purchase(let purchase)? = await ledger.entries(after: 0).first?.fact,
            let end = SubscriptionDuration("P1M")?.end(from: start)
        else {
            Issue.record("no purchase was recorded")
            return
        }
        #expect(purchase.period?.expirationDate == end)
        #expect(try await isOwned(Self.pass, days: 27))
        #expect(try await !isOwned(Self.pass, days: 31))
    }

    @Test func `a non-renewing subscription retains the duration that the catalog had at its purchase`() async throws {
        let (signer, queue) = try makeClub()
        let bought = try signer.transaction("201", of: Self.pass, .nonRenewingSubscription, signed: start)
        await queue.deliver(bought)
        let shorter = Catalog(products: [
            CatalogProduct(
                identifier: Self.pass, kind: .nonRenewingSubscription, subscriptionDuration: SubscriptionDuration("P1D")
            )
        ])

        #expect(
            try await makeQueue(verifier: signer.verifier, catalog: { shorter }).deliver(bought).word
                == "delivered, known")
        #expect(await ledger.entries(after: 0).count == 1)
        #expect(try await isOwned(Self.pass, days: 27))
    }

    @Test func `a non-renewing subscription without a duration in the catalog waits and is not delivered`() async throws
    {
        let signer = try Signer(around: start)
        let catalog = Catalog(identifiers: [Self.pass])
        let queue = try makeQueue(verifier: signer.verifier, catalog: { catalog })
        let bought = try signer.transaction("201", of: Self.pass, .nonRenewingSubscription, signed: start)

        #expect(
            await queue.deliver(bought).word
                == "waiting: the subscription com.example.voyager.pass has no known end")
        #expect(await queue.pending().map(\.state) == [.waiting(.noDuration(Self.pass))])
    }
}
