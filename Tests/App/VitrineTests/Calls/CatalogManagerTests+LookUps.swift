import Foundation
import Testing
import Vitrine
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Properties that are available without waiting, at each stage of a load.
extension CatalogManagerTests {
    private func lookUps(_ manager: CatalogManager) -> [String] {
        let lisbon = String.voyager("lisbon")
        return [
            manager.catalog.requestStatus.rawValue, manager.catalog.lastRequestError?.word ?? "no failure",
            manager.catalog.title(for: lisbon) ?? "no title",
            manager.catalog.description(for: lisbon) ?? "no description",
            manager.catalog.displayPrice(for: lisbon) ?? "no price",
            manager.catalog.storeProduct(for: lisbon)?.displayName ?? "no product",
            "\(manager.catalog.storeProducts.count)",
            manager.catalog.invalidIdentifiers.map(\.name).joined(separator: " "),
        ]
    }

    private static let unknown = ["no title", "no description", "no price", "no product", "0", ""]
    private static let known = [
        "Lisbon Guide", "Seven hills, forty walks and every tram.", "$4.99", "Lisbon Guide", "11", "atlantis",
    ]
    private static let listed = [
        "Lisbon", "Seven hills, forty walks and every tram.", "no price", "no product", "0", "",
    ]

    @Test func `product look-ups return known data before, during and after a load, and after a failed load`()
        async throws
    {
        let gate = Gate()
        let manager = try await makeManager(store: store(asksAboutProductsBehind: gate))
        #expect(lookUps(manager) == ["idle", "no failure"] + Self.unknown)
        async let status = manager.loadProducts()
        await gate.arrival()
        #expect(lookUps(manager) == ["inProgress", "no failure"] + Self.listed)
        await gate.open()
        #expect(await status == .productsLoaded)
        #expect(lookUps(manager) == ["succeeded", "no failure"] + Self.known)

        try await voyager.store.fail(.products, times: 1)
        await manager.loadProducts()
        #expect(lookUps(manager) == ["waitingForRetry", "products unavailable"] + Self.known)
        await manager.stop()
        #expect(lookUps(manager) == ["failed", "products unavailable"] + Self.known)
    }

    @Test func `the error of a failed product request is reported until the next request succeeds`() async throws {
        try await voyager.store.fail(.products, times: 1)
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(lookUps(manager) == ["waitingForRetry", "products unavailable"] + Self.listed)

        await manager.loadProducts()
        #expect(lookUps(manager) == ["succeeded", "no failure"] + Self.known)
    }

    @Test func `an unreadable local catalog fails the product request without waiting for a retry`() async throws {
        let manager = try await makeManager(catalog: .file(folder["none.plist"]))
        #expect(await manager.loadProducts() == .listLoadFailed)

        #expect(lookUps(manager) == ["failed", "catalog not-found"] + Self.unknown)
    }

    @Test func `the request status is already updated when an event reports the end of a load`() async throws {
        try await voyager.store.fail(.products, times: 1)
        let manager = try await makeManager()
        let events = manager.events()
        async let first = manager.loadProducts()
        await events.next {
            if case .loading(.statusChanged(.productsLoadFailed)) = $0 { true } else { false }
        }
        #expect(manager.catalog.requestStatus == .waitingForRetry)
        #expect(manager.catalog.lastRequestError != nil)
        _ = await first
        async let second = manager.loadProducts()
        await events.next { if case .loading(.statusChanged(.productsLoaded)) = $0 { true } else { false } }
        #expect(manager.catalog.requestStatus == .succeeded)
        _ = await second
    }
}
