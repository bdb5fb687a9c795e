public import Foundation
internal import HashTreeCollections
public import ProductCatalog

/// What a customer owns and has, computed from the facts of a ledger, the bundles of a catalog, and the time.
///
/// A value that is never stored: it is made anew from what a ledger's standing is, and brought up to date with the
/// entries that follow. A new entry looks at what it is about, and at the bundles around that, whatever else there is.
public struct EntitlementSnapshot: Sendable {
    /// The number of the last entry that was applied; 0 before the first.
    public private(set) var lastSequence: Int64 = 0
    /// The balance of each wallet that was ever changed, as far as the ledger tells it.
    public private(set) var balances: [String: Int] = [:]
    /// How the customer first got the app, as it was recorded last; `nil` where it never was.
    public private(set) var appPurchase: Fact.AppPurchase?
    /// What was lost with an earlier ledger, where nobody has settled that.
    public private(set) var loss: Fact.Loss?
    /// An earlier ledger was lost once, settled or not: what it had done already, this one cannot know.
    public private(set) var isSuccessor = false
    /// What the store knows has not been read again since an earlier ledger was lost.
    public var isIncomplete = false
    /// The time for which it holds.
    public private(set) var date: Date
    /// What makes products owned by themselves, whether it counts now or not.
    private var supports = SettledDictionary<String, [Support]>()
    /// What makes products owned that were in a bundle when that was bought, and that the catalog's bundle does not
    /// contain.
    private var formerContents = SettledDictionary<String, [Support]>()
    /// The purchases that the store has taken back, by what was bought.
    private var revocations: TreeDictionary<String, Fact.Revocation> = [:]
    /// The locks of each product.
    private var locks: TreeDictionary<String, [LedgerEntry]> = [:]
    /// The tokens of all grants.
    private var grants: TreeSet<String> = []
    /// The periods of each auto-renewable subscription, by their original transaction.
    private var subscriptions: TreeDictionary<String, [SubscribedPeriod]> = [:]
    /// When something that counts now ends, with its product, the soonest last.
    private var ends: [(date: Date, product: String)] = []
    /// The latest date that the store has signed anything at that ownership follows from. The device's clock may have been set back.
    private var latestSignedDate = Date.distantPast
    private var bundles: OwnedBundles

    /// - Parameters:
    ///   - standing: What the ledger has.
    ///   - date: The time for which it is to hold.
    public init(catalog: Catalog?, standing: LedgerStanding, at date: Date) {
        self.date = date
        bundles = OwnedBundles(catalog: catalog)
        supports.reserveCapacity(standing.entries.count)
        var changed: [String] = []
        for entry in standing.entries {
            take(entry, &changed)
            changed.removeAll(keepingCapacity: true)
        }
        supports.settle()
        formerContents.settle()
        balances = standing.balances
        lastSequence = standing.lastSequence
        supports.forEach { _, supports in rememberEnds(of: supports) }
        formerContents.forEach { _, supports in rememberEnds(of: supports) }
        ends.sort { $0.date > $1.date }
        lookAtAll()
    }

    /// - Parameter entries: The ledger's entries, from the first.
    /// - Throws: ``LedgerError``, as ``apply(_:)`` does.
    public init(catalog: Catalog?, entries: [LedgerEntry], at date: Date) throws(LedgerError) {
        self.init(catalog: catalog, standing: LedgerStanding(lastSequence: 0, entries: [], balances: [:]), at: date)
        _ = try apply(entries)
    }

    /// The catalog whose bundles are looked through; `nil` while there is none.
    public var catalog: Catalog? { bundles.catalog }

    /// What has changed.
    public struct Changes: Sendable, Hashable {
        /// The products that are owned now and were not before, bundles' children included.
        public var newlyOwned: [String] = []
        /// The products that were owned and are not any more, bundles' children included.
        public var noLongerOwned: [String] = []
        /// The wallets whose balance changed.
        public var wallets: [String] = []
        /// How the customer first got the app was recorded.
        public var appPurchase: Fact.AppPurchase?
        /// An earlier ledger was lost, or that was settled.
        public var isLossChanged = false

