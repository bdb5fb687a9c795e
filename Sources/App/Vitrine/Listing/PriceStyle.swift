internal import Foundation
internal import VitrineCatalog

/// Format for amounts that are displayed beside a price which the store has formatted.
struct PriceStyle: Sendable {
    /// Locales that may format prices as the store does, in order of preference.
    private let locales: [Locale]

    /// Creates the format for the language and the storefront of a customer.
    ///
    /// - Parameter storefront: Country as an ISO 3166-1 alpha-3 code; `nil` if it is not known.
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

    /// Returns an amount in the currency of a price, formatted like the price.
    ///
    /// - Returns: `nil` if the format of the price is not known, so that the amounts would not look alike.
    func text(_ amount: Decimal, as price: StoreProduct) -> String? {
        let usual = Self.decimals(of: price.currencyCode)
        return text(amount, as: price, decimals: usual...usual)
    }

    /// Returns an amount in the currency of a price, rounded half to even to the currency's decimals, as
    /// ``text(_:as:)`` rounds it.
    func rounded(_ amount: Decimal, as price: StoreProduct) -> Decimal {
        var (amount, rounded) = (amount, Decimal())
        NSDecimalRound(&rounded, &amount, Self.decimals(of: price.currencyCode), .bankers)
        return rounded
    }

    /// Returns the price of one unit as text. It has three significant digits if this requires more decimals than the
    /// currency has, because the price may be below the smallest coin.
    ///
    /// - Returns: `nil`, as ``text(_:as:)``.
    func unitText(_ amount: Decimal, as price: StoreProduct) -> String? {
        let usual = Self.decimals(of: price.currencyCode)
        guard amount > 0 else { return text(amount, as: price) }
        var decimals = 2
        var scaled = amount
        while scaled < 1, decimals < Self.mostDecimals {
            scaled *= 10
            decimals += 1
        }
        if scaled >= 10 { decimals -= scaled >= 100 ? 2 : 1 }
        return text(amount, as: price, decimals: usual...max(usual, decimals))
    }

    private static let mostDecimals = 12

    /// Returns an amount in the style of the first locale that formats the price as the store does or, if there is none, as
    /// the store has written the price, so that both amounts look alike.
    private func text(_ amount: Decimal, as price: StoreProduct, decimals: ClosedRange<Int>) -> String? {
        let styles = locales.map { Decimal.FormatStyle.Currency(code: price.currencyCode, locale: $0) }
        if let style = styles.first(where: { Self.isAlike($0.format(price.price), price.displayPrice) }) {
            return style.precision(.fractionLength(decimals)).format(amount)
        }
        return WrittenPriceStyle(price.displayPrice, of: price.price)?
            .text(amount, decimals: decimals, usual: locales[0].decimalSeparator ?? ".")
    }

    /// Returns `true` if two formatted prices are equal apart from white space, which differs between stores.
    private static func isAlike(_ left: String, _ right: String) -> Bool {
        left.filter { !$0.isWhitespace } == right.filter { !$0.isWhitespace }
    }

    /// Returns the number of decimals of a currency according to Unicode's CLDR.
    private static func decimals(of currency: String) -> Int {
        let one = Decimal(1).formatted(.currency(code: currency).locale(Locale(identifier: "en_US_POSIX")))
        return one.firstIndex(of: ".").map { one[$0...].dropFirst().count(where: \.isNumber) } ?? 0
    }
}
