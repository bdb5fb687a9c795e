import OpenStoreKitTest
import Testing
import VitrineTestSupport

/// App that does not depend on behaviors that differ between StoreKit versions.
private actor CarefulApp {
    /// Coins of each transaction that was credited.
    private(set) var credits: [UInt64: Int] = [:]
    private var listener: Task<Void, Never>?

    var coins: Int { credits.values.reduce(0, +) }

    func start() async {
        listener = Task { [weak self] in
            for await result in Transaction.updates { await self?.deliver(result) }
        }
        // Listings may lack what is new: both are read.
        for await result in Transaction.unfinished { await deliver(result) }
    }

    func stop() { listener?.cancel() }

    func buy(_ id: String) async throws {
        guard let product = try await Product.products(for: [id]).first else { return }
        if case .success(let result) = try await product.purchase() { await deliver(result) }
    }

    private func deliver(_ result: VerificationResult<Transaction>) async {
        guard case .verified(let transaction) = result else { return }
        if transaction.productType == .consumable {
            credits[transaction.id] = transaction.revocationDate == nil ? transaction.purchasedQuantity : 0
        }
        await transaction.finish()
    }
}

@Test(.isolatedStoreKit, .hangLimit, arguments: [false, true])
func `an app that handles transactions correctly credits each purchase once, even if the store repeats and delays them`(
    isHostile: Bool
) async throws {
    let session = try SKTestSession.club { if isHostile { $0.quirks = .hostile } }
    let unseen = try await session.buyProduct(identifier: "coins")
    session.relaunch()
    let app = CarefulApp()
    await app.start()
    // The listing may lack it, and while it is unfinished, the store sells no second one.
    while await app.credits[unseen.id] == nil { await Task.yield() }
    for _ in 1...3 { try await app.buy("coins") }
    let refunded = try await session.buyProduct(identifier: "coins")
    try session.refundTransaction(identifier: UInt(refunded.id))
    // The last event: once it is there, all others are.
    let last = try await session.buyProduct(identifier: "coins", options: [.quantity(7)])
    while await app.credits[last.id] == nil { await Task.yield() }

    #expect(await app.credits[unseen.id] == 1)
    #expect(await app.credits[refunded.id] == 0)
    #expect(await app.credits.count == 6)
    #expect(await app.coins == 11)
    await app.stop()
}
