public import Foundation
internal import HashTreeCollections
public import VitrineCatalog

/// Owned products and wallet balances of a customer, computed from the facts of a ledger, the bundles of a catalog, and
/// the time.
///
/// A snapshot is never stored. It is computed from the summary of a ledger and updated with later entries. The cost of
/// applying an entry depends on the affected products and the bundles around them, not on the size of the ledger or the
/// catalog.
public struct EntitlementSnapshot: Sendable {
    /// Sequence number of the last applied entry; 0 before the first.
    public internal(set) var lastSequence: Int64 = 0
    /// Balances of all wallets that were ever changed, by wallet name. Changes recorded in a lost ledger are not
    /// included.
    public internal(set) var balances: [String: Int] = [:]
    /// Most recently recorded original purchase of the app by the customer; `nil` if none is recorded.
    public internal(set) var appPurchase: Fact.AppPurchase?
    /// Loss of an earlier ledger that has not been settled.
    public internal(set) var loss: Fact.Loss?
    /// `true` if an earlier ledger was lost, even if the loss is settled. Facts of the earlier ledger are missing in
    /// this one.
    public internal(set) var isSuccessor = false
    /// `true` if the purchases that the store knows have not been read into this ledger yet: the installation is new,
    /// or an earlier ledger was lost.
    public var isIncomplete = false
    /// Date for which ownership is computed.
    public internal(set) var date: Date
    /// Entitlement sources of each product, including sources that are not valid at present.
    var sources = BaseAndDelta<String, [EntitlementSource]>()
    /// Products with a recorded purchase of a non-renewing subscription.
    var productsWithPasses: Set<String> = []
    /// Entitlement sources of products that a bundle contained at its purchase and that, according to the catalog, it
    /// no longer contains.
    var purchasedContents = BaseAndDelta<String, [EntitlementSource]>()
    /// Revocations of purchases, by purchase ID.
    var revocations: TreeDictionary<String, Fact.Revocation> = [:]
    /// Locks of each product.
    var locks: TreeDictionary<String, [LedgerEntry]> = [:]
    /// Earliest records of grants and locks by other devices, if they are earlier than this ledger's own record.
    var earliestRecords: [FactKey: Fact.Counterpart] = [:]
    /// Tokens of all grants that were recorded, valid or not.
    var grants: TreeSet<String> = []
    /// Periods and latest renewal data of each auto-renewable subscription, by original transaction.
    var histories: TreeDictionary<String, SubscriptionHistory> = [:]
    /// Original transactions of the subscriptions that are to change to another product, by that product.
    var planned: TreeDictionary<String, Set<String>> = [:]
    /// Products whose ownership depends on subscriptions with unknown validity.
    var unconfirmed: Set<String> = []
    /// Last answer of the store about the customer's subscriptions.
    public internal(set) var check = SubscriptionCheck()
    /// Time in seconds for which a subscription is owned after its period while the store has not confirmed its
    /// expected renewal.
    let renewalLeeway: TimeInterval
    /// Dates at which a valid entitlement source ends or enters its grace period, each with the product of the source.
    /// The next date is the last element.
    var transitions: [(date: Date, product: String)] = []
    /// Latest past date at which an entitlement source ended or entered its grace period. If the date of the snapshot
    /// is set back before it, ended sources may be valid again.
    var latestPassedTransition = Date.distantPast
    /// Latest signing date of store data that determines ownership. It is used as the current time if the device's
    /// clock is behind it.
    package internal(set) var latestSignedDate = Date.distantPast
    var bundles: OwnedBundles

    /// Creates a snapshot from the summary of a ledger.
    ///
    /// - Parameters:
    ///   - catalog: The catalog that defines the bundles; `nil` if none is loaded.
    ///   - summary: The summary of the ledger.
    ///   - date: The date for which the snapshot is valid.
    ///   - check: The last answer of the store about the customer's subscriptions.
    ///   - renewalLeeway: The time in seconds for which a subscription is owned after its period while the store has
    ///     not confirmed its expected renewal.
    public init(
        catalog: Catalog?, summary: LedgerSummary, at date: Date, check: SubscriptionCheck = SubscriptionCheck(),
        renewalLeeway: TimeInterval = EntitlementSnapshot.usualRenewalLeeway
    ) {
        self.init(
            catalog: catalog, summary: summary, elsewhere: [], at: date, check: check, renewalLeeway: renewalLeeway)
    }

