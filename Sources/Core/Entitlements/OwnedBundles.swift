internal import VitrineCatalog

/// Owned products of a catalog, including the products that they contain.
///
/// A counter for each product contains its number of reasons for ownership: its own purchase or grant, and each owned
/// bundle that directly contains it. A change of a product is applied to its contents only if it changes the product's
/// ownership.
struct OwnedBundles: Sendable {
    let catalog: Catalog?
    /// Number of reasons for the ownership of each product, by index of the product.
    private var counts: [Int32]
    /// Flags, by index of the product: `true` if the product has a valid purchase or grant of its own.
    private var ownedByThemselves: [Bool]
    /// Ownership of products that the catalog does not contain.
    private var ownedOutside = BaseAndDelta<String, Bool>()
    /// Products with undecided ownership, by index, including the contents of undecided bundles. The value is the index
    /// of the product whose grandfathering rule or renewal is undecided.
    private var undecided: [Int: Int] = [:]

    /// Creates a state without owned products.
    init(catalog: Catalog?) {
        self.catalog = catalog
        counts = Array(repeating: 0, count: catalog?.products.count ?? 0)
        ownedByThemselves = Array(repeating: false, count: counts.count)
    }

    /// Marks a product as owned by its own purchase or grant, not through a bundle. The products that become owned are
    /// not reported.
    mutating func add(_ identifier: String) {
        guard let catalog, let index = catalog.index(of: identifier) else {
            return ownedOutside.update(identifier, default: true) { $0 = true }
        }
        guard !ownedByThemselves[index] else { return }
        ownedByThemselves[index] = true
        var changed: [Int] = []
        count(index, by: 1, in: catalog, &changed)
    }

    /// Reserves capacity for products that the catalog does not contain.
    ///
    /// - Parameter outside: The number of such products.
    mutating func reserveCapacity(_ outside: Int) { ownedOutside.reserveCapacity(outside) }

    /// Ends the initial phase of adding owned products.
    mutating func settle() { ownedOutside.settle() }

    /// Products that became owned or are no longer owned because of a change, including children of bundles.
    struct Change {
        var owned: [String] = []
        var notOwned: [String] = []
    }

    /// Sets the ownership of a product by its own purchase or grant, and returns the products whose ownership changes.
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

    /// Changes the counter of a product. If its ownership changes, the counters of its contents are changed as well.
    ///
    /// - Parameter changed: Receives the products whose ownership changed.
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

    /// Returns the index of a product in the catalog; `nil` if the catalog does not contain the product.
    func index(of identifier: String) -> Int? { catalog?.index(of: identifier) }

    func isOwned(_ index: Int) -> Bool { counts[index] > 0 }

    func isOwnedOutside(_ identifier: String) -> Bool { ownedOutside[identifier] ?? false }

    /// Products that are owned by their own purchase or grant, and are not in the catalog.
    var outside: [String] {
        var identifiers: [String] = []
        ownedOutside.forEach { if $1 { identifiers.append($0) } }
        return identifiers
    }

    /// Owned products of the catalog in its order.
    var ownedIdentifiers: [String] {
        guard let catalog else { return [] }
        return counts.indices.filter { counts[$0] > 0 }.map { catalog.products[$0].identifier }
    }

    /// Calls a closure with each owned bundle that contains a product directly.
    func forEachOwnedParent(of index: Int, _ body: (String) -> Void) {
        for parent in catalog?.bundles.parents(of: index) ?? [] where isOwned(parent) {
            if let identifier = catalog?.products[parent].identifier { body(identifier) }
        }
    }

    /// Returns the given products that a bundle does not contain, directly or through other bundles.
    func contents(_ identifiers: [String], notIn bundle: String) -> [String] {
        guard let catalog, let index = catalog.index(of: bundle) else { return identifiers }
        let contained = Set(catalog.bundles.descendants(of: index))
        return identifiers.filter { identifier in
            catalog.index(of: identifier).map { !contained.contains($0) } ?? true
        }
    }

    // MARK: Undecided products

    /// Sets the products whose ownership is undecided.
    ///
    /// - Parameter open: Indexes in the catalog of the products with an undecided rule or renewal.
    mutating func setUndecided(_ open: [Int]) {
        undecided = catalog.map { $0.bundles.descendants(ofEach: open) } ?? [:]
    }

    /// First product of the catalog with an undecided grandfathering rule or renewal that leaves the ownership of at
    /// least one product unknown; `nil` if there is none.
    var undecidedProduct: String? {
        guard let catalog else { return nil }
        return undecided.filter { !isOwned($0.key) }.map(\.value).min().map { catalog.products[$0].identifier }
    }

    /// Returns the product whose undecided grandfathering rule or renewal leaves the ownership of a given product
    /// unknown: the product itself or a bundle that contains it; `nil` if there is none.
    func undecided(of identifier: String) -> String? { index(of: identifier).flatMap(undecided(at:)) }

    /// Returns the product whose undecided grandfathering rule or renewal leaves the ownership of the product at an
    /// index unknown: the product itself or a bundle that contains it; `nil` if there is none.
    func undecided(at index: Int) -> String? {
        guard !undecided.isEmpty, let catalog, let product = undecided[index] else { return nil }
        return catalog.products[product].identifier
    }
}
