public import OpenStoreKit
internal import VitrineStoreSimulator

/// Transaction or pending purchase of the customer in a test session.
@available(iOS 14.0, macOS 11.0, tvOS 14.0, watchOS 7.0, visionOS 1.0, *)
public final class SKTestTransaction: NSObject, Sendable {
    public let identifier: UInt
    /// Identifier of the first transaction of the purchase or subscription.
    public let originalTransactionIdentifier: UInt
    public let productIdentifier: String
    /// `purchased`, or `deferred` for a pending purchase.
    public let state: SKPaymentTransactionState
    public let purchaseDate: Date
    /// End of the period of an auto-renewable subscription; `nil` for any other product.
    public let expirationDate: Date?
    /// Date at which the store revoked the purchase; `nil` if it is valid.
    public let cancelDate: Date?
    /// Indicates that the subscription renews at the end of its period.
    public let autoRenewingEnabled: Bool
    public let pendingAskToBuyConfirmation: Bool
    /// Indicates that the customer has to resolve an issue, because the purchase was interrupted or a renewal failed.
    public let hasPurchaseIssue: Bool
    @available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
    public let isPendingPriceIncreaseConsent: Bool

    init(_ transaction: SimulatedTransaction, _ subscription: SimulatedSubscription?, awaitsConsent: Bool) {
        identifier = UInt(transaction.id) ?? 0
        originalTransactionIdentifier = UInt(transaction.originalID) ?? 0
        productIdentifier = transaction.productIdentifier
        state = transaction.isPending ? .deferred : .purchased
        purchaseDate = transaction.purchaseDate
        expirationDate = transaction.expirationDate
        cancelDate = transaction.revocationDate
        let current = subscription?.transaction == transaction.id ? subscription : nil
        autoRenewingEnabled = current?.isRenewing ?? false
        pendingAskToBuyConfirmation = transaction.isPending && !transaction.isInterrupted
        hasPurchaseIssue =
            transaction.isPending && transaction.isInterrupted || current?.billingRetryEnd != nil
        isPendingPriceIncreaseConsent = current != nil && awaitsConsent
    }
}
