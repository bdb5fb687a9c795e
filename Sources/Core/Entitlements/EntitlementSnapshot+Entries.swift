internal import Foundation
internal import HashTreeCollections
internal import VitrineCatalog
internal import VitrineSupport

extension EntitlementSnapshot {
    mutating func apply(_ change: WalletAmount) throws(LedgerError) {
        let (balance, overflows) = balances[change.wallet, default: 0].addingReportingOverflow(change.amount)
        guard !overflows else {
            throw LedgerError(
                code: .damaged, reason: "the balance of the wallet \"\(change.wallet)\" exceeds 64 bits")
        }
        balances[change.wallet] = balance
    }

    /// Applies an entry of the ledger to all properties of the snapshot except the balances.
    ///
    /// - Parameter changed: Receives the products whose ownership may have changed.
    mutating func apply(_ entry: LedgerEntry, _ changed: inout [String]) {
        if let origin = entry.fact.origin, !entry.fact.isNoMatterOfOwnership {
            latestSignedDate = max(latestSignedDate, origin.signedDate)
        }
        switch entry.fact {
        case .purchase(let purchase) where purchase.kind != .consumable: apply(purchase, at: entry, &changed)
        case .term(let term):
            update(term.origin.purchaseID, of: term.origin.productIdentifier, &changed) {
                $0.period = term.period
            }
        case .renewal(let renewal): apply(renewal, &changed)
        case .grant(let grant):
            grants.insert(grant.token)
            add(EntitlementSource(grant, at: entry), &changed)
        case .lock(let lock):
            locks[lock.productIdentifier, default: []].append(entry)
            changed.append(lock.productIdentifier)
        case .counterpart(let counterpart) where counterpart.kind == .purchase: lengthenPass(counterpart, &changed)
        case .counterpart(let counterpart) where counterpart.units == nil:
            apply(counterpart, &changed)
        case .revocation(let revocation):
            let origin = revocation.origin
            revocations[origin.purchaseID] = revocation
            if histories[origin.originalTransactionID] != nil || origin.originalTransactionID != origin.purchaseID {
                histories[origin.originalTransactionID, default: SubscriptionHistory()]
                    .addRevocation(of: origin.purchaseID, signed: origin.signedDate)
                settleGracePeriod(of: origin.originalTransactionID, &changed)
            }
            addProducts(of: revocation.origin.purchaseID, revocation.productIdentifier, to: &changed)
        case .reinstatement(let reinstatement):
            let origin = reinstatement.origin
            revocations[origin.purchaseID] = nil
            histories[origin.originalTransactionID]?
                .addReinstatement(of: origin.purchaseID, signed: origin.signedDate)
            settleGracePeriod(of: origin.originalTransactionID, &changed)
            addProducts(of: origin.purchaseID, origin.productIdentifier, to: &changed)
        case .appPurchase(let purchase): if purchase.replaces(appPurchase) { appPurchase = purchase }
        case .loss(let loss): (self.loss, isSuccessor) = (loss, true)
        case .settlement(let settlement): if loss?.token == settlement.token { loss = nil }
        default: break
        }
    }

    /// Applies another device's record of a grant or lock. The record that comes first counts.
    private mutating func apply(_ counterpart: Fact.Counterpart, _ changed: inout [String]) {
        let key = FactKey(kind: counterpart.kind, key: counterpart.subject)
        if let earliest = earliestRecords[key], !counterpart.isBefore(earliest) { return }
        earliestRecords[key] = counterpart
        let products = productsGranted(by: counterpart)
        changed += products
        guard counterpart.kind == .grant else { return }
        for product in products {
            sources.update(product, default: []) { sources in
                for index in sources.indices where sources[index].grantToken == counterpart.subject {
                    sources[index].period = counterpart.expirationDate.map { Fact.Period(expirationDate: $0) }
                }
            }
        }
    }

    /// Returns the products of a grant or lock that this ledger and another device have recorded.
    private func productsGranted(by counterpart: Fact.Counterpart) -> [String] {
        if counterpart.kind == .lock {
            return locks.filter { $0.value.contains { $0.fact.key == counterpart.subject } }.map(\.key)
        }
        var products: [String] = []
        sources.forEach { product, sources in
            if sources.contains(where: { $0.grantToken == counterpart.subject }) { products.append(product) }
        }
        return products
    }

    private mutating func apply(_ purchase: Fact.Purchase, at entry: LedgerEntry, _ changed: inout [String]) {
        var source = EntitlementSource(purchase, at: entry)
        if purchase.kind == .autoRenewableSubscription {
            let period = SubscribedPeriod(purchase)
            source.supersededDate = histories[purchase.origin.originalTransactionID]?.supersededDate(of: period)
            setGraceEnd(nil, of: purchase.origin.originalTransactionID, &changed)
            histories[purchase.origin.originalTransactionID, default: SubscriptionHistory()].add(period)
            // The revocation of a subscription's first period may have been the first fact about the subscription, and
            // does not tell it from another product.
            if let revocation = revocations[period.purchaseID] {
                histories[purchase.origin.originalTransactionID]?
                    .addRevocation(of: period.purchaseID, signed: revocation.origin.signedDate)
            }
            settlePeriods(before: purchase.origin, &changed)
            if let next = histories[purchase.origin.originalTransactionID]?.renewal?.terms.nextProduct {
                changed.append(next)
            }
        }
        add(source, &changed)
        if !source.contents.isEmpty { changed += addPurchasedContents(of: source) }
        settleGracePeriod(of: purchase.origin.originalTransactionID, &changed)
    }

