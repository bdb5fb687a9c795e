internal import Foundation
internal import VitrinePurchasing

/// Unfinished purchases by product.
struct PurchaseStates: Sendable {
    /// Number of purchase calls without an answer, by product.
    private var asked: [String: Int] = [:]
    /// Dates of requests for approval, by product.
    var awaitingApproval: [String: Date] = [:]
    /// Product of each transaction that is being delivered, by transaction identifier.
    private var delivering: [String: String] = [:]

    /// Returns the state of the unfinished purchase of a product; `nil` if there is none.
    subscript(identifier: String) -> PurchaseState? {
        if !delivering.isEmpty, delivering.values.contains(identifier) { return .delivering }
        if asked[identifier] != nil { return .inProgress }
        return awaitingApproval[identifier] != nil ? .waitingForApproval : nil
    }

    mutating func begin(_ identifier: String) { asked[identifier, default: 0] += 1 }

    mutating func end(_ identifier: String, _ answer: PurchaseAnswer, at date: Date) {
        // Another call for the product may be running, and may be the reason why this call was refused.
        let others = (asked[identifier] ?? 1) - 1
        asked[identifier] = others > 0 ? others : nil
        switch answer {
        case .pending(.askToBuy): awaitingApproval[identifier] = date
        case .success, .cancelled, .pending: awaitingApproval[identifier] = nil
        // An earlier request may still be approved.
        case .failed: break
        }
    }

    /// Forgets the transactions that are being delivered, because they belong to another App Store account.
    ///
    /// - Returns: Their products.
    mutating func forgetDeliveries() -> Set<String> {
        defer { delivering = [:] }
        return Set(delivering.values)
    }

    /// Applies a step in the delivery of a transaction.
    ///
    /// - Returns: Product whose state may have changed.
    mutating func apply(_ step: TransactionStep) -> String? {
        switch step {
        case .verified(let signed):
            guard signed.payload.revocationDate == nil else { return nil }
            awaitingApproval[signed.payload.productIdentifier] = nil
            delivering[signed.payload.transactionID] = signed.payload.productIdentifier
            return signed.payload.productIdentifier
        case .finished(let signed), .notFinished(let signed, _), .leftUnfinished(let signed), .revoked(let signed, _):
            return delivering.removeValue(forKey: signed.payload.transactionID)
        case .settledElsewhere(let pending): return delivering.removeValue(forKey: pending.id)
        case .rejected(let transaction, _), .discarded(let transaction):
            return delivering.removeValue(forKey: transaction.id)
        case .received, .recorded, .contentInstalled, .waiting, .renewalIgnored: return nil
        }
    }
}

/// State of an unfinished purchase.
public enum PurchaseState: String, Sendable, Hashable, Codable, CaseIterable {
    /// The store has received the request and has not answered.
    case inProgress
    /// Another person has to approve the purchase first.
    case waitingForApproval
    /// The purchase is paid for, and its delivery is running or pending.
    case delivering
}
