internal import ProductCatalog

extension Product {
    /// Period of a subscription or of an offer.
    public struct SubscriptionPeriod: Hashable, Sendable, CustomDebugStringConvertible {
        /// Unit of a period. Units are ordered by length.
        public enum Unit: Hashable, Comparable, Sendable {
            case day, week, month, year
        }

        public let unit: Unit
        /// Number of units.
        public let value: Int

        public static let weekly = SubscriptionPeriod(unit: .week, value: 1)
        public static let monthly = SubscriptionPeriod(unit: .month, value: 1)
        public static let yearly = SubscriptionPeriod(unit: .year, value: 1)
        public static let everyThreeDays = SubscriptionPeriod(unit: .day, value: 3)
        public static let everyTwoWeeks = SubscriptionPeriod(unit: .week, value: 2)
        public static let everyTwoMonths = SubscriptionPeriod(unit: .month, value: 2)
        public static let everyThreeMonths = SubscriptionPeriod(unit: .month, value: 3)
        public static let everySixMonths = SubscriptionPeriod(unit: .month, value: 6)

        /// Returns the dates from the beginning to the end of a period.
        ///
        /// - Parameter referenceDate: Beginning of the period.
        public func dateRange(referenceDate: Date = .now) -> Range<Date> {
            let end = Calendar.current.date(byAdding: unit.component, value: value, to: referenceDate)
            return referenceDate..<(end ?? referenceDate)
        }

        /// Formats the period as dates.
        public func formatted<S>(_ format: S, referenceDate: Date = .now) -> S.FormatOutput
        where S: FormatStyle, S.FormatInput == Range<Date> {
            format.format(dateRange(referenceDate: referenceDate))
        }

        /// Formats the period as a duration.
        public func formatted<S>(_ format: S, referenceDate: Date = .now) -> S.FormatOutput
        where S: FormatStyle, S.FormatInput == Duration {
            let range = dateRange(referenceDate: referenceDate)
            return format.format(.seconds(range.upperBound.timeIntervalSince(range.lowerBound)))
        }

        public var debugDescription: String { iso8601 }

        /// The period in ISO 8601 notation, such as `P1M`.
        var iso8601: String {
            switch unit {
            case .day: "P\(value)D"
            case .week: "P\(value)W"
            case .month: "P\(value)M"
            case .year: "P\(value)Y"
            }
        }
    }
}

extension Product.SubscriptionPeriod {
    init(_ period: RenewalPeriod) {
        let unit: Unit =
            switch period.unit {
            case .day: .day
            case .week: .week
            case .month: .month
            case .year: .year
            }
        self.init(unit: unit, value: period.count)
    }

    init?(iso8601: String?) {
        guard let period = iso8601.flatMap(RenewalPeriod.init(iso8601:)) else { return nil }
        self.init(period)
    }
}

extension Product.SubscriptionPeriod.Unit {
    var component: Calendar.Component {
        switch self {
        case .day: .day
        case .week: .weekOfYear
        case .month: .month
        case .year: .year
        }
    }

    /// Name of the unit, in English.
    public var localizedDescription: String { formatted(FormatStyle()) }

    public func formatted<S>(_ format: S) -> S.FormatOutput
    where S: Foundation.FormatStyle, S.FormatInput == Product.SubscriptionPeriod.Unit {
        format.format(self)
    }

    /// Format of a unit as its name in English, such as "Month": Foundation has no names of units off Apple's platforms.
    public struct FormatStyle: Foundation.FormatStyle {
        public func format(_ value: Product.SubscriptionPeriod.Unit) -> String {
            switch value {
            case .day: "Day"
            case .week: "Week"
            case .month: "Month"
            case .year: "Year"
            }
        }
    }
}

extension Product.SubscriptionPeriod.Unit: Codable {}
