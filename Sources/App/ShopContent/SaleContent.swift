internal import Vitrine
public import VitrineCatalog
public import VitrineEntitlements
internal import VitrinePurchasing

/// Texts about buying a product, for customers and in their language. They depend only on the state, the type and the
/// price of the product, and on the customer's subscriptions.
public struct SaleContent: Sendable, Hashable {
    /// Label of the button that buys the product: the price, if it is known. `nil` if the product cannot be bought now.
    public let button: String?
    /// Verb of the button, such as "Subscribe", which a screen reader says before the price.
    public let verb: String
    /// Price beside the status of a product that cannot be bought now and is not owned; `nil` if it is in the button.
    public let price: String?
    /// State of a product, such as "Purchased"; `nil` for one that can simply be bought.
    public let status: String?
    /// Sentence that says what happens next, why the product cannot be bought, or what the customer can do; `nil` if
    /// there is nothing to say.
    public let explanation: String?

    /// - Parameters:
    ///   - state: State of the product.
    ///   - kind: Type of the product.
    ///   - price: Price as the store writes it, for a subscription with its period; `nil` if it is unknown.
    ///   - ownership: Ownership of the product.
    ///   - subscription: The customer's subscription to the product, current or ended; `nil` if there is none.
    ///   - relation: Relation to the customer's subscription in the group; `nil` for other products.
    ///   - phrases: Phrases in the language of the customer.
    public init(
        of state: ProductState, kind: ProductKind, price: String?, ownership: Ownership = .notOwned,
        subscription: CustomerSubscription? = nil, relation: PlanRelation? = nil, phrases: ShopPhrases
    ) {
        verb = phrases[Self.verb(kind, ownership, relation)]
        switch state {
        case .buyable:
            let (status, explanation) = Self.beforeBuying(subscription, relation, phrases)
            // A change of plan that is arranged already cannot be made again.
            let isArranged = if case .next = relation { true } else { false }
            button = isArranged ? nil : price ?? verb
            (self.status, self.explanation, self.price) = (status, explanation, isArranged ? price : nil)
        case .owned:
            button = nil
            (status, explanation) = Self.owned(kind, ownership, subscription, phrases)
            self.price = nil
        case .unfinished(let purchase):
            button = nil
            (status, explanation, self.price) = (phrases[Self.phrase(for: purchase)], nil, price)
        case .notOffered(let reason):
            button = nil
            (status, explanation, self.price) = (phrases[.unavailable], Self.explanation(reason, phrases), price)
        }
    }

    private static func verb(_ kind: ProductKind, _ ownership: Ownership, _ relation: PlanRelation?) -> ShopPhrase {
        switch (kind, relation) {
        case (.autoRenewableSubscription, .upgrade): .upgrade
        case (.autoRenewableSubscription, .change), (.autoRenewableSubscription, .next): .changePlan
        case (.autoRenewableSubscription, _): .subscribe
        case (.nonRenewingSubscription, _) where ownership.isOwned: .extend
        default: .buy
        }
    }

    private static func phrase(for purchase: PurchaseState) -> ShopPhrase {
        switch purchase {
        case .inProgress: .buying
        case .waitingForApproval: .waitingForApproval
        case .delivering: .delivering
        }
    }

    /// Returns the status and the explanation of a product that can be bought. What a member of the family has paid for is
    /// not the customer's to pay, and was not refunded to the customer.
    private static func beforeBuying(
        _ subscription: CustomerSubscription?, _ relation: PlanRelation?, _ phrases: ShopPhrases
    ) -> (String?, String?) {
        let isShared = subscription?.isFamilyShared == true
        return switch (relation, subscription?.state) {
        case (.next(let date), _): (phrases.filled(.starts, date), nil)
        case (.change(let date?), _): (nil, phrases.filled(.starts, date))
        case (.open, .expired?): (subscription.map { phrases.filled(.expired, $0.expirationDate) }, nil)
        case (.open, .inBillingRetry?):
            (
                subscription.map { phrases.filled(.expired, $0.expirationDate) },
                isShared ? nil : phrases[.paymentProblem]
            )
        case (.open, .revoked?) where !isShared: (phrases[.refunded], nil)
        default: (nil, nil)
        }
    }

    /// Returns the status and the explanation of an owned product.
    private static func owned(
        _ kind: ProductKind, _ ownership: Ownership, _ subscription: CustomerSubscription?, _ phrases: ShopPhrases
    ) -> (String, String?) {
        guard kind == .autoRenewableSubscription else {
            return (phrases[ownership.isOnlyFamilyShared ? .sharedByFamily : .owned], nil)
        }
        guard let subscription else { return (phrases[.subscribed], nil) }
        let isShared = subscription.isFamilyShared
        let status = phrases[isShared ? .sharedByFamily : .subscribed]
        if subscription.state == .inGracePeriod { return (status, isShared ? nil : phrases[.paymentProblem]) }
        if let date = subscription.renewalDate {
            if subscription.priceIncrease == .pending, !isShared {
                return (status, phrases.filled(.priceIncrease, date))
            }
            let isReplaced = subscription.nextProduct.map { $0 != subscription.productIdentifier } ?? false
            return (status, phrases.filled(isReplaced ? .until : .renews, date))
        }
        return (status, subscription.endDate.map { phrases.filled(.until, $0) })
    }

    /// Returns what a customer is told about a reason. Defects of the catalog are the developer's, and not explained.
    private static func explanation(_ reason: NotOfferedReason, _ phrases: ShopPhrases) -> String? {
        switch reason {
        case .productsNotLoaded, .notReturnedByStore, .purchasesNotRead: phrases.text(.storeUnreachable)
        // The store may know more than this device, such as the first installation of the app.
        case .ownershipUnknown: phrases[.restore]
        case .enoughChildrenOwned: phrases[.bundleMostlyOwned]
        case .appTooOld(let minimum): phrases.filled(.updateApp, "\(minimum)")
        case .purchasesNotAllowed: phrases.text(.purchasesNotAllowed)
        case .catalogOutOfDate, .unknownToStore, .kindMismatch, .noWallet, .uncreditedValue, .noDuration, .unknownKind,
            .noContent, .noContentURL, .alreadyOwned:
            nil
        }
    }
}

extension Ownership {
    /// `true` if the product is owned only by purchases that a member of the customer's family shares.
    fileprivate var isOnlyFamilyShared: Bool {
        guard case .owned(let reasons) = self, !reasons.isEmpty else { return false }
        return reasons.allSatisfy { if case .transaction(let own) = $0 { own.isFamilyShared } else { false } }
    }
}
