import Testing
import Vitrine
import VitrineEntitlements
import VitrineTestSupport

@Suite(.hangLimit) struct CatalogManagerTests: ManagerScene {
    let voyager: VoyagerStore
    let folder: TemporaryFolder

    init() throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
    }

    @Test func `the steps of a purchase are reported in order to every listener`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        let other = manager.events()
        let events = try await events(of: manager) { _ = await buy("coins50", with: manager) }

        let owned = manager.wallets.balance(for: "coins")
        #expect(owned == .known(50))
        let names = [
            "received", "verified", "recorded", "wallet coins: 50", "finished", "answered",
        ]
        #expect(events.names == names)
        #expect(await other.all().names == names)
    }

    @Test func `event streams end when the manager is deallocated`() async throws {
        var manager: CatalogManager? = try await makeManager()
        await manager?.loadProducts()
        let stream = try #require(manager).events()
        manager = nil

        #expect(await stream.first { _ in true } == nil)
    }

    @Test func `an event stream that is requested from a stopped manager ends without events`() async throws {
        let manager = try await makeManager()
        await manager.stop()

        #expect(await manager.events().first { _ in true } == nil)
    }
}
