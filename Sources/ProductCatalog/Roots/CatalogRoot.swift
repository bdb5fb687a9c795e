internal import Foundation
internal import PropertyList

/// What the outermost value of a catalog file comes to, in whichever of the known forms it is written.
struct CatalogRoot {
    var declarations: [ProductDeclaration] = []
    var findings: [Finding] = []
    var version: Int?
    var expires: Date?
    var wallets = WalletDeclarations()

    static let rule = "root"

    /// Is given each product and its number as soon as it is read, while it is at hand.
    typealias Check = (ProductDeclaration, Int) -> Void

    init(_ root: PropertyListValue, check: Check) {
        switch root.kind {
        case .array:
            var rules: [String: [GrandfatheringDeclaration]] = [:]
            readProducts(root, &rules, check)
        case .dictionary where root["products"] != nil: readDictionary(root, check)
        case .dictionary where MKStoreKitReader.recognizes(root): takeOver(MKStoreKitReader.read(root), root, check)
        case .dictionary where StoreHelperReader.recognizes(root): takeOver(StoreHelperReader.read(root), root, check)
        case .dictionary:
            refuse(
                "a catalog that is a dictionary has its products under the key \"products\", or is one of MKStoreKit "
                    + "or StoreHelper", at: root.position)
        default:
            refuse(
                "a catalog is an array of product dictionaries or of identifiers, or a dictionary with \"products\", "
                    + "and this is \(root.kind.inWords)", at: root.position)
        }
    }

    /// What is in the file of another library.
    private mutating func takeOver(
        _ content: (declarations: [ProductDeclaration], findings: [Finding]), _ root: PropertyListValue, _ check: Check
    ) {
        findings = content.findings
        guard hasRoom(for: content.declarations.count, in: root) else { return }
        declarations = content.declarations
        for (index, declaration) in declarations.enumerated() { check(declaration, index) }
    }

    private mutating func hasRoom(for count: Int, in value: PropertyListValue) -> Bool {
        guard declarations.count + count > CatalogLimits.products else { return true }
        refuse(
            "a catalog has \(CatalogLimits.products) products at most, and this has \(declarations.count + count)",
            at: value.position)
        return false
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
    ///
    /// - Parameter rules: Grandfathering rules that stand elsewhere in the file, by identifier; those that a product gets
    ///   are taken out.
    private mutating func readProducts(
        _ array: PropertyListValue, _ rules: inout [String: [GrandfatheringDeclaration]], _ check: Check
    ) {
        let elements = array.elements
        guard hasRoom(for: elements.count, in: array) else { return }
        declarations.reserveCapacity(declarations.count + elements.count)
        var strange = 0
        for element in elements {
            switch element.kind {
            case .dictionary, .string:
                var declaration =
                    element.kind == .string
                    ? ProductDeclaration(identifier: element) : ProductDeclaration(dictionary: element)
                if !rules.isEmpty, let further = rules.removeValue(forKey: declaration.product.identifier) {
                    declaration = declaration.adding(further)
                }
                check(declaration, declarations.count)
                declarations.append(declaration)
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
    private mutating func readDictionary(_ root: PropertyListValue, _ check: Check) {
        var rules = root[Key.grandfathering.rawValue].map { readGrandfathering($0) } ?? [:]
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
                readProducts(value, &rules, check)
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
                wallets = WalletDeclarations(value)
                findings += wallets.findings
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
        for entry in root[Key.grandfathering.rawValue]?.entries ?? [] where rules[entry.key] != nil {
            rules[entry.key] = nil
            refuse(
                "grandfathering names \(entry.key.quoted), which is no product of the catalog", at: entry.keyPosition)
        }
    }

    /// A dictionary of identifier → rule, or array of rules.
    private mutating func readGrandfathering(_ rules: PropertyListValue) -> [String: [GrandfatheringDeclaration]] {
        guard rules.kind == .dictionary else {
            refuse("grandfathering must be a dictionary, and this is \(rules.kind.inWords)", at: rules.position)
            return [:]
        }
        var read: [String: [GrandfatheringDeclaration]] = [:]
        for entry in rules.entries {
            guard read[entry.key] == nil else {
                refuse("grandfathering names \(entry.key.quoted) twice", at: entry.keyPosition)
                continue
            }
            let dictionaries = entry.value.kind == .dictionary ? [entry.value] : entry.value.elements
            guard !dictionaries.isEmpty, dictionaries.allSatisfy({ $0.kind == .dictionary }) else {
                refuse("a grandfathering rule is a dictionary, or an array of them", at: entry.value.position)
                continue
            }
            read[entry.key] = dictionaries.map(GrandfatheringDeclaration.init(dictionary:))
        }
        return read
    }
}

extension CatalogDraft {
    /// The draft of the catalog in a property list.
    ///
    /// - Parameter check: Called with each product and its index as soon as it is read.
    init(document: PropertyListDocument, check: CatalogRoot.Check) {
        let root = CatalogRoot(document.root, check: check)
        self.init(declarations: root.declarations, wallets: root.wallets, structuralFindings: root.findings)
        version = root.version
        expires = root.expires
    }
}
