internal import Foundation
internal import PropertyList

/// What the outermost value of a catalog file comes to, in whichever of the known forms it is written.
struct CatalogRoot {
    var declarations: [ProductDeclaration] = []
    var findings: [Finding] = []
    var version: Int?
    var expires: Date?

    static let rule = "root"

    init(_ root: PropertyListValue) {
        switch root.kind {
        case .array: readProducts(root)
        case .dictionary where root["products"] != nil: readDictionary(root)
        case .dictionary where MKStoreKitReader.recognizes(root):
            (declarations, findings) = MKStoreKitReader.read(root)
        case .dictionary where StoreHelperReader.recognizes(root):
            (declarations, findings) = StoreHelperReader.read(root)
        case .dictionary:
            refuse(
                "a catalog that is a dictionary has its products under the key \"products\", or is one of MKStoreKit "
                    + "or StoreHelper", at: root.position)
        default:
            refuse(
                "a catalog is an array of product dictionaries or of identifiers, or a dictionary with \"products\", "
                    + "and this is \(root.kind.inWords)", at: root.position)
        }
        guard declarations.count > CatalogLimits.products else { return }
        let count = declarations.count
        declarations = []
        refuse("a catalog has \(CatalogLimits.products) products at most, and this has \(count)", at: root.position)
    }

    /// What to say about keys that stand twice in a dictionary that is no product.
    static func repeatedKeys(in dictionary: PropertyListValue) -> [Finding] {
        dictionary.repeatedKeys.map { key in
            Finding(
                rule: DuplicateKeyRule.identifier, severity: .error,
                message: "the key \((key.string ?? "").quoted) stands twice in the dictionary", position: key.position)
        }
    }

    /// What to say about a secret beside the products.
    static func secret(_ entry: PropertyListValue.Entry) -> Finding {
        Finding(
            rule: SecretRule.identifier, severity: .warning,
            message: "\(entry.key.quoted) holds a secret, which every customer gets with the catalog",
            position: entry.keyPosition)
    }

    private mutating func refuse(_ message: String, at position: SourcePosition) {
        findings.append(Finding(rule: Self.rule, severity: .error, message: message, position: position))
    }

    // MARK: Vitrine's own forms

    /// An array of product dictionaries (VTA's form) or of identifiers (Apple's `product_ids.plist`).
    private mutating func readProducts(_ array: PropertyListValue) {
        let elements = array.elements
        guard elements.count <= CatalogLimits.products else {
            return refuse(
                "a catalog has \(CatalogLimits.products) products at most, and this has \(elements.count)",
                at: array.position)
        }
        var strange = 0
        for element in elements {
            switch element.kind {
            case .dictionary: declarations.append(ProductDeclaration(dictionary: element))
            case .string:
                declarations.append(ProductDeclaration(identifier: element))
            default:
                strange += 1
                guard strange < CatalogLimits.findings else { continue }
                refuse(
                    "a product is a dictionary or an identifier, and this is \(element.kind.inWords)",
                    at: element.position)
            }
        }
        if strange >= CatalogLimits.findings {
            refuse(
                "\(strange - CatalogLimits.findings + 1) more of the array are neither dictionaries nor identifiers",
                at: array.position)
        }
    }

    private enum Key: String, CaseIterable {
        case products, catalogVersion, expires, wallets, grandfathering
    }

    /// A dictionary with what an array has no place for.
    private mutating func readDictionary(_ root: PropertyListValue) {
        var seen: Set<String> = []
        for entry in root.entries {
            if !seen.insert(entry.key).inserted {
                refuse("the key \(entry.key.quoted) stands twice in the catalog", at: entry.keyPosition)
            }
            let value = entry.value
            switch Key(rawValue: entry.key) {
            case .products:
                guard value.kind == .array else {
                    refuse("products must be an array, and this is \(value.kind.inWords)", at: value.position)
                    continue
                }
                readProducts(value)
            case .catalogVersion:
                version = value.integer
                if version == nil {
                    refuse("catalogVersion must be an integer, and this is \(value.kind.inWords)", at: value.position)
                }
            case .expires:
                expires = value.date
                if expires == nil {
                    refuse("expires must be a date, and this is \(value.kind.inWords)", at: value.position)
                }
            case .wallets:
                findings.append(
                    Finding(
                        rule: NotActedOnRule.identifier, severity: .note,
                        message: "wallets is not acted on by this version", position: entry.keyPosition))
            case .grandfathering: continue
            case nil where SecretRule.isSecret(entry):
                findings.append(Self.secret(entry))
            case nil:
                findings.append(
                    Finding(
                        rule: UnknownKeyRule.identifier, severity: .warning,
                        message: "the catalog has an unknown key, \(entry.key.quoted): known are "
                            + Key.allCases.map(\.rawValue).joined(separator: ", "),
                        position: entry.keyPosition))
            }
        }
        if let rules = root["grandfathering"] { readGrandfathering(rules) }
    }

    /// A dictionary of identifier → rule, or array of rules.
    private mutating func readGrandfathering(_ rules: PropertyListValue) {
        guard rules.kind == .dictionary else {
            return refuse("grandfathering must be a dictionary, and this is \(rules.kind.inWords)", at: rules.position)
        }
        let indexes = Dictionary(
            declarations.enumerated().compactMap { index, declaration in
                declaration.product.identifier.isEmpty ? nil : (declaration.product.identifier, index)
            }, uniquingKeysWith: { first, _ in first })
        var seen: Set<String> = []
        for entry in rules.entries {
            if !seen.insert(entry.key).inserted {
                refuse("grandfathering names \(entry.key.quoted) twice", at: entry.keyPosition)
                continue
            }
            guard let index = indexes[entry.key] else {
                refuse(
                    "grandfathering names \(entry.key.quoted), which is no product of the catalog",
                    at: entry.keyPosition)
                continue
            }
            let dictionaries = entry.value.kind == .dictionary ? [entry.value] : entry.value.elements
            guard !dictionaries.isEmpty, dictionaries.allSatisfy({ $0.kind == .dictionary }) else {
                refuse("a grandfathering rule is a dictionary, or an array of them", at: entry.value.position)
                continue
            }
            declarations[index] = declarations[index].adding(
                dictionaries.map(GrandfatheringDeclaration.init(dictionary:)))
        }
    }
}
