package import Foundation
internal import VitrineCatalog
internal import VitrineSupport

/// Validation of facts before they are recorded, shared by every ledger regardless of its storage.
///
/// Signed data of the store about a purchase applies in the order of the signing dates: a transaction signed before a
/// refund does not reinstate the purchase, but one that was signed after it and contains no revocation does. Of two
/// revocations, the one signed later determines the refunded part and the date. Of data with the same signing date, the
/// data that takes more applies. If signed data agrees with the recorded facts, only its signing date is stored, so that
/// data that was signed earlier and arrives later does not apply.
package struct LedgerRules<Recorded: RecordedFacts> {
    package let recorded: Recorded
    private var balances: [String: Int] = [:]
    private var acceptedFacts: [FactKey: Int] = [:]
    private var acceptedRevocationStates: [String: RevocationState] = [:]
    /// Most recently read revocation state. It is cached, because the rules need it twice for a purchase with a credit.
    private var readRevocationState: (purchaseID: String, state: RevocationState?)?
    private(set) var acceptedTerms: [String: Fact.Term] = [:]
    private(set) var acceptedRenewals: [String: Fact.Renewal] = [:]
    /// Receipts that are not recorded yet, by their digests. A receipt is recorded together with the first fact that was read from it.
    private var receipts: [String: DatedFact] = [:]
    /// Accepted facts that are to be recorded, in order.
    package private(set) var accepted: [AcceptedFact] = []
    /// Signing dates of store data that is not recorded, because it agrees with the recorded facts, by purchase ID.
    package internal(set) var statements: [String: Date] = [:]
    private(set) var date = Date.distantPast
    /// Identifier of the device whose fact is checked; `nil` for this device.
    private var device: String?
    /// `true` for the ledger of a customer at the app's server.
    let isServer: Bool

    /// - Parameter isServer: `true` for the ledger of a customer at the app's server, whose own facts are those that
    ///   the server has decided.
    package init(_ recorded: Recorded, isServer: Bool = false) {
        self.recorded = recorded
        self.isServer = isServer
    }

    /// Accepts a fact, unless it is already known or outdated.
    ///
    /// - Throws: ``LedgerError`` for a fact that must not be recorded, and any error thrown by reading the ledger.
    package mutating func check(_ dated: DatedFact) throws {
        let fact = dated.fact
        begin(at: dated.date)
        try checkNames(of: fact)
        if let last = dated.decidedAfter, try hasGrantOrLock(of: fact.product, after: last) { return }
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
            guard purchase.mayCreditUnits else {
                throw invalid("the credit is for \(purchase.productIdentifier), whose purchase credits nothing")
            }
            if try isCredited(purchase) { try accept(fact) }
        case .deposit(let deposit):
            guard try isNew(fact) else { return }
            try check(amount: deposit.amount, of: fact)
            try accept(fact)
        case .debit(let debit):
            guard try isNew(fact) else { return }
            try check(amount: debit.amount, of: fact)
            if dated.requiresLease { try checkLease(of: debit) }
            let balance = try balance(of: debit.wallet)
            guard debit.amount <= balance else { throw LedgerError.insufficientFunds(debit, balance: balance) }
            let reserved = try unitsLeased(by: .others, of: debit.wallet)
            guard debit.amount <= balance.subtractingSaturated(reserved) else {
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

    /// Returns `true` if a grant or lock of a product is recorded after an entry.
    private func hasGrantOrLock(of product: String?, after sequence: Int64) throws -> Bool {
        try recorded.entries(after: sequence).contains {
            [.grant, .lock].contains($0.fact.kind) && $0.fact.product == product
        }
    }

    /// Checks the number of units of a deposit or debit. What the server decides must be valid for the devices that
    /// receive it, and for the customer into which its customer is merged.
    private func check(amount: Int, of fact: Fact) throws {
        guard amount > 0 else {
            throw invalid("the amount of a \(fact.kind.rawValue) must be above zero, not \(amount)")
        }
        guard !isServer || amount <= WalletAmount.largest else {
            throw invalid(
                "the amount of a \(fact.kind.rawValue) must be at most \(WalletAmount.largest), not \(amount)")
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

    /// Returns `true` if the purchase of a credit was accepted as new in the same call, and has no credit yet. The
    /// ledger need not be searched for the credit in this case, because it contains no credit without its purchase.
    private func isFirstOfNewPurchase(_ credit: Fact.Credit) -> Bool {
        acceptedFacts[FactKey(kind: .purchase, key: credit.purchaseID)] != nil
            && acceptedFacts[FactKey(kind: .credit, key: credit.purchaseID)] == nil
    }

    /// Returns `true` if the units of a purchase are to be credited: the purchase is new to the ledger, or is a period
    /// of a subscription, which may be recorded before it is delivered; and its units are not contained in the sums of
    /// another device. If the purchase is revoked, another ledger is assumed to have credited it, unless a note states
    /// that it was not delivered.
    private mutating func isCredited(_ purchase: Fact.Purchase) throws -> Bool {
        let purchaseID = purchase.origin.purchaseID
        guard
            purchase.kind == .autoRenewableSubscription
                || acceptedFacts[FactKey(kind: .purchase, key: purchaseID)] != nil
        else { return false }
        guard try known(.deposit, Fact.Deposit.tokenOfCreditElsewhere(purchaseID)) == nil else { return false }
        guard try revocationState(of: purchaseID) != nil else { return true }
        return try known(.note, Fact.Note.undelivered(purchaseID).token) != nil
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
        case .revocation(let revocation): try setRevocationState(of: revocation.origin.purchaseID, after: fact)
        case .reinstatement(let reinstatement): try setRevocationState(of: reinstatement.origin.purchaseID, after: fact)
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
    /// - Throws: ``LedgerError`` `conflict` if a different fact is recorded under the key; at the server also if the fact
    ///   is only what a device has reported, because the server has then decided nothing.
    private func isNew(_ fact: Fact) throws -> Bool {
        guard let known = try knownEntry(fact.kind, fact.key) else { return true }
        guard !fact.contradicts(known.fact) else { throw LedgerError.conflict(fact) }
        guard !isServer || precedence(known.device, known.moment).isOfServer else {
            throw LedgerError(
                code: .conflict,
                reason: "a device has reported a \(fact.kind.rawValue) under the identifier \"\(fact.key)\" that it "
                    + "recorded itself; the server decides under another identifier")
        }
        return false
    }

    /// Returns the precedence of a record that a device has made at a moment.
    func precedence(_ device: String?, _ moment: Date) -> FactPrecedence {
        FactPrecedence(device: device, isServer: isServer, moment: moment)
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

    private mutating func setRevocationState(of purchaseID: String, after fact: Fact) throws {
        acceptedRevocationStates[purchaseID] = RevocationState(fact, after: try revocationState(of: purchaseID))
    }

    mutating func revocationState(of purchaseID: String) throws -> RevocationState? {
        if let accepted = acceptedRevocationStates[purchaseID] { return accepted }
        if let readRevocationState, readRevocationState.purchaseID == purchaseID { return readRevocationState.state }
        let state = try recorded.revocationState(of: purchaseID)
        readRevocationState = (purchaseID, state)
        return state
    }

    /// Returns the balance of a wallet after the accepted facts.
    package func balance(of wallet: String) throws -> Int {
        try balances[wallet] ?? recorded.balance(of: wallet)
    }

    func invalid(_ reason: String) -> LedgerError { LedgerError(code: .invalidFact, reason: reason) }
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
package struct FactKey: Hashable {
    let kind: Fact.Kind
    let key: String

    package init(kind: Fact.Kind, key: String) { (self.kind, self.key) = (kind, key) }

    package init(_ fact: Fact) { self.init(kind: fact.kind, key: fact.key) }
}
