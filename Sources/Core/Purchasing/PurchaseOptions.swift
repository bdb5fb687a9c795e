public import Foundation

/// Options that are passed to the store with a purchase.
public struct PurchaseOptions: Sendable, Hashable {
    /// Number of units to buy, from 1 to 10; 1 for a product that can be bought only once.
    public var quantity: Int
    /// Token that identifies one of the app's accounts. The store signs it into the transaction.
    public var accountToken: UUID?
    /// Discount that the app's server has signed. It is passed to the store unchanged.
    public var promotionalOffer: PromotionalOffer?
    /// Identifier of a win-back offer: a discount for a customer whose subscription has ended. The store lists the
    /// available ones for each customer.
    public var winBackOffer: String?
    /// Decision about whether the customer gets the introductory offer, signed by the app's server as a compact JWS. It
    /// is passed to the store unchanged. `nil` leaves the decision to the store.
    public var introductoryOfferEligibility: String?

    public init(
        quantity: Int = 1, accountToken: UUID? = nil, promotionalOffer: PromotionalOffer? = nil,
        winBackOffer: String? = nil, introductoryOfferEligibility: String? = nil
    ) {
        self.quantity = quantity
        self.accountToken = accountToken
        self.promotionalOffer = promotionalOffer
        self.winBackOffer = winBackOffer
        self.introductoryOfferEligibility = introductoryOfferEligibility
    }
}

/// Discount for current and former subscribers, with the fields of StoreKit's
/// [promotional offers](https://developer.apple.com/documentation/storekit/product/purchaseoption).
public struct PromotionalOffer: Sendable, Hashable {
    /// Signature of the app's server that permits the promotional offer.
    public enum Proof: Sendable, Hashable {
        /// Signature over the fields of the promotional offer.
        ///
        /// - Parameters:
        ///   - keyID: Identifier of the key that signed the offer.
        ///   - timestamp: Date of the signature, in milliseconds since 1970.
        case signature(keyID: String, nonce: UUID, signature: Data, timestamp: Int)
        /// Request for the promotional offer, signed by the app's server, as a compact JWS.
        case token(String)
    }

    /// Identifier of the promotional offer, as configured in the store.
    public var offerID: String
    public var proof: Proof

    public init(offerID: String, keyID: String, nonce: UUID, signature: Data, timestamp: Int) {
        self.offerID = offerID
        proof = .signature(keyID: keyID, nonce: nonce, signature: signature, timestamp: timestamp)
    }

    public init(offerID: String, compactJWS: String) {
        self.offerID = offerID
        proof = .token(compactJWS)
    }
}
