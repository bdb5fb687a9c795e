internal import Foundation
public import VitrineCatalog
internal import VitrineCatalogLoading
public import VitrinePurchasing

/// Reason why the catalog, or the store's data about its products or the customer's purchases, could not be loaded.
public enum LoadFailure: DescribedError {
    /// Failure to fetch the server's catalog.
    case catalog(CatalogError)
    /// Failure to query the store about all products.
    case products(StoreError)
    /// Failure to read the purchases that the store knows into a ledger without them.
    case purchases(StoreError)

    private var texts: (reason: String, advice: String?, code: String) {
        switch self {
        case .catalog(let error): (error.reason, error.recoverySuggestion, error.codeName)
        case .products(let error), .purchases(let error): (error.reason, error.recoverySuggestion, error.codeName)
        }
    }

    /// Description of the failure, in lower case and without a period.
    public var description: String { texts.reason }

    public var recoverySuggestion: String? { texts.advice }

    public var codeName: String { texts.code }
}

/// Result of the last load, which determines when products are loaded next.
struct LoadRecord {
    /// `true` if the load in progress, or else the last load, is automatic.
    var isByItself = false
    /// `true` if the network may have become available during a load.
    private var hasNetworkChanged = false
    /// `true` if the failed load is retried without delay, because the network may be available again.
    private(set) var isRetriedAtOnce = false
    /// `true` if a retry without delay was made and no load has succeeded since.
    private var wasRetriedAtOnce = false
    /// Number of consecutive failures to fetch the remote catalog.
    private(set) var catalogFailures = 0
    /// Number of consecutive failures to query the store.
    private(set) var productsFailures = 0
    private(set) var catalog: Result<LoadedCatalog, CatalogError>?
    private(set) var productsFailure: StoreError?
    /// Number of consecutive failures to read the purchases that the store knows.
    private(set) var purchasesFailures = 0
    private(set) var purchasesFailure: StoreError?
    /// `true` if the store answered the last query about products.
    private(set) var isStoreReached = false
    /// `true` if the last load sent no request to the catalog's server, because the server has asked clients to wait.
    private(set) var isServerSpared = false
    /// `true` if the catalog comes from a server, so that the next load may return another catalog.
    let isRemote: Bool
    /// Products whose content on a server contradicts the catalog.
    var contradictions = CatalogContradictions()
    /// `true` if the catalog has been replaced since the last load, so that the store has not been queried about all of
    /// its products.
    private(set) var isCatalogAhead = false
    /// Date of the last attempt to load the catalog from its server.
    private var catalogDate = Date.distantPast

    /// Maximum delay that a server can request, in seconds.
    private static let longestSilence: TimeInterval = 3_600

    init(source: CatalogSource) {
        isRemote = if case .remote = source { true } else { false }
    }

    mutating func begin(byItself: Bool) {
        isByItself = byItself
        hasNetworkChanged = false
        isServerSpared = false
        isCatalogAhead = false
        (productsFailure, purchasesFailure) = (nil, nil)
        guard !byItself else { return }
        wasRetriedAtOnce = false
        forgetFailures()
    }

    mutating func end() {
        isRetriedAtOnce = failure != nil && hasNetworkChanged && !wasRetriedAtOnce
        wasRetriedAtOnce = failure != nil && (wasRetriedAtOnce || isRetriedAtOnce)
    }

    /// Resets the numbers of failures, because failures without a network do not predict later results.
    mutating func networkMayBeBack() {
        hasNetworkChanged = true
        forgetFailures()
    }

    private mutating func forgetFailures() { (catalogFailures, productsFailures, purchasesFailures) = (0, 0, 0) }

    mutating func apply(_ result: Result<LoadedCatalog, CatalogError>, at date: Date) {
        catalog = result
        catalogDate = date
        catalogFailures = catalogFailure == nil ? 0 : catalogFailures + 1
    }

    /// Records that the catalog was replaced outside of a load.
    mutating func catalogReplaced() { isCatalogAhead = true }

    /// Returns the result of the last load if an automatic load must not send a request yet, because the server asked
    /// to wait until a later date.
    ///
    /// - Returns: `nil` if the load sends a request to the server.
    mutating func backedOffCatalog(at now: Date) -> Result<LoadedCatalog, CatalogError>? {
        guard isByItself, retryDate(after: now) != nil, let catalog else { return nil }
        isServerSpared = true
        return catalog
    }

    /// Records the result of a load's query of the store.
    ///
    /// - Parameter failure: Reason why the store could not be queried about all products.
    mutating func apply(_ failure: StoreError?) {
        productsFailure = failure
        productsFailures = failure == nil ? 0 : productsFailures + 1
        noteReach(failure)
    }

    /// Records the result of reading the purchases that the store knows.
    ///
    /// - Parameter failure: Reason why they could not be read completely.
    mutating func apply(purchasesFailure failure: StoreError?) {
        purchasesFailure = failure
        purchasesFailures = failure == nil ? 0 : purchasesFailures + 1
    }

    /// Records whether the store could be reached.
    ///
    /// - Parameter failure: Reason why the store has not answered; `nil` if it has answered.
    mutating func noteReach(_ failure: StoreError?) {
        isStoreReached = failure.map { $0.code != .network && $0.code != .unavailable } ?? true
    }

    /// Failure of the last load that another load may resolve. A failure to read a property list on this device is not
    /// included, because the file does not change between loads.
    var failure: LoadFailure? {
        productsFailure.map(LoadFailure.products) ?? purchasesFailure.map(LoadFailure.purchases)
            ?? catalogFailure.map(LoadFailure.catalog)
    }

    /// Reason why no catalog on this device could be read.
    var localFailure: LoadFailure? {
        if case .failure(let error) = catalog { .catalog(error) } else { nil }
    }

    var catalogFailure: CatalogError? {
        switch catalog {
        case _ where !isRemote: nil
        case .success(let loaded): loaded.failure
        case .failure(let error): error
        case nil: nil
        }
    }

    /// Returns the date when the server may be requested again; `nil` if the server has not named a date, or the date
    /// has passed.
    func retryDate(after now: Date) -> Date? {
        guard let named = catalogFailure?.retryDate else { return nil }
        let date = min(named, catalogDate + Self.longestSilence)
        // If the clock was set back, the date is meaningless.
        return now < date && date <= now + Self.longestSilence ? date : nil
    }
}

/// Stage of loading, with the raw values that VTAInAppPurchases used.
public enum LoadingStatus: Int, Sendable, Hashable, Codable, CaseIterable {
    /// The catalog is being read, or nothing is loaded yet.
    case productsLoading = 0
    /// The catalog is loaded, without the store's response.
    case listLoaded = 1
    /// The catalog is merged with the store's response.
    case productsLoaded = 2
    /// No catalog could be read. Earlier data stays.
    case listLoadFailed = -1
    /// The query of the store failed. Its earlier response stays.
    case productsLoadFailed = -2
}
