internal import Foundation
internal import ProductCatalog

extension StoreConfiguration.Item {
    /// The product as a customer of a storefront sees it.
    ///
    /// - Returns: `nil` for a product without a price, which no store sells.
    func storeProduct(storefront: String, locale identifier: String) -> StoreProduct? {
        guard let price else { return nil }
        let currency = Locale(identifier: "en_\(storefront)").currency?.identifier ?? "USD"
        let localization = localization(for: identifier)
        return StoreProduct(
            identifier: self.identifier,
            kind: kind,
            displayName: localization?.displayName ?? "",
            description: localization?.description ?? "",
            price: price,
            currencyCode: currency,
            displayPrice: price.formatted(.currency(code: currency).locale(Locale(identifier: identifier)))
        )
    }

    /// The texts for a locale: those of the locale itself, of its language, or else the first.
    private func localization(for identifier: String) -> StoreConfiguration.Localization? {
        let wanted = Locale(identifier: identifier).language.languageCode
        return localizations.first { $0.locale == identifier }
            ?? localizations.first { Locale(identifier: $0.locale).language.languageCode == wanted }
            ?? localizations.first
    }
}
