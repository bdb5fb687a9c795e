package import PropertyList

/// Detection of catalogs written for other libraries.
package enum CatalogDialect {
    /// Returns `true` if the file is a catalog of [MKStoreKit](https://github.com/MugunthKumar/MKStoreKit).
    package static func isMKStoreKit(_ document: PropertyListDocument) -> Bool {
        document.root.kind == .dictionary && MKStoreKitReader.recognizes(document.root)
    }

    /// Returns `true` if the file is a catalog of [StoreHelper](https://github.com/russell-archer/StoreHelper).
    package static func isStoreHelper(_ document: PropertyListDocument) -> Bool {
        document.root.kind == .dictionary && StoreHelperReader.recognizes(document.root)
    }
}
