internal import PropertyList

/// Reader for the `Products.plist` of [StoreHelper](https://github.com/russell-archer/StoreHelper): identifiers, whose
/// types are unknown until the store response is received, and subscription groups.
enum StoreHelperReader {
    static func recognizes(_ root: PropertyListValue) -> Bool {
        let products = root["Products"]
        guard products == nil || products?.kind == .array && products?.elements.first?.kind != .dictionary else {
            return false
        }
        return products != nil || root["Subscriptions"]?.elements.first?["Products"] != nil
    }

    static func read(_ root: PropertyListValue) -> (declarations: [ProductDeclaration], findings: [Finding]) {
        var declarations: [ProductDeclaration] = []
        var findings = CatalogRoot.repeatedKeys(in: root)
        for entry in root.entries {
            switch entry.key {
            case "Products": declarations += entry.value.elements.map { product($0, kind: .unknown) }
            case "Subscriptions" where entry.value.kind != .array:
                findings.append(
                    Finding(
                        rule: CatalogRoot.rule, severity: .error,
                        message: "\"Subscriptions\" must be an array, but this is \(entry.value.kind.inWords)",
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
                    declarations += products.elements.map { product($0, kind: .autoRenewableSubscription) }
                }
            default:
                findings.append(
                    Finding(
                        rule: CatalogRoot.rule, severity: .warning,
                        message: "\(entry.key.quoted) is not supported in a file of StoreHelper",
                        position: entry.keyPosition))
            }
        }
        return (declarations, findings)
    }

    private static func product(_ value: PropertyListValue, kind: ProductKind) -> ProductDeclaration {
        ProductDeclaration(
            product: CatalogProduct(identifier: value.string ?? "", kind: kind, position: value.position))
    }
}
