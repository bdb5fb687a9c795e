public import Foundation
public import PropertyList

/// What an app sells: the products of a catalog, in its order, and which of them contain which.
///
/// Making a catalog never fails. Whatever its rules find is in ``diagnostics``; a product with an error is left out,
/// and so is each bundle that contains it.
public struct Catalog: Sendable {
    /// The products that can be used, in the order of the file.
    public let products: [CatalogProduct]
    /// What the rules found, in the order of the file.
    public let diagnostics: [Diagnostic]
    /// At least one of the diagnostics is an error.
    public let hasErrors: Bool
    /// The number that a newer catalog has a higher one of; `nil` where the file says none.
    public let version: Int?
    /// When the catalog is out of date; `nil` where the file does not say.
    public let expires: Date?
    /// What the catalog says of wallets, by their keys. One that is not there is a `CatalogWallet()`, and so is one with
    /// an error.
    public let wallets: [String: CatalogWallet]
    /// Which products contain which, by their indexes in ``products``.
    public let bundles: BundleGraph
    private let indexes: [String: Int]
    /// The identifiers of products that errors leave out.
    let identifiersLeftOut: Set<String>

    /// The catalog in a property list: an array of product dictionaries or of identifiers, a dictionary with `products`,
    /// or a file of MKStoreKit or StoreHelper.
    public init(document: PropertyListDocument) {
        self.init(document: document, findingLimit: CatalogLimits.findings)
    }

    /// - Parameter findingLimit: How many findings of one rule are told.
    package init(document: PropertyListDocument, findingLimit: Int) {
        var checker = ProductChecker(findingLimit: findingLimit)
        let draft = CatalogDraft(document: document) { checker.check($0, at: $1) }
        self.init(draft: draft, report: checker.report)
    }

    /// A catalog made in code from identifiers. Kinds are unknown until the store answers.
    public init(identifiers: [String]) {
        self.init(products: identifiers.map { CatalogProduct(identifier: $0) })
    }

    /// A catalog made in code, held to the same rules as one from a file.
    ///
    /// - Parameters:
    ///   - products: In the order in which they are shown.
    ///   - wallets: What there is to say of wallets, by their keys.
    public init(products: [CatalogProduct], wallets: [String: CatalogWallet] = [:]) {
        let declaredWallets = WalletDeclarations(wallets)
        let draft = CatalogDraft(
            declarations: products.map(ProductDeclaration.init(product:)), wallets: declaredWallets,
            structuralFindings: declaredWallets.findings)
        var checker = ProductChecker()
        for (index, declaration) in draft.declarations.enumerated() { checker.check(declaration, at: index) }
        self.init(draft: draft, report: checker.report)
    }

    /// - Parameter report: What was found in single products.
    private init(draft: CatalogDraft, report: FindingReport) {
        var report = report
        for (rule, findings) in Dictionary(grouping: draft.structuralFindings, by: \.rule) {
            report.add(findings, of: rule)
        }
        version = draft.version
        expires = draft.expires
        wallets = draft.wallets.wallets
        for rule in AllRules.acrossProducts { report.add(rule.findings(in: draft), of: type(of: rule).identifier) }
        let cascade = brokenChildFindings(in: draft, broken: report.declarations)
        report.add(cascade.map(\.finding), of: brokenChildRule)
        let unusable: Set<Int> = report.declarations.union(cascade.flatMap(\.bundles))
        products = draft.declarations.indices.filter { !unusable.contains($0) }.map { draft.declarations[$0].product }
        identifiersLeftOut = Set(unusable.map { draft.declarations[$0].product.identifier })
        diagnostics = report.sortedDiagnostics
        hasErrors = diagnostics.contains { $0.severity == .error }
        indexes =
            unusable.isEmpty
            ? draft.firstDeclarations
            : Dictionary(uniqueKeysWithValues: products.enumerated().map { ($1.identifier, $0) })
        bundles = BundleGraph(products: products, indexes: indexes)
    }

    /// The product with an identifier.
    public subscript(identifier: String) -> CatalogProduct? {
        index(of: identifier).map { products[$0] }
    }

    /// The place of a product in ``products``.
    public func index(of identifier: String) -> Int? { indexes[identifier] }
}
