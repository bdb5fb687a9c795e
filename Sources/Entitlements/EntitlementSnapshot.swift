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
    /// How the customer first got the app, as it was recorded last; `nil` where it never was.
    public private(set) var appPurchase: Fact.AppPurchase?
    /// What makes a product owned by itself.
    private var supports: [String: [Support]] = [:]
    /// The products without a catalog's help owned, in the order in which they came.
    private var directlyOwned: [String] = []
    /// The purchases that the store has taken back, by their original transaction.
    private var revocations: [String: Fact.Revocation] = [:]
    /// The tokens of all grants.
    private var grants: Set<String> = []
    /// The products of the catalog that are owned, bundles' children included, by index.
    private var ownedIndexes: Set<Int> = []
    /// The products for which a rule has not said yet whether they are owned, bundles' children included, each with
    /// the product that has the rule, by index.
    private var undecided: [Int: Int] = [:]

    /// A reason why a product is owned by itself.
    private struct Support: Sendable {
        /// The purchase that it comes from; `nil` for a grant.
        let originalTransactionID: String?
        let reason: Ownership.Reason
    }

    /// - Parameter entries: The ledger's entries, from the first.
    /// - Throws: ``LedgerError``, as ``apply(_:)`` does.
    public init(catalog: Catalog?, entries: [LedgerEntry]) throws(LedgerError) {
        self.catalog = catalog
        _ = try apply(entries)
        lookThroughRules()
    }

    /// What applying entries has changed.
    public struct Changes: Sendable, Hashable {
        /// The products that are owned now and were not before, bundles' children included.
        public var newlyOwned: [String] = []
        /// The products that were owned and are not any more, bundles' children included.
        public var noLongerOwned: [String] = []
        /// The wallets whose balance changed.
        public var wallets: [String] = []
        /// How the customer first got the app was recorded.
        public var appPurchase: Fact.AppPurchase?
    }

    /// The same facts under another catalog.
    public func with(catalog: Catalog?) -> EntitlementSnapshot {
        var copy = self
        copy.catalog = catalog
        copy.lookThroughBundles()
        copy.lookThroughRules()
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
                try apply(change.amount, to: change.wallet)
                if !changes.wallets.contains(change.wallet) { changes.wallets.append(change.wallet) }
            }
            switch entry.fact {
            case .purchase(let purchase) where purchase.kind != .consumable:
                changes.newlyOwned += add(
                    Support(
                        originalTransactionID: purchase.originalTransactionID,
                        reason: .transaction(id: purchase.transactionID, purchaseDate: purchase.purchaseDate)),
                    to: purchase.productIdentifier)
            case .grant(let grant):
                grants.insert(grant.token)
                changes.newlyOwned += add(
                    Support(
                        originalTransactionID: nil, reason: .grant(reason: grant.reason, date: entry.recordedAt)),
                    to: grant.productIdentifier)
            case .revocation(let revocation):
                revocations[revocation.originalTransactionID] = revocation
                changes.noLongerOwned += remove(revocation.originalTransactionID, from: revocation.productIdentifier)
            case .appPurchase(let purchase):
                appPurchase = purchase
                changes.appPurchase = purchase
                lookThroughRules()
            case .purchase, .credit, .debit: break
            }
            lastSequence = entry.sequence
        }
        return changes
    }

    /// Whether a product is owned, and why. A product that is neither in the catalog nor owned is not owned.
    public func ownership(of identifier: String) -> Ownership {
        let reasons = (supports[identifier] ?? []).map(\.reason) + bundleReasons(of: identifier)
        if !reasons.isEmpty { return .owned(because: reasons) }
        return unknownReason(of: identifier).map(Ownership.unknown) ?? .notOwned
    }

    /// Why it cannot be told of some product whether it is owned; `nil` where it can be told of all.
    public var unknownReason: Ownership.UnknownReason? {
        guard let catalog else { return .noCatalog }
        if let bundlesUnknownReason { return bundlesUnknownReason }
        let open = undecided.filter { !ownedIndexes.contains($0.key) }.map(\.value).min()
        return open.map { .grandfathering(product: catalog.products[$0].identifier) }
    }

    /// Why it cannot be told what the owned bundles contain; `nil` where it can.
    private var bundlesUnknownReason: Ownership.UnknownReason? {
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
        product.childProducts.withoutDuplicates.filter { ownership(of: $0).isOwned }
    }

    /// A purchase is recorded, and has not been taken back.
    public func counts(_ originalTransactionID: String, of identifier: String) -> Bool {
        supports[identifier]?.contains { $0.originalTransactionID == originalTransactionID } ?? false
    }

    /// The store has taken back at least one purchase.
    public var hasRevocations: Bool { !revocations.isEmpty }

    /// The purchases of a product that the store has taken back, the latest first.
    public func revocations(of identifier: String) -> [Fact.Revocation] {
        revocations.values.filter { $0.productIdentifier == identifier }
            .sorted { ($0.revocationDate, $0.originalTransactionID) > ($1.revocationDate, $1.originalTransactionID) }
    }

    /// The grants that the catalog's rules give for how the customer first got the app, and that are not recorded yet.
    public var missingGrandfatheringGrants: [Fact.Grant] {
        guard let catalog, let appPurchase else { return [] }
        return catalog.products.compactMap { $0.grandfatheringGrant(for: appPurchase.original) }
            .filter { !grants.contains($0.token) }
    }
}

