internal import Foundation
internal import VitrineCatalog

/// Texts about the price of a subscription, in the language of a customer.
struct SubscriptionTexts: Sendable {
    private let phrases: SubscriptionPhrases
    /// Locale that writes the numbers of days, weeks, months and years.
    private let locale: Locale

    init(languages: [String]) {
        phrases = SubscriptionPhrases.best(for: languages)
        let (own, customer) = (Locale(identifier: phrases.language), Locale(identifier: languages.first ?? "en"))
        locale = customer.language.languageCode == own.language.languageCode ? customer : own
    }

    /// Returns the price of one period: "€4.99 a month".
    func price(_ price: String, each period: RenewalPeriod) -> String {
        let unit = phrases[period.unit]
        return period.count == 1
            ? unit.each.filled(price: price) : unit.every.filled(price: price, duration: duration(period))
    }

    /// Returns the price of a subscription offer with the usual price after it: "1 week free, then €4.99 a month".
    func offer(_ offer: StoreProduct.Subscription.Offer, then usual: String) -> String {
        phrases.then.replacing("{offer}", with: self.offer(offer)).filled(price: usual)
    }

    private func offer(_ offer: StoreProduct.Subscription.Offer) -> String {
        let whole = duration(offer.duration)
        return switch offer.paymentMode {
        case .free: phrases.free.filled(duration: whole)
        case .payAsYouGo where offer.periodCount > 1:
            phrases.lasting.filled(price: price(offer.displayPrice, each: offer.period), duration: whole)
        case .payAsYouGo, .payUpFront: phrases.lasting.filled(price: offer.displayPrice, duration: whole)
        }
    }

    private func duration(_ period: RenewalPeriod) -> String {
        let number = period.count.formatted(.number.grouping(.never).locale(locale))
        return phrases.form(of: period.unit, for: period.count).replacing("{n}", with: number)
    }
}

extension StoreProduct.Subscription.Offer {
    /// Length of all periods of the subscription offer together.
    fileprivate var duration: RenewalPeriod {
        RenewalPeriod(count: period.count * periodCount, unit: period.unit) ?? period
    }
}

extension String {
    /// Replaces the placeholders of a phrase by a price and a duration.
    fileprivate func filled(price: String = "", duration: String = "") -> String {
        replacing("{duration}", with: duration).replacing("{price}", with: price)
    }
}
