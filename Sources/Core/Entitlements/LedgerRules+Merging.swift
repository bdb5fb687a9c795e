package import Foundation
internal import VitrineCatalog
internal import VitrineSupport

// MARK: - Facts of other devices

extension LedgerRules {
    /// Validates facts of other devices, and accepts the valid ones and adjustments of balances for recording, as
    /// ``Ledger/merge(_:adjusting:overdrafts:at:)`` describes.
    ///
    /// - Returns: Problems by the index of the affected fact.
    /// - Throws: Errors of reading the ledger.
    package mutating func merge(
        _ facts: [ExchangedFact], adjusting wallets: Set<String>, overdrafts policy: OverdraftPolicy?, at date: Date
    ) throws -> [Int: MergeProblem] {
        var problems: [Int: MergeProblem] = [:]
        // In the order of their moments, facts follow those that they refer to.
        let order = facts.indices.sorted { (facts[$0].moment, $0) < (facts[$1].moment, $1) }
        for index in order { problems[index] = try merge(facts[index]) }
        if let policy { try adjust(wallets, overdrafts: policy, at: date) }
        return problems
    }

    /// Accepts a fact of another device, unless the fact is already known or outdated.
    ///
    /// - Returns: The reason why the fact is not accepted, or accepted with changes; `nil` if it is accepted or known.
    /// - Throws: Errors of reading the ledger.
    private mutating func merge(_ exchanged: ExchangedFact) throws -> MergeProblem? {
        begin(exchanged)
        do {
            try checkNames(of: exchanged.fact)
            return try mergeChecked(exchanged)
        } catch let error as LedgerError {
            switch error.code {
            case .invalidFact: return .invalid(error.reason)
            case .conflict: return .contradiction(error.reason)
            default: throw error
            }
        }
    }

    private mutating func mergeChecked(_ exchanged: ExchangedFact) throws -> MergeProblem? {
        if let digest = exchanged.fact.receiptDigest, try known(.receipt, digest) == nil {
            return .waiting("the receipt from which it was read is not recorded yet")
        }
        if let amount = exchanged.fact.positiveAmount, !(1...WalletAmount.largest).contains(amount) {
            return .invalid(
                "the amount of a \(exchanged.fact.kind.rawValue) must be above zero, and at most "
                    + "\(WalletAmount.largest)")
        }
        switch exchanged.fact {
        case .purchase(let purchase): try merge(purchase, exchanged)
        case .term(let term):
            guard try known(.purchase, term.origin.purchaseID) != nil else { return Self.waiting(exchanged.fact) }
            // A term that was signed after a revocation says that the purchase is valid again.
            try reinstate(term.origin)
            try check(term)
            // A known period is not recorded as a term. Its signing date is stored, so that terms that arrive
            // afterwards and were signed earlier do not apply.
            try note(term.origin)
        case .renewal(let renewal): try check(renewal, acceptsAgreeing: true)
        case .revocation(let revocation): try check(revocation)
        case .reinstatement(let reinstatement): try merge(reinstatement)
        case .credit(let credit):
            guard case .purchase(let purchase) = try known(.purchase, credit.purchaseID) else {
                return Self.waiting(exchanged.fact)
            }
            guard purchase.mayCreditUnits, purchase.productIdentifier == credit.productIdentifier else {
                return .invalid("the credit is for \(credit.productIdentifier), which the purchase does not credit")
            }
            return try acceptOrCompare(exchanged)
        case .deposit(let deposit):
            if let purchaseID = deposit.purchaseCreditedElsewhere, try known(.credit, purchaseID) != nil { return nil }
            return try acceptOrCompare(exchanged)
        case .release(let release):
            if let lease = try knownEntry(.lease, release.token), lease.device != exchanged.device,
                precedence(lease.device, lease.moment).isOfServer
            {
                return .invalid("only the device that has the lease \"\(release.token)\" of the server can release it")
            }
            return try acceptOrCompare(exchanged)
        case .debit, .lease, .grant, .lock: return try acceptOrCompare(exchanged)
        case .receipt: if try known(.receipt, exchanged.fact.key) == nil { try accept(exchanged.fact) }
        case .appPurchase, .content, .loss, .settlement, .note, .counterpart, .adjustment:
            return .invalid("a \(exchanged.fact.kind.rawValue) is about the device that records it")
        }
        return nil
    }

