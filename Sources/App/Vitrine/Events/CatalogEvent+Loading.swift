public import Foundation
internal import Logging
public import VitrineCatalog
public import VitrineCatalogLoading
public import VitrineEntitlements
public import VitrinePurchasing

extension CatalogEvent {
    /// Step of loading the catalog and the store's products.
    public enum Loading: Sendable {
        case statusChanged(LoadingStatus)
        /// The status in the terms of Apple's StoreManager sample has changed. The status of a request that fails and
        /// is repeated is `failed`, and then `waitingForRetry`.
        case requestStatusChanged(RequestStatus)
        /// The catalog was read. It contains the diagnostics of its errors and warnings.
        case catalogUpdated(Catalog)
        /// No catalog could be read. The previous one stays.
        case catalogFailed(CatalogError)
        /// The remote catalog could not be fetched. The catalog in use is the cached one or the app's own.
        case catalogNotRefreshed(CatalogError, using: LoadedCatalog)
        /// The cache of downloaded catalogs could not be read or written. The catalog has to be downloaded again.
        case cacheFailed(CatalogCacheError)
        /// The store answered about the products; it does not know the given identifiers of the catalog.
        case productsUpdated(invalidIdentifiers: [String])
        /// The store could not be queried. Its previous answer stays.
        case productsFailed(StoreError)
        /// The store's answer of an earlier launch could not be read from the ledger, and is ignored.
        case storedProductsFailed(LedgerError)
        /// The store's answer could not be stored for a launch without a network. It is used until the end of this
        /// launch.
        case productsNotStored(LedgerError)
        /// A load failed in part or as a whole; the next load starts automatically at a date.
        case retryScheduled(at: Date, because: LoadFailure)
        /// The store could not be queried for unfinished transactions.
        case unfinishedTransactionsFailed(StoreError)
        /// The store could not be queried for the customer's subscriptions. Their recorded state stays.
        case subscriptionsFailed(StoreError)
        /// The purchases that the store knows could not be read. Products that may be owned are not offered until they are
        /// read, if the ledger has never had them.
        case purchasesFailed(StoreError)
    }
}

extension CatalogEvent.Loading {
    var description: EventDescription {
        switch self {
        case .statusChanged(let status):
            EventDescription(.info, "loading status changed", facts: [("status", "\(status)")])
        case .requestStatusChanged(let status):
            EventDescription(.debug, "request status changed", facts: [("status", status.rawValue)])
        case .catalogUpdated(let catalog):
            EventDescription(.info, "catalog updated", facts: [("count", "\(catalog.products.count)")])
        case .catalogFailed(let error): EventDescription(.error, "catalog not loaded", error: error)
        case .catalogNotRefreshed(let error, let loaded):
            EventDescription(
                .warning, "catalog not refreshed", error: error, details: [("using", loaded.origin.description)])
        case .cacheFailed(let error): EventDescription(.warning, "catalog cache not usable", error: error)
        case .productsUpdated(let invalidIdentifiers):
            EventDescription(
                .info, "products updated", facts: [("unknown", invalidIdentifiers.joined(separator: " "))])
        case .productsFailed(let error): EventDescription(.warning, "product request failed", error: error)
        case .storedProductsFailed(let error): EventDescription(.warning, "stored products not readable", error: error)
        case .productsNotStored(let error):
            EventDescription(.warning, "products not stored on the device", error: error)
        case .retryScheduled(let date, let failure):
            EventDescription(
                .warning, "reload scheduled", error: failure, facts: [("at", date.formatted(.iso8601))])
        case .unfinishedTransactionsFailed(let error):
            EventDescription(.warning, "request for unfinished transactions failed", error: error)
        case .subscriptionsFailed(let error):
            EventDescription(.warning, "request for subscriptions failed", error: error)
        case .purchasesFailed(let error): EventDescription(.warning, "request for purchases failed", error: error)
        }
    }
}