    /// Applies a fact of another customer about a subscription of this customer. It can end periods of this customer, and
    /// makes nothing owned.
    mutating func apply(elsewhere fact: Fact) {
        guard let origin = fact.origin else { return }
        var history = histories[origin.originalTransactionID] ?? SubscriptionHistory()
        switch fact {
        case .purchase(let purchase): history.add(SubscribedPeriod(purchase))
        case .revocation: history.addRevocation(of: origin.purchaseID, signed: origin.signedDate)
        case .reinstatement: history.addReinstatement(of: origin.purchaseID, signed: origin.signedDate)
        default: return
        }
        histories[origin.originalTransactionID] = history
    }

    /// Sets until when the periods before a period count, after the period was recorded.
    private mutating func settlePeriods(before origin: Fact.Origin, _ changed: inout [String]) {
        guard let history = histories[origin.originalTransactionID] else { return }
        for period in history.periods(before: origin.purchaseID) {
            let date = history.supersededDate(of: period)
            update(period.purchaseID, of: period.product, &changed) { $0.supersededDate = date }
        }
    }

    /// Sets the grace period of a subscription's latest period. Earlier periods have none: a grace period ends when the
    /// next period begins, whatever becomes of that period.
    private mutating func settleGracePeriod(of original: String, _ changed: inout [String]) {
        setGraceEnd(histories[original]?.graceEnd, of: original, &changed)
    }

    private mutating func setGraceEnd(_ end: Date?, of original: String, _ changed: inout [String]) {
        // Most subscriptions are never in a grace period, and the search for the source takes time.
        guard let history = histories[original], history.sourceGraceEnd != end, let latest = history.latest else {
            return
        }
        histories[original]?.sourceGraceEnd = end
        update(latest.purchaseID, of: latest.product, &changed) { $0.statedGraceEnd = end }
    }

    private mutating func apply(_ renewal: Fact.Renewal, _ changed: inout [String]) {
        let original = renewal.origin.originalTransactionID
        let before = histories[original]?.renewal?.terms.nextProduct
        guard histories[original, default: SubscriptionHistory()].add(renewal) else { return }
        let next = renewal.terms.nextProduct
        if let before, before != next { planned[before]?.remove(original) }
        if let next { planned[next, default: []].insert(original) }
        changed += Set([before, next].compactMap(\.self))
        settleGracePeriod(of: original, &changed)
        if let latest = histories[original]?.latest { addProducts(of: latest.purchaseID, latest.product, to: &changed) }
    }

    private mutating func add(_ source: EntitlementSource, _ changed: inout [String]) {
        if source.pass != nil { productsWithPasses.insert(source.product) }
        sources.update(source.product, default: []) { $0.append(source) }
        changed.append(source.product)
    }

    /// Adds an entitlement source for each product that a bundle contained when it was purchased and that, according to
    /// the catalog, the bundle no longer contains. Such products remain owned because of the purchase; products that
    /// the bundle still contains are owned through the bundle.
    ///
    /// - Returns: The products that the bundle no longer contains.
    @discardableResult
    mutating func addPurchasedContents(of bundle: EntitlementSource) -> [String] {
        let former = bundles.contents(bundle.contents, notIn: bundle.product)
        for identifier in former where identifier != bundle.product {
            purchasedContents.update(identifier, default: []) { $0.append(bundle.unlocking(identifier)) }
        }
        return former
    }

    /// Updates the entitlement sources of a purchase: those of the purchased product and, if it is a bundle, of the
    /// products that it contained at purchase time.
    private mutating func update(
        _ purchaseID: String, of product: String, _ changed: inout [String], _ body: (inout EntitlementSource) -> Void
    ) {
        guard sources[product] != nil else { return }
        func updateAll(_ sources: inout [EntitlementSource]) {
            for index in sources.indices where sources[index].purchaseID == purchaseID { body(&sources[index]) }
        }
        let first = changed.count
        addProducts(of: purchaseID, product, to: &changed)
        sources.update(product, default: []) { updateAll(&$0) }
        for product in changed[first...] where purchasedContents[product] != nil {
            purchasedContents.update(product, default: []) { updateAll(&$0) }
        }
    }

    mutating func insertTransitions(of product: String) {
        for source in sources(of: product) {
            for transition in futureTransitions(of: source) {
                transitions.insert(transition, at: transitions.partitioningIndex { $0.date <= transition.date })
            }
        }
    }

