import Foundation
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineSupport

extension TransactionStep {
    var word: String {
        switch self {
        case .received: "received"
        case .verified: "verified"
        case .recorded: "recorded"
        case .revoked(_, let isNew): isNew ? "taken back" : "taken back before"
        case .contentInstalled(_, let products): "installed \(products.joined(separator: ", "))"
        case .finished: "finished"
        case .notFinished: "not finished"
        case .waiting: "waiting"
        case .rejected: "rejected"
        case .leftUnfinished: "left unfinished"
        case .settledElsewhere: "settled elsewhere"
        case .renewalIgnored: "renewal ignored"
        case .discarded: "discarded"
        }
    }
}

extension Delivery {
    var word: String {
        switch self {
        case .delivered(let delivered): delivered.isNew ? "delivered, new" : "delivered, known"
        case .revoked(let revoked): revoked.isNew ? "taken back, new" : "taken back, known"
        case .waiting(let reason): "waiting: \(reason)"
        case .rejected: "rejected"
        }
    }
}

extension PurchaseAnswer {
    var word: String {
        switch self {
        case .success(_, let notChargedAgain): notChargedAgain ? "success, not charged again" : "success, charged"
        case .pending(.askToBuy): "pending: ask to buy"
        case .pending(.interrupted): "pending: interrupted"
        case .pending(.planChange(let date)): "planned for \(date.formatted(.iso8601))"
        case .pending(.outcomeUnknown(let reason)): "unknown: \(reason)"
        case .pending(.verification(let reason)): "pending: \(reason)"
        case .pending(.content(let error)): "pending: no content: \(error)"
        case .pending(.delivery(let reason)): "pending: \(reason)"
        case .cancelled: "cancelled"
        case .failed(let failure): "failed: \(failure.code)"
        }
    }
}

extension Verification {
    var word: String {
        switch self {
        case .verified: "verified"
        case .rejected: "rejected"
        case .undetermined: "undetermined"
        }
    }
}

extension Fact {
    var signedTransaction: StoreTransaction? {
        guard case .purchase(let purchase) = self else { return nil }
        return StoreTransaction(id: purchase.origin.transactionID, signedData: purchase.origin.signedData)
    }
}
