public import Entitlements
internal import Foundation
internal import ProductCatalog
public import Receipts

extension PurchaseQueue {
    /// Records what a verified receipt says: what was bought, and what the store has taken back.
    ///
    /// A receipt counts in its place among signed transactions, by the date on which the store issued it: what both say is
    /// recorded once, whichever comes first. What a receipt does not have is not taken away, and what it says was taken back
    /// is not where the store has signed something else since. Consumables, and what the receipt does not tell the kind of,
    /// are left to their transactions, which credit them once. An app that has its say in transactions
    /// (``AppHooks/verification``) is not asked about receipts: only what was taken back is recorded then. No content is
    /// installed by this.
    ///
    /// - Returns: What could not be recorded, and is tried again with the next receipt.
    /// - Throws: `LedgerError` where the storage fails.
    public func record(_ receipt: SignedAppReceipt) async throws(LedgerError) -> [UnrecordedPurchase] {
        let history = ReceiptHistory(receipt)
        var unrecorded: [UnrecordedPurchase] = []
        var sayings: [ReceiptSaying] = []
        for purchase in receipt.receipt.purchases {
            switch try await plan(for: purchase, in: receipt, history) {
            case .record(let facts): sayings += facts.compactMap { ReceiptSaying(purchase, $0) }
            case .wait(let reason): unrecorded.append(UnrecordedPurchase(purchase: purchase, reason: reason))
            }
        }
        let objections = try await objections(to: sayings)
        for saying in sayings where saying.isRevocation {
            guard case .undecided(let reason) = objections[saying.purchaseID] else { continue }
            unrecorded.append(UnrecordedPurchase(purchase: saying.purchase, reason: .verification(reason)))
        }
        sayings.removeAll { $0.isRevocation && objections[$0.purchaseID] != nil }
        return try await unrecorded + append(sayings, after: .receipt(Fact.Receipt(receipt)))
    }

    /// What is recorded of a purchase; nothing of one that is left to its transaction.
    private func plan(
        for purchase: ReceiptPurchase, in receipt: SignedAppReceipt, _ history: ReceiptHistory
    ) async throws(LedgerError) -> DeliveryPlan {
        let identifier = purchase.productIdentifier
        guard !purchase.isOfUnsaidKind, !history.isGivenUpForAnother(purchase) else { return .record([]) }
        guard let kind = purchase.kind else { return .wait(.unknownKind(identifier)) }
        guard kind != .consumable else { return .record([]) }
        let said = Fact.Purchase(purchase, as: kind, in: receipt)
        if case .purchase(let known) = try await ledger.entry(of: .purchase, key: said.origin.purchaseID)?.fact,
            known.kind != kind
        {
            return .wait(.ledger(.conflict(.purchase(known))))
        }
        let revocation = Fact.Revocation(purchase, as: kind, in: receipt)
        // A restored transaction, or one that was bought again, stands beside the first one of the same purchase.
        guard history.isTakenBack(said.origin.purchaseID) == (revocation != nil) else { return .record([]) }
        if let revocation { return .record([.revocation(revocation)]) }
        return hooks.verification == nil ? try await plan(for: said, of: identifier) : .record([])
    }

    /// What speaks against recording that the store has taken purchases back, by what they are recorded under. The receipt
    /// may be an old one, and of what the store has signed since the ledger has nothing where that had changed nothing.
    private func objections(to sayings: [ReceiptSaying]) async throws(LedgerError) -> [String: Objection] {
        var revocations: [String: Date] = [:]
        for saying in sayings where saying.isRevocation {
            guard try await !ledger.isRevoked(saying.purchaseID) else { continue }
            revocations[saying.purchaseID] = saying.copy.signedDate
        }
        guard !revocations.isEmpty else { return [:] }
        let transactions: [StoreTransaction]
        do throws(StoreError) {
            transactions = try await store.knownTransactions()
        } catch {
            return revocations.mapValues { _ in .undecided(error.reason) }
        }
        var objections: [String: Objection] = [:]
        for transaction in transactions {
            guard let claim = TransactionPayload(unverified: transaction.signedData), claim.revocationDate == nil,
                let date = revocations[claim.purchaseID], claim.signedDate > date
            else { continue }
            switch await verifier.verify(transaction: transaction.signedData) {
            case .verified: objections[claim.purchaseID] = .contradicted
            case .undetermined(let reason):
                if objections[claim.purchaseID] == nil { objections[claim.purchaseID] = .undecided(reason) }
            case .rejected: break
            }
        }
        return objections
    }

    /// Where all cannot be recorded together, each is recorded alone: one must not be missing because of another.
    private func append(
        _ sayings: [ReceiptSaying], after receipt: Fact
    ) async throws(LedgerError) -> [UnrecordedPurchase] {
        let sayings = sayings.filter { !isOutdated($0.copy, of: $0.purchaseID) }
        do {
            _ = try await ledger.append([receipt] + sayings.map(\.fact), at: now())
            for saying in sayings { remember(saying.copy, of: saying.purchaseID) }
            return []
        } catch  where error.code == .revoked && sayings.count == 1 {
            // It was taken back after the receipt was issued.
            return []
        } catch  where error.isAboutFacts && sayings.count == 1 {
            return sayings.map { UnrecordedPurchase(purchase: $0.purchase, reason: .ledger(error)) }
        } catch  where error.isAboutFacts {
            var unrecorded: [UnrecordedPurchase] = []
            for saying in sayings { unrecorded += try await append([saying], after: receipt) }
            return unrecorded
        }
    }
}

/// A purchase in a receipt that could not be recorded.
public struct UnrecordedPurchase: Sendable, Hashable {
    public let purchase: ReceiptPurchase
    public let reason: WaitingReason
}

/// Why it is not recorded that the store has taken a purchase back.
private enum Objection {
    /// The store has signed since that it counts.
    case contradicted
    /// Whether it counts is not known.
    case undecided(String)
}

/// A fact that was read from a receipt, with the purchase that says it.
private struct ReceiptSaying {
    let purchase: ReceiptPurchase
    let fact: Fact
    let purchaseID: String
    let copy: LatestCopy

    var isRevocation: Bool { copy.isRevoked }

    init?(_ purchase: ReceiptPurchase, _ fact: Fact) {
        guard let origin = fact.origin else { return nil }
        self.purchase = purchase
        self.fact = fact
        purchaseID = origin.purchaseID
        copy = LatestCopy(signedDate: origin.signedDate, isRevoked: fact.kind == .revocation)
    }
}

extension LedgerError {
    /// The storage has not failed: it must not record what it was given.
    fileprivate var isAboutFacts: Bool { [.revoked, .conflict, .invalidFact].contains(code) }
}