        public init() {}
    }

    /// The same facts under another catalog.
    public func with(catalog: Catalog?) -> EntitlementSnapshot {
        var copy = self
        copy.bundles = OwnedBundles(catalog: catalog)
        copy.formerContents = SettledDictionary()
        supports.forEach { _, supports in
            for support in supports where !support.contents.isEmpty { copy.addFormerContents(of: support) }
        }
        copy.formerContents.settle()
        copy.lookAtAll()
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
                try apply(change)
                if !changes.wallets.contains(change.wallet) { changes.wallets.append(change.wallet) }
            }
            var changed: [String] = []
            take(entry, &changed)
            for product in changed {
                look(at: product, &changes)
                insertEnds(of: product)
            }
            switch entry.fact {
            case .appPurchase(let purchase): changes.appPurchase = purchase
            case .loss, .settlement: changes.isLossChanged = true
            default: break
            }
            if entry.fact.decidesRules { lookThroughRules() }
            lastSequence = entry.sequence
        }
        endWhatHasEnded(&changes)
        sort(&changes)
        return changes
    }

    /// When something that counts now will not any more; `nil` where nothing ends.
    public var nextEnd: Date? {
        // What was extended, taken back or locked since has left its earlier end behind.
        ends.last { end in supports(of: end.product).contains { $0.end == end.date && counts($0) } }?.date
    }

    /// Lets time pass: what has ended does not count any more. Time that goes back changes nothing.
    public mutating func advance(to date: Date) -> Changes {
        self.date = max(self.date, date)
        var changes = Changes()
        endWhatHasEnded(&changes)
        sort(&changes)
        return changes
    }

    /// In the order of the catalog, and then what it does not have.
    private func sort(_ changes: inout Changes) {
        guard let catalog else { return }
        func place(_ identifier: String) -> Int { catalog.index(of: identifier) ?? .max }
        if changes.newlyOwned.count > 1 { changes.newlyOwned.sort { place($0) < place($1) } }
        if changes.noLongerOwned.count > 1 { changes.noLongerOwned.sort { place($0) < place($1) } }
    }

    private mutating func endWhatHasEnded(_ changes: inout Changes) {
        while let end = ends.last, end.date <= now {
            ends.removeLast()
            look(at: end.product, &changes)
        }
    }

    /// The device's time, or the store's where that is known to be later.
    private var now: Date { max(date, latestSignedDate) }
}

// MARK: - Asking

extension EntitlementSnapshot {
    /// Whether a product is owned, and why. A product that is neither in the catalog nor owned is not owned.
    public func ownership(of identifier: String) -> Ownership {
        let index = bundles.index(of: identifier)
        guard isOwned(identifier, index) else {
            return unknownReason(of: identifier).map(Ownership.unknown) ?? .notOwned
        }
        var reasons: [Ownership.Reason] = []
        for support in supports(of: identifier) where counts(support) { reasons.append(support.reason(at: now)) }
        if let index { bundles.forEachOwnedParent(of: index) { reasons.append(.bundle(identifier: $0)) } }
        return .owned(because: reasons)
    }

    /// Whether a product is known to be owned.
    public func isOwned(_ identifier: String) -> Bool { isOwned(identifier, bundles.index(of: identifier)) }

    private func isOwned(_ identifier: String, _ index: Int?) -> Bool {
        if let index { bundles.isOwned(index) } else { bundles.isOwnedOutside(identifier) }
    }

    /// Why it cannot be told of some product whether it is owned; `nil` where it can be told of all.
    public var unknownReason: Ownership.UnknownReason? {
        if let reason = generalUnknownReason { return reason }
        return bundles.undecidedRule.map { .grandfathering(product: $0) }
    }

