/// Error of the original StoreKit, of which StoreKitTest uses the codes.
public struct SKError: Error, Hashable, Sendable {
    public let code: Code

    public init(_ code: Code) { self.code = code }

    public enum Code: Int, Hashable, Sendable {
        case unknown = 0
        case clientInvalid = 1
        case paymentCancelled = 2
        case paymentInvalid = 3
        case paymentNotAllowed = 4
        case storeProductNotAvailable = 5
        case invalidOfferIdentifier = 11
        case invalidSignature = 12
        case missingOfferParams = 13
        case invalidOfferPrice = 14
    }
}

/// State of a transaction in the original StoreKit, which StoreKitTest uses.
public enum SKPaymentTransactionState: Int, Hashable, Sendable {
    case purchasing = 0
    case purchased = 1
    case failed = 2
    case restored = 3
    /// The purchase waits for another person's approval, or until the customer resolves an issue.
    case deferred = 4
}
