internal import VitrineCatalog

extension Product {
    /// Period of a subscription or of an offer.
    public struct SubscriptionPeriod: Hashable, Sendable, CustomDebugStringConvertible {
        /// Unit of a period. Units are ordered by length.
        @nonexhaustive
        public enum Unit: Hashable, Sendable {
            case day, week, month, year
        }

        public let unit: Unit
        /// Number of units.
        public let value: Int

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
        @available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
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

@available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, visionOS 1.0, *)
extension Product.SubscriptionPeriod {
    public static let weekly = Self(unit: .week, value: 1)
    public static let monthly = Self(unit: .month, value: 1)
    public static let yearly = Self(unit: .year, value: 1)
    public static let everyThreeDays = Self(unit: .day, value: 3)
    public static let everyTwoWeeks = Self(unit: .week, value: 2)
    public static let everyTwoMonths = Self(unit: .month, value: 2)
    public static let everyThreeMonths = Self(unit: .month, value: 3)
    public static let everySixMonths = Self(unit: .month, value: 6)
}

extension Product.SubscriptionPeriod {
    init(_ period: RenewalPeriod, times count: Int = 1) {
        let unit: Unit =
            switch period.unit {
            case .day: .day
            case .week: .week
            case .month: .month
            case .year: .year
            }
        self.init(unit: unit, value: period.count * count)
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
    @available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
    public var localizedDescription: String { formatted(FormatStyle()) }

    @available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    public func formatted<S>(_ format: S) -> S.FormatOutput
    where S: Foundation.FormatStyle, S.FormatInput == Product.SubscriptionPeriod.Unit {
        format.format(self)
    }

    /// Format of a unit as its English name, such as "Month". Foundation has no names of units off Apple's platforms.
    @available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    public struct FormatStyle: Foundation.FormatStyle {
        /// Returns the same format: there are only English names.
        public func locale(_ locale: Locale) -> FormatStyle { self }

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

@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
extension Product.SubscriptionPeriod.Unit: Comparable {}

extension Product.SubscriptionPeriod.Unit: CustomDebugStringConvertible {
    public var debugDescription: String {
        switch self {
        case .day: "day"
        case .week: "week"
        case .month: "month"
        case .year: "year"
        }
    }
}

extension DateComponents {
    /// Creates components with the length of a period.
    @available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
    public init(subscriptionPeriod period: Product.SubscriptionPeriod) {
        self.init()
        setValue(period.value, for: period.unit.component)
    }
}