    /// Why it cannot be told of anything that is not owned whether it is.
    private var generalUnknownReason: Ownership.UnknownReason? {
        if isIncomplete, let loss { return .ledgerLost(reason: loss.reason) }
        guard let catalog else { return .noCatalog }
        guard catalog.hasErrors, let missing = ownedOutsideTheCatalog.first else { return nil }
        return .incompleteCatalog(owned: missing)
    }

    /// The identifiers of all owned products: those of the catalog in its order, then the others as they came.
    public var owned: [String] { bundles.ownedIdentifiers + ownedOutsideTheCatalog }

    private var ownedOutsideTheCatalog: [String] {
        bundles.outside.map { ($0, supports(of: $0).first?.place ?? (0, 0)) }
            .sorted { ($0.1.0, $0.1.1, $0.0) < ($1.1.0, $1.1.1, $1.0) }.map(\.0)
    }

    /// The direct children of a bundle that are owned.
    public func ownedChildren(of product: CatalogProduct) -> [String] {
        product.childProducts.withoutDuplicates.filter(isOwned)
    }

    /// The units in a wallet; 0 in one that nothing was ever put into.
    public func balance(of wallet: String) -> WalletBalance {
        let units = balances[wallet, default: 0]
        return loss == nil ? .known(units) : .unknown(atLeast: units)
    }

    /// Something was bought, and has not been taken back; it may have ended by itself.
    public func counts(_ purchaseID: String, of identifier: String) -> Bool {
        supports[identifier]?.contains { $0.purchaseID == purchaseID && !isTakenAway($0) } ?? false
    }

    /// The store has taken back at least one purchase.
    public var hasRevocations: Bool { !revocations.isEmpty }

    /// The purchases of a product that the store has taken back, the latest first.
    public func revocations(of identifier: String) -> [Fact.Revocation] {
        revocations.values.filter { $0.productIdentifier == identifier }
            .sorted {
                ($0.revocationDate, $0.origin.purchaseID) > ($1.revocationDate, $1.origin.purchaseID)
            }
    }

    /// The purchases and grants of a product that have ended by themselves, with their end, the latest first.
    public func ended(of identifier: String) -> [(reason: Ownership.Reason, end: Date)] {
        supports(of: identifier).compactMap { support in
            guard support.bundle == nil, let end = support.end, end <= now, !isTakenAway(support) else { return nil }
            return (support.reason(at: now), support.toldEnd ?? end)
        }.sorted { $0.end > $1.end }
    }

    /// What has taken the grants of a product away, the latest first.
    public func locks(of identifier: String) -> [(lock: Fact.Lock, date: Date)] {
        (locks[identifier] ?? []).reversed().compactMap { entry in
            guard case .lock(let lock) = entry.fact else { return nil }
            return (lock, entry.recordedAt)
        }
    }

    /// A grant of a product that counts.
    public func hasGrant(of identifier: String) -> Bool {
        supports[identifier]?.contains { $0.purchaseID == nil && counts($0) } ?? false
    }

    /// A grant with this token was recorded, whether it counts or not.
    public func hasGrant(token: String) -> Bool { grants.contains(token) }

    /// The grants that the catalog's rules give for how the customer first got the app, and that are not recorded yet.
    public var missingGrandfatheringGrants: [Fact.Grant] {
        guard let catalog, let appPurchase else { return [] }
        return catalog.products.compactMap { $0.grandfatheringGrant(for: appPurchase.original) }
            .filter { !grants.contains($0.token) }
    }

    /// What makes a product owned by itself, in the order of the ledger.
    private func supports(of identifier: String) -> [Support] {
        let own = supports[identifier] ?? []
        guard let former = formerContents[identifier] else { return own }
        return (own + former).sorted { $0.sequence < $1.sequence }
    }

    /// Why it cannot be told whether a product is owned; asked of those that nothing makes owned.
    private func unknownReason(of identifier: String) -> Ownership.UnknownReason? {
        if let generalUnknownReason { return generalUnknownReason }
        return bundles.undecidedRule(of: identifier).map { .grandfathering(product: $0) }
    }
}

