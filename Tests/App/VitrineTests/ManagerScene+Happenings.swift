import Foundation
import Testing
import Vitrine
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Operations of a manager, and the events that it reports.
extension ManagerScene {
    func buy(_ name: String, with manager: CatalogManager) async -> String {
        await manager.purchase(.voyager(name)).word
    }

    /// Sells and finishes a transaction that no ledger records.
    func buyElsewhere(_ name: String) async throws {
        guard case .purchased(let transaction) = try await voyager.store.purchase(.voyager(name), quantity: 1) else {
            throw StoreError(code: .unavailable, reason: "not purchased")
        }
        try await voyager.store.finish(transaction)
    }

    func listing(_ name: String, of manager: CatalogManager) throws -> ProductListing {
        try #require(manager.listing.first { $0.id == .voyager(name) })
    }

    /// Returns the events of a manager while a function runs.
    func events(of manager: CatalogManager, during body: () async throws -> Void) async throws -> [CatalogEvent] {
        let stream = manager.events()
        try await body()
        await manager.stop()
        return await stream.all()
    }

    func listen(to center: NotificationCenter, about manager: CatalogManager) -> Recorder<HeardNotification> {
        let heard = Recorder<HeardNotification>()
        _ = center.addObserver(forName: nil, object: manager, queue: nil) { notification in
            guard notification[.event] != nil, let products = notification[.products] else { return }
            // Ends the process anywhere else.
            MainActor.assumeIsolated {}
            heard.record(
                HeardNotification(
                    name: notification.name.rawValue, products: products.map(\.name),
                    error: notification[.error].map { "\($0)" } ?? ""))
        }
        return heard
    }
}

/// Content of a notification.
struct HeardNotification: Sendable, Equatable {
    let name: String
    let products: [String]
    let error: String
}

extension VoyagerStore {
    /// The app's store without its list of known purchases: only a restore tells what was bought elsewhere.
    var unlisted: InterceptedStore {
        var store = InterceptedStore(store)
        store.onKnownTransactions = { () throws(StoreError) in [] }
        return store
    }
}

extension TemporaryFolder {
    /// Records in a storage directory that the store's purchases were read, as on a device that read them before they
    /// were made elsewhere.
    func markPurchasesAsRead(in name: String = "home") async throws {
        let home = Home(url: self[name])
        try home.create()
        var known = KnownPurchases()
        try await known.store(in: SQLiteLedger(url: home.ledger), of: home)
    }
}
