import Foundation
import Vitrine
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Sample app in which the rows of a migration table are tested.
struct ComingFromScene: ManagerScene {
    let voyager: VoyagerStore
    let folder: TemporaryFolder

    init() throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
    }

    var store: SimulatedStore { voyager.store }

    func loadedManager(store: (any Store)? = nil) async throws -> CatalogManager {
        let manager = try await makeManager(store: store)
        await manager.loadProducts()
        return manager
    }

    /// Returns the events and notifications of a manager while a function runs.
    func observed(by manager: CatalogManager, during body: () async throws -> Void) async throws -> Observed {
        let center = NotificationCenter()
        let heard = listen(to: center, about: manager)
        let posting = manager.postNotifications(to: center)
        let events = try await events(of: manager, during: body)
        await posting.value
        return Observed(events: events, notifications: heard.values)
    }

    struct Observed {
        let events: [CatalogEvent]
        fileprivate let notifications: [HeardNotification]

        func notifications(_ name: Notification.Name) -> [HeardNotification] {
            notifications.filter { $0.name == name.rawValue }
        }
    }
}

/// Device with an app receipt.
extension ComingFromScene {
    /// Returns the store of a device with a receipt for the given products, and a verifier that trusts it.
    ///
    /// - Parameter isOnDevice: `true` if the receipt is already on the device, `false` if only a refresh returns it.
    func receipts(
        of names: [String], original: String = "1.0", isOnDevice: Bool = true
    ) throws -> (store: InterceptedStore, verifier: AppReceiptVerifier) {
        let data = try Self.receipt(of: names, original: original)
        var store = InterceptedStore(voyager.store)
        store.onAppReceipt = { () throws(StoreError) in isOnDevice ? data : nil }
        store.onRefreshAppReceipt = { _ throws(StoreError) in data }
        store.onAppTransaction = { () throws(StoreError) in nil }
        return (store, try Self.receiptVerifier())
    }

    /// Returns a signed receipt.
    ///
    /// - Parameter names: Names of the purchased products. Each name is also the transaction identifier.
    static func receipt(of names: [String], original: String = "1.0") throws -> Data {
        let purchases = names.map { name in
            ReceiptPurchase(
                productIdentifier: .voyager(name), transactionID: name, originalTransactionID: name,
                purchaseDate: .sample - 60, originalPurchaseDate: .sample - 60, productType: .nonConsumable)
        }
        var receipt = AppReceipt.sample(bundle: VoyagerStore.bundleIdentifier, purchases: purchases)
        receipt.originalApplicationVersion = original
        return try ReceiptSigningIdentity.sample.sign(receipt, deviceIdentifier: .device)
    }

    static func receiptVerifier(bundle: String = VoyagerStore.bundleIdentifier) throws -> AppReceiptVerifier {
        AppReceiptVerifier(
            roots: try TrustedRoots(pem: ReceiptSigningIdentity.sample.rootPEM), bundleIdentifier: bundle,
            environment: .sandbox, deviceIdentifier: .device, now: { .sample })
    }
}
