public import PropertyList

/// Tells which other library a catalog was written for.
public enum CatalogDialect {
    /// The file is one of [MKStoreKit](https://github.com/MugunthKumar/MKStoreKit).
    public static func isMKStoreKit(_ document: PropertyListDocument) -> Bool {
        document.root.kind == .dictionary && MKStoreKitReader.recognizes(document.root)
    }

    /// The file is one of [StoreHelper](https://github.com/russell-archer/StoreHelper).
    public static func isStoreHelper(_ document: PropertyListDocument) -> Bool {
        document.root.kind == .dictionary && StoreHelperReader.recognizes(document.root)
    }
}
