internal import PropertyList

/// What a catalog file declares, for the rules to look at.
struct CatalogDraft: Sendable {
    let declarations: [ProductDeclaration]
    /// The declarations of each identifier: more than one where an identifier is used twice.
    let declarationsByIdentifier: [String: [Int]]
    /// What is wrong with the outermost values, found while the declarations were collected.
    let structuralFindings: [Finding]

    init(declarations: [ProductDeclaration], structuralFindings: [Finding] = []) {
        self.declarations = declarations
        self.structuralFindings = structuralFindings
        var indexes: [String: [Int]] = [:]
        for (index, declaration) in declarations.enumerated() {
            if let identifier = declaration.identifier?.value { indexes[identifier, default: []].append(index) }
        }
        declarationsByIdentifier = indexes
    }

    /// Reads an array of product dictionaries (VTA's format) or of identifiers (Apple's `product_ids.plist`).
    init(document: PropertyListDocument) {
        let root = document.root
        guard root.kind == .array else {
            let finding = Finding(
                rule: Self.rootRule,
                severity: .error,
                message: "a catalog is an array of product dictionaries or of identifiers, and this is "
                    + "\(root.kind.inWords); other forms are not read by this version",
                position: root.position
            )
            self.init(declarations: [], structuralFindings: [finding])
            return
        }
        let elements = root.elements
        guard elements.count <= CatalogLimits.products else {
            let finding = Finding(
                rule: Self.rootRule,
                severity: .error,
                message: "a catalog has \(CatalogLimits.products) products at most, and this has \(elements.count)",
                position: root.position
            )
            self.init(declarations: [], structuralFindings: [finding])
            return
        }
        var declarations: [ProductDeclaration] = []
        var findings: [Finding] = []
        for element in elements {
            switch element.kind {
            case .dictionary: declarations.append(ProductDeclaration(dictionary: element))
            case .string:
                declarations.append(
                    ProductDeclaration(identifier: element.string ?? "", position: element.position))
            default:
                findings.append(
                    Finding(
                        rule: Self.rootRule,
                        severity: .error,
                        message: "a product is a dictionary or an identifier, and this is \(element.kind.inWords)",
                        position: element.position
                    ))
            }
        }
        self.init(declarations: declarations, structuralFindings: findings)
    }

    static let rootRule = "root"

    /// The only declaration of an identifier; `nil` where there is none, or more than one.
    func declaration(of identifier: String) -> Int? {
        guard let indexes = declarationsByIdentifier[identifier], indexes.count == 1 else { return nil }
        return indexes[0]
    }
}

/// What a rule found, and the declarations that cannot be used because of it.
struct Finding: Sendable {
    let diagnostic: Diagnostic
    /// Indexes of the declarations that an error leaves out.
    let declarations: [Int]

    init(
        rule: String,
        severity: Diagnostic.Severity,
        message: String,
        position: SourcePosition?,
        notes: [Diagnostic.Note] = [],
        declarations: [Int] = []
    ) {
        diagnostic = Diagnostic(rule: rule, severity: severity, message: message, position: position, notes: notes)
        self.declarations = severity == .error ? declarations : []
    }
}
