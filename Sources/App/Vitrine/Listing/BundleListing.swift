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
    /// bundle's, or a product is contained twice, directly or through other bundles.
    public let separatePrice: Decimal?
    public let displaySeparatePrice: String?
    /// Lowest price of all that the bundle contains and the customer does not own, bought without the bundle. A bundle
    /// in it counts with its own price, or with that of the products missing in it if that is lower: with 0 if the
    /// customer owns all of them. `nil` if a price is not known, or is in another currency than the bundle's, or a
    /// product is contained twice.
    public let remainingPrice: Decimal?
    public let displayRemainingPrice: String?
    /// Difference between ``remainingPrice`` and the price of the bundle; `nil` if less than 1 % or more than 99 % is saved,
    /// the bundle is an auto-renewable subscription, or there is no ``remainingPrice``.
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
    /// - Parameter partIsOwned: Ownership of each product that the bundle contains, in the order of ``parts(of:)``.
    /// - Returns: `nil` for a product that contains nothing.
    func bundle(_ index: Int, partIsOwned: [Bool]) -> BundleListing? {
        let children = catalog.bundles.children(of: index)
        guard !children.isEmpty else { return nil }
        let own = storeProduct(index)
        let separate = containsEachOnce(index) ? sum(children) { price($0, in: own?.currencyCode) } : nil
        let remaining = remainingPrice(index, partIsOwned: partIsOwned)
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
            children: zip(children, childIsOwned(index, partIsOwned: partIsOwned)).map { child, isOwned in
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

    /// Returns the products that a product contains, directly or through other bundles, each after a bundle that contains
    /// it.
    func parts(of index: Int) -> ArraySlice<Int> {
        catalog.bundles.children(of: index).isEmpty ? [] : catalog.bundles.descendants(of: index).dropFirst()
    }

    /// Returns the ownership of each product that a bundle contains directly.
    func childIsOwned(_ index: Int, partIsOwned: [Bool]) -> [Bool] {
        let owned = Set(zip(parts(of: index), partIsOwned).filter(\.1).map(\.0))
        return catalog.bundles.children(of: index).map(owned.contains)
    }

    /// Returns the ``BundleListing/remainingPrice`` of a bundle.
    ///
    /// Content of a contained bundle itself has no price of its own, and is left out if the products in the bundle cost
    /// less: the saving is then rather too small.
    func remainingPrice(_ index: Int, partIsOwned: [Bool]) -> Decimal? {
        guard containsEachOnce(index) else { return nil }
        let currency = storeProduct(index)?.currencyCode
        var prices: [Int: Decimal] = [:]
        // From the last to the first, because each product is listed after the bundle that contains it.
        for (part, isOwned) in zip(parts(of: index), partIsOwned).reversed() {
            let inParts = sum(catalog.bundles.children(of: part)) { prices[$0] }
            prices[part] = isOwned ? 0 : [price(part, in: currency), inParts].compactMap(\.self).min()
        }
        return sum(catalog.bundles.children(of: index)) { prices[$0] }
    }

    /// Indicates that no product is contained in a bundle in two ways, so that prices in it add up.
    private func containsEachOnce(_ index: Int) -> Bool {
        let all = catalog.bundles.descendants(of: index)
        return all.reduce(0) { $0 + catalog.bundles.children(of: $1).count } == all.count - 1
    }

    private func price(_ index: Int, in currency: String?) -> Decimal? {
        storeProduct(index).flatMap { $0.currencyCode == currency ? $0.price : nil }
    }

    /// Returns the sum of the prices of products; `nil` if there are no products, or a price is not known.
    private func sum(_ indexes: [Int], _ price: (Int) -> Decimal?) -> Decimal? {
        var sum = Decimal.zero
        for index in indexes {
            guard let price = price(index) else { return nil }
            sum += price
        }
        return indexes.isEmpty ? nil : sum
    }
}
