package import PropertyList

/// Tells which other library a catalog was written for.
package enum CatalogDialect {
    /// The file is one of [MKStoreKit](https://github.com/MugunthKumar/MKStoreKit).
    package static func isMKStoreKit(_ document: PropertyListDocument) -> Bool {
        document.root.kind == .dictionary && MKStoreKitReader.recognizes(document.root)
    }

    /// The file is one of [StoreHelper](https://github.com/russell-archer/StoreHelper).
    package static func isStoreHelper(_ document: PropertyListDocument) -> Bool {
        document.root.kind == .dictionary && StoreHelperReader.recognizes(document.root)
    }
}
