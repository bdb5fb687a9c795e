internal import Foundation
internal import VitrinePropertyList

/// Content of a catalog file in any of the supported formats, read from its root value.
struct CatalogRoot {
    var list = DeclarationList()
    var findings: [Finding] = []
    var version: Int?
    var expires: Date?
    var wallets = WalletDeclarations()

    static let rule = "root"
    static let noProductsRule = "no-products"

    /// Closure called with each product and its index directly after the product is read.
    typealias Check = (ProductDeclaration, Int) -> Void

    /// - Parameter isJSON: `true` to accept only Vitrine's own formats. Servers answer errors in JSON, and
    ///   `{"error_code": "expired"}` must not be a catalog with the product `error_code`.
    init(_ root: PropertyListValue, isJSON: Bool, check: Check) {
        switch root.kind {
        case .array:
            var rules: [String: [GrandfatheringDeclaration]] = [:]
            readProducts(root, &rules, check)
        case .dictionary where isJSON && root.isStoreConfiguration:
            refuse(
                "this is a StoreKit configuration, not a catalog: 'vitrine convert FILE --from storekit --to xml' makes a "
                    + "catalog of it", at: root.position)
        case .dictionary where root["products"] != nil: readDictionary(root, check)
        case .dictionary where isJSON: refuseDictionary(root, isJSON: true)
        case .dictionary where MKStoreKitReader.recognizes(root): convert(MKStoreKitReader.read(root), root, check)
        case .dictionary where StoreHelperReader.recognizes(root): convert(StoreHelperReader.read(root), root, check)
        case .dictionary where IdentifierDictionaryReader.recognizes(root):
            convert(IdentifierDictionaryReader.read(root), root, check)
        case .dictionary: refuseDictionary(root, isJSON: false)
        default:
            refuse(
                "a catalog must be an array of product dictionaries or identifiers, or a dictionary with "
                    + "\"products\", but this is \(root.kind.typeName)", at: root.position)
        }
        if list.declarations.isEmpty, !findings.contains(where: { $0.severity == .error }) {
            findings.append(
                Finding(
                    rule: Self.noProductsRule, severity: .warning, message: "the catalog contains no products",
                    position: (root["products"] ?? root).position))
        }
    }

    /// Reports a dictionary that has none of the catalog formats. If the dictionary nearly has a format, the message names
    /// the first difference.
    private mutating func refuseDictionary(_ root: PropertyListValue, isJSON: Bool) {
        if let entry = root.entries.first(where: { EditDistance.isSlip($0.key, of: Key.products.rawValue) }) {
            return refuse(Self.unknownKey(entry.key), at: entry.keyPosition)
        }
        guard !isJSON else {
            return refuse(
                "a catalog in JSON must be an array of products or identifiers, or an object with the key \"products\"",
                at: root.position)
        }
        refuse(
            "a dictionary must contain the key \"products\", be a catalog of MKStoreKit or StoreHelper, or contain only "
                + "product identifiers such as \"com.example.premium\", each with a string"
                + (IdentifierDictionaryReader.obstacle(in: root).map { ", but \($0)" } ?? ""), at: root.position)
    }

    /// Returns the message about an unknown key of the catalog.
    private static func unknownKey(_ key: String) -> String {
        let known = Key.allCases.map(\.rawValue)
        return "the catalog has the unknown key \(key.quoted); "
            + (EditDistance.nearest(to: key, among: known).map { "did you mean \($0.quoted)?" }
                ?? "known keys are \(known.joined(separator: ", "))")
    }

    /// Adds the products and findings of a catalog in the format of another library.
    private mutating func convert(
        _ content: (declarations: [ProductDeclaration], findings: [Finding]), _ root: PropertyListValue, _ check: Check
    ) {
        findings = content.findings
        guard hasRoom(for: content.declarations.count, in: root) else { return }
        for declaration in content.declarations where !isRepeated(declaration) {
            check(declaration, list.declarations.count)
            list.append(declaration)
        }
    }

    /// Returns `true` for an identifier that is listed a second time and declares nothing else than the first one, so that
    /// one of the two is left out.
    private mutating func isRepeated(_ declaration: ProductDeclaration) -> Bool {
        guard declaration.isIdentifierOnly,
            let first = list.firsts[declaration.product.identifier].map({ list.declarations[$0] }),
            declaration.repeats(first)
        else { return false }
        findings.append(DuplicateIdentifierRule.repetition(of: declaration, first))
        return true
    }

    private mutating func hasRoom(for count: Int, in value: PropertyListValue) -> Bool {
        guard list.declarations.count + count > CatalogLimits.products else { return true }
        refuse(
            "a catalog may contain at most \(CatalogLimits.products) products, not \(list.declarations.count + count)",
            at: value.position)
        return false
    }

    /// Returns findings for repeated keys in a dictionary that is not a product.
    static func repeatedKeys(in dictionary: PropertyListValue) -> [Finding] {
        dictionary.repeatedKeys.map { key in
            Finding(
                rule: DuplicateKeyRule.identifier, severity: .error,
                message: "the key \((key.string ?? "").quoted) is repeated in the dictionary", position: key.position)
        }
    }

    /// Returns the warning about a secret, such as a private key, in a value outside the products.
    static func secret(_ entry: PropertyListValue.Entry) -> Finding {
        Finding(
            rule: SecretRule.identifier, severity: .warning,
            message: "\(entry.key.quoted) contains a secret, which every customer gets with the catalog",
            position: entry.keyPosition)
    }

