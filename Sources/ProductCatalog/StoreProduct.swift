public import Foundation

/// Data of the store about a product: name, description and price.
public struct StoreProduct: Sendable, Hashable {
    public let identifier: String
    public let kind: ProductKind
    /// Product name in the customer's language.
    public let displayName: String
    /// Product description in the customer's language.
    public let description: String
    public let price: Decimal
    /// ISO 4217 code of the price's currency.
    public let currencyCode: String
    /// Price formatted for the customer's storefront.
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
