internal import Foundation

/// Style of a price as a store has written it: symbol or code, place, and separators. Amounts beside a price that no known
/// locale formats in this way are written in the same style.
struct WrittenPriceStyle: Equatable {
    private let prefix: String
    private let suffix: String
    /// Separator of the decimals; `nil` if the price was written without decimals.
    private let decimalSeparator: Character?
    /// Separator of thousands; `nil` if the price has none.
    private let groupingSeparator: Character?

    /// Reads the style of a written price.
    ///
    /// - Returns: `nil` if the text is not the price, in decimal digits of ASCII.
    init?(_ text: String, of price: Decimal) {
        guard let first = text.firstIndex(where: \.isASCIIDigit), let last = text.lastIndex(where: \.isASCIIDigit)
        else { return nil }
        (prefix, suffix) = (String(text[..<first]), String(text[text.index(after: last)...]))
        let number = text[first...last]
        let separators = number.filter { !$0.isASCIIDigit }
        guard separators.allSatisfy({ ".,'’ \u{A0}\u{202F}".contains($0) }),
            let digits = Decimal(string: number.digits)
        else { return nil }
        let decimals = number.reversed().prefix { $0.isASCIIDigit }.count
        // Three digits follow the last separator of thousands.
        if digits == price, separators.isEmpty || decimals == 3 && Set(separators).count == 1 {
            (decimalSeparator, groupingSeparator) = (nil, separators.first)
            return
        }
        guard let separator = separators.last else { return nil }
        let others = Set(separators.dropLast())
        guard digits == price * pow(10, decimals), others.count <= 1, !others.contains(separator) else { return nil }
        (decimalSeparator, groupingSeparator) = (separator, others.first)
    }

    /// Returns an amount in this style, rounded half to even.
    ///
    /// - Parameters:
    ///   - decimals: Least and largest number of decimals.
    ///   - usual: Separator of decimals if the price was written without decimals.
    func text(_ amount: Decimal, decimals: ClosedRange<Int>, usual: String) -> String {
        var (amount, rounded) = (amount, Decimal())
        NSDecimalRound(&rounded, &amount, decimals.upperBound, .bankers)
        let parts = rounded.description.split(separator: ".", maxSplits: 1)
        let whole = parts.first.map(String.init) ?? "0"
        var fraction = parts.dropFirst().first.map(String.init) ?? ""
        fraction += String(repeating: "0", count: max(0, decimals.lowerBound - fraction.count))
        let separator = decimalSeparator.map(String.init) ?? usual
        return prefix + grouped(whole) + (fraction.isEmpty ? "" : separator + fraction) + suffix
    }

    private func grouped(_ whole: String) -> String {
        guard let groupingSeparator else { return whole }
        var text = ""
        for (index, digit) in whole.enumerated() {
            if index > 0, (whole.count - index).isMultiple(of: 3) { text.append(groupingSeparator) }
            text.append(digit)
        }
        return text
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isWholeNumber }
}

extension Substring {
    fileprivate var digits: String { String(filter(\.isASCIIDigit)) }
}
