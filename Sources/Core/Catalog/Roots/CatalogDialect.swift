package import VitrinePropertyList

/// Detection of catalog files in formats other than Vitrine's own: formats of other libraries, and lists of
/// identifiers.
package enum CatalogDialect {
    /// Returns `true` if the file is a catalog of [MKStoreKit](https://github.com/MugunthKumar/MKStoreKit).
    package static func isMKStoreKit(_ document: PropertyListDocument) -> Bool {
        document.format != .json && document.root.kind == .dictionary && MKStoreKitReader.recognizes(document.root)
    }

    /// Returns `true` if the file is a catalog of [StoreHelper](https://github.com/russell-archer/StoreHelper).
    package static func isStoreHelper(_ document: PropertyListDocument) -> Bool {
        document.format != .json && document.root.kind == .dictionary && StoreHelperReader.recognizes(document.root)
    }

    /// Returns `true` if the file contains only product identifiers: as an array, or as the keys of a dictionary of
    /// strings, as in Apple's sample code for StoreKit 2.
    package static func isIdentifierList(_ document: PropertyListDocument) -> Bool {
        switch document.root.kind {
        case .array: document.root.elements.allSatisfy { $0.kind == .string }
        case .dictionary: document.format != .json && IdentifierDictionaryReader.recognizes(document.root)
        default: false
        }
    }

    /// Returns `true` if a property list, such as a file found in a folder, is a catalog or was probably meant to be
    /// one: a product in it has at least one key of catalogs, even if other keys are misspelled. `Info.plist`, menus,
    /// texts and settings are not catalogs. A list of identifiers is recognized by an identifier with two periods, as
    /// in reverse domain names.
    ///
    /// JSON is used for much more than property lists are, so that more is required of it: a product with a key like
    /// `productIdentifier`, or a list of identifiers alone.
    package static func isCatalog(_ document: PropertyListDocument) -> Bool {
        let root = document.root
        if document.format == .json { return isJSONCatalog(root) }
        switch root.kind {
        case .array: return root.count == 0 || mayBeProducts(root)
        case .dictionary:
            let entries = root.entries
            let products = entries.first { $0.key.lowercased() == "products" }?.value
            if let products, products.kind == .array, products.count == 0 || mayBeProducts(products) { return true }
            let holdsOthers = entries.contains { $0.value.kind == .array || $0.value.kind == .dictionary }
            return root["catalogVersion"] != nil
                || holdsOthers && (MKStoreKitReader.recognizes(root) || StoreHelperReader.recognizes(root))
                || IdentifierDictionaryReader.recognizes(root) && entries.contains { isReverseDomainName($0.key) }
        default: return false
        }
    }

    private static func isJSONCatalog(_ root: PropertyListValue) -> Bool {
        let products = root.kind == .array ? root : root.entries.first { $0.key.lowercased() == "products" }?.value
        let elements = products?.elements ?? []
        return elements.contains { $0.entries.contains { isLikeIdentifierKey($0.key) } }
            || !elements.isEmpty && elements.allSatisfy { $0.string.map(isReverseDomainName) == true }
    }

    /// Returns `true` if an element of an array may be a product.
    private static func mayBeProducts(_ array: PropertyListValue) -> Bool {
        array.elements.contains { element in
            switch element.kind {
            case .dictionary: element.entries.contains(where: isOfProduct)
            case .string: element.string.map(isReverseDomainName) == true
            default: false
            }
        }
    }

    /// Returns `true` for a dictionary entry that is typical of products and rare in other property lists: most product
    /// keys, a misspelled key `productIdentifier`, and the key `type` with a product type.
    private static func isOfProduct(_ entry: PropertyListValue.Entry) -> Bool {
        distinctiveKeys.contains(entry.key)
            || entry.key == CatalogKey.type.name && entry.value.string.flatMap { ProductKind(rawValue: $0) } != nil
            || isLikeIdentifierKey(entry.key)
    }

    /// Returns `true` for the key `productIdentifier`, also if it is misspelled.
    private static func isLikeIdentifierKey(_ key: String) -> Bool {
        abs(key.utf8.count - CatalogKey.productIdentifier.name.utf8.count) < 6
            && EditDistance.nearest(to: key, among: [CatalogKey.productIdentifier.name]) != nil
    }

    private static func isReverseDomainName(_ text: String) -> Bool {
        text.utf8.allSatisfy(IdentifierFormatRule.isUsual) && text.utf8.count { $0 == UInt8(ascii: ".") } >= 2
    }

    private static let distinctiveKeys = Set(CatalogKey.allCases.map(\.name)).subtracting(["type", "level", "userInfo"])
}
