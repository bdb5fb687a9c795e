import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

extension PurchaseQueueTests {
    /// Returns copies of a coin pack's transaction: bought, refunded, and with the refund reversed.
    private func history(_ signer: Signer) throws -> (
        bought: StoreTransaction, refund: StoreTransaction, back: StoreTransaction
    ) {
        let start = voyager.clock.now
        func copy(_ minutes: Double, revoked: Date?) throws -> StoreTransaction {
            try signer.transaction(
                "9", of: .voyager("coins50"), .consumable, bought: start, signed: start + minutes * 60,
                revoked: revoked)
        }
        return (try copy(1, revoked: nil), try copy(2, revoked: start + 120), try copy(3, revoked: nil))
    }

    @Test func `a reversed refund restores the credited balance`() async throws {
        let signer = try Signer(around: voyager.clock.now)
        let history = try history(signer)
        let queue = try makeQueue(verifier: signer.verifier)
        for copy in [history.bought, history.refund] { await queue.deliver(copy) }
        #expect(await balance() == 0)

        #expect(await queue.deliver(history.back).word == "delivered, new")
        #expect(await ledger.entries(after: 0).map(\.fact.kind) == [.purchase, .credit, .revocation, .reinstatement])
        #expect(await balance() == 50)
        #expect(await queue.deliver(history.back).word == "delivered, known")
        #expect(await balance() == 50)
    }

    @Test(
        arguments: [
            [0, 1, 2], [0, 2, 1], [1, 0, 2], [2, 0, 1], [2, 1, 0], [0, 1, 2, 1, 0, 2], [2, 2, 1, 1, 0, 0],
        ]
    )
    func `a purchase with a reversed refund is credited once, in any order of its signed copies`(order: [Int])
        async throws
    {
        let signer = try Signer(around: voyager.clock.now)
        let history = try history(signer)
        let queue = try makeQueue(verifier: signer.verifier)
        for index in order { await queue.deliver([history.bought, history.refund, history.back][index]) }

        #expect(await balance() == 50)
        #expect(await ledger.isRevoked("9") == false)
    }

    @Test func `a purchase that was refunded again stays refunded when an older copy without the refund arrives`()
        async throws
    {
        let signer = try Signer(around: voyager.clock.now)
        let history = try history(signer)
        let start = voyager.clock.now
        let again = try signer.transaction(
            "9", of: .voyager("coins50"), .consumable, bought: start, signed: start + 240, revoked: start + 240)
        let queue = try makeQueue(verifier: signer.verifier)
        for copy in [history.bought, history.refund, again] { await queue.deliver(copy) }

        #expect(await queue.deliver(history.back).word == "taken back, known")
        #expect(await balance() == 0)
        #expect(await ledger.isRevoked("9"))
    }

    @Test func `a refund reversal in the simulated store is delivered by the running queue and restores the balance`()
        async throws
    {
        let queue = try makeQueue()
        _ = await queue.purchase(.voyager("coins50"), quantity: 1)
        try await voyager.store.refund("1")
        try await queue.drain()
        #expect(await balance() == 0)
        try await voyager.store.reverseRefund("1")

        #expect(try await queue.drain().map(\.word) == ["delivered, new"])
        #expect(await balance() == 50)
        #expect(try await unfinished.isEmpty)
    }

    @Test func `a refund reversal is delivered without a loaded catalog`() async throws {
        let signer = try Signer(around: voyager.clock.now)
        let history = try history(signer)
        let queue = try makeQueue(verifier: signer.verifier)
        for copy in [history.bought, history.refund] { await queue.deliver(copy) }

        let later = try makeQueue(verifier: signer.verifier, catalog: { nil })
        #expect(await later.deliver(history.back).word == "delivered, new")
        #expect(await balance() == 50)
    }

    @Test func `a purchase that was received after its refund is credited when the refund is reversed`() async throws {
        let signer = try Signer(around: voyager.clock.now)
        let history = try history(signer)
        let queue = try makeQueue(verifier: signer.verifier)
        #expect(await queue.deliver(history.refund).word == "taken back, new")
        #expect(await queue.deliver(history.bought).word == "taken back, known")

        #expect(await queue.deliver(history.back).word == "delivered, new")
        #expect(await balance() == 50)
    }

    @Test(arguments: [[1, 2], [1, 2, 0], [1, 1, 2, 2]])
    func `a refund reversal credits nothing if the device received the refund but not the purchase before`(
        order: [Int]
    ) async throws {
        let signer = try Signer(around: voyager.clock.now)
        let history = try history(signer)
        let queue = try makeQueue(verifier: signer.verifier)
        for index in order { await queue.deliver([history.bought, history.refund, history.back][index]) }

        #expect(await balance() == 0)
        #expect(await ledger.isRevoked("9") == false)
    }

    @Test func `a purchase that waited for a catalog when it was refunded is credited when the refund is reversed`()
        async throws
    {
        let signer = try Signer(around: voyager.clock.now)
        let history = try history(signer)
        let early = try makeQueue(verifier: signer.verifier, catalog: { nil })
        #expect(await early.deliver(history.bought).word == "waiting: no catalog is loaded")
        let queue = try makeQueue(verifier: signer.verifier)
        for copy in [history.refund, history.back] { await queue.deliver(copy) }

        #expect(await balance() == 50)
    }

    @Test func `a period whose refund is reversed before its delivery credits its units`() async throws {
        let catalog = Catalog(products: [
            CatalogProduct(
                identifier: .voyager("club"), kind: .autoRenewableSubscription, storageKey: "coins", productValue: 100)
        ])
        let (signer, start) = (try Signer(around: voyager.clock.now), voyager.clock.now)
        func copy(_ minutes: Double, revoked: Date? = nil) throws -> StoreTransaction {
            try signer.transaction(
                "9", of: .voyager("club"), .autoRenewableSubscription, bought: start, signed: start + minutes * 60,
                revoked: revoked, until: start + 30 * 86_400)
        }
        let (bought, refund) = (try copy(1), try copy(2, revoked: start + 120))
        let (back, again) = (try copy(3), try copy(4))
        let queue = try makeQueue(verifier: signer.verifier, catalog: { catalog })
        #expect(await queue.deliver(refund).word == "taken back, new")
        #expect(await queue.deliver(bought, isListed: true).word == "taken back, known")
        #expect(await balance() == 0)

        #expect(await queue.deliver(back, isListed: true).word == "delivered, new")
        #expect(await balance() == 100)
        #expect(await queue.deliver(again, isListed: true).word == "delivered, known")
        #expect(await balance() == 100)
    }

    @Test func `an older refund copy received after a relaunch does not override a later copy of the purchase`()
        async throws
    {
        let signer = try Signer(around: voyager.clock.now)
        let history = try history(signer)
        let queue = try makeQueue(verifier: signer.verifier)
        for copy in [history.bought, history.back] { await queue.deliver(copy) }

        let relaunched = try makeQueue(verifier: signer.verifier)
        #expect(await relaunched.deliver(history.refund).word == "delivered, known")
        #expect(await balance() == 50)
    }

    @Test func `a refund that was signed before the delivered copy of the purchase has no effect`() async throws {
        let signer = try Signer(around: voyager.clock.now)
        let history = try history(signer)
        let queue = try makeQueue(verifier: signer.verifier)
        await queue.deliver(history.back)

        #expect(await queue.deliver(history.refund).word == "delivered, known")
        #expect(await balance() == 50)
        #expect(await ledger.isRevoked("9") == false)
    }
}