    /// Accepts a purchase of another device. A revoked purchase is accepted too, so that its credit is recorded as on
    /// the other device.
    private mutating func merge(_ purchase: Fact.Purchase, _ exchanged: ExchangedFact) throws {
        let origin = purchase.origin
        if let revocation = try revocationState(of: origin.purchaseID)?.revocation,
            origin.signedDate <= max(revocation.origin.signedDate, try latestStatement(of: origin.purchaseID))
        {
            guard revocation.productIdentifier == purchase.productIdentifier else {
                throw LedgerError.conflict(.revocation(revocation))
            }
            if try known(.purchase, origin.purchaseID) == nil { try accept(.purchase(purchase)) }
        } else {
            try check(purchase)
        }
        try keepLonger(purchase, exchanged)
    }

    /// Accepts another device's record of a non-renewing subscription as a counterpart, if it has a later end than this
    /// ledger's record: the store signs no end, and the catalog may have changed between the two records.
    private mutating func keepLonger(_ purchase: Fact.Purchase, _ exchanged: ExchangedFact) throws {
        let purchaseID = purchase.origin.purchaseID
        guard purchase.kind == .nonRenewingSubscription, let end = purchase.period?.expirationDate,
            case .purchase(let recorded) = try known(.purchase, purchaseID),
            let recordedEnd = recorded.period?.expirationDate, recordedEnd < end
        else { return }
        let counterpart = Fact.counterpart(
            Fact.Counterpart(
                kind: .purchase, subject: purchaseID, expirationDate: end, device: exchanged.device,
                moment: exchanged.moment))
        if try known(.counterpart, counterpart.key) == nil { try accept(counterpart) }
    }

    /// Accepts a reinstatement of another device. If its revocation is not known yet, the signing date of the
    /// reinstatement is stored, so that the revocation does not apply when it arrives.
    private mutating func merge(_ reinstatement: Fact.Reinstatement) throws {
        let origin = reinstatement.origin
        guard try known(.reinstatement, origin.statementKey) == nil else { return }
        if try revocationState(of: origin.purchaseID)?.revocation != nil {
            try reinstate(origin)
        } else {
            try note(origin)
        }
    }

    /// Accepts a new fact. If the fact is known, but the other device's record comes first (``FactPrecedence``), or has
    /// fewer units at the same moment, the other device's record is accepted as a counterpart.
    private mutating func acceptOrCompare(_ exchanged: ExchangedFact) throws -> MergeProblem? {
        let fact = exchanged.fact
        guard let known = try knownEntry(fact.kind, fact.key) else {
            try accept(fact)
            return nil
        }
        let contradiction = MergeProblem.contradiction(
            LedgerError.conflict(known.fact).reason + "; only one of them counts")
        guard fact.isComparable(to: known.fact) else {
            return .contradiction(LedgerError.conflict(known.fact).reason)
        }
        let (units, knownUnits) = (fact.walletChange?.amount ?? 0, known.fact.walletChange?.amount ?? 0)
        let isLess =
            units.magnitudeSaturated < knownUnits.magnitudeSaturated
            || fact.expirationDate ?? .distantFuture < known.fact.expirationDate ?? .distantFuture
        let isFirst =
            precedence(exchanged.device, exchanged.moment).isBefore(precedence(known.device, known.moment)) ?? isLess
        if isFirst, ![.lease, .release].contains(fact.kind) {
            let counterpart = Fact.Counterpart(
                kind: fact.kind, subject: fact.key,
                units: fact.wallet.map { WalletAmount(wallet: $0, amount: units.magnitudeSaturated) },
                refundPolicy: fact.refundPolicy, expirationDate: fact.expirationDate, device: exchanged.device,
                moment: exchanged.moment)
            if try self.known(.counterpart, Fact.counterpart(counterpart).key) == nil {
                try accept(.counterpart(counterpart))
            }
        }
        return units == knownUnits ? nil : contradiction
    }

