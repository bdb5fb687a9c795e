internal import Foundation
internal import VitrineCatalog
internal import VitrineCatalogLoading
internal import VitrineEntitlements

extension ManagerState {
    /// State of a manager at one moment.
    struct Snapshot: Sendable {
        var status = LoadingStatus.productsLoading
        var entitlements: EntitlementSnapshot
        private(set) var subscriptions: [CustomerSubscription]
        /// Subscriptions as they were last reported, by their identifiers.
        private var reported: [String: CustomerSubscription]
        /// Identifiers of the subscriptions with periods that are about to be recorded: their changes are reported
        /// together.
        var catchingUp: Set<String> = []
        var loadedCatalog: LoadedCatalog?
        /// Latest date at which the loaded catalog was used.
        var latestCatalogDate = Date.distantPast
        /// `true` if the catalog was found on the device, and the server's catalog was not requested yet.
        var isCatalogProvisional = false
        var requestStatus = RequestStatus.idle
        /// Reason why part of the last load failed; `nil` if nothing failed.
        var loadFailure: LoadFailure?
        var context = ListingContext()
        var shown: ListingState

        init(entitlements: EntitlementSnapshot, shown: ListingState) {
            self.entitlements = entitlements
            subscriptions = entitlements.subscriptions
            reported = Dictionary(subscriptions.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
            self.shown = shown
        }

        /// Updates the subscriptions after a change of the entitlements.
        ///
        /// - Returns: The subscriptions that are new or have changed, except those that are catching up.
        mutating func updateSubscriptions() -> [CustomerSubscription] {
            subscriptions = entitlements.subscriptions
            let changed = subscriptions.filter { !catchingUp.contains($0.id) && reported[$0.id] != $0 }
            let identifiers = Set(subscriptions.map(\.id))
            reported = reported.filter { identifiers.contains($0.key) }
            for subscription in changed { reported[subscription.id] = subscription }
            return changed
        }

        var storeSnapshot: StoreSnapshot? { shown.storeSnapshot }

        var listing: [ProductListing] { shown.listings }

        var catalog: Catalog? { entitlements.catalog }

        /// Catalog that determines the value of a transaction; `nil` while only the app's own property list is read and
        /// the server's catalog is being requested, because product values in that list may be outdated.
        var deliveringCatalog: Catalog? {
            if isCatalogProvisional, case .file = loadedCatalog?.origin { return nil }
            return catalog
        }

        /// Reason why nothing new is sold from the catalog now; `nil` if products are sold.
        var sellingObstacle: String? { context.sellingObstacle }

        /// `true` if the catalog is a cached copy or the app's own property list, in place of the server's catalog:
        /// products of the server's catalog may be missing.
        var isCatalogStandIn: Bool {
            isCatalogProvisional || loadedCatalog?.failure != nil || loadedCatalog?.origin == .cache
        }

        /// Identifiers of the catalog that the store did not return in its last response.
        var invalidIdentifiers: [String] {
            let unreturned = context.unreturned.subtracting(storeSnapshot?.requested ?? [])
            guard !unreturned.isEmpty else { return shown.index?.unknownIdentifiers ?? [] }
            let unknown = unreturned.union(shown.index?.unknownIdentifiers ?? [])
            return (catalog?.products ?? []).map(\.identifier).filter(unknown.contains)
        }

        /// Returns the listing of a product with store data that differs from the current response; `nil` for a product
        /// that the catalog does not contain.
        func listing(of product: StoreProduct) -> ProductListing? {
            shown.listing(of: product, entitlements, context)
        }

        /// Reason why nothing new is sold from the loaded catalog, as of the latest date of its use; `nil` if products
        /// are sold. A clock that is set back does not let an expired catalog sell again.
        var obstacleNow: String? {
            guard let loadedCatalog else { return nil }
            if let obstacle = loadedCatalog.sellingObstacle { return obstacle }
            guard let end = loadedCatalog.goodUntil, end <= latestCatalogDate else { return nil }
            return "the signature of the catalog was valid until \(end.formatted(.iso8601))"
        }
    }
}

extension EntitlementSnapshot.Changes {
    /// `true` if subscriptions may have changed.
    var mayConcernSubscriptions: Bool { isAboutAll || !touched.isEmpty }

    /// Identifiers of all products whose listing the changes may affect.
    var products: Set<String> { touched.union(newlyOwned).union(noLongerOwned) }

    /// Returns the events that report the changes of ownership, balances and losses.
    func events(in snapshot: ManagerState.Snapshot) -> [CatalogEvent] {
        let ownership = newlyOwned + noLongerOwned
        return (appPurchase.map { [.entitlements(.originalPurchaseKnown($0.original))] } ?? [])
            + (isLossChanged ? [.ledger(.lossChanged(snapshot.entitlements.loss))] : [])
            + (ownership.isEmpty ? [] : [.entitlements(.ownershipChanged(ownership))])
            + wallets.map { .entitlements(.walletChanged($0, balance: snapshot.entitlements.balance(of: $0))) }
    }
}
