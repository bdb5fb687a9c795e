public import Foundation
public import ProductCatalog

/// What is known of the catalog without asking anybody.
public struct CatalogStatus: Sendable {
    /// Where the server's catalog is; `nil` for one that is not from a server.
    public let url: URL?
    /// The property list on disk; `nil` where there is none.
    public let local: URL?
    /// The best catalog that is on this device; `nil` where there is none.
    public let kept: LoadedCatalog?
    /// Why the property list on disk cannot be used; `nil` where nothing is wrong with it, or where there is none.
    public let localFailure: CatalogError?
    /// It is used without asking the server, when a catalog is loaded.
    public let isFresh: Bool
    /// When the copy in the cache came; `nil` where there is none that can be used.
    public let fetchedDate: Date?
    /// What came of asking the server last; `nil` where that is not known.
    public let lastAttempt: CatalogAttempt?
    /// What is wrong with the cache; `nil` where nothing is.
    public let cacheFailure: CatalogCacheError?

    init(
        url: URL? = nil, local: URL? = nil, kept: LoadedCatalog?, localFailure: CatalogError? = nil,
        isFresh: Bool = true, fetchedDate: Date? = nil,
        lastAttempt: CatalogAttempt? = nil, cacheFailure: CatalogCacheError? = nil
    ) {
        self.url = url
        self.local = local
        self.kept = kept
        self.localFailure = localFailure
        self.isFresh = isFresh
        self.fetchedDate = fetchedDate
        self.lastAttempt = lastAttempt
        self.cacheFailure = cacheFailure
    }
}
