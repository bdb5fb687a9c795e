import Testing
import Vitrine
import VitrineEntitlements
import VitrineStoreSimulator
import VitrineTestSupport

/// Devices of one customer, each with a ledger of its own.
extension CatalogManagerTests {
    private func makeTablet() async throws -> CatalogManager {
        let clock = voyager.clock
        let manager = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: voyager.store.device("tablet").launched,
            verifier: voyager.verifier(), home: Home(url: folder["tablet"]),
            options: ManagerOptions(now: { clock.now }))
        await manager.loadProducts()
        return manager
    }

    @Test(arguments: [(isHostile: false, credited: 0), (isHostile: true, credited: 50)])
    func `a consumable is credited only on devices that receive its transaction`(
        isHostile: Bool, credited: Int
    ) async throws {
        try await voyager.store.setSendsConsumablesToAllDevices(isHostile)
        let (phone, tablet) = (try await makeManager(), try await makeTablet())
        await phone.loadProducts()
        for name in ["coins50", "lisbon"] { #expect(await buy(name, with: phone) == "charged") }
        await tablet.purchases.deliverUnfinished()

        #expect(phone.wallets.balance(for: "coins") == .known(50))
        #expect(tablet.wallets.balance(for: "coins") == .known(credited))
        #expect(tablet.ownedProducts == [.voyager("lisbon")])
        #expect(try await tablet.restore().failed.isEmpty)
        #expect(tablet.wallets.balance(for: "coins") == .known(credited))

        try await voyager.store.refund(voyager.store.transactions()[0].id)
        for manager in [phone, tablet] {
            await manager.purchases.deliverUnfinished()
            #expect(manager.wallets.balance(for: "coins") == .known(0))
        }
    }
}
