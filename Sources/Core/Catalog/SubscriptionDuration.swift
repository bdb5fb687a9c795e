public import Foundation

/// Duration of a subscription in ISO 8601 notation: `P7D`, `P1W`, `P1M`, `P1Y6M`, `PT12H`.
///
/// Two durations are equal if they always end at the same time: a week equals seven days, and a year twelve months.
public struct SubscriptionDuration: Sendable, Hashable, CustomStringConvertible {
    private let months: Int
    private let seconds: Int
    /// Duration in ISO 8601 notation; the original text of a parsed duration.
    public let description: String

    /// Parses either weeks, or years, months, days, and after a `T` hours, minutes and seconds, in this order.
    ///
    /// - Returns: `nil` for another text, a number of more than four digits, or a duration of zero.
    public init?(_ text: String) {
        var units = text.utf8.last == UInt8(ascii: "W") ? Unit.weeks : Unit.ofDates
        var rest = text.utf8[...]
        guard rest.popFirst() == UInt8(ascii: "P") else { return nil }
        var (months, seconds, hasTime) = (0, 0, false)
        while let first = rest.first {
            if first == UInt8(ascii: "T"), !hasTime, rest.count > 1 {
                (units, hasTime) = (Unit.ofTimes, true)
                rest.removeFirst()
                continue
            }
            let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            rest.removeFirst(digits.count)
            guard digits.count <= Self.mostDigits, let amount = Int(Substring(digits)), let letter = rest.popFirst(),
                let place = units.firstIndex(where: { $0.letter == letter })
            else { return nil }
            months += amount * units[place].months
            seconds += amount * units[place].seconds
            units = units[(place + 1)...]
        }
        guard months > 0 || seconds > 0 else { return nil }
        self.months = months
        self.seconds = seconds
        description = text
    }

    /// Creates the duration of a period.
    package init(_ period: RenewalPeriod) {
        (months, seconds) =
            switch period.unit {
            case .day: (0, period.count * 86_400)
            case .week: (0, period.count * 7 * 86_400)
            case .month: (period.count, 0)
            case .year: (period.count * 12, 0)
            }
        description = period.description
    }

    private static let mostDigits = 4

    /// Unit of time that is designated by a letter after a number.
    private struct Unit {
        let letter: UInt8
        var months = 0
        var seconds = 0

        static let weeks = [Unit(letter: UInt8(ascii: "W"), seconds: 7 * 86_400)][...]
        static let ofDates = [
            Unit(letter: UInt8(ascii: "Y"), months: 12), Unit(letter: UInt8(ascii: "M"), months: 1),
            Unit(letter: UInt8(ascii: "D"), seconds: 86_400),
        ][...]
        static let ofTimes = [
            Unit(letter: UInt8(ascii: "H"), seconds: 3_600), Unit(letter: UInt8(ascii: "M"), seconds: 60),
            Unit(letter: UInt8(ascii: "S"), seconds: 1),
        ][...]
    }

    public static func == (left: SubscriptionDuration, right: SubscriptionDuration) -> Bool {
        left.months == right.months && left.seconds == right.seconds
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(months)
        hasher.combine(seconds)
    }
}

// MARK: - Dates

extension SubscriptionDuration {
    /// Returns the end of a subscription that begins at a date, in the Gregorian calendar and UTC, with days of 24
    /// hours.
    ///
    /// Months are added first. In a shorter month, its last day is used: one month after January 31 is the last day of
    /// February.
    ///
    /// - Returns: `nil` for a date more than a hundred thousand years from 1970.
    public func end(from date: Date) -> Date? {
        guard abs(date.timeIntervalSince1970) < Self.farthest else { return nil }
        let monthsLater = months == 0 ? date : Self.calendar.date(byAdding: .month, value: months, to: date)
        return monthsLater?.addingTimeInterval(TimeInterval(seconds))
    }

    /// Returns the end of several durations that follow each other, and are counted as one: two months from January 31
    /// end on March 31.
    ///
    /// - Parameter count: Number of durations, above zero.
    /// - Returns: `nil` for another number, and for an end more than a hundred thousand years from 1970.
    func end(from date: Date, times count: Int) -> Date? {
        guard count > 1 else { return count == 1 ? end(from: date) : nil }
        let (months, monthsOverflow) = months.multipliedReportingOverflow(by: count)
        let (seconds, secondsOverflow) = seconds.multipliedReportingOverflow(by: count)
        guard !monthsOverflow, !secondsOverflow, TimeInterval(months) * 31 * 86_400 < Self.farthest,
            TimeInterval(seconds) < Self.farthest
        else { return nil }
        return SubscriptionDuration(months: months, seconds: seconds, description: description).end(from: date)
    }

    private init(months: Int, seconds: Int, description: String) {
        (self.months, self.seconds, self.description) = (months, seconds, description)
    }

    /// Returns the end of one period of a subscription that is renewed on the same day of each month: a subscription
    /// with the billing day 31 runs from January 31 to February 28, and from then to March 31.
    ///
    /// - Parameter billingDay: Day of the month, from 1. In a shorter month, its last day is used. The parameter is
    ///   ignored for a duration without months.
    /// - Returns: `nil` for a date more than a hundred thousand years from 1970.
    package func end(from date: Date, billingDay: Int) -> Date? {
        guard let end = end(from: date), months > 0 else { return end(from: date) }
        guard let daysOfMonth = Self.calendar.range(of: .day, in: .month, for: end)?.count else { return nil }
        let correction = min(max(billingDay, 1), daysOfMonth) - Self.calendar.component(.day, from: end)
        // Whole days and seconds are added, because the calendar rounds fractions of a second.
        return date.addingTimeInterval(end.timeIntervalSince(date).rounded() + TimeInterval(correction * 86_400))
    }

    /// Largest distance from 1970 of a supported date: a hundred thousand years, in seconds.
    private static let farthest: TimeInterval = 100_000 * 365.25 * 86_400

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// Returns `true` if the duration may end earlier than another one for some start date. Month lengths are
    /// estimated, so that the result may also be `true` if no start date gives an earlier end.
    func mayBeShorter(than other: SubscriptionDuration) -> Bool {
        guard months < other.months || seconds < other.seconds else { return false }
        return seconds(ofYear: 365, ofMonth: 28) < other.seconds(ofYear: 366, ofMonth: 31)
    }

    private func seconds(ofYear daysOfYear: Int, ofMonth daysOfMonth: Int) -> Int {
        (months / 12 * daysOfYear + months % 12 * daysOfMonth) * 86_400 + seconds
    }
}
