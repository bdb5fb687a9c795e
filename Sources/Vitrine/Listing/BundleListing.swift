public import Foundation

/// What a bundle or multipack contains, and what its products would cost one by one.
public struct BundleListing: Sendable, Hashable {
    /// A product that the bundle contains directly.
    public struct Child: Sendable, Hashable, Identifiable {
        /// The product's identifier.
        public let id: String
        public let title: String
        /// It is known to be owned.
        public let isOwned: Bool
        /// `nil` where the store has not said.
        public let price: Decimal?
        /// The price as the customer's storefront writes it.
        public let displayPrice: String?
    }

    /// In the catalog's order.
    public let children: [Child]
    /// What all its products would cost one by one; `nil` where the price of one is not known, or is in another currency
    /// than the bundle's.
    public let separatePrice: Decimal?
    public let displaySeparatePrice: String?
    /// What those would cost one by one that the customer does not own.
    public let remainingPrice: Decimal?
    public let displayRemainingPrice: String?
    /// By how much the bundle is cheaper than ``remainingPrice``; `nil` where it is not, or that cannot be told.
    public let saving: Decimal?
    public let displaySaving: String?

    /// The part of ``remainingPrice`` that is saved, from 0 to 1; `nil` where nothing is.
    public var savedFraction: Double? {
        guard let saving, let remainingPrice else { return nil }
        return NSDecimalNumber(decimal: saving / remainingPrice).doubleValue
    }
}
