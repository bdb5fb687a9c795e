public import Foundation

/// What goes to the store with a purchase.
public struct PurchaseOptions: Sendable, Hashable {
    /// Units to buy, from 1 to 10; 1 for something that is bought once.
    public var quantity: Int
    /// What tells one of the app's accounts from another. The store signs it into the transaction.
    public var accountToken: UUID?
    /// A discount that the app's server has signed. It goes to the store as it is.
    public var promotionalOffer: PromotionalOffer?

    public init(quantity: Int = 1, accountToken: UUID? = nil, promotionalOffer: PromotionalOffer? = nil) {
        self.quantity = quantity
        self.accountToken = accountToken
        self.promotionalOffer = promotionalOffer
    }
}

/// A discount for customers who have subscribed before, in the fields of StoreKit's
/// [promotional offers](https://developer.apple.com/documentation/storekit/product/purchaseoption).
public struct PromotionalOffer: Sendable, Hashable {
    /// The offer's identifier, as it is set up with the store.
    public var offerID: String
    /// The identifier of the key that signed it.
    public var keyID: String
    public var nonce: UUID
    public var signature: Data
    /// When it was signed, in milliseconds since 1970.
    public var timestamp: Int

    public init(offerID: String, keyID: String, nonce: UUID, signature: Data, timestamp: Int) {
        self.offerID = offerID
        self.keyID = keyID
        self.nonce = nonce
        self.signature = signature
        self.timestamp = timestamp
    }
}
