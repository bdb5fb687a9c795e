internal import Foundation
internal import VitrineCatalog

/// Texts and prices of products for a customer of a storefront.
struct StoreProductTexts {
    private let locale: String
    private let language: Locale.LanguageCode?
    let currency: String
    private let style: Decimal.FormatStyle.Currency
    /// Cache of formatted prices, because many products have the same price.
    private var prices: [Decimal: String] = [:]

    /// Creates the texts for a storefront and a locale.
    ///
    /// - Parameters:
    ///   - storefront: The country as an ISO 3166-1 alpha-3 code.
    ///   - locale: The identifier of a localization in a `.storekit` file, such as `en_US`.
    init(storefront: String, locale: String) {
        self.locale = locale
        let customer = Locale(identifier: locale)
        language = customer.language.languageCode
        currency = Locale(identifier: "en_\(storefront)").currency?.identifier ?? "USD"
        style = .currency(code: currency).locale(customer)
    }

    /// Returns the product of a `.storekit` file, with its texts and price.
    ///
    /// - Parameter changed: Price that replaces the price in the `.storekit` file, in thousandths of the currency's
    ///   unit; `nil` if the price was not changed.
    /// - Returns: `nil` for a product without a price, which the store does not sell.
    mutating func product(
        _ item: StoreConfiguration.Item, price changed: Int? = nil,
        subscription: StoreProduct.Subscription? = nil
    ) -> StoreProduct? {
        guard let price = changed.map({ Decimal($0) / 1_000 }) ?? item.price else { return nil }
        let localization = localization(among: item.localizations)
        return StoreProduct(
            identifier: item.identifier,
            kind: item.kind,
            displayName: localization?.displayName ?? "",
            description: localization?.description ?? "",
            price: price,
            currencyCode: currency,
            displayPrice: text(of: price),
            isFamilyShareable: item.isFamilyShareable,
            subscription: subscription
        )
    }

    /// Returns the terms of a subscription in a `.storekit` file.
    ///
    /// - Parameters:
    ///   - group: Group of the subscription; `nil` if the file has no group with its identifier.
    ///   - eligibility: Offers for which the customer is eligible.
    mutating func subscription(
        _ subscription: StoreConfiguration.Subscription, of group: StoreConfiguration.SubscriptionGroup?,
        _ eligibility: OfferEligibility
    ) -> StoreProduct.Subscription {
        let localizations = group?.localizations ?? []
        let name = localization(among: localizations)?.displayName ?? ""
        let offers = subscription.offers.map { offer($0) }
        return StoreProduct.Subscription(
            groupID: subscription.groupID, groupName: name.isEmpty ? subscription.group : name,
            level: subscription.level, period: subscription.period,
            introductoryOffer: offers.first { $0.kind == .introductory },
            promotionalOffers: offers.filter { $0.kind == .promotional },
            winBackOffers: offers.filter { $0.kind == .winBack },
            isEligibleForIntroductoryOffer: eligibility.isForIntroductoryOffer,
            eligibleWinBackOffers: eligibility.winBackOffers)
    }

    private mutating func offer(_ offer: StoreConfiguration.Offer) -> StoreProduct.Subscription.Offer {
        StoreProduct.Subscription.Offer(
            kind: offer.kind, identifier: offer.kind == .introductory ? nil : offer.identifier,
            paymentMode: offer.paymentMode, period: offer.period, periodCount: offer.periodCount,
            price: offer.price ?? 0, displayPrice: text(of: offer.price ?? 0))
    }

    private mutating func text(of price: Decimal) -> String {
        if let text = prices[price] { return text }
        let text = price.formatted(style)
        prices[price] = text
        return text
    }

    /// Returns the texts in the customer's locale; without them, those that a catalog's texts in these languages would give to
    /// the customer, or the first texts if none is in the customer's language.
    private func localization(
        among localizations: [StoreConfiguration.Localization]
    ) -> StoreConfiguration.Localization? {
        let related = localizations.filter { Locale(identifier: $0.locale).language.languageCode == language }
        let texts = related.map { (language: Self.tag($0.locale), text: $0.locale) }
        let best = LocalizedText(texts).text(for: [Self.tag(locale)])
        return localizations.first { $0.locale == locale } ?? related.first { $0.locale == best } ?? localizations.first
    }

    /// Returns the language tag of a locale, such as `zh-Hans-CN` for `zh-Hans_CN`.
    private static func tag(_ locale: String) -> String {
        locale.replacing("_", with: "-")
    }
}
