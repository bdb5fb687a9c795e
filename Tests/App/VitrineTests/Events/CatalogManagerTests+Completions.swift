import Foundation
import Testing
import Vitrine
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Purchases that complete without a waiting call.
extension CatalogManagerTests {
    private static let coins = String.voyager("coins50")

    @Test func `a purchase left unfinished by an earlier launch is reported as completed exactly once`() async throws {
        _ = try await voyager.store.purchase(Self.coins, quantity: 1)
        let manager = try await makeManager()
        let events = try await events(of: manager) {
            await manager.loadProducts()
            await manager.loadProducts()
            #expect(await buy("coins50", with: manager) == "charged")
        }

        #expect(events.completions == ["1"])
        #expect(events.answers == ["charged"])
    }

    @Test func `a restore or a refund is not reported as a completed purchase`() async throws {
        try await buyElsewhere("lisbon")
        let manager = try await makeManager(store: voyager.unlisted)
        await manager.loadProducts()
        let events = try await events(of: manager) {
            #expect(try await manager.restore().restored == [.voyager("lisbon")])
            try await voyager.store.refund("1")
            await manager.purchases.deliverUnfinished()
        }

        #expect(events.completions == [])
        #expect(manager.ownedProducts == [])
    }

    @Test func `a purchase approved during another purchase of the same product is reported as completed separately`()
        async throws
    {
        let (asked, gate, base) = (Recorder<Void>(), Gate(), voyager.store)
        var store = InterceptedStore(base)
        store.onPurchase = { identifier, options async throws(StoreError) in
            asked.record(())
            if asked.values.count == 2 { await gate.pass() }
            return try await base.purchase(identifier, options: options)
        }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()
        let events = try await events(of: manager) {
            try await base.setAsksToBuy(true)
            #expect(await buy("coins50", with: manager) == "pending")
            try await base.setAsksToBuy(false)
            async let second = buy("coins50", with: manager)
            await gate.arrival()
            try await base.approve("1")
            await manager.purchases.deliverUnfinished()
            await gate.open()
            #expect(await second == "charged")
        }

        #expect(events.completions == ["1"])
        #expect(events.answers == ["pending", "charged"])
        #expect(manager.wallets.balance(for: "coins") == .known(100))
    }

    @Test func `a purchase whose content is downloaded later is reported as completed once the content is installed`()
        async throws
    {
        let tries = Recorder<Void>()
        let manager = try await makeManager(
            ShelfContent(packages: Repository.samplePackages) { _, progress throws(StoreError) in
                tries.record(())
                progress(5, 10)
                guard tries.values.count == 1 else { return }
                try? await sleepUntilCancelled(.zero)
                throw StoreError(code: .network, reason: "broken off")
            })
        let stream = manager.events()
        async let answer = buy("rome", with: manager)
        await stream.next {
            if case .content(.downloadUpdated(let status)) = $0 { status.progress.received == 5 } else { false }
        }
        try await manager.content.pauseDownload(of: .voyager("rome"))
        #expect(await answer == "pending")
        let events = try await events(of: manager) {
            _ = try await manager.content.download(for: .voyager("rome"))
            await stream.next { $0.word == "completed" }
        }

        #expect(events.completions == ["1"])
    }
}
