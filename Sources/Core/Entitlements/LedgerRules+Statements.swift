internal import Foundation
internal import VitrineCatalog

/// Validation of what the store has signed about purchases: of contradictory statements, the one signed later applies.
extension LedgerRules {
    mutating func check(_ purchase: Fact.Purchase) throws {
        guard purchase.quantity > 0 else {
            throw invalid("the quantity of a purchase must be above zero, not \(purchase.quantity)")
        }
        let origin = purchase.origin
        guard origin.receiptDigest == nil || purchase.kind != .consumable else {
            throw invalid("the consumable \(purchase.productIdentifier) cannot be recorded from a receipt")
        }
        let earlier = try known(.purchase, origin.purchaseID)
        if let earlier, earlier.contradicts(.purchase(purchase)) { throw LedgerError.conflict(earlier) }
        if let revocation = try revocationState(of: origin.purchaseID)?.revocation {
            let latest = max(revocation.origin.signedDate, try latestStatement(of: origin.purchaseID))
            guard origin.signedDate > latest else { throw LedgerError.revoked(revocation.origin.transactionID) }
            try reinstate(origin)
        }
        guard case .purchase(let earlier) = earlier else { return try accept(.purchase(purchase)) }
        let isOutdated = origin.signedDate < (try latestStatement(of: origin.purchaseID))
        try note(origin, since: earlier.origin)
        // For other types of subscriptions, the catalog has determined the period at the time of the purchase.
        guard !isOutdated, purchase.kind == .autoRenewableSubscription, var period = purchase.period,
            let first = earlier.period
        else { return }
        let last = try lastTerm(of: origin.purchaseID)?.period ?? first
        if origin.receiptDigest != nil { period.retainFieldsMissingInReceipts(of: last) }
        // A receipt may be older than later transactions that are not recorded because they changed nothing.
        if origin.receiptDigest != nil, period.end < last.end { return }
        try check(Fact.Term(origin: origin, period: period))
    }

    /// Checks a term, which changes a subscription period. It is accepted if the period differs from the current one,
    /// and if the term was signed after the last term and not before the purchase.
    mutating func check(_ term: Fact.Term) throws {
        guard case .purchase(let purchase) = try known(.purchase, term.origin.purchaseID), let first = purchase.period
        else { throw invalid("the purchase of the subscription that the term is about is not recorded") }
        guard purchase.productIdentifier == term.origin.productIdentifier else {
            throw LedgerError.conflict(.purchase(purchase))
        }
        let last = try lastTerm(of: term.origin.purchaseID)
        let isLater =
            last.map { term.origin.signedDate > $0.origin.signedDate }
            ?? (term.origin.signedDate >= purchase.origin.signedDate)
        let period = last?.period ?? first
        guard isLater, term.origin.signedDate >= (try latestStatement(of: term.origin.purchaseID)) else { return }
        if term.period != period { try accept(.term(term)) }
    }

    /// Checks renewal data of a subscription. It is accepted if it was signed after the last renewal data and differs
    /// from it.
    ///
    /// - Parameter isAgreeing: `true` to accept later renewal data even if it agrees with the last, so that data that
    ///   was signed earlier and arrives afterwards does not apply.
    mutating func check(_ renewal: Fact.Renewal, acceptsAgreeing isAgreeing: Bool = false) throws {
        let subscription = renewal.origin.purchaseID
        guard subscription == renewal.origin.originalTransactionID else {
            throw invalid("the purchase of a renewal must be the first transaction of the subscription")
        }
        if let last = try acceptedRenewals[subscription] ?? recorded.renewal(of: subscription) {
            let name = Fact.renewal(renewal).statementName ?? subscription
            let (date, latest) = (renewal.origin.signedDate, try latestStatement(of: name))
            guard date > last.origin.signedDate, date >= latest else { return }
            guard
                try isAgreeing || !renewal.agrees(with: last) || isOfUnknownPeriod(renewal, after: last)
                    || isRevoked(renewal, after: last)
            else {
                statements[name] = date
                return
            }
        }
        try accept(.renewal(renewal))
    }

    /// Returns `true` if renewal data belongs to another period than the previous renewal data, and the other period is
    /// not recorded, because the store has revoked it. The renewal data then implies that the previous period is over.
    private func isOfUnknownPeriod(_ renewal: Fact.Renewal, after last: Fact.Renewal) throws -> Bool {
        let period = renewal.origin.transactionID
        return try period != last.origin.transactionID && known(.purchase, period) == nil
    }

