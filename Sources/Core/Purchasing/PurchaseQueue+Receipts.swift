internal import Foundation
internal import VitrineCatalog
public import VitrineEntitlements
public import VitrineReceipts
public import VitrineSupport

extension PurchaseQueue {
    /// Records the purchases and revocations in a verified receipt.
    ///
    /// The issue date of the receipt determines its order among signed transactions. A fact that a receipt and a
    /// transaction contain is recorded once, regardless of which arrives first. Purchases that are missing in the
    /// receipt are not removed, and a revocation in the receipt is not recorded if the store has signed a contrary
    /// transaction since. Consumables, and purchases without a product type in the receipt, are not recorded: their
    /// transactions credit them once. Recording a receipt installs no content.
    ///
    /// - Parameters:
    ///   - receipt: The verified receipt.
    ///   - includingPurchases: `false` to record only revocations. This is for an app that verifies each signed
    ///     transaction, because a receipt contains no signed transactions.
    /// - Returns: The purchases that could not be recorded. They are retried with the next receipt.
    /// - Throws: `LedgerError` if the storage fails.
    public func record(
        _ receipt: SignedAppReceipt, includingPurchases: Bool
    ) async throws(LedgerError) -> [UnrecordedPurchase] {
        let history = ReceiptHistory(receipt)
        var unrecorded: [UnrecordedPurchase] = []
        var claims: [ReceiptClaim] = []
        for purchase in receipt.receipt.purchases {
            switch try await plan(for: purchase, in: receipt, history, includingPurchases: includingPurchases) {
            case .record(let facts): claims += facts.compactMap { ReceiptClaim(purchase, $0) }
            case .wait(let reason): unrecorded.append(UnrecordedPurchase(purchase: purchase, reason: reason))
            }
        }
        let objections = try await objections(to: claims)
        for claim in claims where claim.isRevocation {
            guard case .undecided(let reason) = objections[claim.purchaseID] else { continue }
            unrecorded.append(UnrecordedPurchase(purchase: claim.purchase, reason: .verification(reason)))
        }
        claims.removeAll { $0.isRevocation && objections[$0.purchaseID] != nil }
        return try await unrecorded + append(claims, after: .receipt(Fact.Receipt(receipt)))
    }

    /// Returns the facts to record for a purchase in a receipt. The result is empty for a purchase that is recorded
    /// from its signed transaction instead, such as a consumable.
    private func plan(
        for purchase: ReceiptPurchase, in receipt: SignedAppReceipt, _ history: ReceiptHistory,
        includingPurchases: Bool
    ) async throws(LedgerError) -> DeliveryPlan {
        let identifier = purchase.productIdentifier
        guard !purchase.isOfUnsaidKind, !history.isGivenUpForAnother(purchase) else { return .record([]) }
        guard let kind = purchase.kind else { return .wait(.unknownKind(identifier)) }
        guard kind != .consumable else { return .record([]) }
        let said = Fact.Purchase(purchase, as: kind, in: receipt)
        if case .purchase(let known) = try await entitlements.ledger.entry(of: .purchase, key: said.origin.purchaseID)?
            .fact,
            known.kind != kind
        {
            return .wait(.ledger(.conflict(.purchase(known))))
        }
        let revocation = Fact.Revocation(purchase, as: kind, in: receipt)
        // In addition to the first transaction of a purchase, a receipt may contain a restored or repeated one.
        guard history.isTakenBack(said.origin.purchaseID) == (revocation != nil) else { return .record([]) }
        if let revocation { return .record([.revocation(revocation)]) }
        return includingPurchases ? try await pipeline.plan(for: said, of: identifier) : .record([])
    }

    /// Returns the objections to recording revocations from a receipt, by purchase ID. There is an objection if the
    /// store has since signed a transaction that shows the purchase as valid, or if it is unknown whether such a
    /// transaction exists. The transactions are requested from the store, because the ledger lacks transactions that
    /// changed nothing.
    private func objections(to claims: [ReceiptClaim]) async throws(LedgerError) -> [String: Objection] {
        var revocations: [String: Date] = [:]
        for claim in claims where claim.isRevocation {
            guard try await !entitlements.ledger.isRevoked(claim.purchaseID) else { continue }
            revocations[claim.purchaseID] = claim.signedDate
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
            guard transaction.rejection == nil else { continue }
            switch await pipeline.verifier.verify(transaction: transaction.signedData) {
            case .verified: objections[claim.purchaseID] = .contradicted
            case .undetermined(let reason):
                if objections[claim.purchaseID] == nil { objections[claim.purchaseID] = .undecided(reason) }
            case .rejected: break
            }
        }
        return objections
    }

    /// Records the claims of a receipt together. If that fails, each claim is recorded separately, so that one rejected
    /// claim does not prevent the others from being recorded.
    private func append(
        _ claims: [ReceiptClaim], after receipt: Fact
    ) async throws(LedgerError) -> [UnrecordedPurchase] {
        do {
            try await entitlements.record([receipt] + claims.map(\.fact), at: pipeline.now())
            return []
        } catch  where error.code == .revoked && claims.count == 1 {
            // The purchase was revoked after the receipt was issued.
            return []
        } catch  where error.isAboutFacts && claims.count == 1 {
            return claims.map { UnrecordedPurchase(purchase: $0.purchase, reason: .ledger(error)) }
        } catch  where error.isAboutFacts {
            var unrecorded: [UnrecordedPurchase] = []
            for claim in claims { unrecorded += try await append([claim], after: receipt) }
            return unrecorded
        }
    }
}

/// Purchase in a receipt that could not be recorded.
public struct UnrecordedPurchase: Sendable, Hashable {
    public let purchase: ReceiptPurchase
    public let reason: WaitingReason
}

/// Objection to recording the revocation of a purchase.
private enum Objection {
    /// The store has since signed a transaction that shows the purchase as valid.
    case contradicted
    /// The validity of the purchase is unknown.
    case undecided(String)
}

/// Fact from a receipt, with the purchase in the receipt that is its source.
private struct ReceiptClaim {
    let purchase: ReceiptPurchase
    let fact: Fact
    let purchaseID: String
    let signedDate: Date

    var isRevocation: Bool { fact.kind == .revocation }

    init?(_ purchase: ReceiptPurchase, _ fact: Fact) {
        guard let origin = fact.origin else { return nil }
        self.purchase = purchase
        self.fact = fact
        purchaseID = origin.purchaseID
        signedDate = origin.signedDate
    }
}

extension LedgerError {
    /// `true` if the ledger rejected the facts themselves, `false` if the storage failed.
    package var isAboutFacts: Bool { [.revoked, .conflict, .invalidFact].contains(code) }
}
