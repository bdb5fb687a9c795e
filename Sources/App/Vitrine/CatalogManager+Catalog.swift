public import Foundation
public import VitrineCatalog
public import VitrineCatalogLoading
internal import VitrinePurchasing

extension CatalogManager {
    /// Access to the current catalog and the store's products.
    public nonisolated var catalog: CatalogAccess { CatalogAccess(manager: self) }

    /// Access to the current catalog and the store's products.
    public struct CatalogAccess: Sendable {
        let manager: CatalogManager
    }
}

extension CatalogManager.CatalogAccess {
    /// Catalog that was loaded last.
    public var current: Catalog? { manager.state.snapshot.catalog }

    /// Catalog that was loaded last, with its origin and the state of its signature.
    public var loaded: LoadedCatalog? { manager.state.snapshot.loadedCatalog }

    /// Returns the state of the catalogs on this device, without a network request.
    public func status() async -> CatalogStatus { await manager.loader.status() }

    /// Deletes the downloaded catalog and loads the products again. The catalog and the listing in use stay until that
    /// load replaces them.
    ///
    /// - Returns: The status at the end of the load.
    @discardableResult
    public func deleteCache() async -> LoadingStatus { await manager.deleteCache() }

    /// Deletes the downloaded catalog without loading: the next load requests the catalog from the server. The catalog
    /// and the listing in use stay.
    ///
    /// - Returns: `false` if no catalog was cached.
    /// - Throws: `CatalogCacheError` if the file cannot be deleted. Even then this manager ignores the file until a
    ///   newly downloaded catalog replaces it.
    @discardableResult
    public func deleteCachedCatalog() async throws(CatalogCacheError) -> Bool { try await manager.loader.deleteCache() }

    /// Date of the next automatic load of products; `nil` if none is scheduled or a load is in progress.
    ///
    /// After a load in which the server's catalog or the store's response was unavailable, the date follows the
    /// schedule of ``ManagerOptions``. A later date that the server has requested is respected for at most an hour.
    /// After any other load, the date follows ``ManagerOptions/Loading/refreshInterval``. It is never later than
    /// `LoadedCatalog.goodUntil`, the date until which new products are sold from a signed catalog.
    /// ``CatalogManager/loadProducts()`` loads at once.
    public var nextLoad: Date? { manager.loadAlarm.date }
}

extension CatalogManager.CatalogAccess {
    // MARK: The store's products

    /// Identifiers of the catalog that the store did not know when it was queried last.
    public var invalidIdentifiers: [String] { manager.state.snapshot.invalidIdentifiers }

    /// Date of the store's response about the products, from this launch or an earlier one; `nil` if there is none. If
    /// the store has since been queried about single products, this is the date of its older response about the other
    /// products.
    public var storeSnapshotDate: Date? { manager.state.snapshot.storeSnapshot?.date }

    /// Storefront of the store's response, as the ISO 3166-1 alpha-3 code of its country; `nil` if it is not known.
    public var storefront: String? { manager.state.snapshot.storeSnapshot?.storefront }

    /// Returns the title of a product; `nil` for a product that the catalog does not contain.
    public func title(for identifier: String) -> String? { manager.listing(for: identifier)?.title }

    /// Returns the description of a product; `nil` for a product that the catalog does not contain.
    public func description(for identifier: String) -> String? { manager.listing(for: identifier)?.description }

    /// Returns the price of a product, formatted for the customer's storefront; `nil` if the store has not sent it.
    public func displayPrice(for identifier: String) -> String? { manager.listing(for: identifier)?.displayPrice }

    /// Returns the store's data of a product of the catalog; `nil` if the store does not know it, or was not queried.
    public func storeProduct(for identifier: String) -> StoreProduct? {
        manager.state.snapshot.shown.index?.storeProduct(for: identifier)
    }

    /// Store data of the catalog's products that the store knows, in catalog order.
    public var storeProducts: [StoreProduct] { manager.state.snapshot.shown.index?.storeProducts ?? [] }

    /// Progress of the last load of the products.
    public var requestStatus: RequestStatus { manager.state.snapshot.requestStatus }

    /// Failure of a part of the last load; `nil` if nothing failed.
    public var lastRequestError: LoadFailure? { manager.state.snapshot.loadFailure }
}
