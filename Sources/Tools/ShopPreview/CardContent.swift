internal import Vitrine
package import VitrineCatalog

/// Texts of a product's card about buying it, for customers and in their language. They depend only on the state, the type
/// and the price of the product.
package struct CardContent: Sendable, Hashable {
    /// Label of the button that buys the product: the price, if it is known. `nil` if the product cannot be bought now.
    package let button: String?
    /// Verb of the button, which a screen reader says before the price.
    package let verb: String
    /// Price beside the status of a product that cannot be bought now and is not owned; `nil` if it is in the button.
    package let price: String?
    /// State of a product that cannot be bought now, such as "Purchased".
    package let status: String?
    /// Sentence that says why the product cannot be bought, and what the customer can do; `nil` if there is nothing to
    /// say.
    package let explanation: String?

    /// Returns the content of a card.
    ///
    /// - Parameters:
    ///   - state: State of the product.
    ///   - kind: Type of the product.
    ///   - price: Price as the store writes it, for a subscription with its period; `nil` if it is unknown.
    ///   - phrases: Phrases in the language of the customer.
    package init(of state: ProductState, kind: ProductKind, price: String?, phrases: ShopPhrases) {
        let isSubscription = kind == .autoRenewableSubscription
        verb = phrases[isSubscription ? .subscribe : .buy]
        button = state == .buyable ? price ?? verb : nil
        switch state {
        case .buyable: (status, explanation, self.price) = (nil, nil, nil)
        case .owned: (status, explanation, self.price) = (phrases[isSubscription ? .subscribed : .owned], nil, nil)
        case .unfinished(let purchase):
            (status, explanation, self.price) = (phrases[Self.phrase(for: purchase)], nil, price)
        case .notOffered(let reason):
            (status, explanation, self.price) = (phrases[.unavailable], Self.explanation(reason, phrases), price)
        }
    }

    private static func phrase(for purchase: PurchaseState) -> ShopPhrase {
        switch purchase {
        case .inProgress: .buying
        case .waitingForApproval: .waitingForApproval
        case .delivering: .delivering
        }
    }

    /// Returns what a customer is told about a reason. Defects of the catalog are the developer's, and not explained.
    private static func explanation(_ reason: NotOfferedReason, _ phrases: ShopPhrases) -> String? {
        switch reason {
        case .productsNotLoaded, .notReturnedByStore, .purchasesNotRead, .ownershipUnknown: phrases[.storeUnreachable]
        case .enoughChildrenOwned: phrases[.bundleMostlyOwned]
        case .appTooOld(let minimum): phrases.filled(.updateApp, "\(minimum)")
        case .purchasesNotAllowed: phrases[.purchasesNotAllowed]
        case .catalogOutOfDate, .unknownToStore, .kindMismatch, .noWallet, .uncreditedValue, .noDuration, .unknownKind,
            .noContent, .noContentURL, .alreadyOwned:
            nil
        }
    }
}