// MARK: - Taking in entries

extension EntitlementSnapshot {
    private mutating func apply(_ change: WalletAmount) throws(LedgerError) {
        let (balance, overflows) = balances[change.wallet, default: 0].addingReportingOverflow(change.amount)
        guard !overflows else {
            throw LedgerError(
                code: .damaged, reason: "the wallet \"\(change.wallet)\" holds more than 64 bits can say")
        }
        balances[change.wallet] = balance
    }

    /// - Parameter changed: Is added the products that may be owned now and were not, or the other way round.
    private mutating func take(_ entry: LedgerEntry, _ changed: inout [String]) {
        if let origin = entry.fact.origin, !entry.fact.onlyCountsUnits {
            latestSignedDate = max(latestSignedDate, origin.signedDate)
        }
        switch entry.fact {
        case .purchase(let purchase) where purchase.kind != .consumable: take(purchase, at: entry.sequence, &changed)
        case .term(let term):
            update(term.origin.purchaseID, of: term.origin.productIdentifier, &changed) {
                $0.period = term.period
            }
        case .grant(let grant):
            grants.insert(grant.token)
            add(Support(grant, at: entry), &changed)
        case .lock(let lock):
            locks[lock.productIdentifier, default: []].append(entry)
            changed.append(lock.productIdentifier)
        case .revocation(let revocation):
            revocations[revocation.origin.purchaseID] = revocation
            addProducts(of: revocation.origin.purchaseID, revocation.productIdentifier, to: &changed)
        case .reinstatement(let reinstatement):
            let origin = reinstatement.origin
            revocations[origin.purchaseID] = nil
            addProducts(of: origin.purchaseID, origin.productIdentifier, to: &changed)
        case .appPurchase(let purchase): appPurchase = purchase
        case .loss(let loss): (self.loss, isSuccessor) = (loss, true)
        case .settlement(let settlement): if loss?.token == settlement.token { loss = nil }
        case .purchase, .credit, .deposit, .debit, .note: break
        }
    }

    private mutating func take(_ purchase: Fact.Purchase, at sequence: Int64, _ changed: inout [String]) {
        var support = Support(purchase, at: sequence)
        if purchase.kind == .autoRenewableSubscription {
            let period = SubscribedPeriod(purchase)
            let series = subscriptions[purchase.origin.originalTransactionID, default: []]
            support.supersededDate = series.filter { $0.supersedes(period) }.map(\.start).min()
            for earlier in series where period.supersedes(earlier) {
                update(earlier.purchaseID, of: earlier.product, &changed) { support in
                    support.supersededDate = min(support.supersededDate ?? period.start, period.start)
                }
            }
            subscriptions[purchase.origin.originalTransactionID, default: []].append(period)
        }
        add(support, &changed)
        if !support.contents.isEmpty { changed += addFormerContents(of: support) }
    }

    private mutating func add(_ support: Support, _ changed: inout [String]) {
        supports.update(support.product, default: []) { $0.append(support) }
        changed.append(support.product)
    }

    /// What was in a bundle and is not any more stays with its purchase. What the catalog's bundle contains is owned
    /// with that.
    ///
    /// - Returns: What is not in it any more.
    @discardableResult
    private mutating func addFormerContents(of bundle: Support) -> [String] {
        let former = bundles.contents(bundle.contents, notIn: bundle.product)
        for identifier in former where identifier != bundle.product {
            formerContents.update(identifier, default: []) { $0.append(bundle.unlocking(identifier)) }
        }
        return former
    }

