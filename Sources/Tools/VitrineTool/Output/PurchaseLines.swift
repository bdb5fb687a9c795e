import Vitrine
import VitrineCommandSupport
import VitrinePurchasing

extension PurchaseAnswer {
    /// Result of the purchase, as the rest of a line that begins with the product.
    var result: String {
        switch self {
        case .success(let signed, let notChargedAgain):
            "bought (transaction \(signed.payload.transactionID)" + (notChargedAgain ? ", not charged again)" : ")")
        case .cancelled: word
        case .pending(let reason): "\(word): \(reason.description)"
        case .failed(let failure):
            "\(failure.code == .rejected ? "not delivered" : "not bought"): \(failure.reason)"
        }
    }

    /// Reason why the purchase is pending or has failed; `nil` for other results.
    var reason: String? {
        switch self {
        case .success, .cancelled: nil
        case .pending(let reason): reason.description
        case .failed(let failure): failure.reason
        }
    }
}

extension CatalogEvent {
    /// JSON object for the result of a purchase call; `nil` for other events.
    var purchaseDocument: JSONObject? {
        guard case .purchase(.answered(let identifier, let answer)) = self else { return nil }
        var transaction: String?
        if case .success(let signed, _) = answer { transaction = signed.payload.transactionID }
        return [
            "product": identifier, "answer": answer.word, "transaction": transaction, "reason": answer.reason,
        ]
    }
}
