internal import Purchasing

/// The purchases that have not come to their end, by product.
struct PurchaseStates: Sendable {
    /// The calls that have not been answered, by product.
    private var asked: [String: Int] = [:]
    private var awaitingApproval: Set<String> = []
    /// The product of each transaction that is on its way.
    private var delivering: [String: String] = [:]

    /// - Returns: `nil` where nothing is going on.
    subscript(identifier: String) -> PurchaseState? {
        if !delivering.isEmpty, delivering.values.contains(identifier) { return .delivering }
        if asked[identifier] != nil { return .inProgress }
        return awaitingApproval.contains(identifier) ? .waitingForApproval : nil
    }

    mutating func begin(_ identifier: String) { asked[identifier, default: 0] += 1 }

    mutating func end(_ identifier: String, _ answer: PurchaseAnswer) {
        // Another call for the product goes on: one that this was refused for.
        let others = (asked[identifier] ?? 1) - 1
        asked[identifier] = others > 0 ? others : nil
        switch answer {
        case .pending(.askToBuy): awaitingApproval.insert(identifier)
        case .success, .cancelled, .pending: awaitingApproval.remove(identifier)
        // What was not sold now may still be approved.
        case .failed: break
        }
    }

    /// - Returns: The product of which the state may be another now.
    mutating func take(_ step: TransactionStep) -> String? {
        switch step {
        case .verified(let signed):
            guard signed.payload.revocationDate == nil else { return nil }
            awaitingApproval.remove(signed.payload.productIdentifier)
            delivering[signed.payload.transactionID] = signed.payload.productIdentifier
            return signed.payload.productIdentifier
        case .finished(let signed), .notFinished(let signed, _), .revoked(let signed, _):
            return delivering.removeValue(forKey: signed.payload.transactionID)
        case .rejected(let transaction, _), .discarded(let transaction):
            return delivering.removeValue(forKey: transaction.id)
        case .received, .recorded, .contentInstalled, .waiting, .renewalIgnored: return nil
        }
    }
}

/// How far a purchase of a product is that has not come to its end.
public enum PurchaseState: String, Sendable, Hashable, Codable, CaseIterable {
    /// The store has been asked to sell it, and has not answered.
    case inProgress
    /// Somebody else has to approve of it first.
    case waitingForApproval
    /// It is paid for, and is being delivered, or waits to be.
    case delivering
}
