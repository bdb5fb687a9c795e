package import Foundation
internal import VitrineCatalog
internal import VitrineSupport

/// Read access to the recorded facts, for the validation of new facts.
package protocol RecordedFacts {
    func balance(of wallet: String) throws -> Int

    /// Returns the entry of the recorded fact with a kind and key; `nil` if none is recorded.
    func entry(of kind: Fact.Kind, key: String) throws -> LedgerEntry?

    /// Returns the latest revocation of a purchase by another device's record, if it has a later date than this
    /// ledger's revocation; `nil` if there is none.
    func counterpart(ofRevocation purchaseID: String) throws -> Fact.Counterpart?

    /// Returns all entries that belong to a wallet.
    func entries(ofWallet wallet: String) throws -> [LedgerEntry]

    /// Returns the entries of all leases of units of a wallet.
    func leases(ofWallet wallet: String) throws -> [LedgerEntry]

    /// Returns the last revocation or reinstatement of a purchase; `nil` if none is recorded.
    func revocationState(of purchaseID: String) throws -> Fact?

    /// Returns the last recorded change of a subscription period (extension or upgrade); `nil` if none is
    /// recorded.
    func term(of purchaseID: String) throws -> Fact.Term?

    /// Returns the last recorded renewal data of a subscription; `nil` if none is recorded.
    ///
    /// - Parameter subscription: The subscription's first transaction.
    func renewal(of subscription: String) throws -> Fact.Renewal?

    /// Returns the latest signing date of store data about a purchase that was not recorded, because it agreed with the
    /// recorded facts; `nil` if there is no such data.
    func latestStatement(of purchaseID: String) throws -> Date?
}

