import Foundation
import Vitrine
import VitrineCatalog
import VitrineCatalogLoading
import VitrineEntitlements
import VitrineHostedContent
import VitrineNetworking
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Sample app on a customer's device, with the store from which it buys.
protocol ManagerScene: Sendable {
    var voyager: VoyagerStore { get }
    var folder: TemporaryFolder { get }
}

extension ManagerOptions {
    /// Creates options that do not depend on the test machine and do not retry automatically.
    init(
        languages: [String] = ["en"], schedule: RetrySchedule = .never,
        transport: any HTTPTransport = DefaultTransport.patient, now: @escaping @Sendable () -> Date = { Date() },
        choosing choices: (inout ManagerOptions) -> Void = { _ in }
    ) {
        self.init()
        self.languages = languages
        loading.schedule = schedule
        loading.transport = transport
        self.now = now
        choices(&self)
    }
}

/// Managers of the app, one for each launch.
extension ManagerScene {
    func makeManager(
        catalog: CatalogSource = .file(Repository.sample("Voyager.plist")),
        store: (any Store)? = nil,
        content: PackageFolder? = PackageFolder(url: Repository.samplePackages),
        languages: [String] = ["en"]
    ) async throws -> CatalogManager {
        let clock = voyager.clock
        return try await CatalogManager(
            catalog: catalog, store: store ?? voyager.store.launched, verifier: voyager.verifier(),
            home: Home(url: folder["home"]), content: content,
            options: ManagerOptions(languages: languages, now: { clock.now }))
    }

    /// Creates a manager with options of the test. Its clock is the store's.
    func makeManager(
        catalog: CatalogSource = .file(Repository.sample("Voyager.plist")), store: (any Store)? = nil,
        verifier: (any TransactionVerifier)? = nil, ledger: (any Ledger)? = nil,
        choosing choices: (inout ManagerOptions) -> Void
    ) async throws -> CatalogManager {
        let clock = voyager.clock
        return try await CatalogManager(
            catalog: catalog, store: store ?? voyager.store.launched, verifier: verifier ?? voyager.verifier(),
            home: Home(url: folder["home"]), content: PackageFolder(url: Repository.samplePackages), ledger: ledger,
            options: ManagerOptions(now: { clock.now }, choosing: choices))
    }

    /// Creates a manager that has loaded its products, with a store that hosts content.
    func makeManager(
        _ content: ShelfContent, choosing choices: (inout ManagerOptions) -> Void = { _ in }
    ) async throws -> CatalogManager {
        var store = InterceptedStore(voyager.store)
        store.content = content
        let clock = voyager.clock
        let manager = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: store, verifier: voyager.verifier(),
            home: Home(url: folder["home"]), options: ManagerOptions(now: { clock.now }, choosing: choices))
        await manager.loadProducts()
        return manager
    }

    /// Returns content whose download starts, but then stalls. Each started download is recorded.
    func stalled(_ begun: Recorder<String>) -> ShelfContent {
        ShelfContent(packages: Repository.samplePackages) { product, progress throws(StoreError) in
            begun.record(product)
            progress(5, 10)
            try? await sleepUntilCancelled(.zero)
            throw StoreError(code: .network, reason: "broken off")
        }
    }

    /// Starts a server with the app's catalog.
    ///
    /// - Parameter answer: Function that returns another answer; `nil` for the catalog.
    func server(_ answer: @escaping @Sendable () async -> LoopbackServer.Answer? = { nil }) async throws
        -> LoopbackServer
    {
        let body = try Data(contentsOf: Repository.sample("Voyager.plist"))
        return try await LoopbackServer { _ in await answer() ?? .reply(body: body) }
    }

    func remote(_ server: LoopbackServer) -> RemoteCatalog {
        RemoteCatalog(url: server.url.appending(path: "catalog.plist"))
    }
}

/// Stores that respond only when a test allows it.
extension ManagerScene {
    func store(asksAboutProductsBehind gate: Gate) -> InterceptedStore {
        let base = voyager.store
        var store = InterceptedStore(base)
        store.onProducts = { identifiers throws(StoreError) in
            await gate.pass()
            return try await base.products(for: identifiers)
        }
        return store
    }

    func store(sellsBehind gate: Gate) -> InterceptedStore {
        let base = voyager.store
        var store = InterceptedStore(base)
        store.onPurchase = { identifier, options throws(StoreError) in
            await gate.pass()
            return try await base.purchase(identifier, options: options)
        }
        return store
    }
}
