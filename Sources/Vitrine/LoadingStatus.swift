/// How far loading has come, with the numbers that VTAInAppPurchases gave the stages.
public enum LoadingStatus: Int, Sendable, Hashable, Codable, CaseIterable {
    /// The catalog is being read, or nothing has been loaded yet.
    case productsLoading = 0
    /// The catalog is known, what the store says not yet.
    case listLoaded = 1
    /// The catalog is merged with what the store says.
    case productsLoaded = 2
    /// There is no catalog that could be read. What was known before stays.
    case listLoadFailed = -1
    /// The store could not be asked. What it said before stays.
    case productsLoadFailed = -2
}
