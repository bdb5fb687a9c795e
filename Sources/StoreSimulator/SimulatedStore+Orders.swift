internal import Foundation
internal import ProductCatalog
internal import Purchasing

extension SimulatedStore {
    /// Creates the order for a purchase: a transaction without a number, which is not stored yet.
    func order(
        _ identifier: String, options: PurchaseOptions, at date: Date
    ) async throws(StoreError) -> SimulatedTransaction {
        if let offer = options.promotionalOffer, !hasOffer(offer.offerID, of: identifier) {
            throw StoreError(
                code: .invalidOffer, reason: "the store has no promotional offer \(offer.offerID) for \(identifier)")
        }
        let storefront = try await storefrontNow()
        var texts = texts(in: storefront)
        guard let item = item(identifier), let product = texts.product(item) else {
            throw StoreError(notSold: identifier)
        }
        guard (1...(item.kind == .consumable ? 10 : 1)).contains(options.quantity) else {
            throw StoreError(
                code: .invalidQuantity,
                reason: "the store does not sell \(identifier) in a quantity of \(options.quantity)")
        }
        return SimulatedTransaction(
            productIdentifier: identifier,
            kind: item.kind,
            quantity: options.quantity,
            purchaseDate: date,
            price: NSDecimalNumber(decimal: product.price * 1_000).intValue,
            currency: product.currencyCode,
            storefront: storefront,
            accountToken: options.accountToken
        )
    }

    func item(_ identifier: String) -> StoreConfiguration.Item? {
        configuration.items.first { $0.identifier == identifier }
    }

    private func hasOffer(_ offer: String, of identifier: String) -> Bool {
        configuration.subscriptions.contains { subscription in
            subscription.item.identifier == identifier
                && subscription.offers.contains { $0.kind == .promotional && $0.identifier == offer }
        }
    }
}

extension StoreError {
    init(notSold identifier: String) {
        self.init(code: .productNotAvailable, reason: "the store does not sell \(identifier)")
    }
}
