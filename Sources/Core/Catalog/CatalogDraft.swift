internal import Foundation

/// Declarations of a catalog before the rules have been applied.
struct CatalogDraft: Sendable {
    let list: DeclarationList
    /// Bundles in file order, each with the indexes of its children in order. The index is `nil` if the child's
    /// identifier is not declared, or is declared more than once.
    let bundles: [(index: Int, children: [Int?])]
    /// Findings about the structure of the catalog file outside the products.
    let structuralFindings: [Finding]
    var version: Int?
    var expires: Date?
    let wallets: WalletDeclarations

    var declarations: [ProductDeclaration] { list.declarations }

    /// Creates a draft and determines which identifiers are declared more than once.
    ///
    /// - Parameter structuralFindings: Findings outside the products, including findings about wallets.
    init(list: DeclarationList, wallets: WalletDeclarations, structuralFindings: [Finding]) {
        self.list = list
        self.wallets = wallets
        self.structuralFindings = structuralFindings
        let ambiguous = Set(list.repeated.map(\.first))
        bundles = list.bundles.map { index in
            let children = list.declarations[index].children.map { child in
                list.firsts[child.value].flatMap { ambiguous.contains($0) ? nil : $0 }
            }
            return (index, children)
        }
    }
}

/// Rule that compares the products of a catalog with each other.
protocol CrossProductRule: CatalogRule {
    func findings(in draft: CatalogDraft) -> [Finding]
}
