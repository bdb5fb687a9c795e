internal import Foundation

/// Saving of a customer who buys one thing in place of others with a higher price in all.
struct Saving: Sendable {
    let amount: Decimal
    /// Amount as a fraction of the higher price.
    let fraction: Double

    /// Fractions that are worth telling a customer. Outside of them, a percentage would be displayed as 0 or 100, and the
    /// prices are more likely wrong than an offer.
    private static let range: ClosedRange<Decimal> = (1 / 100)...(99 / 100)

    /// - Returns: `nil` if less than 1 % or more than 99 % is saved.
    init?(_ price: Decimal, inPlaceOf separate: Decimal) {
        guard separate > 0, Self.range.contains((separate - price) / separate) else { return nil }
        amount = separate - price
        fraction = NSDecimalNumber(decimal: amount / separate).doubleValue
    }

    /// Returns a fraction as a percentage without decimals in the form of a language: "20%" in English, "20 %" in German,
    /// "%20" in Turkish.
    static func percentage(_ fraction: Double, language: String?) -> String {
        fraction.formatted(.percent.precision(.fractionLength(0)).locale(Locale(identifier: language ?? "en")))
    }
}
