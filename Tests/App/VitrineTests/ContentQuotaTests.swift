import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineHostedContent
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Content that exceeds the quota for disk space.
@Suite(.hangLimit) struct ContentQuotaTests {
    private let voyager: VoyagerStore
    private let folder: TemporaryFolder
    private static let bundled = ["lisbon", "porto", "madrid"]

    init() throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
        for guide in Self.bundled + ["vienna"] {
            try folder.write(
                PlistText.document(
                    """
                    <dict><key>IAPProductIdentifier</key><string>\(String.voyager(guide))</string>
                    <key>ContentVersion</key><string>1.0</string></dict>
                    """), to: "packages/\(guide.capitalized)/ContentInfo.plist")
            try folder.write(
                String(repeating: "x", count: 100), to: "packages/\(guide.capitalized)/Contents/guide.md")
        }
    }

    /// Creates a manager that sells guides of 100 bytes each, and a bundle of all guides except Vienna.
    private func makeManager(quota: Int) async throws -> CatalogManager {
        var products = try (Self.bundled + ["vienna"]).map { guide in
            CatalogProduct(
                identifier: .voyager(guide), kind: .nonConsumable, localContentPath: try ContentPath(guide),
                isHosted: true)
        }
        products.append(
            CatalogProduct(
                identifier: .voyager("everything"), kind: .nonConsumable,
                childProducts: Self.bundled.map(String.voyager)))
        var store = InterceptedStore(voyager.store)
        store.content = ShelfContent(packages: folder["packages"])
        let clock = voyager.clock
        let manager = try await CatalogManager(
            catalog: .catalog(Catalog(products: products)), store: store, verifier: voyager.verifier(),
            home: Home(url: folder["home"]),
            options: ManagerOptions(now: { clock.now }) {
                $0.content.downloads = DownloadPolicy(mostAtOnce: 1)
                $0.content.quota = ContentQuota(bytes: quota)
            })
        await manager.loadProducts()
        return manager
    }

    private func buy(_ name: String, with manager: CatalogManager) async throws {
        guard case .success = await manager.purchase(.voyager(name)) else {
            Issue.record("\(name) was not bought")
            return
        }
    }

    private func installed(_ manager: CatalogManager) throws -> [String] {
        try manager.content.listings().filter { $0.state == .installed }.map(\.path.description)
    }

    /// Changes the installation date of content to a number of seconds ago.
    private func age(_ guide: String, by seconds: TimeInterval) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -seconds)],
            ofItemAtPath: folder["home/HostedContent/\(guide)/.ContentInfo.plist"].path())
    }

    /// Returns the removals of content that the manager reports until it is stopped.
    private func removed(_ manager: CatalogManager, during body: () async throws -> Void) async throws -> [[String]] {
        let events = manager.events()
        try await body()
        await manager.stop()
        return await events.reduce(into: []) { removed, event in
            if case .content(.removed(let products)) = event { removed.append(products) }
        }
    }

    @Test func `the least recently used content is removed first, reported as removed, and can be downloaded again`()
        async throws
    {
        let manager = try await makeManager(quota: 250)
        let removed = try await removed(manager) {
            for guide in ["lisbon", "porto"] { try await buy(guide, with: manager) }
            try age("porto", by: 200)
            try age("lisbon", by: 100)
            try await buy("madrid", with: manager)
            #expect(try installed(manager) == ["lisbon", "madrid"])
            #expect(try manager.content.restorable().map(\.id) == [.voyager("porto")])
            #expect(manager.ownership(of: .voyager("porto")).isOwned)

            try await manager.content.download(for: .voyager("porto"))
            #expect(try installed(manager) == ["porto", "madrid"])
        }

        #expect(removed == [[.voyager("porto")], [.voyager("lisbon")]])
    }

    @Test func `removing content to meet the quota and downloading it again adds no entries to the ledger`()
        async throws
    {
        let manager = try await makeManager(quota: 100)
        try await buy("lisbon", with: manager)
        try await buy("porto", with: manager)
        #expect(try installed(manager) == ["porto"])
        try await manager.content.download(for: .voyager("lisbon"))

        #expect(try installed(manager) == ["lisbon"])
        let facts = try await manager.ledger.history().map(\.fact.kind)
        #expect(facts.filter { $0 == .content || $0 == .purchase } == [.purchase, .content, .purchase, .content])
        #expect(try await manager.ledger.check().isGood)
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
    }

    @Test func `content whose URL was given to the app is not evicted while the manager exists`() async throws {
        let manager = try await makeManager(quota: 250)
        for guide in ["lisbon", "porto"] { try await buy(guide, with: manager) }
        try age("porto", by: 200)
        try age("lisbon", by: 100)
        let porto = try manager.content.url(for: .voyager("porto"))
        try await buy("madrid", with: manager)

        #expect(try installed(manager) == ["porto", "madrid"])
        #expect(FileManager.default.fileExists(atPath: porto.appending(path: "guide.md").path()))
    }

    @Test func `installed content of a bundle larger than the quota is not evicted until other content is installed`()
        async throws
    {
        let manager = try await makeManager(quota: 150)
        let removed = try await removed(manager) {
            try await buy("everything", with: manager)
            #expect(try installed(manager) == Self.bundled)
            #expect(try await voyager.store.unfinishedTransactions().isEmpty)
            try await buy("vienna", with: manager)
            #expect(try installed(manager) == ["vienna"])
        }

        #expect(removed.map { $0.sorted() } == [Self.bundled.map(String.voyager).sorted()])
    }

    @Test func `while the missing content of a bundle is installed, its other content is not removed`() async throws {
        let manager = try await makeManager(quota: 1_000)
        for guide in ["lisbon", "porto"] { try await buy(guide, with: manager) }
        await manager.stop()
        for guide in ["lisbon", "porto"] { try age(guide, by: 100) }
        let next = try await makeManager(quota: 150)
        try await buy("everything", with: next)

        #expect(try installed(next) == Self.bundled)
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
    }
}
