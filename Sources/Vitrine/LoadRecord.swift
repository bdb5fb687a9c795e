internal import CatalogLoading
internal import Foundation
public import ProductCatalog
public import Purchasing

/// Why something newer could not be loaded.
public enum LoadFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The server's catalog could not be had.
    case catalog(CatalogError)
    /// The store could not be asked about all products.
    case products(StoreError)

    /// Why, as the rest of a sentence.
    public var description: String {
        switch self {
        case .catalog(let error): error.reason
        case .products(let error): error.reason
        }
    }
}

/// What the last load came to, as far as it decides when products are loaded again.
struct LoadRecord {
    /// Nobody has asked for the load that is under way, or was the last.
    var isByItself = false
    /// The network may have come back while a load was under way.
    private var hasNetworkChanged = false
    /// What failed is tried again without a wait, because the network may be back.
    private(set) var isRetriedAtOnce = false
    /// That was done, and nothing has come of it yet.
    private var wasRetriedAtOnce = false
    /// So many times the server's catalog could not be had, one after the other.
    private(set) var catalogFailures = 0
    /// So many times the store could not be asked, one after the other.
    private(set) var productsFailures = 0
    private(set) var catalog: Result<LoadedCatalog, CatalogError>?
    private(set) var productsFailure: StoreError?
    /// The store answered when it was asked about products last.
    private(set) var isStoreReached = false
    /// The server does not want to be asked yet, and was not.
    private(set) var isServerSpared = false
    /// The catalog comes from a server: it may be another one the next time.
    let isRemote: Bool
    /// When the catalog was looked for last.
    private var catalogDate = Date.distantPast

    /// A server is left alone for no longer than this, whatever it names, in seconds.
    private static let longestSilence: TimeInterval = 3_600

    init(source: CatalogSource) {
        isRemote = if case .remote = source { true } else { false }
    }

    mutating func begin(byItself: Bool) {
        isByItself = byItself
        hasNetworkChanged = false
        isServerSpared = false
        productsFailure = nil
        guard !byItself else { return }
        wasRetriedAtOnce = false
        forgetFailures()
    }

    mutating func end() {
        isRetriedAtOnce = failure != nil && hasNetworkChanged && !wasRetriedAtOnce
        wasRetriedAtOnce = failure != nil && (wasRetriedAtOnce || isRetriedAtOnce)
    }

    /// What failed without a network says nothing about what comes now.
    mutating func networkMayBeBack() {
        hasNetworkChanged = true
        forgetFailures()
    }

    private mutating func forgetFailures() { (catalogFailures, productsFailures) = (0, 0) }

    mutating func take(_ result: Result<LoadedCatalog, CatalogError>, at date: Date) {
        catalog = result
        catalogDate = date
        catalogFailures = catalogFailure == nil ? 0 : catalogFailures + 1
    }

    /// - Returns: What the last load came to, for one in which the server is not asked; `nil` where it is asked.
    mutating func sparedCatalog(at now: Date) -> Result<LoadedCatalog, CatalogError>? {
        guard isByItself, retryDate(after: now) != nil, let catalog else { return nil }
        isServerSpared = true
        return catalog
    }

    /// - Parameter failure: Why the store could not be asked about all products.
    mutating func take(_ failure: StoreError?) {
        productsFailure = failure
        productsFailures = failure == nil ? 0 : productsFailures + 1
        noteReach(failure)
    }

    /// - Parameter failure: Why the store has not answered; `nil` where it has.
    mutating func noteReach(_ failure: StoreError?) {
        isStoreReached = failure.map { $0.code != .network && $0.code != .unavailable } ?? true
    }

    /// What could not be had in the last load and may be had in the next. A property list on this device does not get
    /// better by itself.
    var failure: LoadFailure? {
        productsFailure.map(LoadFailure.products) ?? catalogFailure.map(LoadFailure.catalog)
    }

    /// Why there is no catalog on this device that could be read.
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

    /// When the server may be asked again; `nil` where it has not named a time, or that is over.
    func retryDate(after now: Date) -> Date? {
        guard let named = catalogFailure?.retryDate else { return nil }
        let date = min(named, catalogDate + Self.longestSilence)
        // Where the clock was set back, the date means nothing any more.
        return now < date && date <= now + Self.longestSilence ? date : nil
    }
}
