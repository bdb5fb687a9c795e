import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineCatalogLoading
import VitrineEntitlements
import VitrineHostedContent
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Downloads of content that is not available yet.
extension CatalogManagerTests {
    private func unfinished() async throws -> [String] { try await voyager.store.unfinishedTransactions().map(\.id) }

    @Test func `content that the store hosts is downloaded and installed, with an event for each step`() async throws {
        let manager = try await makeManager(ShelfContent(packages: Repository.samplePackages))
        let events = try await events(of: manager) { #expect(await buy("rome", with: manager) == "charged") }

        let steps = events.compactMap { event -> String? in
            switch event {
            case .content(.downloadUpdated(let status)): "\(status.state) \(status.progress.received)"
            case .content(.installed(let content)): "installed \(content.version)"
            case .transaction(.contentInstalled): "content"
            case .transaction(.finished): "finished"
            default: nil
            }
        }
        #expect(steps == ["waiting 0", "active 0", "active 1", "installed 1.0", "finished 2", "content", "finished"])
        #expect(try manager.content.listings().map(\.state) == [.installed, .notOwned])
        #expect(manager.content.downloads.map(\.state) == [.finished])
    }

    /// Buys a guide, and calls a function while the download is stalled half-way.
    private func buyRome(
        with manager: CatalogManager, whenHalfHere body: () async throws -> Void
    ) async throws -> String {
        let events = manager.events()
        async let answer = buy("rome", with: manager)
        await events.next {
            if case .content(.downloadUpdated(let status)) = $0 { status.progress.received == 5 } else { false }
        }
        try await body()
        return await answer
    }

    @Test(arguments: [true, false])
    func `a purchase whose content download is canceled is finished, and buying again downloads the content`(
        isRelaunched: Bool
    ) async throws {
        let tries = Recorder<Void>()
        // The first transfer stalls.
        let content = ShelfContent(packages: Repository.samplePackages) { _, progress throws(StoreError) in
            tries.record(())
            progress(5, 10)
            guard tries.values.count == 1 else { return }
            try? await sleepUntilCancelled(.zero)
            throw StoreError(code: .network, reason: "broken off")
        }
        var manager = try await makeManager(content)
        let answer = try await buyRome(with: manager) {
            try await manager.content.cancelDownload(of: .voyager("rome"))
        }
        #expect(answer == "charged")
        #expect(try await unfinished().isEmpty)
        #expect(try manager.content.listings().map(\.state) == [.notInstalled, .notOwned])
        if isRelaunched {
            await manager.stop()
            manager = try await makeManager(content)
        }
        await manager.purchases.deliverUnfinished()
        #expect(try manager.content.listings().map(\.state) == [.notInstalled, .notOwned])

        #expect(await buy("rome", with: manager) == "not charged again")
        #expect(try manager.content.listings().map(\.state) == [.installed, .notOwned])
        #expect(try await voyager.store.transactions().count == 1)
    }

    @Test func `a purchase remains pending while its content is paused, and is finished after the download`()
        async throws
    {
        let manager = try await makeManager(stalled(Recorder()))
        let answer = try await buyRome(with: manager) {
            try await manager.content.pauseDownload(of: .voyager("rome"))
        }
        #expect(answer == "pending")
        #expect(try await unfinished() == ["1"])
        #expect(manager.content.downloads.map(\.state) == [.paused])
        await manager.purchases.deliverUnfinished()
        #expect(try await unfinished() == ["1"])
        await manager.stop()

        let next = try await makeManager(ShelfContent(packages: Repository.samplePackages))
        #expect(try await unfinished() == ["1"])
        let nextEvents = next.events()
        try await next.content.download(for: .voyager("rome"))
        await nextEvents.next { if case .transaction(.finished) = $0 { true } else { false } }
        #expect(try await unfinished().isEmpty)
    }

    @Test func `a failed download leaves its transaction unfinished, and the next attempt finishes it`() async throws {
        let tries = Recorder<Void>()
        let manager = try await makeManager(
            ShelfContent(packages: Repository.samplePackages) { _, progress throws(StoreError) in
                tries.record(())
                progress(5, 10)
                if tries.values.count == 1 { throw StoreError(code: .network, reason: "broken off") }
            })
        guard case .pending(.content(let error)) = await manager.purchase(.voyager("rome")) else {
            Issue.record("it was not pending")
            return
        }
        #expect(error.reason == "broken off")
        #expect(manager.content.downloads.first?.error?.code == .network)
        #expect(try await unfinished() == ["1"])
        await manager.purchases.deliverUnfinished()
        #expect(try await unfinished().isEmpty)
    }

    @Test func `the content of a bundle itself is downloaded before the content of its children`() async throws {
        let begun = Recorder<String>()
        let catalog = Catalog(products: [
            CatalogProduct(
                identifier: .voyager("rome"), kind: .nonConsumable, localContentPath: try ContentPath("rome"),
                isHosted: true),
            CatalogProduct(
                identifier: .voyager("athens"), kind: .nonConsumable, childProducts: [.voyager("rome")],
                localContentPath: try ContentPath("athens"), isHosted: true),
        ])
        var store = InterceptedStore(voyager.store)
        store.content = ShelfContent(packages: Repository.samplePackages) { product, _ in begun.record(product) }
        let manager = try await makeManager(catalog: .catalog(catalog), store: store) {
            $0.content.downloads = DownloadPolicy(mostAtOnce: 1)
        }
        await manager.loadProducts()

        #expect(await buy("athens", with: manager) == "charged")
        #expect(begun.values == [.voyager("athens"), .voyager("rome")])
    }

    @Test func `a purchase remains pending while the app disallows its download, and is finished once it is allowed`()
        async throws
    {
        let permission = Recorder<DownloadPermission>()
        permission.record(.notNow("no Wi-Fi"))
        let manager = try await makeManager(ShelfContent(packages: Repository.samplePackages)) {
            $0.content.downloads = DownloadPolicy { _, _ in permission.values.last ?? .allowed }
        }
        #expect(await buy("rome", with: manager) == "pending")
        #expect(manager.content.downloads.first?.wait == .permission("no Wi-Fi"))
        #expect(try await unfinished() == ["1"])

        permission.record(.allowed)
        await manager.purchases.deliverUnfinished()
        #expect(try await unfinished().isEmpty)
    }

    @Test func `the app is asked about a disallowed download again when the network changes`() async throws {
        let permission = Recorder<DownloadPermission>()
        permission.record(.notNow("no Wi-Fi"))
        let changes = AsyncStream<Void>.makeStream()
        let manager = try await makeManager(ShelfContent(packages: Repository.samplePackages)) {
            $0.content.downloads = DownloadPolicy { _, _ in permission.values.last ?? .allowed }
            $0.loading.networkChanges = { changes.stream }
        }
        #expect(await buy("rome", with: manager) == "pending")

        permission.record(.allowed)
        let events = manager.events()
        changes.continuation.yield()
        await events.next { if case .transaction(.finished) = $0 { true } else { false } }
        #expect(try await unfinished().isEmpty)
        #expect(try manager.content.listings().first?.state == .installed)
    }

    private func catalog(version: String) throws -> CatalogSource {
        .catalog(
            Catalog(products: [
                CatalogProduct(
                    identifier: .voyager("rome"), kind: .nonConsumable, localContentPath: try ContentPath("rome"),
                    isHosted: true, content: CatalogContent(version: version))
            ]))
    }

    @Test(arguments: [true, false])
    func `a changed content version is listed as an update, and is downloaded by a load or on request`(byItself: Bool)
        async throws
    {
        let packages = folder["packages"]
        try FileManager.default.copyItem(at: Repository.samplePackages, to: packages)
        var store = InterceptedStore(voyager.store)
        store.content = ShelfContent(packages: packages)
        let first = try await makeManager(catalog: catalog(version: "1.0"), store: store) { _ in }
        await first.loadProducts()
        _ = await buy("rome", with: first)
        let url = try first.content.url(for: .voyager("rome"))
        #expect(try first.content.listings().map(\.state) == [.installed])
        await first.stop()

        let info = packages.appending(path: "Rome/ContentInfo.plist")
        try String(contentsOf: info, encoding: .utf8).replacing("1.0</string>", with: "2.0</string>")
            .write(to: info, atomically: true, encoding: .utf8)
        let second = try await makeManager(catalog: catalog(version: "2.0"), store: store) {
            $0.content.downloadsUpdates = byItself
        }
        let events = second.events()
        await second.loadProducts()
        if byItself {
            await events.next { if case .content(.installed) = $0 { true } else { false } }
        } else {
            #expect(try second.content.listings().map(\.state) == [.updateAvailable])
            #expect(try second.content.url(for: .voyager("rome")).path() == url.path())
            try await second.content.download(for: .voyager("rome"))
        }
        #expect(try second.content.listings().map(\.version) == ["2.0"])
        #expect(try second.content.listings().map(\.state) == [.installed])
        #expect(try second.content.url(for: .voyager("rome")).path() == url.path())
    }

    @Test func `content is removed on request and can be downloaded again`() async throws {
        let manager = try await makeManager(ShelfContent(packages: Repository.samplePackages))
        _ = await buy("rome", with: manager)
        let events = try await events(of: manager) {
            #expect(try await manager.content.remove(for: .voyager("rome")) == .installed)
            #expect(try await manager.content.remove(for: .voyager("rome")) == .nothing)
            #expect(throws: OwnedContentError.self) { try manager.content.url(for: .voyager("rome")) }
            #expect(try manager.content.restorable().map(\.id) == [.voyager("rome")])
            let listed = manager.listing(for: .voyager("rome"))?.content
            #expect(listed?.fraction == 0)
            #expect(listed?.download == nil)
            try await manager.content.download(for: .voyager("rome"))
        }
        #expect(events.contains { if case .content(.removed([.voyager("rome")])) = $0 { true } else { false } })
        #expect(try manager.content.listings().first?.state == .installed)
        #expect(
            await #expect(throws: OwnedContentError.self) {
                try await manager.content.remove(for: .voyager("lisbon"))
            }?.code == .notHosted)
    }

    @Test(arguments: [true, false])
    func `content of a refunded product is retained, or removed if the option removesWithheld is set`(removes: Bool)
        async throws
    {
        let manager = try await makeManager(ShelfContent(packages: Repository.samplePackages)) {
            $0.content.removesWithheld = removes
        }
        _ = await buy("rome", with: manager)
        let events = manager.events()
        try await voyager.store.refund("1")
        await manager.purchases.deliverUnfinished()
        if removes {
            await events.next { if case .content(.removed([.voyager("rome")])) = $0 { true } else { false } }
        }
        #expect(try manager.content.listings().first?.state == (removes ? .notOwned : .withheld))
        #expect(throws: OwnedContentError.self) { try manager.content.url(for: .voyager("rome")) }
    }

    @Test func `content that is bundled with the app is found in its folder as long as the product is owned`()
        async throws
    {
        let catalog = Catalog(products: [
            CatalogProduct(
                identifier: .voyager("rome"), kind: .nonConsumable, localContentPath: try ContentPath("guides/rome"))
        ])
        let manager = try await makeManager(catalog: .catalog(catalog)) { $0.bundledFiles = folder["app"] }
        await manager.loadProducts()
        func code() -> OwnedContentError.Code? {
            #expect(throws: OwnedContentError.self) { try manager.content.url(for: .voyager("rome")) }?.code
        }
        #expect(manager.listing(for: .voyager("rome"))?.offer == .notOffered(.noContent(product: .voyager("rome"))))
        #expect(await buy("rome", with: manager) == "not-offered")
        #expect(code() == .notOwned)
        try await manager.unlock(.voyager("rome"))
        #expect(code() == .notInstalled)
        try folder.write("# Rome", to: "app/guides/rome/guide.md")

        let url = try manager.content.url(for: .voyager("rome"))
        #expect(url.path() == folder["app/guides/rome"].path())
        let error = await #expect(throws: OwnedContentError.self) {
            try await manager.content.download(for: .voyager("rome"))
        }
        #expect(error?.code == .notHosted)
    }
}
