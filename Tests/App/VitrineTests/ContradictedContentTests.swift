import Foundation
import Synchronization
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineHostedContent
import VitrineNetworking
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// Content on a server that differs from what the copy of the catalog on the device says.
@Suite(.hangLimit) struct ContradictedContentTests {
    let voyager: VoyagerStore
    let folder: TemporaryFolder

    init() throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
    }

    /// Web server with a catalog and the files of the guide to Rome.
    final class Shop: Sendable {
        private let files = Mutex<[String: Data]>([:])
        private let isBusy = Mutex(false)
        let catalogRequests = Recorder<Void>()

        func publish(_ published: [String: Data]) {
            files.withLock { files in
                for (path, file) in published { files[path] = file }
            }
        }

        func publish(catalog: String) { publish(["/catalog.plist": Data(catalog.utf8)]) }

        func remove(_ paths: some Collection<String>) {
            files.withLock { files in
                for path in paths { files[path] = nil }
            }
        }

        /// Makes the server answer requests for content, but not for the catalog, with 503.
        func setBusy(_ isBusy: Bool) { self.isBusy.withLock { $0 = isBusy } }

        func answer(_ path: String) -> LoopbackServer.Answer {
            if path == "/catalog.plist" {
                catalogRequests.record(())
            } else if isBusy.withLock(\.self) {
                return .reply(503, headers: ["Retry-After": "3600"])
            }
            return files.withLock { $0[path] }.map { .reply(body: $0) } ?? .reply(404)
        }
    }

    /// Shop with the first edition of the guide, and a manager that has loaded its catalog.
    fileprivate struct Scene {
        let shop: Shop
        let server: LoopbackServer
        let first: PackedRome
        let manager: CatalogManager
    }

    private func makeScene() async throws -> Scene {
        let shop = Shop()
        let server = try await LoopbackServer { shop.answer($0.path) }
        let first = try PackedRome(in: folder)
        shop.publish(first.files)
        shop.publish(catalog: try first.catalog(on: server.url))
        let (clock, sleep) = (voyager.clock, ManualSleep())
        let manager = try await CatalogManager(
            catalog: .remote(RemoteCatalog(url: server.url.appending(path: "catalog.plist"))),
            store: voyager.store.launched, verifier: voyager.verifier(), home: Home(url: folder["home"]),
            options: ManagerOptions(
                schedule: RetrySchedule(random: { 0 }, sleep: { try await sleep.sleep($0) }), now: { clock.now }))
        #expect(await manager.loadProducts() == .productsLoaded)
        #expect(shop.catalogRequests.values.count == 1)
        return Scene(shop: shop, server: server, first: first, manager: manager)
    }

    /// Buys the guide while the server is busy, so that its content is awaited.
    private func buyWithoutContent(_ scene: Scene) async throws {
        scene.shop.setBusy(true)
        guard case .pending(.content) = await scene.manager.purchase(.voyager("rome")) else {
            Issue.record("the content was not awaited")
            return
        }
        scene.shop.setBusy(false)
        voyager.clock.advance(by: 3_600)
    }

    /// Change of the content on the server, together with the catalog.
    enum Change: String, CaseIterable, CustomTestStringConvertible {
        case `the same version with other bytes`, `another address`

        var testDescription: String { rawValue }

        fileprivate func publish(on scene: Scene, in folder: TemporaryFolder) throws {
            switch self {
            case .`the same version with other bytes`:
                let second = try PackedRome(in: folder, correction: "second")
                scene.shop.publish(second.files)
                scene.shop.publish(catalog: try second.catalog(on: scene.server.url))
            case .`another address`:
                scene.shop.remove(scene.first.files.keys)
                scene.shop.publish(
                    Dictionary(uniqueKeysWithValues: scene.first.files.map { ("/new" + $0.key, $0.value) }))
                scene.shop.publish(catalog: try scene.first.catalog(on: scene.server.url.appending(path: "new")))
            }
        }
    }

    @Test(arguments: Change.allCases)
    func `content that has changed with the catalog is sold and installed from the newer catalog`(
        _ change: Change
    ) async throws {
        let scene = try await makeScene()
        try change.publish(on: scene, in: folder)

        let answer = await scene.manager.purchase(.voyager("rome"))

        guard case .success(_, notChargedAgain: false) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(scene.shop.catalogRequests.values.count == 2)
        #expect(throws: Never.self) { try scene.manager.content.url(for: .voyager("rome")) }
        #expect(try await voyager.store.transactions().count == 1)
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
        // The store is asked about the products of the new catalog.
        #expect(scene.manager.catalog.nextLoad == voyager.clock.now)
        await scene.manager.stop()
    }

    @Test func `two purchases at once of content that has changed with the catalog wait for one request`() async throws
    {
        let scene = try await makeScene()
        try Change.`the same version with other bytes`.publish(on: scene, in: folder)

        async let first = scene.manager.purchase(.voyager("rome"))
        async let second = scene.manager.purchase(.voyager("rome"))

        for answer in await [first, second] {
            if case .failed(let failure) = answer { #expect(failure.code != .notOffered, "\(failure)") }
        }
        #expect(scene.shop.catalogRequests.values.count == 2)
        #expect(try await voyager.store.transactions().count == 1)
        await scene.manager.stop()
    }

    @Test(arguments: Change.allCases)
    func `content of an earlier purchase that has changed with the catalog is delivered by the next attempt`(
        _ change: Change
    ) async throws {
        let scene = try await makeScene()
        try await buyWithoutContent(scene)
        try change.publish(on: scene, in: folder)

        await scene.manager.purchases.deliverUnfinished()

        #expect(scene.shop.catalogRequests.values.count == 2)
        #expect(throws: Never.self) { try scene.manager.content.url(for: .voyager("rome")) }
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
        #expect(try await voyager.store.transactions().count == 1)
        await scene.manager.stop()
    }

    @Test
    func `contradicted content waits for a newer catalog, which is requested less and less often`()
        async throws
    {
        let scene = try await makeScene()
        let manager = scene.manager
        try await buyWithoutContent(scene)
        let second = try PackedRome(in: folder, correction: "second")
        scene.shop.publish(second.files)

        await manager.purchases.deliverUnfinished()

        let reason = try #require(manager.content.downloads.first?.error?.reason)
        #expect(reason.hasPrefix("the content waits for a newer catalog, which it contradicts: "))
        #expect(scene.shop.catalogRequests.values.count == 2)
        var requests = 2
        for seconds in [15.0, 30, 60] {
            #expect(manager.catalog.nextLoad == voyager.clock.now + seconds)
            voyager.clock.advance(by: seconds)
            await manager.load(byItself: true)
            await manager.contentSettled()
            requests += 1
            #expect(scene.shop.catalogRequests.values.count == requests)
        }
        scene.shop.publish(catalog: try second.catalog(on: scene.server.url))
        voyager.clock.advance(by: 120)
        await manager.load(byItself: true)
        await manager.contentSettled()

        #expect(throws: Never.self) { try manager.content.url(for: .voyager("rome")) }
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
        #expect(try await voyager.store.transactions().count == 1)
        while !(await manager.record.contradictions.isEmpty) { await Task.yield() }
        #expect(manager.catalog.nextLoad == nil)
        await manager.stop()
    }

    @Test func `contradicted content of a refunded purchase requests no newer catalog`() async throws {
        let scene = try await makeScene()
        try await buyWithoutContent(scene)
        scene.shop.publish(try PackedRome(in: folder, correction: "second").files)
        await scene.manager.purchases.deliverUnfinished()
        #expect(scene.shop.catalogRequests.values.count == 2)

        try await voyager.store.refund("1")
        await scene.manager.purchases.deliverUnfinished()
        voyager.clock.advance(by: 15)
        await scene.manager.load(byItself: true)

        #expect(scene.shop.catalogRequests.values.count == 2)
        #expect(scene.manager.catalog.nextLoad == nil)
        await scene.manager.stop()
    }

    @Test
    func `content that contradicts the server's catalog is not sold, and a newer one is requested every 15 seconds`()
        async throws
    {
        let scene = try await makeScene()
        scene.shop.publish(try PackedRome(in: folder, correction: "second").files)
        for (seconds, requests) in [(0.0, 2), (1, 2), (13, 2), (1, 3), (14, 3), (1, 4)] {
            voyager.clock.advance(by: seconds)
            guard case .failed(let failure) = await scene.manager.purchase(.voyager("rome")) else {
                Issue.record("the product was sold")
                return
            }
            #expect(failure.code == .notOffered)
            #expect(scene.shop.catalogRequests.values.count == requests)
        }
        #expect(scene.manager.catalog.nextLoad == nil)
        #expect(try await voyager.store.transactions().isEmpty)
        await scene.manager.stop()
    }
}
