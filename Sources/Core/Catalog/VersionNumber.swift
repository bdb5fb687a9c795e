internal import VitrinePropertyList

/// A build or version number: one to eight numbers separated by periods, compared number by number.
public struct VersionNumber: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Original text of the version number.
    public let description: String

    private static let mostNumbers = 8

    /// Parses a build or version number.
    ///
    /// - Returns: `nil` for any other text.
    public init?(_ text: String) {
        guard Self.forEachNumber(in: text, { _ in }) else { return nil }
        description = text
    }

    /// Compares two versions. A missing number is treated as zero: 2 and 2.0 are equal.
    public static func == (left: VersionNumber, right: VersionNumber) -> Bool {
        left.significantNumbers == right.significantNumbers
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(significantNumbers) }

    public static func < (left: VersionNumber, right: VersionNumber) -> Bool {
        left.significantNumbers.lexicographicallyPrecedes(right.significantNumbers)
    }

    /// `true` for 0, 0.0 and so on, the lowest possible version.
    var isZero: Bool { description.utf8.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") } }

    /// Numbers of the version without trailing zeros. They are parsed on access, because versions are rarely compared.
    private var significantNumbers: ArraySlice<Int> {
        let numbers = Self.numbers(in: description) ?? []
        return numbers[...(numbers.lastIndex { $0 != 0 } ?? -1)]
    }

    /// Returns the numbers of a text; `nil` for a text that is not a version.
    private static func numbers(in text: String) -> [Int]? {
        var numbers: [Int] = []
        return forEachNumber(in: text) { numbers.append($0) } ? numbers : nil
    }

    /// Calls `use` for each number of a text.
    ///
    /// - Returns: `false` for a text that is not a version.
    private static func forEachNumber(in text: String, _ use: (Int) -> Void) -> Bool {
        var count = 0
        var number: Int?
        for byte in text.utf8 {
            if byte == UInt8(ascii: "."), let part = number {
                use(part)
                count += 1
                number = nil
            } else {
                let (product, isTooLarge) = (number ?? 0).multipliedReportingOverflow(by: 10)
                let (sum, overflows) = product.addingReportingOverflow(Int(byte) - Int(UInt8(ascii: "0")))
                guard byte.isDigit, !isTooLarge, !overflows else { return false }
                number = sum
            }
        }
        guard let number, count < mostNumbers else { return false }
        use(number)
        return true
    }
}
