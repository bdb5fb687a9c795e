public import Foundation
public import VitrineCatalog

/// Subscription as displayed on a screen: its prices for different lengths of time, and the offers that the customer is
/// eligible for, in the customer's language.
public struct ListedSubscription: Sendable, Hashable {
    /// Subscription offer that the customer is eligible for.
    public struct Offer: Sendable, Hashable {
        /// Data of the store about the subscription offer.
        public let terms: StoreProduct.Subscription.Offer
        /// Price of the subscription offer and the price after it: "1 week free, then €4.99 a month".
        public let text: String
    }

    /// Customer's subscription to this product, current or ended; `nil` if there is none.
    public let current: CustomerSubscription?
    /// Data of the store about the subscription, with all its offers; `nil` if the store has not sent them.
    public let terms: StoreProduct.Subscription?
    /// Identifier of the subscription group in the store's data, or else the catalog's `subscriptionGroup`.
    public let group: String?
    /// Name of the subscription group in the store's data; `nil` if there is none in the customer's language.
    public let groupName: String?
    /// Rank in the group in the store's data, or else the catalog's `level`: 1 is the highest.
    public let level: Int?
    /// Price with the renewal period: "€29.99 a year"; `nil` if the store has not sent them.
    public let displayPricePerPeriod: String?
    /// Price of one month of a subscription that renews after several months or years, rounded half to even to the
    /// currency's decimals; `nil` for other periods.
    public let pricePerMonth: Decimal?
    /// ``pricePerMonth``, formatted like the price: "€2.50 a month"; `nil` also if the format of the price is not known.
    public let displayPricePerMonth: String?
    /// Saving compared with the group's monthly subscription over the same number of months, for a period of several
    /// months or years; `nil` if nothing is saved, or there is no monthly subscription to compare with.
    ///
    /// The monthly subscription has the same currency and the same level, or is the only monthly one of the group.
    public let saving: Decimal?
    /// ``saving``, formatted like the price; `nil` also if the format of the price is not known.
    public let displaySaving: String?
    /// Saving as a fraction of the monthly subscription's price for the same time, from 0 to 1; `nil` if nothing is
    /// saved.
    public let savedFraction: Double?
    /// Introductory offer; `nil` if there is none, or the customer is not known to be eligible for it.
    public let introductoryOffer: Offer?
    /// Win-back offers that the customer is eligible for, the best one first.
    public let winBackOffers: [Offer]

    /// Renewal period; `nil` if the store has not sent it.
    public var period: RenewalPeriod? { terms?.period }
}

extension ProductIndex {
    /// Returns a subscription as it is displayed on a screen.
    ///
    /// - Parameters:
    ///   - endsOffers: `true` if the customer has a subscription in the group, so that offers to new or former
    ///     subscribers no longer apply.
    ///   - current: Subscription of the customer to this product; `nil` if there is none.
    /// - Returns: `nil` for a product that is not an auto-renewable subscription.
    func subscription(
        _ position: Int, endsOffers: Bool, of current: CustomerSubscription?
    ) -> ListedSubscription? {
        guard kind(position) == .autoRenewableSubscription else { return nil }
        let (product, stored) = (catalog.products[position], storeProduct(position))
        let terms = stored?.subscription
        let prices = stored.flatMap { stored in terms.map { SubscriptionPrices(of: stored, $0, in: self) } }
        let saving = prices?.saving(comparedTo: monthlyPlan(for: position))
        return ListedSubscription(
            current: current, terms: terms, group: terms?.groupID ?? product.subscriptionGroup,
            groupName: groupName(position),
            level: terms?.level ?? product.level, displayPricePerPeriod: prices?.perPeriod,
            pricePerMonth: prices?.perMonth?.amount, displayPricePerMonth: prices?.perMonth?.text,
            saving: saving?.amount, displaySaving: saving?.text, savedFraction: saving?.fraction,
            introductoryOffer: endsOffers ? nil : prices?.introductoryOffer,
            winBackOffers: endsOffers ? [] : prices?.winBackOffers ?? [])
    }

    /// Returns the monthly subscription of the same group that the prices of a subscription are compared with: one of
    /// the same level, or else the only one.
    func monthlyPlan(for position: Int) -> StoreProduct? {
        guard let own = storeProduct(position), let terms = own.subscription, (terms.period.months ?? 0) > 1 else {
            return nil
        }
        let monthly = groups.members(with: position).compactMap { storeProduct($0) }.filter {
            $0.subscription?.period.months == 1 && $0.currencyCode == own.currencyCode
        }
        let sameLevel = monthly.filter { $0.subscription?.level == terms.level }
        return sameLevel.min { $0.price < $1.price } ?? (monthly.count == 1 ? monthly.first : nil)
    }
}

/// Prices of a subscription as amounts and texts.
private struct SubscriptionPrices {
    private let stored: StoreProduct
    private let terms: StoreProduct.Subscription
    private let index: ProductIndex

    init(of stored: StoreProduct, _ terms: StoreProduct.Subscription, in index: ProductIndex) {
        self.stored = stored
        self.terms = terms
        self.index = index
    }

    var perPeriod: String { index.subscriptionTexts.price(stored.displayPrice, each: terms.period) }

    var perMonth: (amount: Decimal, text: String?)? {
        guard let months = terms.period.months, months > 1, let month = RenewalPeriod(count: 1, unit: .month) else {
            return nil
        }
        let amount = index.priceStyle.rounded(stored.price / Decimal(months), as: stored)
        let text = index.priceStyle.text(amount, as: stored)
        return (amount, text.map { index.subscriptionTexts.price($0, each: month) })
    }

    func saving(comparedTo monthly: StoreProduct?) -> (amount: Decimal, text: String?, fraction: Double)? {
        guard let monthly, let months = terms.period.months else { return nil }
        let separate = monthly.price * Decimal(months)
        guard separate > stored.price else { return nil }
        let amount = separate - stored.price
        return (
            amount, index.priceStyle.text(amount, as: stored),
            NSDecimalNumber(decimal: amount / separate).doubleValue
        )
    }

    var introductoryOffer: ListedSubscription.Offer? {
        terms.isEligibleForIntroductoryOffer == true ? terms.introductoryOffer.map(listed) : nil
    }

    var winBackOffers: [ListedSubscription.Offer] {
        terms.eligibleWinBackOffers.compactMap { identifier in
            terms.winBackOffers.first { $0.identifier == identifier }.map(listed)
        }
    }

    private func listed(_ offer: StoreProduct.Subscription.Offer) -> ListedSubscription.Offer {
        ListedSubscription.Offer(terms: offer, text: index.subscriptionTexts.offer(offer, then: perPeriod))
    }
}

extension RenewalPeriod {
    /// Number of months; `nil` for a period of days or weeks.
    fileprivate var months: Int? {
        switch unit {
        case .day, .week: nil
        case .month: count
        case .year: count * 12
        }
    }
}
