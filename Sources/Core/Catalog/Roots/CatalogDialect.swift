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
    /// one: a product in it has at least one key of catalogs, even if other keys are misspelled, or if the key of the
    /// products is. `Info.plist`, menus, texts and settings are not catalogs. A list of identifiers is recognized by an
    /// identifier with two periods, as in reverse domain names.
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
            if entries.contains(where: holdsProducts) { return true }
            let holdsOthers = entries.contains { $0.value.kind == .array || $0.value.kind == .dictionary }
            return entries.contains { EditDistance.isSlip($0.key, of: CatalogRoot.Key.catalogVersion.rawValue) }
                || holdsOthers && (MKStoreKitReader.recognizes(root) || StoreHelperReader.recognizes(root))
                || IdentifierDictionaryReader.recognizes(root) && entries.contains { isReverseDomainName($0.key.utf8) }
        default: return false
        }
    }

    /// Returns `true` for an entry of the root that has, or was meant to have, the products of a catalog.
    private static func holdsProducts(_ entry: PropertyListValue.Entry) -> Bool {
        guard EditDistance.isSlip(entry.key, of: CatalogRoot.Key.products.rawValue) else { return false }
        switch entry.value.kind {
        case .array:
            let isEmpty = entry.value.count == 0
            return isEmpty ? entry.key.lowercased() == CatalogRoot.Key.products.rawValue : mayBeProducts(entry.value)
        case .dictionary:
            // A product in place of the array, or products by their names.
            return entry.value.entries.contains { entry in
                isOfProduct(entry) || entry.value.entries.contains(where: isOfProduct)
            }
        default: return false
        }
    }

    private static func isJSONCatalog(_ root: PropertyListValue) -> Bool {
        let named = root.entries.filter { EditDistance.isSlip($0.key, of: CatalogRoot.Key.products.rawValue) }
        let lists = root.kind == .array ? [root] : named.map(\.value)
        let isVersioned = root.entries.contains { $0.key == CatalogRoot.Key.catalogVersion.rawValue }
        return isVersioned && !lists.isEmpty
            || lists.contains { list in
                let elements = list.kind == .dictionary ? list.entries.map(\.value) : list.elements
                return elements.contains { $0.entries.contains { isLikeIdentifierKey($0.key) } }
                    || !elements.isEmpty
                        && elements.allSatisfy { $0.string.map { isReverseDomainName($0.utf8) } == true }
            }
    }

    /// Returns `true` if an element of an array may be a product.
    private static func mayBeProducts(_ array: PropertyListValue) -> Bool {
        array.elements.contains { element in
            switch element.kind {
            case .dictionary: element.entries.contains(where: isOfProduct)
            case .string: element.string.map { isReverseDomainName($0.utf8) } == true
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

    /// Returns `true` for a text in UTF-8 with at least two periods, and otherwise only characters of identifiers.
    static func isReverseDomainName(_ text: some Collection<UInt8>) -> Bool {
        text.allSatisfy(IdentifierFormatRule.isUsual) && text.count { $0 == UInt8(ascii: ".") } >= 2
    }

    private static let distinctiveKeys = Set(CatalogKey.allCases.map(\.name)).subtracting(["type", "level", "userInfo"])
}
