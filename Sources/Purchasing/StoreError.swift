/// Error of a request to a store.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Category of a store error. Later versions may add more.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The store failed without giving a reason.
        public static let unavailable = Code("unavailable")
        /// The store cannot be reached.
        public static let network = Code("network")
        /// The store's data on this device cannot be read or written.
        public static let storage = Code("storage")
        /// The store returned no products for a request: this does not show which products it sells.
        public static let emptyAnswer = Code("empty-answer")
        /// The store does not sell the product.
        public static let productNotAvailable = Code("product-not-available")
        /// The store does not sell this quantity.
        public static let invalidQuantity = Code("invalid-quantity")
        /// The customer is not allowed to buy on this device.
        public static let notAllowed = Code("not-allowed")
        /// The customer is not eligible for the offer, or the offer's signature is invalid.
        public static let invalidOffer = Code("invalid-offer")
    }

    public let code: Code
    /// Description of the error, as a sentence without capital letter and period.
    public let reason: String

    public init(code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }

    /// `true` if the store refused the purchase: nothing was bought. After any other error of a purchase it is unknown
    /// whether the customer was charged.
    public var isOutcomeKnown: Bool {
        switch code {
        case .productNotAvailable, .invalidQuantity, .notAllowed, .invalidOffer: true
        default: false
        }
    }
}
