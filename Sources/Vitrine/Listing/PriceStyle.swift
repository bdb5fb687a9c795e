internal import Foundation

/// Writes amounts that the store has not written itself, in the customer's language and as their storefront does.
struct PriceStyle: Sendable {
    private let locale: Locale

    /// - Parameter storefront: The country as ISO 3166-1 alpha-3 names it; `nil` where it is not known.
    init(language: String?, storefront: String?) {
        let language = language ?? "en"
        guard let storefront else {
            locale = Locale(identifier: language)
            return
        }
        var components = Locale.Components(identifier: language)
        components.region = Locale.Region(storefront)
        locale = Locale(components: components)
    }

    func text(_ amount: Decimal, currencyCode: String) -> String {
        amount.formatted(.currency(code: currencyCode).locale(locale))
    }

    /// The price of one unit may be less than the smallest coin.
    func unitText(_ amount: Decimal, currencyCode: String) -> String {
        guard amount > 0, amount < 1 else { return text(amount, currencyCode: currencyCode) }
        return amount.formatted(.currency(code: currencyCode).locale(locale).precision(.significantDigits(2...3)))
    }
}
