public import Foundation

/// What the store says about a product that it sells.
public struct StoreProduct: Sendable, Hashable {
    public let identifier: String
    public let kind: ProductKind
    /// The product's name in the customer's language.
    public let displayName: String
    /// The product's description in the customer's language.
    public let description: String
    public let price: Decimal
    /// The currency of the price, as ISO 4217 names it.
    public let currencyCode: String
    /// The price as the customer's storefront writes it.
    public let displayPrice: String

    public init(
        identifier: String,
        kind: ProductKind,
        displayName: String,
        description: String,
        price: Decimal,
        currencyCode: String,
        displayPrice: String
    ) {
        self.identifier = identifier
        self.kind = kind
        self.displayName = displayName
        self.description = description
        self.price = price
        self.currencyCode = currencyCode
        self.displayPrice = displayPrice
    }
}
