internal import VitrinePropertyList

/// Reader for the `Products.plist` of [StoreHelper](https://github.com/russell-archer/StoreHelper): identifiers, whose
/// types are unknown until the store response is received, and subscription groups. Apps that extend the file have
/// dictionaries with a key such as `ID` in place of identifiers.
enum StoreHelperReader {
    static func recognizes(_ root: PropertyListValue) -> Bool {
        let hasGroups = root["Subscriptions"]?.elements.first?["Products"] != nil
        guard let products = root["Products"] else { return hasGroups }
        guard products.kind == .array, !hasGroups, let first = products.elements.first, first.kind == .dictionary else {
            return products.kind == .array
        }
        // Other dictionaries alone are a catalog of Vitrine with a capitalized key.
        return identifier(in: first)?.value.string.map { CatalogDialect.isReverseDomainName($0.utf8) } == true
    }

    /// Returns the entry with the identifier of a product that is a dictionary of another format; `nil` if there is none.
    private static func identifier(in product: PropertyListValue) -> PropertyListValue.Entry? {
        product.entries.first { entry in
            entry.value.kind == .string && CatalogKey.productIdentifier.row.isOtherName(entry.key)
        }
    }

    static func read(_ root: PropertyListValue) -> (declarations: [ProductDeclaration], findings: [Finding]) {
        var declarations: [ProductDeclaration] = []
        var findings = CatalogRoot.repeatedKeys(in: root)
        var unread: Set<String> = []
        func addDictionary(_ dictionary: PropertyListValue, kind: ProductKind) {
            guard let identifier = identifier(in: dictionary) else {
                return findings.append(
                    Finding(
                        rule: CatalogRoot.rule, severity: .error,
                        message: "a product in a file of StoreHelper is an identifier, but this is a dictionary: "
                            + "dictionaries belong into a catalog with the key \"products\"",
                        position: dictionary.position))
            }
            declarations.append(product(identifier.value, kind: kind))
            // The same keys occur in each product.
            for entry in dictionary.entries where entry.key != identifier.key && unread.insert(entry.key).inserted {
                findings.append(notRead(entry))
            }
        }
        func add(_ products: PropertyListValue, kind: ProductKind) {
            for element in products.elements {
                if element.kind == .dictionary {
                    addDictionary(element, kind: kind)
                } else {
                    declarations.append(product(element, kind: kind))
                }
            }
        }
        for entry in root.entries {
            switch entry.key {
            case "Products": add(entry.value, kind: .unknown)
            case "Subscriptions" where entry.value.kind != .array:
                findings.append(
                    Finding(
                        rule: CatalogRoot.rule, severity: .error,
                        message: "\"Subscriptions\" must be an array, but this is \(entry.value.kind.typeName)",
                        position: entry.value.position))
            case "Subscriptions":
                for group in entry.value.elements {
                    guard let products = group["Products"], products.kind == .array else {
                        findings.append(
                            Finding(
                                rule: CatalogRoot.rule, severity: .error,
                                message: "a subscription group must be a dictionary with the array \"Products\"",
                                position: group.position))
                        continue
                    }
                    add(products, kind: .autoRenewableSubscription)
                }
            default: findings.append(notRead(entry))
            }
        }
        return (declarations, findings)
    }

    private static func notRead(_ entry: PropertyListValue.Entry) -> Finding {
        Finding(
            rule: CatalogRoot.rule, severity: .warning,
            message: "\(entry.key.quoted) is not supported in a file of StoreHelper", position: entry.keyPosition)
    }

    private static func product(_ value: PropertyListValue, kind: ProductKind) -> ProductDeclaration {
        ProductDeclaration(
            product: CatalogProduct(identifier: value.string ?? "", kind: kind, position: value.position))
    }
}

/// Reader for the `MKStoreKitConfigs.plist` of [MKStoreKit](https://github.com/MugunthKumar/MKStoreKit), with the keys
/// of version 6 and of earlier versions.
///
/// A consumable declares a counter and the number of units that a purchase adds to it, which become a wallet and a
/// value. The type of the products in `Others` is unknown until the store response is received.
enum MKStoreKitReader {
    private enum Key: String, CaseIterable {
        case consumables = "Consumables"
        case others = "Others"
        case nonConsumables = "Non-Consumables"
        case batch = "Non-Consumables-batch"
        case subscriptions = "Subscriptions"
        case sharedSecret = "SharedSecret"
    }

    static func recognizes(_ root: PropertyListValue) -> Bool {
        guard root["Products"] == nil else { return false }
        return Key.allCases.contains { $0 != .sharedSecret && root[$0.rawValue] != nil }
    }

