internal import Foundation
internal import PropertyList

/// What a catalog file declares, for the rules to look at.
struct CatalogDraft: Sendable {
    let declarations: [ProductDeclaration]
    /// The first declaration of each identifier.
    let firstDeclarations: [String: Int]
    /// The further declarations of identifiers that are used more than once, in the order of the file.
    let repeatedDeclarations: [(index: Int, first: Int)]
    /// The first declarations of such identifiers.
    private let ambiguous: Set<Int>
    /// What is wrong with the outermost values, found while the declarations were collected.
    let structuralFindings: [Finding]
    private(set) var version: Int?
    private(set) var expires: Date?
    let wallets: WalletDeclarations

    /// - Parameter structuralFindings: Those of the wallets too.
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

    /// - Parameter check: Is given each product and its number as soon as it is read.
    init(document: PropertyListDocument, check: CatalogRoot.Check) {
        let root = CatalogRoot(document.root, check: check)
        self.init(declarations: root.declarations, wallets: root.wallets, structuralFindings: root.findings)
        version = root.version
        expires = root.expires
    }

    /// The only declaration of an identifier; `nil` where there is none, or more than one.
    func declaration(of identifier: String) -> Int? {
        firstDeclarations[identifier].flatMap { ambiguous.contains($0) ? nil : $0 }
    }
}

/// What a rule found, and the declarations that cannot be used because of it.
///
/// The words are found when somebody reads them: of a hostile file with thousands of findings most are only counted.
struct Finding: Sendable {
    let rule: String
    let severity: Diagnostic.Severity
    private let content: Content
    /// Indexes of the declarations that an error leaves out.
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

    /// A finding whose words are the same each time: nothing has to be kept for making them.
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
