/// A failure that a simulated store can be told to have.
public enum SimulatedFailure: String, Sendable, Hashable, Codable, CaseIterable {
    /// The customer cancels the purchase.
    case cancelled
    /// The store is not reached with the purchase: nothing is bought.
    case network
    /// The purchase is made, and its answer never comes.
    case lostAnswer = "lost-answer"
    /// The store says that it does not sell the product.
    case notAvailable = "not-available"
    /// The store says that the customer must not buy anything.
    case notAllowed = "not-allowed"
    /// The store fails and does not say why: nothing is bought.
    case unknown
    /// The store does not answer about products.
    case products
    /// The store does not answer what can be restored.
    case restore
    /// The store does not answer which transactions are unfinished.
    case unfinished
    /// The store does not take in that a transaction is finished.
    case finish
    /// The store does not answer how the customer got the app.
    case appTransaction = "app-transaction"
    /// The app receipt on the device cannot be read.
    case appReceipt = "app-receipt"
    /// The app receipt on the device is damaged: its signature is not that of what it says.
    case damagedReceipt = "damaged-receipt"
    /// The store does not issue a new app receipt.
    case refreshReceipt = "refresh-receipt"

    /// The call that has it. A call has one failure at a time.
    var call: StoreCall {
        switch self {
        case .cancelled, .network, .lostAnswer, .notAvailable, .notAllowed, .unknown: .purchase
        case .products: .products
        case .restore: .restore
        case .unfinished: .unfinished
        case .finish: .finish
        case .appTransaction: .appTransaction
        case .appReceipt, .damagedReceipt: .appReceipt
        case .refreshReceipt: .refreshReceipt
        }
    }
}

/// A call of the store that can be told to fail.
enum StoreCall: String, Codable {
    case purchase, products, restore, unfinished, finish, appTransaction, appReceipt, refreshReceipt

    /// It is not answered by what the device itself keeps.
    var needsConnection: Bool {
        switch self {
        case .purchase, .products, .restore, .appTransaction, .refreshReceipt: true
        case .unfinished, .finish, .appReceipt: false
        }
    }
}