    /// Accepts adjustments of those balances that differ from the total of the facts of all devices. The wallets of
    /// accepted facts are checked in addition to the given ones.
    ///
    /// - Throws: Errors of reading the ledger.
    private mutating func adjust(_ wallets: Set<String>, overdrafts policy: OverdraftPolicy, at date: Date) throws {
        let merged = accepted
        var entries = Dictionary(grouping: merged.indices, by: { merged[$0].fact.wallet ?? "" }).mapValues { indices in
            indices.map {
                LedgerEntry(
                    sequence: .max, recordedAt: merged[$0].date, fact: merged[$0].fact, device: merged[$0].device)
            }
        }
        entries[""] = nil
        // A revocation without units may belong to a credit that another device has recorded.
        let revoked = try merged.compactMap { accepted -> String? in
            guard [.revocation, .reinstatement].contains(accepted.fact.kind) else { return nil }
            return try (accepted.fact.origin?.purchaseID).flatMap { try known(.credit, $0)?.wallet }
        }
        begin(at: date)
        for wallet in wallets.union(entries.keys).union(revoked).sorted() {
            let all = try recorded.entries(ofWallet: wallet) + (entries[wallet] ?? [])
            let fold = try WalletFold(all, overdrafts: policy, isServer: isServer) {
                try revocationState(of: $0)?.revocation
            }
            // The rest of a difference that does not fit in 64 bits is adjusted by the next exchange.
            let difference = try fold.balance.subtractingSaturated(balance(of: wallet))
            guard difference != 0 else { continue }
            try accept(
                .adjustment(
                    Fact.Adjustment(
                        token: "\(wallet) \(all.count)", wallet: wallet, amount: difference, overdrawn: fold.overdrawn,
                        reason: fold.reason(policy))))
        }
    }

    private static func waiting(_ fact: Fact) -> MergeProblem {
        .waiting("the purchase that the \(fact.kind.rawValue) is about is not recorded yet")
    }
}

extension WalletFold {
    fileprivate func reason(_ policy: OverdraftPolicy) -> String {
        let order = "what all devices have recorded, in its order"
        guard overdrawn > 0 else { return order }
        return "\(order); in all they have spent \(overdrawn) units that the wallet did not contain then, which are "
            + policy.rawValue
    }
}

extension Fact {
    /// Number of units of a fact that always states a number above zero; `nil` for other facts.
    package var positiveAmount: Int? {
        switch self {
        case .credit(let credit): credit.amount
        case .deposit(let deposit): deposit.amount
        case .debit(let debit): debit.amount
        case .lease(let lease): lease.amount
        default: nil
        }
    }

    fileprivate var expirationDate: Date? { if case .grant(let grant) = self { grant.expirationDate } else { nil } }

    /// Returns `true` if two facts with the same kind and key are records of one fact, of which the first one counts.
    /// Otherwise only the recorded one of them counts.
    package func isComparable(to other: Fact) -> Bool { wallet == other.wallet && product == other.product }

    /// Product of a grant, lock or credit; `nil` for other facts.
    var product: String? {
        switch self {
        case .grant(let grant): grant.productIdentifier
        case .lock(let lock): lock.productIdentifier
        case .credit(let credit): credit.productIdentifier
        default: nil
        }
    }

    fileprivate var refundPolicy: RefundPolicy? {
        if case .credit(let credit) = self { credit.refundPolicy } else { nil }
    }
}
