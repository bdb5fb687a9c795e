internal import Foundation
internal import Logging
internal import VitrineCatalog
internal import VitrinePurchasing
internal import VitrineReceipts

extension TransactionStep {
    var description: EventDescription {
        switch self {
        case .received(let transaction): transaction.description(.debug, "transaction received")
        case .verified(let signed): signed.description(.debug, "transaction verified")
        case .recorded(let signed, let isNew):
            signed.description(.info, "transaction recorded", facts: [("new", "\(isNew)")])
        case .revoked(let signed, let isNew):
            signed.description(.info, "transaction revoked", facts: [("new", "\(isNew)")] + signed.refundedPart)
        case .contentInstalled(let signed, let products):
            signed.description(.debug, "transaction's content installed", products: products)
        case .finished(let signed): signed.description(.info, "transaction finished")
        case .notFinished(let signed, let error):
            signed.description(.warning, "transaction not finished", error: error)
        case .leftUnfinished(let signed): signed.description(.info, "transaction left unfinished")
        case .settledElsewhere(let pending):
            EventDescription(
                .info, "transaction settled elsewhere", products: pending.productIdentifier.map { [$0] } ?? [],
                details: [("transaction", pending.id)])
        case .waiting(let transaction, .verification(let reason)):
            transaction.description(
                .warning, "transaction waits", facts: [("reason", "verification")], note: reason)
        case .waiting(let transaction, let reason):
            transaction.description(
                .warning, "transaction waits", listed: .facts, error: reason.error, facts: [("reason", reason.code)],
                note: reason.description)
        case .rejected(let transaction, let reasons):
            transaction.description(
                .error, "transaction rejected", error: PurchaseFailure(code: .rejected, reason: reasons.joinedReasons),
                facts: [("reason", reasons.codes)])
        case .renewalIgnored(let signed, let reason):
            signed.description(.warning, "renewal ignored", note: reason)
        case .discarded(let transaction): transaction.description(.info, "transaction discarded")
        }
    }
}

extension TransactionStep {
    /// Verified transaction of the step; `nil` for a step of a transaction that is not verified.
    var signed: SignedTransaction? {
        switch self {
        case .verified(let signed), .recorded(let signed, _), .revoked(let signed, _), .contentInstalled(let signed, _),
            .finished(let signed), .notFinished(let signed, _), .leftUnfinished(let signed),
            .renewalIgnored(let signed, _):
            signed
        case .received, .waiting, .rejected, .settledElsewhere, .discarded: nil
        }
    }
}

extension WaitingReason {
    fileprivate var error: (any DescribedError)? {
        switch self {
        case .ledger(let error): error
        case .content(let error): error
        default: nil
        }
    }
}

extension StoreTransaction {
    /// Product that the transaction claims, even if its signature is not valid; `nil` if the signed data cannot be
    /// read.
    var claimedProduct: String? { TransactionPayload(unverified: signedData)?.productIdentifier }

    fileprivate func description(
        _ level: Logger.Level, _ text: String, listed: EventDescription.Listed = .details,
        error: (any DescribedError)? = nil, facts: [EventDescription.Part] = [], note: String? = nil
    ) -> EventDescription {
        EventDescription(
            level, text, products: claimedProduct.map { [$0] } ?? [], listed: listed, error: error, facts: facts,
            details: [("transaction", id)], note: note)
    }
}

extension SignedTransaction {
    /// Refunded part of the price in percent; empty for the whole price.
    fileprivate var refundedPart: [EventDescription.Part] {
        guard let percentage = payload.revocationPercentage, percentage < 100_000 else { return [] }
        return [("refundedPercent", "\(Double(percentage) / 1_000)")]
    }

    /// Log metadata that identifies the purchase.
    var details: [EventDescription.Part] {
        [("transaction", payload.transactionID), ("original", payload.originalTransactionID)]
            + (payload.appAccountToken.map { [("account", $0.uuidString)] } ?? [])
    }

    fileprivate func description(
        _ level: Logger.Level, _ text: String, products: [String] = [], error: (any DescribedError)? = nil,
        facts: [EventDescription.Part] = [], note: String? = nil
    ) -> EventDescription {
        EventDescription(
            level, text, products: ([payload.productIdentifier] + products).withoutDuplicates, error: error,
            facts: facts, details: details, note: note)
    }
}
