internal import Foundation

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
    var version: Int?
    var expires: Date?
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

    /// The only declaration of an identifier; `nil` where there is none, or more than one.
    func declaration(of identifier: String) -> Int? {
        firstDeclarations[identifier].flatMap { ambiguous.contains($0) ? nil : $0 }
    }
}

/// A rule that compares products with each other.
protocol CrossProductRule: CatalogRule {
    func findings(in draft: CatalogDraft) -> [Finding]
}