    static func read(_ root: PropertyListValue) -> (declarations: [ProductDeclaration], findings: [Finding]) {
        var declarations: [ProductDeclaration] = []
        var findings = CatalogRoot.repeatedKeys(in: root)
        for entry in root.entries {
            switch Key(rawValue: entry.key) {
            case .consumables where entry.value.kind != .dictionary:
                findings.append(wrongKind(entry, "a dictionary"))
            case .others?, .nonConsumables?, .subscriptions?:
                guard entry.value.kind == .array || entry.value.kind == .dictionary else {
                    findings.append(wrongKind(entry, "an array"))
                    continue
                }
                declarations += identifiers(entry.value).map { product($0, kind: kind(of: entry.key)) }
            case .consumables:
                for product in entry.value.entries {
                    guard product.value.kind == .dictionary else {
                        findings.append(wrongKind(product, "a dictionary with ConsumableId and ConsumableCount"))
                        continue
                    }
                    declarations.append(consumable(product))
                    findings += CatalogRoot.repeatedKeys(in: product.value)
                }
            case .batch where entry.value.count == 0: continue
            case .batch: findings.append(notRead(entry, "; its products can be added as childProducts to a catalog"))
            case .sharedSecret where SecretRule.isSecret(entry): findings.append(CatalogRoot.secret(entry))
            case .sharedSecret: continue
            case nil: findings.append(notRead(entry))
            }
        }
        return (declarations, findings)
    }

    /// Returns the identifiers in an array, or the keys of a dictionary, with their positions.
    private static func identifiers(_ value: PropertyListValue) -> [Located<String>] {
        value.kind == .dictionary
            ? value.entries.map { Located(value: $0.key, position: $0.keyPosition) }
            : value.elements.map { Located(value: $0.string ?? "", position: $0.position) }
    }

    private static func product(_ identifier: Located<String>, kind: ProductKind) -> ProductDeclaration {
        ProductDeclaration(
            product: CatalogProduct(identifier: identifier.value, kind: kind, position: identifier.position))
    }

    private static func consumable(_ entry: PropertyListValue.Entry) -> ProductDeclaration {
        let count = entry.value["ConsumableCount"] ?? entry.value["Count"]
        let wallet = entry.value["ConsumableId"] ?? entry.value["Name"]
        return ProductDeclaration(
            product: CatalogProduct(
                identifier: entry.key, kind: .consumable,
                storageKey: wallet?.string.flatMap { $0.isEmpty ? nil : $0 },
                // Some files contain real numbers such as 100.0.
                productValue: count?.integer ?? count?.real.flatMap(Int.init(exactly:)),
                position: entry.keyPosition))
    }

    private static func kind(of key: String) -> ProductKind {
        switch Key(rawValue: key) {
        case .nonConsumables: .nonConsumable
        case .subscriptions: .autoRenewableSubscription
        default: .unknown
        }
    }

    private static func wrongKind(_ entry: PropertyListValue.Entry, _ expected: String) -> Finding {
        Finding(
            rule: CatalogRoot.rule, severity: .error,
            message: "\(entry.key.quoted) must be \(expected), but this is \(entry.value.kind.typeName)",
            position: entry.value.position)
    }

    private static func notRead(_ entry: PropertyListValue.Entry, _ advice: String = "") -> Finding {
        Finding(
            rule: CatalogRoot.rule, severity: .warning,
            message: "\(entry.key.quoted) is not supported in a file of MKStoreKit\(advice)",
            position: entry.keyPosition)
    }
}

/// Reader for the `Products.plist` of Apple's sample code for StoreKit 2: a dictionary from product identifiers to
/// strings, which the app shows next to the names of the store. The types are unknown until the store response is
/// received, as for an array of identifiers.
enum IdentifierDictionaryReader {
    static func recognizes(_ root: PropertyListValue) -> Bool {
        let entries = root.entries
        return !entries.isEmpty && entries.allSatisfy { obstacle(of: $0) == nil }
    }

    static func read(_ root: PropertyListValue) -> (declarations: [ProductDeclaration], findings: [Finding]) {
        let entries = root.entries
        let declarations = entries.map { entry in
            var product = CatalogProduct(
                identifier: entry.key, DeclaredValues(location: SourceLocation(of: entry.keyValue)))
            product.userInfo = entry.value
            return ProductDeclaration(product: product)
        }
        return (declarations, entries.filter(SecretRule.isSecret).map(CatalogRoot.secret))
    }

    /// Returns the reason, as the rest of a sentence, why a dictionary is not a list of product identifiers; `nil` if
    /// it is one, or if none of its keys is a product identifier with a string as its value.
    static func obstacle(in root: PropertyListValue) -> String? {
        let obstacles = root.entries.map(obstacle)
        return obstacles.contains(nil) ? obstacles.lazy.compactMap(\.self).first : nil
    }

    private static func obstacle(of entry: PropertyListValue.Entry) -> String? {
        guard isLikeIdentifier(entry.key) else { return "the key \(entry.key.quoted) does not look like one" }
        guard entry.value.kind == .string else {
            return "the value of \(entry.key.quoted) is \(entry.value.kind.typeName)"
        }
        return nil
    }

    /// Returns `true` if a key can be a product identifier, and is not a name such as `CFBundleName` or `API_KEY`: it
    /// contains a period or an underscore, and a lowercase letter.
    private static func isLikeIdentifier(_ key: String) -> Bool {
        key.utf8.allSatisfy(IdentifierFormatRule.isUsual) && key.utf8.contains { "._".utf8.contains($0) }
            && key.utf8.contains { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
    }
}
