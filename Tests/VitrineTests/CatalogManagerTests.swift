import Entitlements
import Foundation
import HostedContent
import Networking
import ProductCatalog
import Purchasing
import StoreSimulator
import TestSupport
import Testing
import Vitrine

@Suite struct CatalogManagerTests {
    let voyager: VoyagerStore
    let folder: TemporaryFolder

    init() throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
    }

    func makeManager(
        catalog: CatalogSource = .file(Repository.sample("Voyager.plist")),
        store: (any Store)? = nil,
        content: PackageFolder? = PackageFolder(url: Repository.samplePackages),
        languages: [String] = ["en"]
    ) async throws -> CatalogManager {
        let clock = voyager.clock
        return try await CatalogManager(
            catalog: catalog, store: store ?? voyager.store, verifier: voyager.verifier(),
            home: Home(url: folder["home"]), content: content,
            options: ManagerOptions(
                languages: languages, schedule: .never, transport: DefaultTransport.patient, now: { clock.now }))
    }

    func buy(_ name: String, with manager: CatalogManager) async -> String {
        switch await manager.purchase(.voyager(name)) {
        case .success(_, let notChargedAgain): notChargedAgain ? "not charged again" : "charged"
        case .failed(let failure): "\(failure.code)"
        case .pending: "pending"
        case .cancelled: "cancelled"
        }
    }

    /// The events of what the body does.
    func events(of manager: CatalogManager, during body: () async throws -> Void) async throws -> [CatalogEvent] {
        let stream = manager.events()
        try await body()
        await manager.stop()
        return await stream.reduce(into: []) { $0.append($1) }
    }

    func listing(_ name: String, of manager: CatalogManager) throws -> ProductListing {
        try #require(manager.listing.first { $0.id == .voyager(name) })
    }

    @Test func `a purchase is told step by step, to every listener alike`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        let other = manager.events()
        let events = try await events(of: manager) { _ = await buy("coins50", with: manager) }

        let owned = manager.walletBalance(for: "coins")
        #expect(owned == .known(50))
        let words = [
            "received", "verified", "recorded", "wallet coins: 50", "finished", "answered",
        ]
        #expect(events.words == words)
        #expect(await other.reduce(into: [CatalogEvent]()) { $0.append($1) }.words == words)
    }

    @Test func `with the manager its streams end`() async throws {
        var manager: CatalogManager? = try await makeManager()
        await manager?.loadProducts()
        let stream = try #require(manager).events()
        manager = nil

        #expect(await stream.first { _ in true } == nil)
    }

    @Test func `after stop nothing more is told`() async throws {
        let manager = try await makeManager()
        await manager.stop()

        #expect(await manager.events().first { _ in true } == nil)
    }
}
