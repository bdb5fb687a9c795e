public import VitrineSupport

/// Sheets that a store shows over the app, in which the customer manages purchases. They correspond to StoreKit's
/// `showManageSubscriptions`, `beginRefundRequest`, `presentOfferCodeRedeemSheet` and `Message`.
public protocol StoreSheets: Sendable {
    /// Shows the customer's subscriptions, which can be changed and canceled there, until the customer closes the sheet.
    ///
    /// - Parameter group: Subscription group to show; `nil` for all of the customer's subscriptions.
    /// - Throws: ``StoreError`` if the sheet cannot be shown.
    func manageSubscriptions(inGroup group: String?) async throws(StoreError)

    /// Shows the request for a refund of a transaction, until the customer has submitted or canceled it. The store
    /// decides about the request later, and sends a granted refund as an update.
    ///
    /// - Throws: ``StoreError`` if the sheet cannot be shown, or the request fails.
    func requestRefund(of transactionID: String) async throws(StoreError) -> RefundRequestAnswer

    /// Shows the sheet in which the customer enters an offer code, until the customer closes it. The transaction of a
    /// redeemed code arrives as an update.
    ///
    /// - Throws: ``StoreError`` if the sheet cannot be shown.
    func redeemOfferCode() async throws(StoreError)

    /// Returns a stream of the messages that the store has for the customer. The store shows no message by itself while
    /// the stream is read: ``StoreMessage/show()`` does.
    func messages() -> AsyncStream<StoreMessage>
}

/// Answer of a customer to the sheet that requests a refund.
public enum RefundRequestAnswer: String, Sendable, Hashable, Codable {
    /// The customer has submitted the request.
    case submitted
    /// The customer has canceled the sheet.
    case cancelled
}

/// Message of a store to the customer.
public struct StoreMessage: Sendable {
    /// Reason of a message, with the names of StoreKit's reasons. The store may add others.
    public enum Reason: String, Sendable, Hashable, Codable {
        /// The price of a subscription increases, and the customer has to agree.
        case priceIncreaseConsent = "price-increase-consent"
        /// The store could not charge for the renewal of a subscription.
        case billingIssue = "billing-issue"
        /// The customer is eligible for a win-back offer.
        case winBackOffer = "win-back-offer"
        /// Any other reason.
        case generic
    }

    public let reason: Reason
    private let display: @Sendable () async throws(StoreError) -> Void

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - reason: Reason of the message.
    ///   - display: Function that shows the message to the customer.
    public init(_ reason: Reason, display: @escaping @Sendable () async throws(StoreError) -> Void) {
        self.reason = reason
        self.display = display
    }

    /// Shows the message to the customer.
    ///
    /// - Throws: ``StoreError`` if it cannot be shown.
    public func show() async throws(StoreError) { try await display() }
}
