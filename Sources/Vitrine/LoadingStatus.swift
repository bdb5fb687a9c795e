/// Stage of loading, with the raw values that VTAInAppPurchases used.
public enum LoadingStatus: Int, Sendable, Hashable, Codable, CaseIterable {
    /// Catalog being read, or nothing loaded yet.
    case productsLoading = 0
    /// Catalog loaded, without the store's response.
    case listLoaded = 1
    /// Catalog merged with the store's response.
    case productsLoaded = 2
    /// No readable catalog. Earlier data stays.
    case listLoadFailed = -1
    /// Failed query of the store. Its earlier response stays.
    case productsLoadFailed = -2
}
