import Foundation
import Testing
import Vitrine
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Calls whose transactions arrive after the result of the purchase.
extension CatalogManagerTests {
    private static let coins = String.voyager("coins50")

    /// Call whose verification returns the last verdict that the test has recorded, or `verified` without one.
    @MainActor
    private struct VerifyingCall {
        let listener = CallListener()
        let asked = Recorder<String>()
        let verdicts = Recorder<AppVerification>()

        /// Identifiers of the transactions that were verified for the call.
        var verified: Set<String> { Set(asked.values) }

        func buy(_ identifier: String, from manager: CatalogManager, verifies: Bool = true) async -> String? {
            var handlers = listener.handlers
            if verifies {
                handlers.onVerify = { [asked, verdicts] signed in
                    asked.record(signed.payload.transactionID)
                    return verdicts.values.last ?? .verified
                }
            }
            #expect(manager.purchase(identifier, handlers: handlers))
            return await listener.next()
        }
    }

    /// Buys coins with a purchase that needs approval.
    @MainActor
    private func askToBuyCoins(
        _ call: VerifyingCall, from manager: CatalogManager, verifies: Bool = true
    ) async throws {
        try await voyager.store.setAsksToBuy(true)
        #expect(await call.buy(Self.coins, from: manager, verifies: verifies) == "pending approval")
        try await voyager.store.setAsksToBuy(false)
    }

    /// Approves the oldest pending purchase, and delivers its transaction.
    private func approve(with manager: CatalogManager) async throws -> String {
        let id = try #require(try await voyager.store.pendingPurchases().first).id
        let approved = try await voyager.store.approve(id)
        await manager.purchases.deliverUnfinished()
        return approved.id
    }

    private func buyElsewhere(with manager: CatalogManager) async throws {
        try await voyager.store.purchaseElsewhere(Self.coins)
        await manager.purchases.deliverUnfinished()
    }

    private func makeLoadedManager() async throws -> CatalogManager {
        let manager = try await makeManager()
        await manager.loadProducts()
        return manager
    }

    @Test @MainActor func `a refund of an earlier purchase does not end the verification by a pending purchase call`()
        async throws
    {
        let (manager, call) = (try await makeLoadedManager(), VerifyingCall())
        #expect(await VerifyingCall().buy(Self.coins, from: manager, verifies: false) == "succeeded coins50")
        try await askToBuyCoins(call, from: manager)
        try await voyager.store.refund("1")
        await manager.purchases.deliverUnfinished()
        call.verdicts.record(.rejected("not this one"))
        let approved = try await approve(with: manager)

        #expect(call.verified == [approved])
        #expect(manager.wallets.balance(for: "coins") == .known(0))
        #expect(try await voyager.store.unfinishedTransactions().map(\.id) == [approved])
    }

    @Test @MainActor func `a second purchase is verified by both pending calls, and the first call remains pending`()
        async throws
    {
        let (manager, first, second) = (try await makeLoadedManager(), VerifyingCall(), VerifyingCall())
        try await askToBuyCoins(first, from: manager)
        second.verdicts.record(.undetermined("no decision yet"))
        #expect(await second.buy(Self.coins, from: manager) == "pending verification")
        second.verdicts.record(.verified)
        await manager.purchases.deliverUnfinished()
        #expect(manager.wallets.balance(for: "coins") == .known(50))
        #expect(first.verified == second.verified)

        first.verdicts.record(.rejected("not this one"))
        let approved = try await approve(with: manager)
        #expect(first.verified.contains(approved))
        #expect(manager.wallets.balance(for: "coins") == .known(50))
    }

    @Test(arguments: [true, false]) @MainActor
    func `the hooks of two pending purchase calls verify transactions until both purchases have arrived`(
        secondVerifies: Bool
    ) async throws {
        let (manager, first, second) = (try await makeLoadedManager(), VerifyingCall(), VerifyingCall())
        try await askToBuyCoins(first, from: manager)
        try await askToBuyCoins(second, from: manager, verifies: secondVerifies)
        let approved: Set = [try await approve(with: manager), try await approve(with: manager)]
        try await buyElsewhere(with: manager)

        #expect(first.verified == approved)
        #expect(second.verified == (secondVerifies ? approved : []))
        #expect(manager.wallets.balance(for: "coins") == .known(150))
    }

    @Test @MainActor
    func `the hook of a purchase call whose lost response arrives with the next call verifies no later transactions`()
        async throws
    {
        let (manager, first, second) = (try await makeLoadedManager(), VerifyingCall(), VerifyingCall())
        try await voyager.store.fail(.lostAnswer, times: 1)
        #expect(await first.buy(Self.coins, from: manager)?.hasPrefix("pending outcomeUnknown") == true)
        #expect(await second.buy(Self.coins, from: manager) == "restored coins50")
        let verified = first.verified
        try await buyElsewhere(with: manager)

        #expect(verified.count == 1)
        #expect(first.verified == verified)
        #expect(second.verified.isSubset(of: verified))
        #expect(manager.wallets.balance(for: "coins") == .known(100))
    }

    @Test(arguments: [true, false]) @MainActor
    func `a pending approval retains the delegate of its purchase call for a day`(isBroughtBack: Bool)
        async throws
    {
        let manager = try await makeLoadedManager()
        try await voyager.store.setAsksToBuy(true)
        var delegate: CallListener? = CallListener()
        #expect(manager.purchase(Self.coins, delegate: try #require(delegate)))
        #expect(await delegate?.next() == "pending approval")
        try await voyager.store.setAsksToBuy(false)
        weak let retained = delegate
        delegate = nil
        voyager.clock.advance(by: 86_000)
        await manager.enterForeground()
        #expect(retained != nil)

        voyager.clock.advance(by: 400)
        if isBroughtBack {
            await manager.enterForeground()
        } else {
            #expect(await buy("lisbon", with: manager) == "charged")
        }
        await letTasksRun { retained == nil }
        #expect(retained == nil)
    }

    @Test @MainActor func `a discarded transaction is not verified again by the hook of its purchase call`()
        async throws
    {
        let (manager, call) = (try await makeLoadedManager(), VerifyingCall())
        call.verdicts.record(.rejected("not this one"))
        #expect(await call.buy(.voyager("lisbon"), from: manager) == "failed rejected")
        try await manager.purchases.discard(try #require(try await voyager.store.unfinishedTransactions().first).id)
        let count = call.asked.values.count

        #expect(try await manager.restore().restored == [.voyager("lisbon")])
        #expect(call.asked.values.count == count)
    }
}