    /// Returns `true` if the period of renewal data has been revoked since the previous renewal data. A revocation ends
    /// a grace period, which the renewal data may state again.
    private mutating func isRevoked(_ renewal: Fact.Renewal, after last: Fact.Renewal) throws -> Bool {
        guard renewal.terms.gracePeriodExpirationDate != nil,
            let state = try revocationState(of: renewal.origin.transactionID)?.last.origin
        else { return false }
        return state.signedDate > last.origin.signedDate
    }

    mutating func check(_ revocation: Fact.Revocation) throws {
        if case .purchase(let purchase) = try known(.purchase, revocation.origin.purchaseID) {
            guard purchase.productIdentifier == revocation.productIdentifier else {
                throw LedgerError.conflict(.purchase(purchase))
            }
            guard purchase.origin.signedDate <= revocation.origin.signedDate else { return }
        }
        switch try revocationState(of: revocation.origin.purchaseID)?.last {
        case .revocation(let earlier)?:
            guard earlier.productIdentifier == revocation.productIdentifier else {
                throw LedgerError.conflict(.revocation(earlier))
            }
            // A receipt does not contain the refunded part, and its dates have no fractions of seconds.
            guard !revocation.agrees(with: earlier), revocation.origin.receiptDigest == nil else {
                return try note(revocation.origin, since: earlier.origin)
            }
            // A later statement that agrees with the recorded revocation is not recorded, and counts all the same.
            let latest = max(earlier.origin.signedDate, try latestStatement(of: revocation.origin.purchaseID))
            guard
                revocation.origin.signedDate > latest
                    || revocation.origin.signedDate == latest && revocation.takesMore(than: earlier)
            else { return }
        case .reinstatement(let later)? where later.origin.signedDate > revocation.origin.signedDate: return
        default:
            guard try latestStatement(of: revocation.origin.purchaseID) <= revocation.origin.signedDate else { return }
        }
        var revocation = revocation
        revocation.debited = try unitsDebited(by: revocation)
        try accept(.revocation(revocation))
    }

    /// Returns the units that a revocation removes from the wallet of its purchase, according to the refund policy of
    /// the credit.
    private mutating func unitsDebited(by revocation: Fact.Revocation) throws -> WalletAmount? {
        guard case .credit(let credit) = try known(.credit, revocation.origin.purchaseID) else { return nil }
        let earlier = try revocationState(of: revocation.origin.purchaseID)
        return revocation.debit(of: credit, from: try balance(of: credit.wallet), after: earlier)
    }

    mutating func reinstate(_ origin: Fact.Origin) throws {
        guard let state = try revocationState(of: origin.purchaseID), let revocation = state.revocation,
            origin.signedDate > max(revocation.origin.signedDate, try latestStatement(of: origin.purchaseID))
        else { return }
        guard revocation.productIdentifier == origin.productIdentifier else {
            throw LedgerError.conflict(.revocation(revocation))
        }
        try accept(.reinstatement(Fact.Reinstatement(origin: origin, credited: state.debited)))
    }

    /// Stores the signing date of store data that agrees with earlier data, if the date is later.
    private mutating func note(_ origin: Fact.Origin, since earlier: Fact.Origin) throws {
        if origin.signedDate > earlier.signedDate { try note(origin) }
    }

    /// Stores the signing date of store data that agrees with the recorded facts.
    mutating func note(_ origin: Fact.Origin) throws {
        guard origin.signedDate > (try latestStatement(of: origin.purchaseID)) else { return }
        statements[origin.purchaseID] = origin.signedDate
    }

    func latestStatement(of purchaseID: String) throws -> Date {
        try statements[purchaseID] ?? recorded.latestStatement(of: purchaseID) ?? .distantPast
    }

    private func lastTerm(of purchaseID: String) throws -> Fact.Term? {
        try acceptedTerms[purchaseID] ?? recorded.term(of: purchaseID)
    }
}

extension Fact.Period {
    /// Restores values of the last recorded period that a receipt does not contain: fractions of seconds, and the flag
    /// of an upgrade to a better subscription.
    fileprivate mutating func retainFieldsMissingInReceipts(of last: Fact.Period) {
        isUpgraded = last.isUpgraded
        if expirationDate.timeIntervalSince1970 == last.expirationDate.timeIntervalSince1970.rounded(.down) {
            expirationDate = last.expirationDate
        }
    }
}

extension Fact {
    /// Name under which a ledger stores the date of the last signed data of the store about the fact; `nil` for a fact
    /// without signed data. Renewal data has the identifier of the subscription's first transaction, and dates of its own.
    package var statementName: String? {
        origin.map { kind == .renewal ? "renewal \($0.purchaseID)" : $0.purchaseID }
    }
}
