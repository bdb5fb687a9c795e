public import Foundation

/// Contents of a bundle or multipack, with their separate prices.
public struct BundleListing: Sendable, Hashable {
    /// Product that the bundle contains directly.
    public struct Child: Sendable, Hashable, Identifiable {
        /// Identifier of the product.
        public let id: String
        public let title: String
        /// `true` if the product is known to be owned.
        public let isOwned: Bool
        /// Price of the product; `nil` if the store has not sent it.
        public let price: Decimal?
        /// Price, formatted for the customer's storefront.
        public let displayPrice: String?
    }

    /// Products that the bundle contains directly, in catalog order.
    public let children: [Child]
    /// Sum of the prices of all ``children``; `nil` if a price is not known, or is in another currency than the
    /// bundle's.
    public let separatePrice: Decimal?
    public let displaySeparatePrice: String?
    /// Sum of the prices of the ``children`` that the customer does not own.
    public let remainingPrice: Decimal?
    public let displayRemainingPrice: String?
    /// Difference between ``remainingPrice`` and the price of the bundle; `nil` if less than 1 % or more than 99 % is saved,
    /// the bundle is an auto-renewable subscription, or a price is not known.
    public let saving: Decimal?
    public let displaySaving: String?
    /// Saved fraction of ``remainingPrice``, from 0.01 to 0.99; `nil` if there is no ``saving``.
    public let savedFraction: Double?
    /// ``savedFraction`` as a percentage in the customer's language, such as "20%" or "20 %".
    public let displaySavedPercentage: String?
}

extension ProductIndex {
    /// Returns the contents of a bundle with their separate prices.
    ///
    /// - Parameter childIsOwned: Ownership of each product that the bundle contains directly.
    /// - Returns: `nil` for a product that contains nothing.
    func bundle(_ index: Int, childIsOwned: [Bool]) -> BundleListing? {
        let children = catalog.bundles.children(of: index)
        guard !children.isEmpty else { return nil }
        let own = storeProduct(index)
        let separate = sum(children, in: own?.currencyCode)
        let remaining = sum(zip(children, childIsOwned).filter { !$1 }.map(\.0), in: own?.currencyCode)
        // A price for a period cannot be compared with prices that are paid once.
        let saving =
            kind(index) == .autoRenewableSubscription
            ? nil
            : remaining.flatMap { remaining in own.flatMap { Saving($0.price, inPlaceOf: remaining) } }
        let text = { (amount: Decimal?) -> String? in
            guard let amount, let own else { return nil }
            return self.priceStyle.text(amount, as: own)
        }
        return BundleListing(
            children: zip(children, childIsOwned).map { child, isOwned in
                let stored = storeProduct(child)
                return BundleListing.Child(
                    id: catalog.products[child].identifier, title: title(child), isOwned: isOwned,
                    price: stored?.price, displayPrice: stored?.displayPrice)
            },
            separatePrice: separate, displaySeparatePrice: text(separate),
            remainingPrice: remaining, displayRemainingPrice: text(remaining),
            saving: saving?.amount, displaySaving: text(saving?.amount), savedFraction: saving?.fraction,
            displaySavedPercentage: saving.map { Saving.percentage($0.fraction, language: languages.first) })
    }

    private func sum(_ indexes: [Int], in currency: String?) -> Decimal? {
        var sum = Decimal.zero
        for index in indexes {
            guard let product = storeProduct(index), product.currencyCode == currency else { return nil }
            sum += product.price
        }
        return sum
    }
}