    /// Collects the dates at which any entitlement source ends or enters its grace period. Products that a bundle
    /// contained when it was purchased are included even if the catalog's bundle still contains them, because a later
    /// catalog may not.
    mutating func collectTransitions() {
        (transitions, latestPassedTransition) = ([], .distantPast)
        sources.forEach { _, sources in
            for source in sources where source.period != nil {
                transitions += futureTransitions(of: source)
                for product in source.contents { transitions += futureTransitions(of: source.unlocking(product)) }
            }
        }
        for product in planned.keys {
            for source in plannedSources(of: product) { transitions += futureTransitions(of: source) }
        }
        transitions.sort { $0.date > $1.date }
    }

    /// Returns the future dates at which an entitlement source ends or enters its grace period, and stores the latest
    /// past one.
    private mutating func futureTransitions(of source: EntitlementSource) -> [(date: Date, product: String)] {
        transitionDates(of: source).compactMap { date in
            guard date <= now else { return (date, source.product) }
            pass(date, of: [source])
            return nil
        }
    }

    /// Appends the products that are owned because of a purchase: the purchased product; for a bundle, the products
    /// that it contained at purchase time and no longer contains; and for a subscription, the product to which it
    /// renews.
    func addProducts(of purchaseID: String, _ product: String, to changed: inout [String]) {
        changed.append(product)
        guard let source = sources[product]?.first(where: { $0.purchaseID == purchaseID }) else { return }
        changed += source.contents.filter { purchasedContents[$0] != nil }
        if let next = source.subscription.flatMap({ histories[$0]?.renewal?.terms.nextProduct }), next != product {
            changed.append(next)
        }
    }

    mutating func lookAtAll() {
        var owned = bundles
        if catalog == nil { owned.reserveCapacity(sources.settledCount) }
        sources.forEach { product, sources in
            if sources.contains(where: { counts($0) }) { owned.add(product) }
        }
        purchasedContents.forEach { product, sources in
            if sources.contains(where: { counts($0) }) { owned.add(product) }
        }
        for product in planned.keys where plannedSources(of: product).contains(where: { counts($0) }) {
            owned.add(product)
        }
        owned.settle()
        bundles = owned
        unconfirmed = productsOfSubscriptions.filter(isUnconfirmed)
        lookThroughRules()
    }

    mutating func look(at product: String, _ changes: inout Changes) {
        changes.touched.insert(product)
        if isUnconfirmed(product) != unconfirmed.contains(product) {
            unconfirmed.formSymmetricDifference([product])
            lookThroughRules()
        }
        let change = bundles.set(product, isOwned: isOwnedByItself(product))
        Self.note(change.owned, in: &changes.newlyOwned, undoing: &changes.noLongerOwned)
        Self.note(change.notOwned, in: &changes.noLongerOwned, undoing: &changes.newlyOwned)
    }

    /// Adds products to the list of newly owned products, or to the list of products that are no longer owned. If a
    /// product is in the other list, it is removed from that list instead, because a change and its reversal cancel
    /// out.
    private static func note(_ products: [String], in list: inout [String], undoing other: inout [String]) {
        guard !products.isEmpty else { return }
        let undone = other.isEmpty ? [] : Set(products).intersection(other)
        if !undone.isEmpty { other.removeAll(where: undone.contains) }
        list += undone.isEmpty ? products : products.filter { !undone.contains($0) }
    }

    private func isOwnedByItself(_ product: String) -> Bool {
        (sources[product]?.contains { counts($0) } ?? false)
            || (purchasedContents[product]?.contains { counts($0) } ?? false)
            || plannedSources(of: product).contains { counts($0) }
    }

    /// Determines the products whose grandfathering rules have no result yet, and the products with an unconfirmed
    /// renewal. A rule that grants its product has no result until the grant is recorded.
    mutating func lookThroughRules() {
        guard let catalog else { return }
        let open = catalog.products.indices.filter { index in
            // Most products have no rule, and copying a product is expensive.
            guard !catalog.products[index].grandfathered.isEmpty else { return false }
            let product = catalog.products[index]
            return product.isGrandfathered
                && !grants.contains(product.grandfatheringToken)
                && appPurchase.map { product.grandfathered.answer(for: $0.original) } != .no
        }
        bundles.setUndecided(open + unconfirmed.compactMap { catalog.index(of: $0) })
    }
}

extension Fact.Counterpart {
    /// Returns `true` if this record of a fact comes before another record of the same fact.
    fileprivate func isBefore(_ other: Fact.Counterpart) -> Bool {
        precedence.isBefore(other.precedence)
            ?? ((expirationDate ?? .distantFuture) < (other.expirationDate ?? .distantFuture))
    }

    /// The ledger's own record is no counterpart, so that it does not matter whose ledger it is.
    private var precedence: FactPrecedence { FactPrecedence(device: device, isServer: false, moment: moment) }
}

extension Fact {
    /// `true` if the fact may change the result of the catalog's grandfathering rules.
    var decidesRules: Bool {
        switch self {
        case .appPurchase: true
        case .grant(let grant): grant.isGrandfathering
        default: false
        }
    }
}

extension Array {
    /// Returns the index of the first element for which a condition holds. The array must be partitioned: the condition
    /// also holds for all elements after that one.
    fileprivate func partitioningIndex(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
