internal import ProductCatalog

/// Which products of a catalog are owned, and what they contain with them.
///
/// Each product counts what makes it owned: itself, and each owned bundle that contains it directly. A change goes from
/// a product to what it contains, and no further than that changes anything.
struct OwnedBundles: Sendable {
    let catalog: Catalog?
    /// How many things make a product owned, by its index.
    private var counts: [Int32]
    /// Which products are owned by themselves, by index.
    private var ownedByThemselves: [Bool]
    /// Whether a product that the catalog does not have is owned.
    private var ownedOutside = SettledDictionary<String, Bool>()
    /// The products for which a rule has not said yet whether they are owned, bundles' children included, each with
    /// the product that has the rule, by index.
    private var undecided: [Int: Int] = [:]

    /// Nothing is owned yet.
    init(catalog: Catalog?) {
        self.catalog = catalog
        counts = Array(repeating: 0, count: catalog?.products.count ?? 0)
        ownedByThemselves = Array(repeating: false, count: counts.count)
    }

    /// Says that a product is owned by itself, where it does not matter what that makes owned.
    mutating func add(_ identifier: String) {
        guard let catalog, let index = catalog.index(of: identifier) else {
            return ownedOutside.update(identifier, default: true) { $0 = true }
        }
        guard !ownedByThemselves[index] else { return }
        ownedByThemselves[index] = true
        var changed: [Int] = []
        count(index, by: 1, in: catalog, &changed)
    }

    /// - Parameter outside: How many products are added that the catalog does not have.
    mutating func reserveCapacity(_ outside: Int) { ownedOutside.reserveCapacity(outside) }

    /// Everything that is owned was added.
    mutating func settle() { ownedOutside.settle() }

    /// What a change makes owned, and not owned any more, bundles' children included.
    struct Change {
        var owned: [String] = []
        var notOwned: [String] = []
    }

    /// Says whether a product is owned by itself.
    mutating func set(_ identifier: String, isOwned: Bool) -> Change {
        guard let catalog, let index = catalog.index(of: identifier) else {
            guard isOwned != isOwnedOutside(identifier) else { return Change() }
            ownedOutside.update(identifier, default: isOwned) { $0 = isOwned }
            return isOwned ? Change(owned: [identifier]) : Change(notOwned: [identifier])
        }
        guard isOwned != ownedByThemselves[index] else { return Change() }
        ownedByThemselves[index] = isOwned
        var changed: [Int] = []
        count(index, by: isOwned ? 1 : -1, in: catalog, &changed)
        let identifiers = changed.sorted().map { catalog.products[$0].identifier }
        return isOwned ? Change(owned: identifiers) : Change(notOwned: identifiers)
    }

    /// - Parameter changed: Is added the products that are owned now and were not, or the other way round.
    private mutating func count(_ index: Int, by step: Int32, in catalog: Catalog, _ changed: inout [Int]) {
        counts[index] += step
        guard counts[index] == (step > 0 ? 1 : 0) else { return }
        var next = changed.count
        changed.append(index)
        while next < changed.count {
            for child in catalog.bundles.children(of: changed[next]) {
                counts[child] += step
                if counts[child] == (step > 0 ? 1 : 0) { changed.append(child) }
            }
            next += 1
        }
    }

    /// The place of a product in the catalog.
    func index(of identifier: String) -> Int? { catalog?.index(of: identifier) }

    func isOwned(_ index: Int) -> Bool { counts[index] > 0 }

    func isOwnedOutside(_ identifier: String) -> Bool { ownedOutside[identifier] ?? false }

    /// The products that are owned by themselves and that the catalog does not have.
    var outside: [String] {
        var identifiers: [String] = []
        ownedOutside.forEach { if $1 { identifiers.append($0) } }
        return identifiers
    }

    /// The owned products of the catalog in its order.
    var ownedIdentifiers: [String] {
        guard let catalog else { return [] }
        return counts.indices.filter { counts[$0] > 0 }.map { catalog.products[$0].identifier }
    }

    /// The owned bundles that contain a product directly.
    func forEachOwnedParent(of index: Int, _ body: (String) -> Void) {
        for parent in catalog?.bundles.parents(of: index) ?? [] where isOwned(parent) {
            if let identifier = catalog?.products[parent].identifier { body(identifier) }
        }
    }

    /// Those of some products that a bundle does not contain, directly or through other bundles.
    func contents(_ identifiers: [String], notIn bundle: String) -> [String] {
        guard let catalog, let index = catalog.index(of: bundle) else { return identifiers }
        let contained = Set(catalog.bundles.descendants(of: index))
        return identifiers.filter { identifier in
            catalog.index(of: identifier).map { !contained.contains($0) } ?? true
        }
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
    func undecidedRule(of identifier: String) -> String? { index(of: identifier).flatMap(undecidedRule) }

    /// The same for a product of the catalog, by its place there.
    func undecidedRule(at index: Int) -> String? {
        guard !undecided.isEmpty, let catalog, let rule = undecided[index] else { return nil }
        return catalog.products[rule].identifier
    }
}
