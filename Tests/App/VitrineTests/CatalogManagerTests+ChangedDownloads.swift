import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineHostedContent
import VitrinePurchasing
import VitrineTestSupport

/// Downloads that continue after a change of the catalog, and downloads of bundles.
extension CatalogManagerTests {
    private static let rome = String.voyager("rome")

    private func writeCatalog(_ products: String) throws -> URL {
        try folder.write(PlistText.document("<array>\(products)</array>"), to: "Shop.plist")
    }

    private func guide(_ name: String, in path: String, children: String = "") -> String {
        """
        <dict><key>productIdentifier</key><string>\(String.voyager(name))</string><key>consumable</key><false/>
        <key>hosted</key><true/><key>localContentPath</key><string>\(path)</string>\(children)</dict>
        """
    }

    /// Content whose first download stalls.
    private var stallingOnce: ShelfContent {
        let stalls = Recorder<Void>()
        return ShelfContent(packages: Repository.samplePackages) { _, progress throws(StoreError) in
            stalls.record(())
            progress(5, 10)
            guard stalls.values.count == 1 else { return }
            try? await sleepUntilCancelled(.zero)
            throw StoreError(code: .network, reason: "broken off")
        }
    }

    private func pauseRome(in manager: CatalogManager) async throws {
        let events = manager.events()
        async let download = try? manager.content.download(for: Self.rome)
        await events.next {
            if case .content(.downloadUpdated(let status)) = $0 { status.progress.received == 5 } else { false }
        }
        try await manager.content.pauseDownload(of: Self.rome)
        _ = await download
    }

    @Test(arguments: [true, false])
    func `a resumed download installs content at the path in the current catalog`(isOneOfAll: Bool) async throws {
        var store = InterceptedStore(voyager.store)
        store.content = stallingOnce
        let manager = try await makeManager(
            catalog: .file(try writeCatalog(guide("rome", in: "guides/rome"))), store: store
        ) { _ in }
        await manager.loadProducts()
        try await manager.unlock(Self.rome)
        try await pauseRome(in: manager)
        _ = try writeCatalog(guide("rome", in: "books/rome"))
        await manager.loadProducts()
        let events = manager.events()
        if isOneOfAll {
            await manager.content.resumeDownloads()
        } else {
            await manager.content.resumeDownload(of: Self.rome)
        }
        await events.next {
            if case .content(.downloadUpdated(let status)) = $0 { status.state == .finished } else { false }
        }

        #expect(try manager.content.url(for: Self.rome).path().contains("HostedContent/books/rome"))
    }

    @Test func `a product without content of its own shows the download of the bundle that contains it`() async throws {
        var store = InterceptedStore(voyager.store)
        store.content = stallingOnce
        let children = "<key>childProducts</key><array><string>\(String.voyager("lisbon"))</string></array>"
        let lisbon = """
            <dict><key>productIdentifier</key><string>\(String.voyager("lisbon"))</string>
            <key>consumable</key><false/></dict>
            """
        let catalog = try writeCatalog(guide("rome", in: "guides/rome", children: children) + lisbon)
        let manager = try await makeManager(catalog: .file(catalog), store: store) { _ in }
        await manager.loadProducts()
        #expect(try listing("lisbon", of: manager).content == nil)
        try await manager.unlock(Self.rome)
        try await pauseRome(in: manager)
        let paused = try #require(try listing("lisbon", of: manager).content)
        #expect(paused.state == nil)
        #expect(paused.download?.id == Self.rome)
        #expect(paused.download?.state == .paused)
        #expect(paused.fraction == 0.5)
        #expect(!paused.isComplete)

        _ = try await manager.content.download(for: Self.rome)
        #expect(try listing("lisbon", of: manager).content?.isComplete == true)
    }
}
