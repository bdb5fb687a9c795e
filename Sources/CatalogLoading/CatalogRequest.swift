internal import ProductCatalog

/// State of the requests to the server in one load.
struct CatalogRequest: Sendable {
    let download: CatalogDownload
    /// Number of cache deletions before the load began.
    let deletions: Int
    /// Downloaded signatures and keys of the server's catalog, valid or not; `nil` if they were not received.
    var proof: CachedCatalog.Proof?

    var remote: RemoteCatalog { download.remote }
}