    /// Creates a snapshot from the summary of a ledger, and from facts of other customers who have periods of the same
    /// subscriptions.
    ///
    /// - Parameter elsewhere: Purchases, revocations and reinstatements of other customers. Those about the same purchase
    ///   must be in the order in which they were recorded.
    package init(
        catalog: Catalog?, summary: LedgerSummary, elsewhere: [Fact], at date: Date,
        check: SubscriptionCheck = SubscriptionCheck(),
        renewalLeeway: TimeInterval = EntitlementSnapshot.usualRenewalLeeway
    ) {
        self.date = date
        self.check = check
        if let lead = check.clockLead, !lead.applies(at: date) { self.check.clockLead = nil }
        self.renewalLeeway = renewalLeeway
        bundles = OwnedBundles(catalog: catalog)
        sources.reserveCapacity(summary.entries.count)
        for fact in elsewhere { apply(elsewhere: fact) }
        var changed: [String] = []
        for entry in summary.entries {
            apply(entry, &changed)
            changed.removeAll(keepingCapacity: true)
        }
        settleAllPasses()
        sources.settle()
        purchasedContents.settle()
        balances = summary.balances
        lastSequence = summary.lastSequence
        collectTransitions()
        lookAtAll()
    }

    /// Sixteen days, in seconds: the longest grace period of most subscriptions in the App Store.
    public static let usualRenewalLeeway: TimeInterval = 16 * 86_400

    /// Creates a snapshot from the entries of a ledger.
    ///
    /// - Parameters:
    ///   - catalog: The catalog that defines the bundles; `nil` if none is loaded.
    ///   - entries: The ledger's entries, from the first.
    ///   - date: The date for which the snapshot is valid.
    ///   - check: The last answer of the store about the customer's subscriptions.
    ///   - renewalLeeway: The time in seconds for which a subscription is owned after its period while the store has
    ///     not confirmed its expected renewal.
    /// - Throws: ``LedgerError``, as ``apply(_:)`` does.
    public init(
        catalog: Catalog?, entries: [LedgerEntry], at date: Date, check: SubscriptionCheck = SubscriptionCheck(),
        renewalLeeway: TimeInterval = EntitlementSnapshot.usualRenewalLeeway
    ) throws(LedgerError) {
        let none = LedgerSummary(lastSequence: 0, entries: [], balances: [:])
        self.init(catalog: catalog, summary: none, at: date, check: check, renewalLeeway: renewalLeeway)
        _ = try apply(entries)
    }

    /// Catalog that defines the bundles; `nil` if none is loaded.
    public var catalog: Catalog? { bundles.catalog }

    /// Differences between two states of a snapshot.
    public struct Changes: Sendable, Hashable {
        /// Products that are owned now and were not before, including children of bundles.
        public var newlyOwned: [String] = []
        /// Products that were owned and are no longer, including children of bundles.
        public var noLongerOwned: [String] = []
        /// Wallets whose balance changed.
        public var wallets: [String] = []
        /// Original purchase of the app, if one of the applied entries records it; otherwise `nil`.
        public var appPurchase: Fact.AppPurchase?
        /// `true` if the loss of an earlier ledger, or its settlement, was recorded.
        public var isLossChanged = false
        /// Products whose reasons for ownership or contents may have changed: a fact about the product was recorded, or
        /// one of its entitlement sources expired or entered its grace period.
        public var touched: Set<String> = []
        /// `true` if the change may affect every product, including products that the other properties do not list.
        public var isAboutAll = false

        public init() {}

        /// `true` if no ownership, balance, original purchase or ledger loss changed; the reasons for ownership may
        /// have changed.
        public var changesNothing: Bool {
            newlyOwned.isEmpty && noLongerOwned.isEmpty && wallets.isEmpty && appPurchase == nil && !isLossChanged
        }
    }

    /// Returns the snapshot of the same facts for another catalog.
    public func with(catalog: Catalog?) -> EntitlementSnapshot {
        var copy = self
        copy.bundles = OwnedBundles(catalog: catalog)
        copy.purchasedContents = BaseAndDelta()
        copy.settleAllPasses()
        copy.sources.forEach { _, sources in
            for source in sources where !source.contents.isEmpty { copy.addPurchasedContents(of: source) }
        }
        copy.purchasedContents.settle()
        copy.collectTransitions()
        copy.lookAtAll()
        return copy
    }

