public import Foundation
internal import HashTreeCollections
public import ProductCatalog

/// What a customer owns and has, computed from the facts of a ledger, the bundles of a catalog, and the time.
///
/// A value that is never stored: it is made anew from what a ledger's standing is, and brought up to date with the
/// entries that follow. A new entry looks at what it is about, and at the bundles around that, whatever else there is.
public struct EntitlementSnapshot: Sendable {
    /// The number of the last entry that was applied; 0 before the first.
    public internal(set) var lastSequence: Int64 = 0
    /// The balance of each wallet that was ever changed, as far as the ledger tells it.
    public internal(set) var balances: [String: Int] = [:]
    /// How the customer first got the app, as it was recorded last; `nil` where it never was.
    public internal(set) var appPurchase: Fact.AppPurchase?
    /// What was lost with an earlier ledger, where nobody has settled that.
    public internal(set) var loss: Fact.Loss?
    /// An earlier ledger was lost once, settled or not: what it had done already, this one cannot know.
    public internal(set) var isSuccessor = false
    /// What the store knows has not been read again since an earlier ledger was lost.
    public var isIncomplete = false
    /// The time for which it holds.
    public internal(set) var date: Date
    /// What makes products owned by themselves, whether it counts now or not.
    var supports = SettledDictionary<String, [Support]>()
    /// What makes products owned that were in a bundle when that was bought, and that the catalog's bundle does not
    /// contain.
    var formerContents = SettledDictionary<String, [Support]>()
    /// The purchases that the store has taken back, by what was bought.
    var revocations: TreeDictionary<String, Fact.Revocation> = [:]
    /// The locks of each product.
    var locks: TreeDictionary<String, [LedgerEntry]> = [:]
    /// The tokens of all grants.
    var grants: TreeSet<String> = []
    /// The periods of each auto-renewable subscription, by their original transaction.
    var subscriptions: TreeDictionary<String, [SubscribedPeriod]> = [:]
    /// When something that counts now ends or is in its grace period, with its product, the soonest last.
    var transitions: [(date: Date, product: String)] = []
    /// The latest date that the store has signed anything at that ownership follows from. The device's clock may have been set back.
    var latestSignedDate = Date.distantPast
    var bundles: OwnedBundles

    /// - Parameters:
    ///   - catalog: The catalog whose bundles are looked through; `nil` while there is none.
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
        supports.forEach { _, supports in rememberTransitions(of: supports) }
        formerContents.forEach { _, supports in rememberTransitions(of: supports) }
        transitions.sort { $0.date > $1.date }
        lookAtAll()
    }

    /// - Parameters:
    ///   - catalog: The catalog whose bundles are looked through; `nil` while there is none.
    ///   - entries: The ledger's entries, from the first.
    ///   - date: The time for which it is to hold.
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
        /// The products about which something was recorded, or of which something has ended or come into its grace period:
        /// they, and what they contain, may be owned for other reasons than before.
        public var touched: Set<String> = []

        public init() {}

        /// Nothing is owned or has a balance otherwise than before, whatever it is owned because of.
        public var changesNothing: Bool {
            newlyOwned.isEmpty && noLongerOwned.isEmpty && wallets.isEmpty && appPurchase == nil && !isLossChanged
        }
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
                insertTransitions(of: product)
            }
            switch entry.fact {
            case .appPurchase(let purchase) where purchase == appPurchase: changes.appPurchase = purchase
            case .loss, .settlement: changes.isLossChanged = true
            default: break
            }
            if entry.fact.decidesRules { lookThroughRules() }
            lastSequence = entry.sequence
        }
        passTransitions(&changes)
        sort(&changes)
        return changes
    }

    /// When something that counts now will not any more, or only because of its grace period; `nil` where nothing ends.
    public var nextEnd: Date? {
        // What was extended, taken back or locked since has left its earlier end behind.
        transitions.last { transition in
            supports(of: transition.product).contains { $0.transitions.contains(transition.date) && counts($0) }
        }?.date
    }

    /// Lets time pass: what has ended does not count any more. Time that goes back changes nothing.
    public mutating func advance(to date: Date) -> Changes {
        self.date = max(self.date, date)
        var changes = Changes()
        passTransitions(&changes)
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

    private mutating func passTransitions(_ changes: inout Changes) {
        while let transition = transitions.last, transition.date <= now {
            transitions.removeLast()
            look(at: transition.product, &changes)
        }
    }

    /// The device's time, or the store's where that is known to be later.
    var now: Date { max(date, latestSignedDate) }
}
