public import Foundation

/// Data of the store about a product: name, description, price and the terms of a subscription.
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
    /// Indicates that the members of a customer's family share the product.
    public let isFamilyShareable: Bool
    /// Period, group and offers of an auto-renewable subscription as the only element; empty for any other product. An
    /// array rather than an optional, because a product is copied often, and to copy an array copies one reference.
    private let terms: [Subscription]

    /// Period, group and offers of an auto-renewable subscription; `nil` for any other product, and if the store has not
    /// stated them.
    public var subscription: Subscription? { terms.first }

    /// Identifier of the subscription group, read without a copy of the other data of the subscription; `nil` if the
    /// store has stated no subscription for the product.
    package var subscriptionGroupID: String? { terms.isEmpty ? nil : terms[0].groupID }

    public init(
        identifier: String,
        kind: ProductKind,
        displayName: String,
        description: String,
        price: Decimal,
        currencyCode: String,
        displayPrice: String,
        isFamilyShareable: Bool = false,
        subscription: Subscription? = nil
    ) {
        self.identifier = identifier
        self.kind = kind
        self.displayName = displayName
        self.description = description
        self.price = price
        self.currencyCode = currencyCode
        self.displayPrice = displayPrice
        self.isFamilyShareable = isFamilyShareable
        terms = subscription.map { [$0] } ?? []
    }
}