    /// Applies new entries of the ledger. Entries that were applied before are skipped.
    ///
    /// - Parameter new: Entries in order, without a gap after ``lastSequence``.
    /// - Throws: ``LedgerError`` `damaged` if the balance of a wallet exceeds 64 bits, which is impossible in an intact
    ///   ledger.
    public mutating func apply(_ new: [LedgerEntry]) throws(LedgerError) -> Changes {
        var changes = Changes()
        let (unknownReason, hadRevocations) = (unknownReason, hasRevocations)
        for entry in new where entry.sequence > lastSequence {
            if let change = entry.fact.walletChange {
                try apply(change)
                if !changes.wallets.contains(change.wallet) { changes.wallets.append(change.wallet) }
            }
            var changed: [String] = []
            apply(entry, &changed)
            for product in productsWithPasses.intersection(changed) { settlePasses(of: product, &changed) }
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
        changes.isAboutAll =
            changes.appPurchase != nil || changes.isLossChanged || self.unknownReason != unknownReason
            // From the first revocation on, content that may belong to a revoked product is not provided.
            || hasRevocations != hadRevocations
        return changes
    }

    /// Returns the differences from an earlier snapshot of the same customer, which was computed from another ledger or
    /// catalog.
    package func changes(since before: EntitlementSnapshot) -> Changes {
        var changes = Changes()
        changes.isAboutAll = true
        changes.isLossChanged = loss != before.loss
        let (owned, ownedBefore) = (owned, before.owned)
        changes.newlyOwned = owned.filter(Set(owned).subtracting(ownedBefore).contains)
        changes.noLongerOwned = ownedBefore.filter(Set(ownedBefore).subtracting(owned).contains)
        return changes
    }

    /// Returns the wallets whose balances differ from those of another customer's snapshot, in alphabetical order.
    func walletsThatDiffer(from other: EntitlementSnapshot) -> [String] {
        Set(balances.keys).union(other.balances.keys).sorted()
            .filter { balances[$0, default: 0] != other.balances[$0, default: 0] }
    }

    /// Next date of the device's clock at which a valid entitlement source ends or enters its grace period; `nil` if no
    /// entitlement source ends.
    public var nextEnd: Date? {
        // An extension, revocation or lock leaves the earlier end in the list.
        let end = transitions.last { transition in
            sources(of: transition.product).contains {
                transitionDates(of: $0).contains(transition.date) && counts($0)
            }
        }?.date
        guard let end, let lead = check.clockLead else { return end }
        return lead.deviceDate(of: end)
    }

    /// `true` if ownership may change with the date: a source ends in the future, or has ended after the store's latest
    /// signing date, so that it would be valid again if the device's clock were set back.
    package var dependsOnDate: Bool { !transitions.isEmpty || latestPassedTransition > latestSignedDate }

    /// Sets the date for which ownership is computed. Entitlement sources that have ended by then are no longer valid.
    /// If the date is earlier than before, because the device's clock was ahead, sources that end after the new date
    /// are valid again, unless they ended before the store's latest signing date.
    public mutating func set(date: Date) -> Changes {
        self.date = date
        if let lead = check.clockLead, !lead.applies(at: date) { check.clockLead = nil }
        var changes = Changes()
        if latestPassedTransition > now {
            collectTransitions()
            for product in Set(transitions.map(\.product)) { look(at: product, &changes) }
        }
        passTransitions(&changes)
        sort(&changes)
        return changes
    }

    /// Sorts changed products in the order of the catalog, followed by those that the catalog does not contain.
    func sort(_ changes: inout Changes) {
        guard let catalog else { return }
        func place(_ identifier: String) -> Int { catalog.index(of: identifier) ?? .max }
        if changes.newlyOwned.count > 1 { changes.newlyOwned.sort { place($0) < place($1) } }
        if changes.noLongerOwned.count > 1 { changes.noLongerOwned.sort { place($0) < place($1) } }
    }

    private mutating func passTransitions(_ changes: inout Changes) {
        while let transition = transitions.last, transition.date <= now {
            transitions.removeLast()
            pass(transition.date, of: sources(of: transition.product))
            look(at: transition.product, &changes)
        }
    }

    /// Current time: the date of the device's clock without its lead over the store's, or the store's latest signing
    /// date if that is later.
    var now: Date { max(date.addingTimeInterval(-(check.clockLead?.seconds ?? 0)), latestSignedDate) }
}
