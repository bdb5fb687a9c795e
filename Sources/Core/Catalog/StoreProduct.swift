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
    /// Indicates that a purchase of the product is shared with the members of the customer's family.
    public let isFamilyShareable: Bool
    /// Subscription data (period, group and offers) of an auto-renewable subscription as the only element; empty for
    /// any other product. An array is used instead of an optional, because products are often copied, and copying an
    /// array copies only one reference.
    private let terms: [Subscription]

    /// Period, group and offers of an auto-renewable subscription; `nil` for any other product, and if the store has
    /// not provided them.
    public var subscription: Subscription? { terms.first }

    /// Identifier of the subscription group, read without copying the other data of the subscription; `nil` if the
    /// store has provided no subscription data for the product.
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