extension EntitlementSnapshot {
    private mutating func apply(_ amount: Int, to wallet: String) throws(LedgerError) {
        let (balance, overflows) = balances[wallet, default: 0].addingReportingOverflow(amount)
        guard !overflows else {
            throw LedgerError(code: .damaged, reason: "the wallet \"\(wallet)\" holds more than 64 bits can say")
        }
        balances[wallet] = balance
    }

    /// - Returns: The products that are owned because of this and were not before.
    private mutating func add(_ support: Support, to identifier: String) -> [String] {
        if let original = support.originalTransactionID, revocations[original] != nil { return [] }
        let isFirst = supports[identifier] == nil
        supports[identifier, default: []].append(support)
        guard isFirst else { return [] }
        directlyOwned.append(identifier)
        return unlock(identifier)
    }

    /// - Returns: The products that nothing else makes owned.
    private mutating func remove(_ originalTransactionID: String, from identifier: String) -> [String] {
        guard var left = supports[identifier] else { return [] }
        left.removeAll { $0.originalTransactionID == originalTransactionID }
        supports[identifier] = left.isEmpty ? nil : left
        guard left.isEmpty else { return [] }
        directlyOwned.removeAll { $0 == identifier }
        guard let catalog, catalog.index(of: identifier) != nil else { return [identifier] }
        let before = ownedIndexes
        lookThroughBundles()
        return before.subtracting(ownedIndexes).sorted().map { catalog.products[$0].identifier }
    }

    private mutating func lookThroughBundles() {
        ownedIndexes = []
        for identifier in directlyOwned { _ = unlock(identifier) }
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

    /// Why it cannot be told whether a product is owned; asked of those that nothing makes owned.
    private func unknownReason(of identifier: String) -> Ownership.UnknownReason? {
        if let bundlesUnknownReason { return bundlesUnknownReason }
        guard let catalog, let rule = catalog.index(of: identifier).flatMap({ undecided[$0] }) else { return nil }
        return .grandfathering(product: catalog.products[rule].identifier)
    }

    /// A rule that says yes has decided only once its grant is recorded.
    private mutating func lookThroughRules() {
        undecided = [:]
        guard let catalog else { return }
        let open = catalog.products.indices.filter { index in
            let product = catalog.products[index]
            return product.isGrandfathered
                && appPurchase.map { product.grandfathered.answer(for: $0.original) } != .no
        }
        undecided = catalog.bundles.descendants(ofEach: open)
    }
}