    private mutating func refuse(_ message: String, at position: SourcePosition) {
        findings.append(Finding(rule: Self.rule, severity: .error, message: message, position: position))
    }

    // MARK: Vitrine's own formats

    /// Reads an array of product dictionaries (the format of VTAInAppPurchases) or of identifiers (Apple's
    /// `product_ids.plist`).
    ///
    /// - Parameter rules: Grandfathering rules from the dictionary `grandfathering` of the file, by product identifier.
    ///   Rules that are added to a product are removed from this argument.
    private mutating func readProducts(
        _ array: PropertyListValue, _ rules: inout [String: [GrandfatheringDeclaration]], _ check: Check
    ) {
        guard hasRoom(for: array.count, in: array) else { return }
        list.reserveCapacity(list.declarations.count + array.count)
        var strange = 0
        array.forEachContent { _, element in
            let value = array.value(numbered: element.number)
            switch element.kind {
            case .dictionary, .string:
                var declaration =
                    element.kind == .string
                    ? ProductDeclaration(identifier: value) : ProductDeclaration(dictionary: value)
                if !rules.isEmpty, let further = rules.removeValue(forKey: declaration.product.identifier) {
                    declaration = declaration.adding(further)
                }
                guard !isRepeated(declaration) else { return }
                check(declaration, list.declarations.count)
                list.append(declaration)
            default:
                strange += 1
                guard strange < CatalogLimits.findings else { return }
                refuse(
                    "a product must be a dictionary or an identifier, but this is \(element.kind.typeName)",
                    at: value.position)
            }
        }
        if strange >= CatalogLimits.findings {
            refuse(
                "\(strange - CatalogLimits.findings + 1) more array elements are neither dictionaries nor identifiers",
                at: array.position)
        }
    }

    /// Keys of the catalog itself.
    enum Key: String, CaseIterable {
        case products, catalogVersion, expires, wallets, grandfathering
    }

    /// Reads a catalog that is a dictionary with the key `products` and keys for the whole catalog, such as `wallets`.
    private mutating func readDictionary(_ root: PropertyListValue, _ check: Check) {
        var rules = root[Key.grandfathering.rawValue].map { readGrandfathering($0) } ?? [:]
        var seen: Set<String> = []
        for entry in root.entries {
            if !seen.insert(entry.key).inserted {
                refuse("the key \(entry.key.quoted) is repeated in the catalog", at: entry.keyPosition)
            }
            let value = entry.value
            switch Key(rawValue: entry.key) {
            case .products:
                guard value.kind == .array else {
                    refuse("products must be an array, but this is \(value.kind.typeName)", at: value.position)
                    continue
                }
                readProducts(value, &rules, check)
            case .catalogVersion:
                version = value.integer
                if version == nil {
                    refuse("catalogVersion must be an integer, but this is \(value.kind.typeName)", at: value.position)
                }
            case .expires:
                expires = value.date
                if expires == nil {
                    refuse("expires must be a date, but this is \(value.kind.typeName)", at: value.position)
                }
            case .wallets:
                wallets = WalletDeclarations(value)
                findings += wallets.findings
            case .grandfathering: continue
            case nil where SecretRule.isSecret(entry):
                findings.append(Self.secret(entry))
            case nil:
                findings.append(
                    Finding(
                        rule: UnknownKeyRule.identifier, severity: .warning,
                        message: Self.unknownKey(entry.key), position: entry.keyPosition))
            }
        }
        for entry in root[Key.grandfathering.rawValue]?.entries ?? [] where rules[entry.key] != nil {
            rules[entry.key] = nil
            refuse(
                "the dictionary grandfathering names \(entry.key.quoted), which is not a product of the catalog",
                at: entry.keyPosition)
        }
    }

    /// Reads a dictionary from product identifiers to a rule or an array of rules.
    private mutating func readGrandfathering(_ rules: PropertyListValue) -> [String: [GrandfatheringDeclaration]] {
        guard rules.kind == .dictionary else {
            refuse("grandfathering must be a dictionary, but this is \(rules.kind.typeName)", at: rules.position)
            return [:]
        }
        var read: [String: [GrandfatheringDeclaration]] = [:]
        for entry in rules.entries {
            guard read[entry.key] == nil else {
                refuse("the dictionary grandfathering names \(entry.key.quoted) twice", at: entry.keyPosition)
                continue
            }
            let dictionaries = entry.value.kind == .dictionary ? [entry.value] : entry.value.elements
            guard !dictionaries.isEmpty, dictionaries.allSatisfy({ $0.kind == .dictionary }) else {
                refuse("a grandfathering rule must be a dictionary or an array of them", at: entry.value.position)
                continue
            }
            read[entry.key] = dictionaries.map(GrandfatheringDeclaration.init(dictionary:))
        }
        return read
    }
}

extension CatalogDraft {
    /// Creates the draft of a catalog from a property list.
    ///
    /// - Parameter check: Function that is called with each product and its index as soon as the product is read.
    init(document: PropertyListDocument, check: CatalogRoot.Check) {
        let root = CatalogRoot(document.root, isJSON: document.format == .json, check: check)
        self.init(list: root.list, wallets: root.wallets, structuralFindings: root.findings)
        version = root.version
        expires = root.expires
    }
}
