import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineHostedContent
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Purchases of an earlier launch whose content is still being downloaded.
extension CatalogManagerTests {
    /// Returns a store with an unfinished purchase of the guide to Rome, whose download waits half-way until a closure
    /// returns.
    private func storeWithRome(
        _ goOn: @escaping @Sendable () async throws(StoreError) -> Void
    ) async throws -> InterceptedStore {
        _ = try await voyager.store.purchase(.voyager("rome"), quantity: 1)
        var store = InterceptedStore(voyager.store)
        store.content = ShelfContent(packages: Repository.samplePackages) { _, progress throws(StoreError) in
            progress(5, 10)
            try await goOn()
        }
        return store
    }

    /// Returns a store whose download of the guide to Rome never ends unless it is canceled.
    private func storeWithRome() async throws -> InterceptedStore {
        try await storeWithRome { () throws(StoreError) in
            try? await sleepUntilCancelled(.zero)
            throw StoreError(code: .network, reason: "broken off")
        }
    }

    private func unfinished() async throws -> [String] { try await voyager.store.unfinishedTransactions().map(\.id) }

    private func isHalfHere(_ event: CatalogEvent) -> Bool {
        if case .content(.downloadUpdated(let download)) = event { download.progress.received == 5 } else { false }
    }

    @Test func `a load does not wait while the content of an unfinished purchase is downloading`() async throws {
        let gate = Gate()
        let manager = try await makeManager(store: storeWithRome { () throws(StoreError) in await gate.pass() })
        #expect(await manager.loadProducts() == .productsLoaded)

        #expect(try listing("lisbon", of: manager).isOffered)
        #expect(manager.ownership(of: .voyager("rome")).isOwned)
        #expect(await buy("coins50", with: manager) == "charged")
        #expect(try await unfinished() == ["1"])
        #expect(await manager.purchases.pending().isEmpty)
        await gate.open()
        await manager.contentSettled()
        #expect(try await unfinished().isEmpty)
        #expect(throws: Never.self) { try manager.content.url(for: .voyager("rome")) }
    }

    @Test
    func `return to the foreground and restore do not wait for content, but delivery of unfinished purchases does`()
        async throws
    {
        let gate = Gate()
        let manager = try await makeManager(store: storeWithRome { () throws(StoreError) in await gate.pass() })
        await manager.loadProducts()
        await manager.enterForeground()
        let restored = try await manager.restore()
        #expect(restored.restored + restored.alreadyOwned == [.voyager("rome")])
        #expect(try await unfinished() == ["1"])
        async let delivered: Void = manager.purchases.deliverUnfinished()
        await gate.open()
        await delivered

        #expect(try await unfinished().isEmpty)
    }

    @Test(arguments: [true, false])
    func `a purchase stays pending if its content download is paused, and is finished if the download is canceled`(
        isPaused: Bool
    ) async throws {
        let manager = try await makeManager(store: storeWithRome())
        let events = manager.events()
        await manager.loadProducts()
        await events.next(isHalfHere)
        if isPaused {
            try await manager.content.pauseDownload(of: .voyager("rome"))
        } else {
            try await manager.content.cancelDownload(of: .voyager("rome"))
        }
        await manager.contentSettled()

        #expect(await manager.purchases.pending().map(\.id) == (isPaused ? ["1"] : []))
        #expect(manager.content.downloads.map(\.state) == [isPaused ? .paused : .cancelled])
        #expect(try await unfinished() == (isPaused ? ["1"] : []))
    }

    @Test func `stopping the manager ends waiting for content, and the next launch continues the download`()
        async throws
    {
        let manager = try await makeManager(store: storeWithRome())
        let (events, watched) = (manager.events(), manager.events())
        await manager.loadProducts()
        await watched.next(isHalfHere)
        await manager.stop()

        let steps = await events.reduce(into: []) { $0.append($1.word) }
        #expect(steps.contains { $0.contains("waiting") && $0.contains("was stopped") })
        #expect(await manager.purchases.pending().map(\.id) == ["1"])
        #expect(try await unfinished() == ["1"])
        let next = try await makeManager()
        await next.loadProducts()
        await next.contentSettled()
        #expect(try await unfinished().isEmpty)
    }

    @Test func `a purchase whose content arrives after catalog reloads is finished once`() async throws {
        let gate = Gate()
        let manager = try await makeManager(store: storeWithRome { () throws(StoreError) in await gate.pass() })
        let events = manager.events()
        await manager.loadProducts()
        for _ in 0..<3 { await manager.loadProducts() }
        await gate.open()
        await manager.contentSettled()
        await manager.stop()

        let steps = await events.reduce(into: []) { $0.append($1.word) }
        #expect(steps.count { $0 == "finished" } == 1)
        #expect(manager.content.downloads.map(\.state) == [.finished])
    }

    // MARK: Catalogs that stand in for the server's

    enum StandIn: CaseIterable, Sendable {
        case local, cached
    }

    @Test(arguments: StandIn.allCases, [true, false])
    func `a purchase waits for the server's catalog if the fallback catalog does not describe its content`(
        _ standIn: StandIn, hasLeft: Bool
    ) async throws {
        let without = PlistText.document("<array><string>\(String.voyager("lisbon"))</string></array>")
        let answers = Recorder<LoopbackServer.Answer>()
        answers.record(.reply(body: Data(without.utf8)))
        let server = try await server { answers.values.last }
        if standIn == .cached {
            let before = try await makeManager(catalog: .remote(remote(server)))
            await before.loadProducts()
            await before.stop()
        }
        let first = try await makeManager(
            store: storeWithRome { () throws(StoreError) in throw StoreError(code: .network, reason: "no network") })
        await first.loadProducts()
        await first.stop()
        #expect(try await unfinished() == ["1"])

        answers.record(.reply(503))
        voyager.clock.advance(by: 2 * 86_400)
        let local = standIn == .local ? try folder.write(without, to: "local.plist") : nil
        let manager = try await makeManager(catalog: .remote(remote(server), local: local))
        await manager.loadProducts()
        await manager.contentSettled()
        #expect(manager.catalog.loaded?.failure != nil)
        #expect(manager.ownership(of: .voyager("rome")).isOwned)
        #expect(try await unfinished() == ["1"])
        #expect(await manager.purchases.pending().first?.state.description.contains("is a fallback for") == true)

        let sample = Repository.sample("Voyager.plist")
        answers.record(.reply(body: try hasLeft ? Data(without.utf8) : Data(contentsOf: sample)))
        await manager.loadProducts()
        await manager.contentSettled()
        #expect(try await unfinished().isEmpty)
        let rome = Home(url: folder["home"]).hostedContent.appending(path: "guides/rome")
        #expect(FileManager.default.fileExists(atPath: rome.path()) == !hasLeft)
        #expect(manager.ownership(of: .voyager("rome")).isOwned)
    }

    @Test func `a purchase of a product that was removed from the app's own catalog is finished without content`()
        async throws
    {
        let first = try await makeManager(
            store: storeWithRome { () throws(StoreError) in throw StoreError(code: .network, reason: "no network") })
        await first.loadProducts()
        await first.stop()
        #expect(try await unfinished() == ["1"])
        let manager = try await makeManager(catalog: .catalog(Catalog(identifiers: [.voyager("lisbon")])))
        await manager.loadProducts()

        #expect(try await unfinished().isEmpty)
        #expect(manager.ownership(of: .voyager("rome")).isOwned)
    }
}
