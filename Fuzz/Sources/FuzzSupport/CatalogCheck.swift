internal import Foundation
internal import VitrineCatalog
internal import VitrinePropertyList

/// What a catalog promises, whatever is in its file.
public struct CatalogCheck {
    private let catalog: Catalog
    private let again: Catalog

    /// - Returns: `nil` for bytes that are no property list.
    public init?(_ bytes: [UInt8]) {
        guard let document = try? PropertyListDocument(bytes: bytes, limits: .ofInputs) else { return nil }
        catalog = Catalog(document: document)
        again = Catalog(document: document)
    }

    public func run() {
        checkDiagnostics()
        checkIdentifiers()
        for product in catalog.products { check(product) }
        checkWallets()
        checkContentPaths()
        checkBundles()
        checkSecondReading()
    }

    // MARK: Findings

    private func checkDiagnostics() {
        let hasErrors = catalog.diagnostics.contains { $0.severity == .error }
        require(catalog.hasErrors == hasErrors, "hasErrors says whether there is an error")
        let positions = catalog.diagnostics.compactMap(\.position)
        let areSorted = zip(positions, positions.dropFirst()).allSatisfy { $0 <= $1 }
        require(areSorted, "findings stand in the order of the file")
        let known = Set(CatalogRuleDescription.all.map(\.identifier))
        for diagnostic in catalog.diagnostics {
            require(known.contains(diagnostic.rule), "the rule \(diagnostic.rule) can be looked up")
            require(!diagnostic.message.isEmpty, "a finding of \(diagnostic.rule) has a message")
        }
    }

    private func checkSecondReading() {
        require(again.diagnostics == catalog.diagnostics, "the same document gives the same findings")
        require(again.products == catalog.products, "the same document gives the same products")
        require(again.wallets == catalog.wallets, "and the same wallets")
        require(again.version == catalog.version && again.expires == catalog.expires, "and the same version")
        let changes = CatalogComparison(from: catalog, to: again).changes
        require(changes.isEmpty, "nothing changes from a catalog to itself: \(changes)")
    }

    // MARK: Products

    private func checkIdentifiers() {
        for (index, product) in catalog.products.enumerated() {
            require(!product.identifier.isEmpty, "a product has an identifier")
            require(catalog.index(of: product.identifier) == index, "\(product.identifier) is found, and there once")
            require(catalog[product.identifier] == product, "\(product.identifier) is found")
        }
    }

    private func check(_ product: CatalogProduct) {
        let name = product.identifier
        require(product.storageKey != "", "the wallet of \(name) has a name")
        require(product.productValue ?? 1 > 0, "the value of \(name) is above zero")
        require(product.maxChildren ?? 1 > 0, "maxChildren of \(name) is above zero")
        require(product.level ?? 1 > 0, "the level of \(name) is above zero")
        require(product.subscriptionGroup != "", "the group of \(name) has a name")
        if let duration = product.subscriptionDuration {
            let now = Date(timeIntervalSince1970: 0)
            require(duration.end(from: now).map { $0 > now } == true, "\(name) ends after it began")
        }
        require(
            product.grandfathered.allSatisfy {
                $0.beforeBuild != nil || $0.beforeVersion != nil || $0.beforeDate != nil
            }, "each rule of \(name) says before what")
        if product.kind == .consumable {
            require(product.storageKey != nil && product.productValue != nil, "the consumable \(name) is credited")
            require(product.credit(forQuantity: 1) != nil, "the consumable \(name) credits something")
            require(product.childProducts.isEmpty, "the consumable \(name) contains nothing")
            require(product.hostedContentPath == nil, "the consumable \(name) has no content")
        } else if product.isHosted {
            require(product.hostedContentPath?.components.isEmpty == false, "the content of \(name) has a place")
        }
    }

    private func checkWallets() {
        for (key, wallet) in catalog.wallets {
            require(!key.isEmpty, "a wallet has a name")
            require(wallet.startingBalance >= 0, "the wallet \(key) does not start below zero")
        }
    }

    /// No content lies in the place of another product's, or inside it.
    private func checkContentPaths() {
        let paths = catalog.products.compactMap { $0.hostedContentPath?.components }
            .sorted { $0.lexicographicallyPrecedes($1) }
        for (path, next) in zip(paths, paths.dropFirst()) {
            require(!next.starts(with: path), "the content in \(next) does not lie in \(path)")
        }
    }

    // MARK: Bundles

    private func checkBundles() {
        for (index, product) in catalog.products.enumerated() {
            let names = product.childProducts
            require(Set(names).count == names.count, "\(product.identifier) contains each child once")
            let children = catalog.bundles.children(of: index)
            require(children.map { catalog.products[$0].identifier } == names, "each child is a product of the catalog")
            for child in children {
                let kind = catalog.products[child].kind
                require(kind == .nonConsumable || kind == .unknown, "a child is owned for good, and this is \(kind)")
                require(catalog.bundles.parents(of: child).contains(index), "a child knows its bundle")
                require(!catalog.bundles.descendants(of: child).contains(index), "no bundle contains itself")
                require(catalog.bundles.ancestors(of: child).contains(index), "a bundle is an ancestor of its child")
            }
        }
    }
}
