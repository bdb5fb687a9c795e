public import ProductCatalog

/// What a customer owns and has, computed from the facts of a ledger and the bundles of a catalog.
///
/// A value that is never stored: it is made anew from the first entry on, and brought up to date with those that
/// follow.
public struct EntitlementSnapshot: Sendable {
    /// The catalog whose bundles are looked through; `nil` while there is none.
    public private(set) var catalog: Catalog?
    /// The number of the last entry that was applied; 0 before the first.
    public private(set) var lastSequence: Int64 = 0
    /// The balance of each wallet that was ever changed.
    public private(set) var balances: [String: Int] = [:]
    /// What makes a product owned by itself.
    private var directReasons: [String: [Ownership.Reason]] = [:]
    /// The products without a catalog's help owned, in the order in which they came.
    private var directlyOwned: [String] = []
    /// The products of the catalog that are owned, bundles' children included, by index.
    private var ownedIndexes: Set<Int> = []

    /// - Parameter entries: The ledger's entries, from the first.
    /// - Throws: ``LedgerError``, as ``apply(_:)`` does.
    public init(catalog: Catalog?, entries: [LedgerEntry]) throws(LedgerError) {
        self.catalog = catalog
        _ = try apply(entries)
    }

    /// What applying entries has changed.
    public struct Changes: Sendable, Hashable {
        /// The products that are owned now and were not before, bundles' children included.
        public var newlyOwned: [String] = []
        /// The wallets whose balance changed.
        public var wallets: [String] = []
    }

    /// The same facts under another catalog.
    public func with(catalog: Catalog?) -> EntitlementSnapshot {
        var copy = self
        copy.catalog = catalog
        copy.ownedIndexes = []
        for identifier in directlyOwned { _ = copy.unlock(identifier) }
        return copy
    }

    /// Brings the snapshot up to date. Entries that were applied before are skipped.
    ///
    /// - Parameter new: Entries in order, without a gap after ``lastSequence``.
    /// - Throws: ``LedgerError`` `damaged` for a wallet that would hold more than 64 bits can say, which no ledger
    ///   records.
    public mutating func apply(_ new: [LedgerEntry]) throws(LedgerError) -> Changes {
        var changes = Changes()
        for entry in new where entry.sequence > lastSequence {
            if let change = entry.fact.walletChange {
                let (balance, overflows) = balances[change.wallet, default: 0]
                    .addingReportingOverflow(change.amount)
                guard !overflows else {
                    throw LedgerError(
                        code: .damaged, reason: "the wallet \"\(change.wallet)\" holds more than 64 bits can say")
                }
                balances[change.wallet] = balance
                if !changes.wallets.contains(change.wallet) { changes.wallets.append(change.wallet) }
            }
            if let (identifier, reason) = Self.directReason(of: entry) {
                changes.newlyOwned += add(reason, to: identifier)
            }
            lastSequence = entry.sequence
        }
        return changes
    }

    /// Whether a product is owned, and why. A product that is neither in the catalog nor owned is not owned.
    public func ownership(of identifier: String) -> Ownership {
        let reasons = (directReasons[identifier] ?? []) + bundleReasons(of: identifier)
        if !reasons.isEmpty { return .owned(because: reasons) }
        return unknownReason.map(Ownership.unknown) ?? .notOwned
    }

    /// Why what the owned bundles contain cannot be told; `nil` where it can.
    public var unknownReason: Ownership.UnknownReason? {
        guard let catalog else { return .noCatalog }
        guard catalog.hasErrors, let missing = directlyOwned.first(where: { catalog.index(of: $0) == nil }) else {
            return nil
        }
        return .incompleteCatalog(owned: missing)
    }

    /// The identifiers of all owned products: those of the catalog in its order, then the others as they came.
    public var owned: [String] {
        let known = ownedIndexes.sorted().compactMap { catalog?.products[$0].identifier }
        return known + directlyOwned.filter { catalog?.index(of: $0) == nil }
    }

    /// The direct children of a bundle that are owned.
    public func ownedChildren(of product: CatalogProduct) -> [String] {
        var seen: Set<String> = []
        return product.childProducts.filter { seen.insert($0).inserted && ownership(of: $0).isOwned }
    }
}

extension EntitlementSnapshot {
    private static func directReason(of entry: LedgerEntry) -> (identifier: String, reason: Ownership.Reason)? {
        switch entry.fact {
        case .purchase(let purchase) where purchase.kind != .consumable:
            (
                purchase.productIdentifier,
                .transaction(id: purchase.transactionID, purchaseDate: purchase.purchaseDate)
            )
        case .grant(let grant): (grant.productIdentifier, .grant(reason: grant.reason, date: entry.recordedAt))
        case .purchase, .credit, .debit: nil
        }
    }

    /// - Returns: The products that are owned because of this and were not before.
    private mutating func add(_ reason: Ownership.Reason, to identifier: String) -> [String] {
        let isFirst = directReasons[identifier] == nil
        directReasons[identifier, default: []].append(reason)
        guard isFirst else { return [] }
        directlyOwned.append(identifier)
        return unlock(identifier)
    }

    /// Marks a product and everything that it contains as owned.
    private mutating func unlock(_ identifier: String) -> [String] {
        guard let catalog, let index = catalog.index(of: identifier) else { return [identifier] }
        var new: [Int] = []
        var waiting = [index]
        while let next = waiting.popLast() {
            guard ownedIndexes.insert(next).inserted else { continue }
            new.append(next)
            waiting += catalog.bundles.children(of: next)
        }
        return new.sorted().map { catalog.products[$0].identifier }
    }

    private func bundleReasons(of identifier: String) -> [Ownership.Reason] {
        guard let catalog, let index = catalog.index(of: identifier) else { return [] }
        return catalog.bundles.parents(of: index).filter(ownedIndexes.contains).map {
            .bundle(identifier: catalog.products[$0].identifier)
        }
    }
}
