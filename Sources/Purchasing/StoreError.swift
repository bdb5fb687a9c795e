@_exported public import FileSystem

/// Error of a request to a store.
public typealias StoreError = CodedError<StoreErrorCode>

/// Category of ``StoreError``.
public enum StoreErrorCode: String, ErrorCode {
    /// The store failed without giving a reason.
    case unavailable
    /// The store cannot be reached.
    case network
    /// The store's data on this device cannot be read or written.
    case storage
    /// The store returned no products for a request: this does not show which products it sells.
    case emptyAnswer = "empty-answer"
    /// The store does not sell the product.
    case productNotAvailable = "product-not-available"
    /// The store does not sell this quantity.
    case invalidQuantity = "invalid-quantity"
    /// The customer is not allowed to buy on this device.
    case notAllowed = "not-allowed"
    /// The customer is not eligible for the offer, or the offer's signature is invalid.
    case invalidOffer = "invalid-offer"

    public var advice: String? {
        switch self {
        case .unavailable, .emptyAnswer: "Load the products again later."
        case .network: "Connect to the internet."
        case .storage: "Free space on the device and check the permissions of the folder."
        case .productNotAvailable: "Check in App Store Connect that the product is for sale in this storefront."
        case .invalidQuantity: "Choose another quantity."
        case .notAllowed: "Allow purchases in the settings of the device."
        case .invalidOffer: "Buy without the offer, or have its signature created again."
        }
    }
}

extension StoreError {
    /// `true` if the store refused the purchase: nothing was bought. After any other error of a purchase it is unknown
    /// whether the customer was charged.
    public var isOutcomeKnown: Bool {
        switch code {
        case .productNotAvailable, .invalidQuantity, .notAllowed, .invalidOffer: true
        default: false
        }
    }
}
