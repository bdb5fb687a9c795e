import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineCatalogLoading
import VitrineHostedContent
import VitrineNetworking
import VitrineTestSupport

/// Downloads while a fallback catalog is used.
extension CatalogManagerTests {
    /// Part of the server's catalog that the app's own property list lacks.
    enum Lack: CaseIterable {
        case guide
        /// The bundle that contains the guide.
        case bundle

        var local: String {
            switch self {
            case .guide: "<array><string>\(String.voyager("lisbon"))</string></array>"
            case .bundle:
                """
                <array><dict><key>productIdentifier</key><string>\(String.voyager("rome"))</string>
                <key>consumable</key><false/><key>hosted</key><true/>
                <key>localContentPath</key><string>guides/rome</string></dict></array>
                """
            }
        }
    }

    @Test(arguments: Lack.allCases, [true, false])
    func `a download paused under the server's catalog stays paused while a fallback catalog lacks the product`(
        lack: Lack, isUp: Bool
    ) async throws {
        let isDown = Recorder<Bool>()
        let server = try await server { isDown.values.last ?? false ? .reply(503) : nil }
        let local = try folder.write(PlistText.document(lack.local), to: "local.plist")
        let catalog = CatalogSource.remote(remote(server), local: local)
        var store = InterceptedStore(voyager.store)
        store.content = stalled(Recorder())
        let first = try await makeManager(catalog: catalog, store: store) { _ in }
        await first.loadProducts()
        try await first.unlock(.voyager(lack == .guide ? "rome" : "everything"))
        let events = first.events()
        async let download = try? first.content.download(for: .voyager("rome"))
        await events.next {
            if case .content(.downloadUpdated(let status)) = $0 { status.progress.received == 5 } else { false }
        }
        try await first.content.pauseDownload(of: .voyager("rome"))
        #expect(await download == nil)
        await first.stop()
        try FileManager.default.removeItem(at: Home(url: folder["home"]).cache)

        isDown.record(!isUp)
        let next = try await makeManager(catalog: catalog, store: store) { _ in }
        #expect(await next.loadProducts() == .productsLoaded)
        #expect(next.catalog.loaded?.origin == (isUp ? .remote : .file(local)))
        #expect(try leftDownloads() == [.voyager("rome")])
        isDown.record(false)
        await next.loadProducts()
        #expect(next.content.downloads.map(\.state) == [.paused])
        #expect(next.content.downloads.map(\.progress) == [ContentProgress(received: 5, total: 10)])
    }

    @Test(arguments: [true, false])
    func `content owned through a bundle is not removed while a fallback catalog lacks the bundle`(
        isUp: Bool
    ) async throws {
        let isDown = Recorder<Bool>()
        let server = try await server { isDown.values.last ?? false ? .reply(503) : nil }
        let local = try folder.write(PlistText.document(Lack.bundle.local), to: "local.plist")
        let catalog = CatalogSource.remote(remote(server), local: local)
        let first = try await makeManager(catalog: catalog) { _ in }
        await first.loadProducts()
        try await first.unlock(.voyager("everything"))
        try await first.content.download(for: .voyager("rome"))
        await first.stop()
        try FileManager.default.removeItem(at: Home(url: folder["home"]).cache)

        isDown.record(!isUp)
        let next = try await makeManager(catalog: catalog) { $0.content.removesWithheld = true }
        let events = next.events()
        #expect(await next.loadProducts() == .productsLoaded)
        if !isUp { #expect(try next.content.listings().map(\.state) == [.withheld]) }
        isDown.record(false)
        await next.loadProducts()
        #expect(try next.content.listings().first { $0.id == .voyager("rome") }?.state == .installed)
        await next.stop()
        for await event in events { if case .content(.removed) = event { Issue.record("something was removed") } }
    }
}
