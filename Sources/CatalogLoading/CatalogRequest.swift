internal import ProductCatalog

/// What is asked of a server in one load, and what has come of it.
struct CatalogRequest: Sendable {
    let download: CatalogDownload
    /// How often what was downloaded had been forgotten when the load began.
    let deletions: Int
    /// What is signed about the server's catalog, where it came, be it good or not.
    var proof: CachedCatalog.Proof?

    var remote: RemoteCatalog { download.remote }
}
