import Foundation
import Testing
import VitrineCatalogLoading
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

extension CatalogManagerTests {
    @MainActor
    private func expectCurrent(_ model: CatalogModel) {
        #expect(model.status == model.manager.status)
        #expect(model.listing == model.manager.listing)
        #expect(model.downloads == model.manager.content.downloads)
        #expect(model.walletBalances == model.manager.wallets.balances)
    }

    /// Operation of a manager, with the model's properties that it changes.
    enum ModelCase: String, CaseIterable, Sendable {
        case nothing, load, failedLoad, coins, guide, hostedGuide, refusal

        var changes: [String] {
            switch self {
            case .nothing: []
            case .load: ["listing", "status"]
            case .failedLoad: ["lastError", "listing", "status"]
            case .coins: ["listing", "walletBalances"]
            case .guide: ["listing"]
            case .hostedGuide: ["downloads", "listing"]
            case .refusal: ["lastError"]
            }
        }
    }

    @Test(arguments: ModelCase.allCases) @MainActor
    func `a model publishes only properties that changed, and then equals the manager's state`(
        _ modelCase: ModelCase
    ) async throws {
        let manager = try await makeManager()
        if modelCase != .load, modelCase != .failedLoad { await manager.loadProducts() }
        let model = CatalogModel(manager)
        expectCurrent(model)
        let changes = model.firstChanges()
        switch modelCase {
        case .nothing: break
        case .load: await manager.loadProducts()
        case .failedLoad:
            try await voyager.store.fail(.products)
            await manager.loadProducts()
        case .coins: _ = await buy("coins50", with: manager)
        case .guide: _ = await buy("lisbon", with: manager)
        case .hostedGuide: _ = await buy("rome", with: manager)
        case .refusal: _ = await buy("nothing", with: manager)
        }
        await manager.stop()
        await model.following?.value

        #expect(changes.values.sorted() == modelCase.changes)
        expectCurrent(model)
    }

    /// Operation that succeeds after an error.
    enum Success: CaseIterable { case load, purchase, restore }

    @Test(arguments: Success.allCases) @MainActor
    func `the last error of a model is cleared when a later operation succeeds`(_ success: Success) async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        let model = CatalogModel(manager)
        #expect(await buy("nothing", with: manager) == "not-in-catalog")
        switch success {
        case .load: await manager.loadProducts()
        case .purchase: #expect(await buy("lisbon", with: manager) == "charged")
        case .restore: _ = try await manager.restore()
        }
        await manager.stop()
        await model.following?.value

        #expect(model.lastError == nil)
    }

    @Test @MainActor func `the error of a load that still lists products remains in the model`() async throws {
        let server = try await LoopbackServer(.reply(500))
        let manager = try await makeManager(
            catalog: .remote(remote(server), local: Repository.sample("Voyager.plist")))
        let model = CatalogModel(manager)
        #expect(await manager.loadProducts() == .productsLoaded)
        await manager.stop()
        await model.following?.value

        #expect(model.lastError is LoadFailure || model.lastError is CatalogError)
    }

    @Test(arguments: ["what is gone", "the order"]) @MainActor
    func `a model removes or reorders its products when a new catalog does`(_ change: String) async throws {
        let guides = ["lisbon", "porto", "vienna"].map(String.voyager)
        let next = change == "the order" ? guides.reversed() : Array(guides.dropLast())
        func write(_ guides: [String]) throws -> URL {
            let strings = guides.map { "<string>\($0)</string>" }.joined()
            return try folder.write(PlistText.document("<array>\(strings)</array>"), to: "Shop.plist")
        }
        let manager = try await makeManager(catalog: .file(try write(guides))) { _ in }
        await manager.loadProducts()
        let model = CatalogModel(manager)
        _ = try write(next)
        await manager.loadProducts()
        await manager.stop()
        await model.following?.value

        #expect(model.listing.map(\.id) == next)
        expectCurrent(model)
    }

    @Test @MainActor func `a model that has missed events reads the whole state of the manager again`() async throws {
        let manager = try await makeManager()
        let model = CatalogModel(manager)
        // The main actor is kept here, so that the model hears of none of them before there are too many.
        let state = manager.state
        state.set(.listLoaded)
        for number in 0..<10_001 { state.events.send(.purchase(.promoted("\(number)"))) }
        #expect(model.status == .productsLoading)
        await manager.stop()
        await model.following?.value

        #expect(model.status == .listLoaded)
    }

    @Test @MainActor func `a deallocated model no longer listens to events`() async throws {
        let manager = try await makeManager()
        let listeners = manager.state.events.buffer.readerCount
        var model: CatalogModel? = CatalogModel(manager)
        let following = model?.following
        #expect(manager.state.events.buffer.readerCount == listeners + 1)
        weak let retained = model
        model = nil
        await following?.value

        #expect(retained == nil)
        #expect(manager.state.events.buffer.readerCount == listeners)
    }
}
