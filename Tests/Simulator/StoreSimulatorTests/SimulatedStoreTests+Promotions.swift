import Foundation
import Testing
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Promoted purchases.
extension SimulatedStoreTests {
    @Test func `a promoted purchase is delivered to the app's stream of promoted purchases`() async throws {
        let store = store
        let promoted = store.promotedPurchases()
        async let read = promoted.first { _ in true }
        try await store.promote(.voyager("lisbon"))

        #expect(await read == PromotedPurchase(productIdentifier: .voyager("lisbon")))
    }

    @Test func `purchases promoted while no app ran are delivered once, at the next launch`() async throws {
        for name in ["lisbon", "rome"] { try await store.promote(.voyager(name)) }
        var read: [String] = []
        for await promoted in try voyager.reopened().promotedPurchases().prefix(2) {
            read.append(promoted.productIdentifier)
        }
        #expect(read == ["lisbon", "rome"].map(String.voyager))

        let next = try voyager.reopened()
        try await next.promote(.voyager("porto"))
        #expect(await next.promotedPurchases().first { _ in true }?.productIdentifier == .voyager("porto"))
    }

    /// Returns the product of the next promoted purchase, as the app reads it after a launch.
    private func nextPromotion(in store: SimulatedStore) async -> String? {
        await store.promotedPurchases().first { _ in true }?.productIdentifier
    }

    @Test func `a promoted purchase that a killed app has received is delivered again until it is bought or refused`()
        async throws
    {
        for name in ["lisbon", "coins50"] { try await store.promote(.voyager(name)) }
        #expect(await nextPromotion(in: try voyager.reopened()) == .voyager("lisbon"))
        // The process that has read it may still be buying it.
        #expect(await nextPromotion(in: try voyager.reopened()) == .voyager("coins50"))
        voyager.clock.advance(by: 61)
        let buying = try voyager.reopened()
        #expect(await nextPromotion(in: buying) == .voyager("lisbon"))
        _ = try await buying.purchase(.voyager("lisbon"), quantity: 1)
        voyager.clock.advance(by: 61)
        let refusing = try voyager.reopened()
        #expect(await nextPromotion(in: refusing) == .voyager("coins50"))
        await refusing.promotedPurchaseAnswered(.voyager("coins50"))

        voyager.clock.advance(by: 61)
        let last = try voyager.reopened()
        try await last.promote(.voyager("porto"))
        #expect(await nextPromotion(in: last) == .voyager("porto"))
    }

    @Test func `a promoted purchase remains after another product is bought or its own purchase fails`() async throws {
        try await store.promote(.voyager("lisbon"))
        let first = try voyager.reopened()
        #expect(await nextPromotion(in: first) == .voyager("lisbon"))
        _ = try await first.purchase(.voyager("porto"), quantity: 1)
        try await first.fail(.network, times: 1)
        await #expect(throws: StoreError.self) { try await first.purchase(.voyager("lisbon"), quantity: 1) }

        voyager.clock.advance(by: 61)
        #expect(await nextPromotion(in: try voyager.reopened()) == .voyager("lisbon"))
    }

    @Test func `a promoted purchase remains in the store until a reader receives it`() async throws {
        let store = store
        _ = store.promotedPurchases()
        try await store.promote(.voyager("lisbon"))

        #expect(await store.promotedPurchases().first { _ in true }?.productIdentifier == .voyager("lisbon"))
    }

    @Test func `each promoted purchase is delivered to only one of two readers`() async throws {
        let store = store
        let promotions = Recorder<String>()
        let readers = (0..<2).map { _ in
            Task { for await promoted in store.promotedPurchases() { promotions.record(promoted.productIdentifier) } }
        }
        for name in ["lisbon", "rome", "porto"] { try await store.promote(.voyager(name)) }
        while promotions.values.count < 3 { await Task.yield() }
        for reader in readers {
            reader.cancel()
            await reader.value
        }
        #expect(Set(promotions.values) == Set(["lisbon", "rome", "porto"].map(String.voyager)))
        #expect(promotions.values.count == 3)
    }

    @Test func `a canceled reader of promoted purchases ends without receiving one`() async throws {
        let store = store
        let reader = Task { await store.promotedPurchases().first { _ in true } }
        reader.cancel()

        #expect(await reader.value == nil)
        try await store.promote(.voyager("lisbon"))
        #expect(await store.promotedPurchases().first { _ in true }?.productIdentifier == .voyager("lisbon"))
    }

    @Test func `promoting an unknown product is refused`() async throws {
        let error = await #expect(throws: SimulatedStoreError.self) { try await store.promote(.voyager("atlantis")) }
        #expect(error?.code == .noSuchProduct)
    }
}
