/// A build or version number: one to eight numbers separated by periods, compared number by number.
public struct VersionNumber: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Text from which the version number was parsed, unchanged.
    public let description: String

    private static let mostNumbers = 8

    /// Parses a build or version number.
    ///
    /// - Returns: `nil` for any other text.
    public init?(_ text: String) {
        guard Self.isShort(text) || Self.numbers(in: text) != nil else { return nil }
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

    /// `true` for 0, 0.0 and so on: no version is lower.
    var isZero: Bool { description.utf8.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") } }

    /// Numbers of which the version consists, without zeros at the end. They are not stored, because versions are
    /// seldom compared.
    private var significantNumbers: ArraySlice<Int> {
        let numbers = Self.numbers(in: description) ?? []
        return numbers[...(numbers.lastIndex { $0 != 0 } ?? -1)]
    }

    /// Returns `true` for up to eight numbers in at most 18 bytes, as nearly all versions are. Each fits in an `Int`.
    private static func isShort(_ text: String) -> Bool {
        var (count, followsDigit) = (1, false)
        for byte in text.utf8 {
            if byte == UInt8(ascii: "."), followsDigit {
                (count, followsDigit) = (count + 1, false)
            } else {
                guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return false }
                followsDigit = true
            }
        }
        return followsDigit && count <= mostNumbers && text.utf8.count <= 18
    }

    private static func numbers(in text: String) -> [Int]? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= mostNumbers else { return nil }
        let numbers = parts.compactMap { part in
            part.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(Substring(part)) : nil
        }
        return numbers.count == parts.count ? numbers : nil
    }
}
