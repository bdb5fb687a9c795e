internal import HashTreeCollections
internal import ProductCatalog

/// Which products of a catalog are owned, and what they contain with them.
///
/// Each product counts what makes it owned: itself, and each owned bundle that contains it directly. A change goes from
/// a product to what it contains, and no further than that changes anything.
struct OwnedBundles: Sendable {
    let catalog: Catalog?
    /// How many things make a product owned, by its index.
    private var counts: [Int32]
    /// The products that are owned by themselves, by index.
    private var ownedByThemselves: TreeSet<Int> = []
    /// The products that are owned by themselves and that the catalog does not have.
    private(set) var outside: TreeSet<String> = []
    /// The products for which a rule has not said yet whether they are owned, bundles' children included, each with
    /// the product that has the rule, by index.
    private var undecided: [Int: Int] = [:]

    init(catalog: Catalog?, owned: some Sequence<String> = []) {
        self.catalog = catalog
        counts = Array(repeating: 0, count: catalog?.products.count ?? 0)
        for identifier in owned { _ = set(identifier, isOwned: true) }
    }

    /// What a change makes owned, and not owned any more, bundles' children included.
    struct Change {
        var owned: [String] = []
        var notOwned: [String] = []
    }

    /// Says whether a product is owned by itself.
    mutating func set(_ identifier: String, isOwned: Bool) -> Change {
        guard let catalog, let index = catalog.index(of: identifier) else {
            guard isOwned != outside.contains(identifier) else { return Change() }
            if isOwned { outside.insert(identifier) } else { outside.remove(identifier) }
            return isOwned ? Change(owned: [identifier]) : Change(notOwned: [identifier])
        }
        guard isOwned != ownedByThemselves.contains(index) else { return Change() }
        if isOwned { ownedByThemselves.insert(index) } else { ownedByThemselves.remove(index) }
        let changed = count(index, by: isOwned ? 1 : -1, in: catalog)
        let identifiers = changed.sorted().map { catalog.products[$0].identifier }
        return isOwned ? Change(owned: identifiers) : Change(notOwned: identifiers)
    }

    /// - Returns: The products that are owned now and were not, or the other way round.
    private mutating func count(_ index: Int, by step: Int32, in catalog: Catalog) -> [Int] {
        var changed: [Int] = []
        var waiting = [index]
        while let next = waiting.popLast() {
            counts[next] += step
            guard counts[next] == (step > 0 ? 1 : 0) else { continue }
            changed.append(next)
            waiting += catalog.bundles.children(of: next)
        }
        return changed
    }

    func isOwned(_ index: Int) -> Bool { counts[index] > 0 }

    func isOwnedOutside(_ identifier: String) -> Bool { outside.contains(identifier) }

    /// The owned products of the catalog in its order.
    var ownedIdentifiers: [String] {
        guard let catalog else { return [] }
        return counts.indices.filter { counts[$0] > 0 }.map { catalog.products[$0].identifier }
    }

    /// The owned bundles that contain a product directly.
    func ownedParents(of identifier: String) -> [String] {
        guard let catalog, let index = catalog.index(of: identifier) else { return [] }
        return catalog.bundles.parents(of: index).filter(isOwned).map { catalog.products[$0].identifier }
    }

    /// Whether a bundle contains a product, directly or through other bundles.
    func contains(_ bundle: String, _ identifier: String) -> Bool {
        guard let catalog, let outer = catalog.index(of: bundle), let inner = catalog.index(of: identifier) else {
            return false
        }
        return catalog.bundles.ancestors(of: inner).contains(outer)
    }

    // MARK: Rules

    /// - Parameter open: The products with a rule that has not decided.
    mutating func setUndecided(_ open: [Int]) {
        undecided = catalog.map { $0.bundles.descendants(ofEach: open) } ?? [:]
    }

    /// The first product with a rule that leaves open whether something that is not owned is.
    var undecidedRule: String? {
        guard let catalog else { return nil }
        return undecided.filter { !isOwned($0.key) }.map(\.value).min().map { catalog.products[$0].identifier }
    }

    /// The product with the rule that leaves open whether a product is owned.
    func undecidedRule(of identifier: String) -> String? {
        guard let catalog, let rule = catalog.index(of: identifier).flatMap({ undecided[$0] }) else { return nil }
        return catalog.products[rule].identifier
    }
}
