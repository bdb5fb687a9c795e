import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineStoreSimulator
import VitrineTestSupport

/// Content that is bundled with the app, in an app that has no folder of bundled files.
@Suite(.hangLimit) struct MissingBundleTests: ManagerScene {
    let voyager: VoyagerStore
    let folder: TemporaryFolder

    init() throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
    }

    @Test func `a product with bundled content is not sold without a folder of bundled files`() async throws {
        let rome = String.voyager("rome")
        let catalog = Catalog(products: [
            CatalogProduct(
                identifier: rome, kind: .nonConsumable, localContentPath: try ContentPath("guides/rome"))
        ])
        let manager = try await makeManager(catalog: .catalog(catalog)) { $0.bundledFiles = nil }
        await manager.loadProducts()

        #expect(manager.listing(for: rome)?.offer == .notOffered(.noContent(product: rome)))
        #expect(await buy("rome", with: manager) == "not-offered")
        #expect(try await voyager.store.transactions().isEmpty)
        await manager.stop()
    }
}
