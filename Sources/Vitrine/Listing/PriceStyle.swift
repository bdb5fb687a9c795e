internal import Foundation
internal import ProductCatalog

/// Writes amounts that the store has not written itself, beside a price that it has.
struct PriceStyle: Sendable {
    /// The best first.
    private let locales: [Locale]

    /// - Parameter storefront: The country as ISO 3166-1 alpha-3 names it; `nil` where it is not known.
    init(language: String?, storefront: String?) {
        let customer = Locale(identifier: language ?? "en")
        let american = Locale(identifier: "en_US")
        guard let region = storefront.flatMap({ Locale(identifier: "und_\($0)").region }) else {
            locales = [customer, american]
            return
        }
        let native = Locale(identifier: "und_\(region.identifier)").language.maximalIdentifier
        var components = Locale.Components(locale: customer)
        components.region = region
        locales = [Locale(components: components), Locale(identifier: native), customer, american]
    }

    /// An amount in the currency of a price, written as that one is.
    func text(_ amount: Decimal, as price: StoreProduct) -> String {
        style(of: price).format(amount)
    }

    /// What one unit costs, with three digits that count where that takes more than the currency has: it may be less than
    /// the smallest coin.
    func unitText(_ amount: Decimal, as price: StoreProduct) -> String {
        let usual = Self.decimals(of: price.currencyCode)
        guard amount > 0 else { return text(amount, as: price) }
        var decimals = 2
        var scaled = amount
        while scaled < 1, decimals < Self.mostDecimals {
            scaled *= 10
            decimals += 1
        }
        if scaled >= 10 { decimals -= scaled >= 100 ? 2 : 1 }
        return style(of: price).precision(.fractionLength(usual...max(usual, decimals))).format(amount)
    }

    private static let mostDecimals = 12

    /// The style of the first locale that writes the price as the store does: what stands beside it looks alike then.
    private func style(of price: StoreProduct) -> Decimal.FormatStyle.Currency {
        let styles = locales.map { Decimal.FormatStyle.Currency(code: price.currencyCode, locale: $0) }
        return styles.first { Self.isAlike($0.format(price.price), price.displayPrice) } ?? styles[0]
    }

    /// Stores differ in the kind of space.
    private static func isAlike(_ left: String, _ right: String) -> Bool {
        left.filter { !$0.isWhitespace } == right.filter { !$0.isWhitespace }
    }

    /// So many decimals amounts of a currency are written with, as Unicode's CLDR has it.
    private static func decimals(of currency: String) -> Int {
        let one = Decimal(1).formatted(.currency(code: currency).locale(Locale(identifier: "en_US_POSIX")))
        return one.firstIndex(of: ".").map { one[$0...].dropFirst().count(where: \.isNumber) } ?? 0
    }
}
