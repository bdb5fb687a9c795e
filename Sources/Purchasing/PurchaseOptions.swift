public import Foundation

/// Options that are passed to the store with a purchase.
public struct PurchaseOptions: Sendable, Hashable {
    /// Number of units to buy, from 1 to 10; 1 for a product that is bought once.
    public var quantity: Int
    /// Token that identifies one of the app's accounts. The store signs it into the transaction.
    public var accountToken: UUID?
    /// Discount that the app's server has signed. It is passed to the store unchanged.
    public var promotionalOffer: PromotionalOffer?

    public init(quantity: Int = 1, accountToken: UUID? = nil, promotionalOffer: PromotionalOffer? = nil) {
        self.quantity = quantity
        self.accountToken = accountToken
        self.promotionalOffer = promotionalOffer
    }
}

/// Discount for customers who have subscribed before, in the fields of StoreKit's [promotional
/// offers](https://developer.apple.com/documentation/storekit/product/purchaseoption).
public struct PromotionalOffer: Sendable, Hashable {
    /// Identifier of the promotional offer, as configured in the store.
    public var offerID: String
    /// Identifier of the key that signed the promotional offer.
    public var keyID: String
    public var nonce: UUID
    public var signature: Data
    /// Date of the signature, in milliseconds since 1970.
    public var timestamp: Int

    public init(offerID: String, keyID: String, nonce: UUID, signature: Data, timestamp: Int) {
        self.offerID = offerID
        self.keyID = keyID
        self.nonce = nonce
        self.signature = signature
        self.timestamp = timestamp
    }
}
