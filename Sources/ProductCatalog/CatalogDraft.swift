internal import Foundation
internal import PropertyList

/// What a catalog file declares, for the rules to look at.
struct CatalogDraft: Sendable {
    let declarations: [ProductDeclaration]
    /// The declarations of each identifier: more than one where an identifier is used twice.
    let declarationsByIdentifier: [String: [Int]]
    /// What is wrong with the outermost values, found while the declarations were collected.
    let structuralFindings: [Finding]
    private(set) var version: Int?
    private(set) var expires: Date?

    init(declarations: [ProductDeclaration], structuralFindings: [Finding] = []) {
        self.declarations = declarations
        self.structuralFindings = structuralFindings
        var indexes: [String: [Int]] = [:]
        for (index, declaration) in declarations.enumerated() {
            if let identifier = declaration.identifier?.value { indexes[identifier, default: []].append(index) }
        }
        declarationsByIdentifier = indexes
    }

    init(document: PropertyListDocument) {
        let root = CatalogRoot(document.root)
        self.init(declarations: root.declarations, structuralFindings: root.findings)
        version = root.version
        expires = root.expires
    }

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
