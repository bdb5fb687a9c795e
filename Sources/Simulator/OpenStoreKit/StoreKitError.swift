/// Error of StoreKit.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
@nonexhaustive
public enum StoreKitError: Error, Sendable {
    case unknown
    /// The customer canceled a dialog of the store.
    case userCancelled
    /// The store cannot be reached.
    case networkError(URLError)
    /// The device failed, for the associated reason.
    case systemError(any Error)
    /// The product is not sold in the customer's storefront.
    case notAvailableInStorefront
    /// The app lacks an entitlement for purchases.
    @available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
    case notEntitled
    /// This platform does not support the call, or no simulated store is attached.
    @available(iOS 18.4, macOS 15.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
    case unsupported
    @available(iOS 27.0, macOS 27.0, tvOS 27.0, watchOS 27.0, visionOS 27.0, *)
    case invalidPresentationContext
}

@available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
extension StoreKitError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .unknown: "The store failed without giving a reason."
        case .userCancelled: "The request was cancelled."
        case .networkError(let error): "The store cannot be reached: \(error.localizedDescription)"
        case .systemError(let error): "The device failed: \(error.localizedDescription)"
        case .notAvailableInStorefront: "The product is not available in this storefront."
        case .notEntitled: "The app is not entitled to make purchases."
        case .unsupported: "This call is not supported here, or no simulated store is attached."
        case .invalidPresentationContext: "The dialog cannot be presented there."
        }
    }

    public var failureReason: String? { errorDescription }

    public var recoverySuggestion: String? {
        switch self {
        case .userCancelled: nil
        case .networkError: "Connect to the internet, and try again."
        case .unsupported: "Attach a simulated store: create an SKTestSession, or call OpenStore.attach."
        case .unknown, .systemError, .notAvailableInStorefront, .notEntitled, .invalidPresentationContext:
            "Try again later."
        }
    }
}

extension StoreKitError {
    /// ``unsupported``, or ``unknown`` on a system without that case.
    static var unsupportedCall: StoreKitError {
        if #available(iOS 18.4, macOS 15.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *) { return .unsupported }
        return .unknown
    }
}

extension Product {
    /// Reason why the store refuses a purchase.
    @nonexhaustive
    public enum PurchaseError: Error, Hashable, Sendable {
        case invalidQuantity
        case productUnavailable
        case purchaseNotAllowed
        case ineligibleForOffer
        case invalidOfferIdentifier
        case invalidOfferPrice
        case invalidOfferSignature
        case missingOfferParameters
    }
}

@available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
extension Product.PurchaseError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .invalidQuantity: "The store does not sell the product in this quantity."
        case .productUnavailable: "The store does not sell the product."
        case .purchaseNotAllowed: "Purchases are not allowed on this device."
        case .ineligibleForOffer: "The customer is not eligible for the offer."
        case .invalidOfferIdentifier: "The product has no offer with this identifier."
        case .invalidOfferPrice: "The price of the offer is not valid."
        case .invalidOfferSignature: "The signature of the offer is not valid."
        case .missingOfferParameters: "A parameter of the offer is missing."
        }
    }

    public var failureReason: String? { errorDescription }

    public var recoverySuggestion: String? {
        switch self {
        case .invalidQuantity: "Choose a quantity from 1 to 10, and 1 for a product that is bought once."
        case .productUnavailable: "Load the products again."
        case .purchaseNotAllowed: "Allow purchases in the settings of the device."
        case .ineligibleForOffer, .invalidOfferIdentifier, .invalidOfferPrice, .invalidOfferSignature,
            .missingOfferParameters:
            "Buy without the offer, or let the server sign it again."
        }
    }
}

extension Transaction {
    /// Reason why a refund cannot be requested.
    @available(iOS 15.0, macOS 12.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    @nonexhaustive
    public enum RefundRequestError: Error, Hashable, Sendable {
        /// A refund of the transaction was requested before.
        case duplicateRequest
        case failed
    }

    /// Result of the dialog for refund requests.
    @available(iOS 15.0, macOS 12.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    @nonexhaustive
    public enum RefundRequestStatus: Sendable, Hashable {
        case success
        case userCancelled
    }
}

@available(iOS 15.4, macOS 12.3, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
extension Transaction.RefundRequestError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .duplicateRequest: "A refund of this purchase was requested before."
        case .failed: "The request for a refund failed."
        }
    }

    public var failureReason: String? { errorDescription }

    public var recoverySuggestion: String? { self == .failed ? "Try again later." : nil }
}
