import VitrineCatalog

/// A shop of 10,000 products, the most that the App Store takes: guides, packs of ten guides, and so on, up to one that contains everything.
struct Shop {
    /// How many products of each level there are: guides, and then bundles of up to ten of the level before.
    static let counts = [9_000, 900, 90, 9, 1]

    static let catalog: Catalog = {
        let products = counts.indices.flatMap { level in
            (0..<counts[level]).map { position in
                CatalogProduct(
                    identifier: identifier(level, position), kind: .nonConsumable,
                    childProducts: children(level, position).map { identifier(level - 1, $0) })
            }
        }
        let catalog = Catalog(products: products)
        precondition(catalog.products.count == 10_000 && !catalog.hasErrors)
        return catalog
    }()

    static func identifier(_ level: Int, _ position: Int) -> String { "com.example.shop.level\(level).item\(position)" }

    private static func children(_ level: Int, _ position: Int) -> Range<Int> {
        level == 0 ? 0..<0 : position * 10..<min(position * 10 + 10, counts[level - 1])
    }

    /// The identifiers of everything in a bundle, in bundles that it contains too.
    static func contents(_ level: Int, _ position: Int) -> [String] {
        children(level, position).flatMap { [identifier(level - 1, $0)] + contents(level - 1, $0) }
    }
}
