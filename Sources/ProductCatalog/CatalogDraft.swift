internal import Foundation

/// Declarations of a catalog before the rules have been applied.
struct CatalogDraft: Sendable {
    let declarations: [ProductDeclaration]
    /// Index of the first declaration of each product identifier, by the identifier.
    let firstDeclarations: [String: Int]
    /// Repeated declarations of identifiers, in file order, each with the first declaration of its identifier.
    let repeatedDeclarations: [(index: Int, first: Int)]
    /// Indexes of the first declarations of product identifiers that are declared more than once.
    private let ambiguous: Set<Int>
    /// Problems found in the structure of the catalog file, outside the products.
    let structuralFindings: [Finding]
    var version: Int?
    var expires: Date?
    let wallets: WalletDeclarations

    /// Creates a draft and determines which identifiers are declared more than once.
    ///
    /// - Parameter structuralFindings: Problems found outside the products, including those of the wallets.
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

    /// Returns the index of the only declaration of an identifier; `nil` if no declaration or several declarations have
    /// it.
    func declaration(of identifier: String) -> Int? {
        firstDeclarations[identifier].flatMap { ambiguous.contains($0) ? nil : $0 }
    }
}

/// Rule that compares products with each other.
protocol CrossProductRule: CatalogRule {
    func findings(in draft: CatalogDraft) -> [Finding]
}
