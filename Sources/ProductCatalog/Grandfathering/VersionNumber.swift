/// A build or version number: one to eight numbers separated by periods, compared number by number.
public struct VersionNumber: Sendable, Hashable, Comparable, CustomStringConvertible {
    private let parts: [Int]
    /// Original text of the number.
    public let description: String

    private static let mostParts = 8

    init(_ number: Int) {
        parts = [number]
        description = "\(number)"
    }

    /// Parses a build or version number.
    ///
    /// - Returns: `nil` for any other text.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= Self.mostParts else { return nil }
        self.parts = parts.compactMap { part in
            part.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(Substring(part)) : nil
        }
        guard self.parts.count == parts.count else { return nil }
        description = text
    }

    /// Compares two versions. A missing number is treated as zero: 2 and 2.0 are equal.
    public static func == (left: VersionNumber, right: VersionNumber) -> Bool {
        left.significantParts == right.significantParts
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(significantParts) }

    public static func < (left: VersionNumber, right: VersionNumber) -> Bool {
        left.significantParts.lexicographicallyPrecedes(right.significantParts)
    }

    /// Numbers without trailing zeros.
    private var significantParts: ArraySlice<Int> {
        parts[...(parts.lastIndex { $0 != 0 } ?? -1)]
    }
}
