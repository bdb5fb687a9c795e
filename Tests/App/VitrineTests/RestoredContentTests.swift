import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineHostedContent
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Customer who owns 200 guides, on a new device.
@Suite(.hangLimit) struct RestoredContentTests {
    private static let guides = (1...200).map { "guide\($0)" }

    /// Creates a store that sells the guides. All of them were bought and finished on another device.
    private func soldOut(in folder: TemporaryFolder) async throws -> SimulatedStore {
        let products = Self.guides.map { guide in
            """
            {"productID": "\(guide)", "type": "NonConsumable", "displayPrice": "0.99", "referenceName": "\(guide)", \
            "internalID": "\(guide)", "familyShareable": false, "localizations": []}
            """
        }
        let configuration = """
            {"identifier": "1", "nonRenewingSubscriptions": [], "products": [\(products.joined(separator: ","))], \
            "settings": {}, "subscriptionGroups": [], "version": {"major": 2, "minor": 0}}
            """
        try SimulatedStore.create(
            in: folder["Store"], configuration: Data(configuration.utf8), bundleIdentifier: "com.example.guides")
        let store = try SimulatedStore(folder: folder["Store"])
        for guide in Self.guides {
            guard case .purchased(let transaction) = try await store.purchase(guide, quantity: 1) else { continue }
            try await store.finish(transaction)
        }
        return store
    }

    private func package(_ guide: String, in folder: TemporaryFolder) throws {
        try folder.write(
            PlistText.document(
                """
                <dict><key>IAPProductIdentifier</key><string>\(guide)</string>
                <key>ContentVersion</key><string>1.0</string></dict>
                """), to: "packages/\(guide.capitalized)/ContentInfo.plist")
        try folder.write("# \(guide)", to: "packages/\(guide.capitalized)/Contents/guide.md")
    }

    @Test func `restoring purchases downloads no content, and only content requested afterwards is downloaded`()
        async throws
    {
        let folder = try TemporaryFolder()
        let fetched = Recorder<String>()
        var store = InterceptedStore(try await soldOut(in: folder))
        // The device knows them only once the customer has signed in.
        store.onKnownTransactions = { () throws(StoreError) in [] }
        for guide in Self.guides { try package(guide, in: folder) }
        store.content = ShelfContent(packages: folder["packages"]) { product, _ in fetched.record(product) }
        let catalog = Catalog(
            products: try Self.guides.map { guide in
                CatalogProduct(
                    identifier: guide, kind: .nonConsumable, localContentPath: try ContentPath(guide), isHosted: true)
            })
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: SimulatedStore(folder: folder["Store"]).rootCertificate),
            bundleIdentifier: "com.example.guides", environment: .sandbox)
        let manager = try await CatalogManager(
            catalog: .catalog(catalog), store: store, verifier: verifier, home: Home(url: folder["home"]),
            options: ManagerOptions(schedule: .never))
        await manager.loadProducts()
        let result = try await manager.restore()
        #expect(result.restored.count == 200)
        #expect(result.failed.isEmpty)
        #expect(manager.content.downloads.isEmpty)
        #expect(fetched.values.isEmpty)
        #expect(try manager.content.restorable().map(\.id) == Self.guides)

        let picked = ["guide7", "guide77", "guide177"]
        try await withThrowingTaskGroup { group in
            for guide in picked { group.addTask { _ = try await manager.content.download(for: guide) } }
            try await group.waitForAll()
        }
        #expect(fetched.values.sorted() == picked.sorted())
        #expect(try manager.content.restorable().count == 197)
        #expect(try manager.content.listings().filter { $0.state == .installed }.map(\.id) == picked)
        #expect(try await store.unfinishedTransactions().isEmpty)
    }
}
