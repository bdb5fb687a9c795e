/// Renewal period of an auto-renewable subscription, or one period of an offer: a number of days, weeks, months or
/// years, such as `P1M` in ISO 8601 notation.
///
/// A ``SubscriptionDuration`` may combine several units, and computes its end date.
public struct RenewalPeriod: Sendable, Hashable, CustomStringConvertible {
    /// Unit of a period, with its designator in ISO 8601 notation.
    public enum Unit: String, Sendable, Hashable, CaseIterable {
        case day = "D"
        case week = "W"
        case month = "M"
        case year = "Y"
    }

    /// Number of units, from 1 to 9999.
    public let count: Int
    public let unit: Unit

    /// Creates a period.
    ///
    /// - Returns: `nil` unless the count is from 1 to 9999.
    public init?(count: Int, unit: Unit) {
        guard (1...9_999).contains(count) else { return nil }
        self.count = count
        self.unit = unit
    }

    /// Parses a number of days, weeks, months or years in ISO 8601 notation.
    ///
    /// - Returns: `nil` for another text, a number of more than four digits, or a period of zero.
    public init?(iso8601 text: String) {
        let digits = text.utf8.dropFirst().dropLast()
        guard text.utf8.first == UInt8(ascii: "P"), (1...4).contains(digits.count),
            digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let count = Int(Substring(digits)), let unit = Unit(rawValue: String(text.suffix(1)))
        else { return nil }
        self.init(count: count, unit: unit)
    }

    /// The period in ISO 8601 notation.
    public var description: String { "P\(count)\(unit.rawValue)" }
}

// MARK: - Codable

extension RenewalPeriod: Codable {
    /// Decodes a period from its ISO 8601 notation.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let period = RenewalPeriod(iso8601: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(text.quoted) is not a period like P1M")
        }
        self = period
    }

    /// Encodes the period in ISO 8601 notation.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