/// Validation of facts before they are recorded, shared by every ledger regardless of its storage.
///
/// Signed data of the store about a purchase applies in the order of the signing dates: a transaction signed before a
/// refund does not reinstate the purchase, but one that was signed after it and contains no revocation does. If signed
/// data agrees with the recorded facts, only its signing date is stored, so that data that was signed earlier and
/// arrives later does not apply.
package struct LedgerRules<Recorded: RecordedFacts> {
    package let recorded: Recorded
    private var balances: [String: Int] = [:]
    private var acceptedFacts: [FactKey: Int] = [:]
    private var acceptedRevocationStates: [String: Fact] = [:]
    /// Most recently read revocation state. It is cached, because the rules need it twice for a purchase with a credit.
    private var readRevocationState: (purchaseID: String, state: Fact?)?
    private var acceptedTerms: [String: Fact.Term] = [:]
    private var acceptedRenewals: [String: Fact.Renewal] = [:]
    /// Receipts that are not recorded yet, by their digests. A receipt is recorded together with the first fact that was read from it.
    private var receipts: [String: DatedFact] = [:]
    /// Accepted facts that are to be recorded, in order.
    package private(set) var accepted: [AcceptedFact] = []
    /// Signing dates of store data that is not recorded, because it agrees with the recorded facts, by purchase ID.
    package private(set) var statements: [String: Date] = [:]
    private(set) var date = Date.distantPast
    /// Identifier of the device whose fact is checked; `nil` for this device.
    private var device: String?

    package init(_ recorded: Recorded) { self.recorded = recorded }

    /// Accepts a fact, unless it is already known or outdated.
    ///
    /// - Throws: ``LedgerError`` for a fact that must not be recorded, and any error thrown by reading the ledger.
    package mutating func check(_ dated: DatedFact) throws {
        let fact = dated.fact
        begin(at: dated.date)
        try checkNames(of: fact)
        switch fact {
        case .purchase(let purchase): try check(purchase)
        case .term(let term): try check(term)
        case .renewal(let renewal): try check(renewal)
        case .revocation(let revocation): try check(revocation)
        case .reinstatement(let reinstatement):
            guard try known(.reinstatement, fact.key) == nil else { return }
            try reinstate(reinstatement.origin)
        case .credit(let credit):
            guard try isFirstOfNewPurchase(credit) || isNew(fact) else { return }
            guard credit.amount > 0 else {
                throw invalid("the amount of a credit must be above zero, not \(credit.amount)")
            }
            guard case .purchase(let purchase) = try known(.purchase, credit.purchaseID) else {
                throw invalid("the purchase of the credit is not recorded")
            }
            guard purchase.kind == .consumable else {
                throw invalid("the credit is for \(purchase.productIdentifier), which is not a consumable")
            }
            if try isCredited(credit.purchaseID) { try accept(fact) }
        case .deposit(let deposit):
            guard try isNew(fact) else { return }
            guard deposit.amount > 0 else {
                throw invalid("the amount of a deposit must be above zero, not \(deposit.amount)")
            }
            try accept(fact)
        case .debit(let debit):
            guard try isNew(fact) else { return }
            guard debit.amount > 0 else {
                throw invalid("the amount of a debit must be above zero, not \(debit.amount)")
            }
            if dated.requiresLease { try checkLease(of: debit) }
            let balance = try balance(of: debit.wallet)
            guard debit.amount <= balance else { throw LedgerError.insufficientFunds(debit, balance: balance) }
            let reserved = try unitsLeased(by: .others, of: debit.wallet)
            guard debit.amount <= balance - reserved else {
                throw LedgerError.insufficientFunds(debit, balance: balance, reserved: reserved)
            }
            try accept(fact)
        case .lease(let lease):
            if let known = try knownEntry(.lease, lease.token) {
                guard known.device == nil, known.fact == fact else { throw LedgerError.conflict(fact) }
            } else {
                try check(lease)
                try accept(fact)
            }
        case .release(let release):
            guard let lease = try knownEntry(.lease, release.token), lease.device == nil else {
                throw invalid("this device has no lease \"\(release.token)\"")
            }
            if try isNew(fact) { try accept(fact) }
        case .receipt(let receipt): add(receipt, at: dated.date)
        case .content(let content):
            guard content.digest.map(\.isDigest) != false else {
                throw invalid("the digest of the content is not a SHA-256 digest")
            }
            if try isNew(fact) { try accept(fact) }
        default: if try isNew(fact) { try accept(fact) }
        }
    }

    /// Starts the validation of a fact of this device.
    mutating func begin(at date: Date) { (self.date, device) = (date, nil) }

    /// Starts the validation of a fact of another device.
    mutating func begin(_ exchanged: ExchangedFact) { (date, device) = (exchanged.moment, exchanged.device) }

    func checkNames(of fact: Fact) throws {
        guard !fact.key.isEmpty else {
            throw invalid("the \(fact.kind.rawValue) lacks the transaction or token that identifies it")
        }
        guard fact.names.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(0) }) else {
            throw invalid("the \(fact.kind.rawValue) has a name that is empty or contains the character U+0000")
        }
    }

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
        if case .revocation(let revocation) = try revocationState(of: origin.purchaseID) {
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
            // The subscription's first transaction has the same identifier, and dates of its own.
            let name = "renewal \(subscription)"
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
            let state = try revocationState(of: renewal.origin.transactionID)?.origin
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
        let latest = try latestStatement(of: revocation.origin.purchaseID)
        switch try revocationState(of: revocation.origin.purchaseID) {
        case .revocation(let earlier)?:
            guard earlier.productIdentifier == revocation.productIdentifier else {
                throw LedgerError.conflict(.revocation(earlier))
            }
            return try note(revocation.origin, since: earlier.origin)
        case .reinstatement(let later)? where later.origin.signedDate >= revocation.origin.signedDate: return
        default: guard latest <= revocation.origin.signedDate else { return }
        }
        var revocation = revocation
        revocation.debited = try unitsDebited(by: revocation)
        try accept(.revocation(revocation))
    }

    /// Returns the units that a revocation removes from the wallet of its purchase, according to the refund policy of
    /// the credit.
    private func unitsDebited(by revocation: Fact.Revocation) throws -> WalletAmount? {
        guard case .credit(let credit) = try known(.credit, revocation.origin.purchaseID) else { return nil }
        let amount = revocation.units(
            ofCredit: credit.amount, credit.refundPolicy, from: try balance(of: credit.wallet))
        return amount > 0 ? WalletAmount(wallet: credit.wallet, amount: amount) : nil
    }

    mutating func reinstate(_ origin: Fact.Origin) throws {
        guard case .revocation(let revocation) = try revocationState(of: origin.purchaseID),
            origin.signedDate > max(revocation.origin.signedDate, try latestStatement(of: origin.purchaseID))
        else { return }
        guard revocation.productIdentifier == origin.productIdentifier else {
            throw LedgerError.conflict(.revocation(revocation))
        }
        try accept(.reinstatement(Fact.Reinstatement(origin: origin, credited: revocation.debited)))
    }

    /// Returns `true` if the purchase of a credit was accepted as new in the same call, and has no credit yet. The
    /// ledger need not be searched for the credit in this case, because it contains no credit without its purchase.
    private func isFirstOfNewPurchase(_ credit: Fact.Credit) -> Bool {
        acceptedFacts[FactKey(kind: .purchase, key: credit.purchaseID)] != nil
            && acceptedFacts[FactKey(kind: .credit, key: credit.purchaseID)] == nil
    }

    /// Returns `true` if the units of a purchase are to be credited: the purchase is new to the ledger, and its units
    /// are not contained in the sums of another device. If the purchase is revoked, another ledger is assumed to have
    /// credited it, unless a note states that it was not delivered.
    private mutating func isCredited(_ purchaseID: String) throws -> Bool {
        guard acceptedFacts[FactKey(kind: .purchase, key: purchaseID)] != nil else { return false }
        guard try known(.deposit, Fact.Deposit.tokenOfCreditElsewhere(purchaseID)) == nil else { return false }
        guard try revocationState(of: purchaseID) != nil else { return true }
        return try known(.note, Fact.Note.undelivered(purchaseID).token) != nil
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

    mutating func accept(_ fact: Fact) throws {
        if let digest = fact.receiptDigest { try acceptReceipt(digest) }
        var after: Int?
        if let wallet = fact.wallet {
            let change = fact.walletChange?.amount ?? 0
            let (balance, overflows) = try balance(of: wallet).addingReportingOverflow(change)
            guard !overflows else { throw invalid("the balance of the wallet \"\(wallet)\" would exceed 64 bits") }
            balances[wallet] = balance
            after = balance
        }
        acceptedFacts[FactKey(kind: fact.kind, key: fact.key)] = accepted.count
        switch fact {
        case .revocation(let revocation): acceptedRevocationStates[revocation.origin.purchaseID] = fact
        case .reinstatement(let reinstatement): acceptedRevocationStates[reinstatement.origin.purchaseID] = fact
        case .term(let term): acceptedTerms[term.origin.purchaseID] = term
        case .renewal(let renewal): acceptedRenewals[renewal.origin.purchaseID] = renewal
        default: break
        }
        accepted.append(AcceptedFact(fact: fact, date: date, device: fact.recordingDevice ?? device, balance: after))
    }

    /// Accepts the receipt with a digest, which is recorded before the first new fact from it.
    private mutating func acceptReceipt(_ digest: String) throws {
        guard try known(.receipt, digest) == nil else { return }
        guard let receipt = receipts[digest] else {
            throw invalid("a fact was read from a receipt that is not recorded with it")
        }
        acceptedFacts[FactKey(kind: .receipt, key: digest)] = accepted.count
        accepted.append(AcceptedFact(fact: receipt.fact, date: receipt.date, device: device, balance: nil))
    }

    /// Returns `true` if no fact with the same kind and key is known.
    ///
    /// - Throws: ``LedgerError`` `conflict` if a different fact is recorded under the key.
    private func isNew(_ fact: Fact) throws -> Bool {
        guard let known = try known(fact.kind, fact.key) else { return true }
        guard !fact.contradicts(known) else { throw LedgerError.conflict(fact) }
        return false
    }

    func known(_ kind: Fact.Kind, _ key: String) throws -> Fact? {
        if let index = acceptedFacts[FactKey(kind: kind, key: key)] { return accepted[index].fact }
        return try recorded.entry(of: kind, key: key)?.fact
    }

    func knownEntry(_ kind: Fact.Kind, _ key: String) throws -> (fact: Fact, moment: Date, device: String?)? {
        if let index = acceptedFacts[FactKey(kind: kind, key: key)] {
            return (accepted[index].fact, accepted[index].date, accepted[index].device)
        }
        return try recorded.entry(of: kind, key: key).map { ($0.fact, $0.moment, $0.device) }
    }

    /// Adds a receipt. It is recorded together with the first new fact from it.
    mutating func add(_ receipt: Fact.Receipt, at date: Date) {
        receipts[receipt.digest] = DatedFact(fact: .receipt(receipt), date: date)
    }

    mutating func revocationState(of purchaseID: String) throws -> Fact? {
        if let accepted = acceptedRevocationStates[purchaseID] { return accepted }
        if let readRevocationState, readRevocationState.purchaseID == purchaseID { return readRevocationState.state }
        let state = try recorded.revocationState(of: purchaseID)
        readRevocationState = (purchaseID, state)
        return state
    }

    private func lastTerm(of purchaseID: String) throws -> Fact.Term? {
        try acceptedTerms[purchaseID] ?? recorded.term(of: purchaseID)
    }

    func balance(of wallet: String) throws -> Int {
        try balances[wallet] ?? recorded.balance(of: wallet)
    }

    func invalid(_ reason: String) -> LedgerError { LedgerError(code: .invalidFact, reason: reason) }
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
    /// Texts in the fact that must neither be empty nor contain U+0000: its key, its product, and its wallet or
    /// content.
    fileprivate var names: [String] {
        switch self {
        case .grant(let grant): [key, grant.productIdentifier]
        case .lock(let lock): [key, lock.productIdentifier]
        case .credit(let credit): [key, credit.productIdentifier, credit.wallet]
        case .deposit(let deposit): [key, deposit.wallet]
        case .debit(let debit): [key, debit.wallet]
        case .lease(let lease): [key, lease.wallet]
        case .content(let content): [key, content.productIdentifier, content.version, content.path]
        default: [key] + (origin.map { [$0.productIdentifier] } ?? [])
        }
    }

    /// Identifier of the device whose record a counterpart describes; `nil` for other facts.
    fileprivate var recordingDevice: String? {
        if case .counterpart(let counterpart) = self { counterpart.device } else { nil }
    }
}

extension String {
    /// `true` if the string is a SHA-256 digest in 64 lowercase hexadecimal digits.
    fileprivate var isDigest: Bool {
        utf8.count == 64 && utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
}

/// Accepted fact that is to be recorded.
package struct AcceptedFact {
    package let fact: Fact
    package let date: Date
    /// Identifier of the device that has recorded the fact; `nil` for this device.
    package let device: String?
    /// Balance of the wallet after the fact is recorded; `nil` for a fact that changes no wallet.
    package let balance: Int?
}

/// Unique key of a fact in a ledger.
struct FactKey: Hashable {
    let kind: Fact.Kind
    let key: String
}
