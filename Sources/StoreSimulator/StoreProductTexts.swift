internal import Foundation
internal import ProductCatalog

/// Texts and prices of products for a customer of a storefront.
struct StoreProductTexts {
    private let locale: String
    private let language: Locale.LanguageCode?
    let currency: String
    private let style: Decimal.FormatStyle.Currency
    /// Cache of formatted prices, as many products have the same price.
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
    /// - Returns: `nil` for a product without a price, which no store sells.
    ///
    /// - Parameter changed: Price that replaces that of the `.storekit` file, in thousandths of the currency's unit;
    ///   `nil` if the price was not changed.
    mutating func product(_ item: StoreConfiguration.Item, price changed: Int? = nil) -> StoreProduct? {
        guard let price = changed.map({ Decimal($0) / 1_000 }) ?? item.price else { return nil }
        let localization = localization(of: item)
        return StoreProduct(
            identifier: item.identifier,
            kind: item.kind,
            displayName: localization?.displayName ?? "",
            description: localization?.description ?? "",
            price: price,
            currencyCode: currency,
            displayPrice: text(of: price)
        )
    }

    private mutating func text(of price: Decimal) -> String {
        if let text = prices[price] { return text }
        let text = price.formatted(style)
        prices[price] = text
        return text
    }

    /// Returns the texts of a product in the customer's locale, or else in its language, or else the first of the
    /// product.
    private func localization(of item: StoreConfiguration.Item) -> StoreConfiguration.Localization? {
        item.localizations.first { $0.locale == locale }
            ?? item.localizations.first { Locale(identifier: $0.locale).language.languageCode == language }
            ?? item.localizations.first
    }
}
