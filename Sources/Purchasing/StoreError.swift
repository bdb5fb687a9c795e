/// Why a store gave no answer.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The store failed, and does not say why.
        public static let unavailable = Code("unavailable")
        /// The store cannot be reached.
        public static let network = Code("network")
        /// What the store keeps on this device cannot be read or written.
        public static let storage = Code("storage")
        /// The store was asked about products, and answered without any: what it sells is not known from that.
        public static let emptyAnswer = Code("empty-answer")
        /// The store does not sell the product.
        public static let productNotAvailable = Code("product-not-available")
        /// The quantity is not one that the store sells.
        public static let invalidQuantity = Code("invalid-quantity")
        /// The customer must not buy anything on this device.
        public static let notAllowed = Code("not-allowed")
        /// The offer is not one that this customer can have, or is not signed as the store wants it.
        public static let invalidOffer = Code("invalid-offer")
    }

    public let code: Code
    /// What happened, as the rest of a sentence.
    public let reason: String

    public init(code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }

    /// The store has said no: nothing was bought. After any other failure of a purchase it is not known whether the
    /// customer was charged.
    public var isOutcomeKnown: Bool {
        switch code {
        case .productNotAvailable, .invalidQuantity, .notAllowed, .invalidOffer: true
        default: false
        }
    }
}
