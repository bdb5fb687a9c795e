package import PropertyList

/// Detection of catalog files in formats other than Vitrine's own: those of other libraries, and lists of identifiers.
package enum CatalogDialect {
    /// Returns `true` if the file is a catalog of [MKStoreKit](https://github.com/MugunthKumar/MKStoreKit).
    package static func isMKStoreKit(_ document: PropertyListDocument) -> Bool {
        document.root.kind == .dictionary && MKStoreKitReader.recognizes(document.root)
    }

    /// Returns `true` if the file is a catalog of [StoreHelper](https://github.com/russell-archer/StoreHelper).
    package static func isStoreHelper(_ document: PropertyListDocument) -> Bool {
        document.root.kind == .dictionary && StoreHelperReader.recognizes(document.root)
    }

    /// Returns `true` if the file contains only product identifiers: in an array, or each with a string, as in Apple's
    /// sample code for StoreKit 2.
    package static func isIdentifierList(_ document: PropertyListDocument) -> Bool {
        switch document.root.kind {
        case .array: document.root.elements.allSatisfy { $0.kind == .string }
        case .dictionary: IdentifierDictionaryReader.recognizes(document.root)
        default: false
        }
    }

    /// Returns `true` if a property list that nobody has called a catalog is one, or is meant to be: a product in it has a
    /// key of catalogs, even if others are misspelled. `Info.plist`, menus and settings are none. A list of identifiers
    /// is recognized by an identifier with a period or an underscore.
    package static func isCatalog(_ document: PropertyListDocument) -> Bool {
        let root = document.root
        switch root.kind {
        case .array: return root.count == 0 || mayBeProducts(root)
        case .dictionary:
            let products = root.entries.first { $0.key.lowercased() == "products" }?.value
            return products.map { $0.count == 0 || mayBeProducts($0) } == true || root["catalogVersion"] != nil
                || MKStoreKitReader.recognizes(root) || StoreHelperReader.recognizes(root)
                || IdentifierDictionaryReader.recognizes(root)
        default: return false
        }
    }

    /// Returns `true` if an element of an array may be a product.
    private static func mayBeProducts(_ array: PropertyListValue) -> Bool {
        array.elements.contains { element in
            switch element.kind {
            case .dictionary: element.entries.contains { distinctiveKeys.contains($0.key) }
            case .string: element.string.map(IdentifierDictionaryReader.isLikeIdentifier) == true
            default: false
            }
        }
    }

    /// Keys of products that other property lists rarely have.
    private static let distinctiveKeys = Set(CatalogKey.allCases.map(\.name)).subtracting(["type", "level", "userInfo"])
}
