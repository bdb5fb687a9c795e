internal import Purchasing

/// The purchases that have not come to their end, by product.
struct PurchaseStates: Sendable {
    private var asked: Set<String> = []
    private var awaitingApproval: Set<String> = []
    /// The product of each transaction that is on its way.
    private var delivering: [String: String] = [:]

    /// - Returns: `nil` where nothing is going on.
    subscript(identifier: String) -> PurchaseState? {
        if !delivering.isEmpty, delivering.values.contains(identifier) { return .delivering }
        if asked.contains(identifier) { return .inProgress }
        return awaitingApproval.contains(identifier) ? .waitingForApproval : nil
    }

    mutating func begin(_ identifier: String) { asked.insert(identifier) }

    mutating func end(_ identifier: String, _ answer: PurchaseAnswer) {
        // The purchase that it was refused for goes on.
        if case .failed(let failure) = answer, failure.code == .inProgress { return }
        asked.remove(identifier)
        if case .pending(.askToBuy) = answer {
            awaitingApproval.insert(identifier)
        } else {
            awaitingApproval.remove(identifier)
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