    /// Changes what a purchase made owned: its product, and what that contained.
    private mutating func update(
        _ purchaseID: String, of product: String, _ changed: inout [String], _ body: (inout Support) -> Void
    ) {
        guard supports[product] != nil else { return }
        func updateAll(_ supports: inout [Support]) {
            for index in supports.indices where supports[index].purchaseID == purchaseID { body(&supports[index]) }
        }
        let first = changed.count
        addProducts(of: purchaseID, product, to: &changed)
        supports.update(product, default: []) { updateAll(&$0) }
        for product in changed[first...] where formerContents[product] != nil {
            formerContents.update(product, default: []) { updateAll(&$0) }
        }
    }

    private mutating func insertEnds(of product: String) {
        for support in supports(of: product) {
            guard let end = futureEnd(of: support) else { continue }
            ends.insert(end, at: ends.partitioningIndex { $0.date <= end.date })
        }
    }

    private mutating func rememberEnds(of supports: [Support]) {
        for support in supports {
            if let end = futureEnd(of: support) { ends.append(end) }
        }
    }

    private func futureEnd(of support: Support) -> (date: Date, product: String)? {
        support.end.flatMap { $0 > now ? ($0, support.product) : nil }
    }

    /// What a purchase made owned: its product, and what that contained and does not any more.
    private func addProducts(of purchaseID: String, _ product: String, to changed: inout [String]) {
        changed.append(product)
        guard let contents = supports[product]?.first(where: { $0.purchaseID == purchaseID })?.contents else { return }
        changed += contents.filter { formerContents[$0] != nil }
    }

    private mutating func lookAtAll() {
        var owned = bundles
        if catalog == nil { owned.reserveCapacity(supports.settledCount) }
        supports.forEach { product, supports in
            if supports.contains(where: { counts($0) }) { owned.add(product) }
        }
        formerContents.forEach { product, supports in
            if supports.contains(where: { counts($0) }) { owned.add(product) }
        }
        owned.settle()
        bundles = owned
        lookThroughRules()
    }

    private mutating func look(at product: String, _ changes: inout Changes) {
        let change = bundles.set(product, isOwned: isOwnedByItself(product))
        Self.note(change.owned, in: &changes.newlyOwned, undoing: &changes.noLongerOwned)
        Self.note(change.notOwned, in: &changes.noLongerOwned, undoing: &changes.newlyOwned)
    }

    /// What is taken away and comes back, or the other way round, has not changed.
    private static func note(_ products: [String], in list: inout [String], undoing other: inout [String]) {
        guard !products.isEmpty else { return }
        let undone = other.isEmpty ? [] : Set(products).intersection(other)
        if !undone.isEmpty { other.removeAll(where: undone.contains) }
        list += undone.isEmpty ? products : products.filter { !undone.contains($0) }
    }

    private func isOwnedByItself(_ product: String) -> Bool {
        (supports[product]?.contains { counts($0) } ?? false)
            || (formerContents[product]?.contains { counts($0) } ?? false)
    }

    private func counts(_ support: Support) -> Bool {
        !isTakenAway(support) && support.end.map { $0 > now } ?? true
    }

    private func isTakenAway(_ support: Support) -> Bool {
        if let purchaseID = support.purchaseID { return !revocations.isEmpty && revocations[purchaseID] != nil }
        return locks[support.product]?.last.map { $0.sequence > support.sequence } ?? false
    }

    /// A rule that says yes has decided only once its grant is recorded.
    private mutating func lookThroughRules() {
        guard let catalog else { return }
        let open = catalog.products.indices.filter { index in
            let product = catalog.products[index]
            return product.isGrandfathered
                && !grants.contains(product.grandfatheringToken)
                && appPurchase.map { product.grandfathered.answer(for: $0.original) } != .no
        }
        bundles.setUndecided(open)
    }
}

extension Fact {
    /// What the catalog's grandfathering rules come to may be another after it.
    fileprivate var decidesRules: Bool {
        switch self {
        case .appPurchase: true
        case .grant(let grant): grant.isGrandfathering
        default: false
        }
    }
}

extension Array {
    /// The first index from which on a condition holds, in an array where it holds of all that follow.
    fileprivate func partitioningIndex(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
