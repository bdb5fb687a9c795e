import Kiosk
import StoreKit
import StoreKitTest
import Testing

@Suite(.isolatedStoreKit) struct KioskTests {
    private func session() throws -> SKTestSession {
        let session = try SKTestSession(configurationFileNamed: "Kiosk")
        session.disableDialogs = true
        session.clearTransactions()
        return session
    }

    @Test func `a bought paper is delivered once, and its transaction is finished`() async throws {
        let session = try session()
        let kiosk = Kiosk()
        #expect(try await kiosk.buy("paper"))
        #expect(await kiosk.papers == 1)
        #expect(session.allTransactions().count == 1)
        for await _ in Transaction.unfinished { Issue.record("the paper is unfinished") }
    }

    @Test func `a purchase that is approved later is delivered`() async throws {
        let session = try session()
        let kiosk = Kiosk()
        await kiosk.start()
        session.askToBuyEnabled = true
        #expect(try await !kiosk.buy("paper"))
        try session.approveAskToBuyTransaction(identifier: session.allTransactions()[0].identifier)
        while await kiosk.papers == 0 { await Task.yield() }
        #expect(await kiosk.papers == 1)
        await kiosk.stop()
    }

    @Test func `a subscription renews, and expires after auto-renewal is turned off`() async throws {
        let session = try session()
        try session.useVirtualClock()
        let kiosk = Kiosk()
        #expect(try await kiosk.buy("daily"))
        #expect(await kiosk.isSubscribed)
        try session.advance(by: 40 * 86_400)
        await kiosk.refresh()
        #expect(await kiosk.isSubscribed)

        let renewed = try #require(session.allTransactions().first)
        try session.disableAutoRenewForTransaction(identifier: renewed.identifier)
        try session.advance(by: 40 * 86_400)
        await kiosk.refresh()
        #expect(await !kiosk.isSubscribed)
    }

    @Test func `a failed purchase delivers no paper`() async throws {
        let session = try session()
        try await session.setSimulatedError(.purchase(.purchaseNotAllowed), forAPI: .purchase)
        let kiosk = Kiosk()
        await #expect(throws: Product.PurchaseError.purchaseNotAllowed) { try await kiosk.buy("paper") }
        #expect(await kiosk.papers == 0)
    }
}
