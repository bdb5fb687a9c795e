/// Error of the original StoreKit API. StoreKitTest uses its codes.
@available(iOS 3.0, macOS 10.7, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
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
        @available(iOS 12.2, macOS 10.14.4, tvOS 12.2, watchOS 6.2, visionOS 1.0, *)
        case invalidOfferIdentifier = 11
        @available(iOS 12.2, macOS 10.14.4, tvOS 12.2, watchOS 6.2, visionOS 1.0, *)
        case invalidSignature = 12
        @available(iOS 12.2, macOS 10.14.4, tvOS 12.2, watchOS 6.2, visionOS 1.0, *)
        case missingOfferParams = 13
        @available(iOS 12.2, macOS 10.14.4, tvOS 12.2, watchOS 6.2, visionOS 1.0, *)
        case invalidOfferPrice = 14
    }
}

/// State of a transaction in the original StoreKit API, which StoreKitTest uses.
@available(iOS 3.0, macOS 10.7, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
public enum SKPaymentTransactionState: Int, Hashable, Sendable {
    case purchasing = 0
    case purchased = 1
    case failed = 2
    case restored = 3
    /// The purchase waits until another person approves it, or until the customer resolves an issue.
    @available(iOS 8.0, macOS 10.10, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
    case deferred = 4
}
