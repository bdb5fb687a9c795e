public import Foundation
public import VitrinePropertyList

/// Product catalog of an app: its products in order, and the products that each bundle contains.
///
/// Creating a catalog never fails. Rule violations are reported in ``diagnostics``; a product with an error is excluded
/// from the catalog, and so is each bundle that contains the product.
public struct Catalog: Sendable {
    /// Products that are not excluded because of errors, in file order.
    public let products: [CatalogProduct]
    /// Diagnostics of the catalog rules, in file order.
    public let diagnostics: [Diagnostic]
    /// Diagnostics that concern every app: without the notes about content that an app may contain itself.
    package var generalDiagnostics: [Diagnostic] { diagnostics.filter { $0.rule != ContentAddressRule.identifier } }
    /// `true` if at least one of the diagnostics is an error.
    public let hasErrors: Bool
    /// Version of the catalog; `nil` if the file contains none. A newer catalog has a higher version.
    public let version: Int?
    /// Expiration date of the catalog; `nil` if the file contains none.
    public let expires: Date?
    /// Wallet settings by wallet key. A wallet that is not declared, or has an error, has the settings of
    /// `CatalogWallet()`.
    public let wallets: [String: CatalogWallet]
    /// Containment of products in bundles. A product is identified by its index in ``products``.
    public let bundles: BundleGraph
    /// Indexes in ``products`` of the products with content, hosted or bundled with the app.
    package let withContent: [Int]
    private let indexes: [String: Int]
    /// Identifiers of the products that are excluded from the catalog because of errors.
    package let identifiersLeftOut: Set<String>

    /// Creates a catalog from a property list: an array of product dictionaries or of identifiers, a dictionary with
    /// the key `products`, a dictionary from product identifiers to strings, or a file of MKStoreKit or StoreHelper. In
    /// JSON, only the first two are accepted.
    public init(document: PropertyListDocument) {
        self.init(document: document, findingLimit: CatalogLimits.findings)
    }

    /// Creates a catalog from a property list, with a limit for the number of reported findings.
    ///
    /// - Parameter findingLimit: Maximum number of reported findings per rule.
    package init(document: PropertyListDocument, findingLimit: Int) {
        var checker = ProductChecker(findingLimit: findingLimit)
        let draft = CatalogDraft(document: document) { checker.check($0, at: $1) }
        self.init(draft: draft, report: checker.report)
    }

    /// Creates a catalog from identifiers. Product types are unknown until the store response is received.
    public init(identifiers: [String]) {
        self.init(products: identifiers.map { CatalogProduct(identifier: $0) })
    }

    /// Creates a catalog in code. The same rules apply as for a file.
    ///
    /// - Parameters:
    ///   - products: Products in display order.
    ///   - wallets: Wallet settings by wallet key.
    public init(products: [CatalogProduct], wallets: [String: CatalogWallet] = [:]) {
        let declaredWallets = WalletDeclarations(wallets)
        var list = DeclarationList()
        for product in products { list.append(ProductDeclaration(product: product)) }
        let draft = CatalogDraft(
            list: list, wallets: declaredWallets, structuralFindings: declaredWallets.findings)
        var checker = ProductChecker()
        for (index, declaration) in draft.declarations.enumerated() { checker.check(declaration, at: index) }
        self.init(draft: draft, report: checker.report)
    }

    /// Creates a catalog from declarations, after applying the rules that compare products with each other.
    ///
    /// - Parameter report: Findings of the rules for single products.
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
        let declarations = draft.declarations
        products =
            unusable.isEmpty
            ? declarations.map(\.product)
            : declarations.indices.filter { !unusable.contains($0) }.map { declarations[$0].product }
        identifiersLeftOut = Set(unusable.map { draft.declarations[$0].product.identifier })
        diagnostics = report.sortedDiagnostics
        hasErrors = diagnostics.contains { $0.severity == .error }
        indexes =
            unusable.isEmpty
            ? draft.list.firsts
            : Dictionary(uniqueKeysWithValues: products.enumerated().map { ($1.identifier, $0) })
        bundles = BundleGraph(products: products, indexes: indexes)
        withContent = Self.indexes(of: products) { $0.hasContent }
    }

    /// Returns the indexes of the products for which a condition holds, without copying a product.
    private static func indexes(
        of products: [CatalogProduct], where holds: (borrowing CatalogProduct) -> Bool
    ) -> [Int] {
        products.indices.filter { holds(products[$0]) }
    }

    /// Returns the product with an identifier.
    public subscript(identifier: String) -> CatalogProduct? {
        index(of: identifier).map { products[$0] }
    }

    /// Returns the index in ``products`` of the product with an identifier.
    public func index(of identifier: String) -> Int? { indexes[identifier] }
}
