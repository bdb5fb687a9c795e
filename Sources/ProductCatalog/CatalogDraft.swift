internal import Foundation
internal import PropertyList

/// Declarations of a catalog before the rules have been applied.
struct CatalogDraft: Sendable {
    let declarations: [ProductDeclaration]
    /// Index of the first declaration of each identifier.
    let firstDeclarations: [String: Int]
    /// Repeated declarations of identifiers, in file order, each with the first declaration of its identifier.
    let repeatedDeclarations: [(index: Int, first: Int)]
    /// First declarations of identifiers that are declared more than once.
    private let ambiguous: Set<Int>
    /// Findings about the structure of the file, outside the products.
    let structuralFindings: [Finding]
    private(set) var version: Int?
    private(set) var expires: Date?
    let wallets: WalletDeclarations

    /// - Parameter structuralFindings: Findings outside the products, including those of the wallets.
    init(
        declarations: [ProductDeclaration], wallets: WalletDeclarations, structuralFindings: [Finding]
    ) {
        self.declarations = declarations
        self.wallets = wallets
        self.structuralFindings = structuralFindings
        var indexes: [String: Int] = [:]
        indexes.reserveCapacity(declarations.count)
        var repeated: [(index: Int, first: Int)] = []
        for (index, declaration) in declarations.enumerated() where !declaration.product.identifier.isEmpty {
            let first = indexes[declaration.product.identifier, default: index]
            if first == index {
                indexes[declaration.product.identifier] = index
            } else {
                repeated.append((index, first))
            }
        }
        firstDeclarations = indexes
        repeatedDeclarations = repeated
        ambiguous = Set(repeated.map(\.first))
    }

    /// - Parameter check: Called with each product and its index directly after the product is read.
    init(document: PropertyListDocument, check: CatalogRoot.Check) {
        let root = CatalogRoot(document.root, check: check)
        self.init(declarations: root.declarations, wallets: root.wallets, structuralFindings: root.findings)
        version = root.version
        expires = root.expires
    }

    /// Returns the only declaration of an identifier; `nil` if there is none, or more than one.
    func declaration(of identifier: String) -> Int? {
        firstDeclarations[identifier].flatMap { ambiguous.contains($0) ? nil : $0 }
    }
}

/// Finding of a rule, and the declarations that are excluded because of it.
///
/// The message is created on access: in a hostile file with thousands of findings, most findings are only counted.
struct Finding: Sendable {
    let rule: String
    let severity: Diagnostic.Severity
    private let content: Content
    /// Indexes of the declarations that are excluded; empty unless the finding is an error.
    let declarations: [Int]

    init(
        rule: String,
        severity: Diagnostic.Severity,
        message: @escaping @autoclosure @Sendable () -> String,
        position: @escaping @autoclosure @Sendable () -> SourcePosition?,
        notes: @escaping @autoclosure @Sendable () -> [Diagnostic.Note] = [],
        fix: @escaping @autoclosure @Sendable () -> Diagnostic.Fix? = nil,
        declarations: [Int] = []
    ) {
        self.rule = rule
        self.severity = severity
        content = .made {
            Diagnostic(
                rule: rule, severity: severity, message: message(), position: position(), notes: notes(), fix: fix())
        }
        self.declarations = severity == .error ? declarations : []
    }

    /// Creates a finding with a constant message, which needs no closure.
    init(rule: String, severity: Diagnostic.Severity, constant message: String, place: Place) {
        self.rule = rule
        self.severity = severity
        content = .constant(message, place)
        declarations = []
    }

    private enum Content {
        case made(@Sendable () -> Diagnostic)
        case constant(String, Place)
    }

    var diagnostic: Diagnostic {
        switch content {
        case .made(let make): make()
        case .constant(let message, let place):
            Diagnostic(rule: rule, severity: severity, message: message, place: place)
        }
    }
}
