/// Check for differences between a catalog and a `.storekit` file.
public enum StoreDrift {
    /// Name of the rule, contained in its diagnostics.
    public static let rule = "store-drift"

    static let explanation =
        "A product that only the catalog contains is never sold; a product that only the store contains can be paid "
        + "for, but not delivered. The group and level of a subscription are the catalog's until the store has "
        + "answered, and its period is always the store's."

    /// Compares a catalog with a StoreKit configuration.
    ///
    /// - Returns: Warnings and notes about products in the order of the catalog, then about products that only the
    ///   configuration has, and about parts of the configuration that were left out; last, notes about unknown keys in
    ///   the configuration.
    public static func diagnostics(of catalog: Catalog, against configuration: StoreConfiguration) -> [Diagnostic] {
        let sold = configuration.items + configuration.subscriptions.map(\.item)
        let subscriptions = Dictionary(
            configuration.subscriptions.map { ($0.item.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        let items = Dictionary(sold.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        let declared = catalog.products.flatMap { product -> [Diagnostic] in
            guard let item = items[product.identifier] else {
                return [warning("\(product.identifier.quoted) is not in the .storekit file", of: product)]
            }
            return differences(product, item).map { warning("\(product.identifier.quoted) \($0)", of: product) }
                + (subscriptions[product.identifier].map { terms(product, $0) } ?? [])
                + (product.mayBeLeftToApp && item.kind == .consumable ? [leftToApp(product)] : [])
        }
        // Products excluded because of errors are not reported again, because their errors are already reported.
        let unknown = sold.filter {
            catalog.index(of: $0.identifier) == nil && !catalog.identifiersLeftOut.contains($0.identifier)
        }.map { item in
            Diagnostic(
                rule: rule, severity: .warning,
                message: "the .storekit file sells \(item.identifier.quoted), which is not in the catalog",
                position: nil)
        }
        return declared + unknown
            // A missing price is reported at the product.
            + configuration.omissions.filter { $0.kind != .price }.map { omission in
                Diagnostic(rule: rule, severity: .warning, message: "the .storekit file: \(omission)", position: nil)
            }
            + configuration.unknownKeysWithSuggestions.map { key in
                let suggestion = key.suggestion.map { "; did you mean \($0.quoted)?" } ?? ""
                return Diagnostic(
                    rule: rule, severity: .note,
                    message: "the .storekit file has the unknown key \(key.path.quoted)\(suggestion)", position: nil)
            }
    }

    private static func differences(_ product: CatalogProduct, _ item: StoreConfiguration.Item) -> [String] {
        var differences: [String] = []
        if product.kind != .unknown, product.kind != item.kind {
            differences.append(
                "is \(product.kind.rawValue) in the catalog and \(item.kind.rawValue) in the .storekit file")
        }
        let canBeShared = item.kind == .nonConsumable || item.kind == .autoRenewableSubscription
        if item.isFamilyShareable, !canBeShared {
            differences.append("is family-shareable in the .storekit file, which a \(item.kind.rawValue) cannot be")
        }
        if item.price == nil { differences.append("has no price in the .storekit file and is not sold") }
        if item.localizations.allSatisfy({ $0.displayName.isEmpty }) {
            differences.append("has no name in any language in the .storekit file")
        }
        return differences
    }

    /// Compares the group, level and period of an auto-renewable subscription in the catalog and the configuration. A
    /// key that is missing in the catalog is not a difference.
    private static func terms(_ product: CatalogProduct, _ sold: StoreConfiguration.Subscription) -> [Diagnostic] {
        guard product.kind == .autoRenewableSubscription || product.kind == .unknown else { return [] }
        var differences: [(key: CatalogKey, inCatalog: String, inStore: String)] = []
        if let group = product.subscriptionGroup, group != sold.group, group != sold.groupID {
            differences.append((.subscriptionGroup, group.quoted, "the group \(sold.group.quoted)"))
        }
        if let level = product.level, level != sold.level {
            differences.append((.level, String(level), "level \(sold.level)"))
        }
        if let duration = product.subscriptionDuration, duration != SubscriptionDuration(sold.period) {
            differences.append((.subscriptionDuration, duration.description, "the period \(sold.period)"))
        }
        return differences.map { key, inCatalog, inStore in
            Diagnostic(
                rule: rule, severity: .warning,
                message: "\(product.identifier.quoted) has \(key.name) \(inCatalog) in the catalog and \(inStore) "
                    + "in the .storekit file",
                position: product.position(of: key))
        }
    }

    private static func leftToApp(_ product: CatalogProduct) -> Diagnostic {
        Diagnostic(
            rule: rule, severity: .note,
            message: "\(product.identifier.quoted) is a consumable in the .storekit file, and the catalog has no "
                + "storageKey or productValue for it: it is sold only by an app that delivers it itself",
            position: product.position)
    }

    private static func warning(_ message: String, of product: CatalogProduct) -> Diagnostic {
        Diagnostic(rule: rule, severity: .warning, message: message, position: product.position)
    }
}
