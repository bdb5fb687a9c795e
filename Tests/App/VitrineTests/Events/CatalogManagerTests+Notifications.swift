import Foundation
import Testing
import Vitrine
import VitrineStoreSimulator
import VitrineTestSupport

extension CatalogManagerTests {
    @Test func `notifications are posted on the main actor in order, with their products and errors`() async throws {
        let (center, other) = (NotificationCenter(), NotificationCenter())
        let manager = try await makeManager()
        await manager.loadProducts()
        let (heard, elsewhere) = (listen(to: center, about: manager), listen(to: other, about: manager))
        let posting = manager.postNotifications(to: center)
        #expect(await buy("coins50", with: manager) == "charged")
        try await voyager.store.fail(.cancelled, times: 1)
        #expect(await buy("lisbon", with: manager) == "cancelled")
        #expect(await buy("nothing", with: manager) == "not-in-catalog")
        await manager.stop()
        await posting.value

        let changed = ("VitrineListingDidChange", "coins50")
        let updated = ("VitrineTransactionDidUpdate", "coins50")
        let wanted: [(String, String)] = [
            changed, updated, updated, changed, updated, ("VitrineWalletDidChange", ""),
            ("VitrineTransactionDidFinish", "coins50"), changed, ("VitrinePurchaseDidComplete", "coins50"), changed,
            ("VitrineListingDidChange", "lisbon"), ("VitrinePurchaseDidComplete", "lisbon"),
            ("VitrineListingDidChange", "lisbon"), ("VitrinePurchaseDidComplete", "nothing"),
        ]
        #expect(heard.values.map(\.name) == wanted.map(\.0))
        let (products, errors) = (
            heard.values.map { $0.products.joined(separator: " ") }, heard.values.map(\.error).filter { !$0.isEmpty }
        )
        #expect(products == wanted.map(\.1))
        #expect(errors == ["com.example.voyager.nothing is not in the catalog"])
        #expect(elsewhere.values.isEmpty)
    }

    @Test func `no notification is posted after posting was canceled`() async throws {
        let center = NotificationCenter()
        let manager = try await makeManager()
        let heard = listen(to: center, about: manager)
        let posting = manager.postNotifications(to: center)
        posting.cancel()
        await posting.value
        await manager.loadProducts()
        await manager.stop()

        #expect(heard.values.isEmpty)
    }

    @Test func `posting notifications does not retain the manager`() async throws {
        var manager: CatalogManager? = try await makeManager()
        let posting = manager?.postNotifications(to: NotificationCenter())
        manager = nil

        await posting?.value
        #expect(posting != nil)
    }
}
