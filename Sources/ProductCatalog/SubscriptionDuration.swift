public import Foundation

/// How long a subscription lasts, as ISO 8601 writes it: `P7D`, `P1W`, `P1M`, `P1Y6M`, `PT12H`.
///
/// Two durations are equal if they always end at the same time: a week is seven days, and a year twelve months.
public struct SubscriptionDuration: Sendable, Hashable, CustomStringConvertible {
    private let months: Int
    private let seconds: Int
    /// The duration as it was written.
    public let description: String

    /// Reads weeks alone, or years, months, days, and after a `T` hours, minutes and seconds, in this order.
    ///
    /// - Returns: `nil` for a text that is no such duration, has a number of more than four digits, or comes to nothing.
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

    private static let mostDigits = 4

    /// What a letter after a number stands for.
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
    /// When a subscription ends that begins at a date, by the Gregorian calendar in UTC, where each day has 24 hours.
    ///
    /// Months come first, and end with the last day of a shorter one: a month after 31 January is the last of February.
    ///
    /// - Returns: `nil` for a date that no calendar reaches.
    public func end(from date: Date) -> Date? {
        guard abs(date.timeIntervalSince1970) < Self.farthest else { return nil }
        let monthsLater = months == 0 ? date : Self.calendar.date(byAdding: .month, value: months, to: date)
        return monthsLater?.addingTimeInterval(TimeInterval(seconds))
    }

    /// A hundred thousand years.
    private static let farthest: TimeInterval = 100_000 * 365.25 * 86_400

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// Begun on some day, it ends earlier than another; where only the calendar could rule that out, it counts as so.
    func mayBeShorter(than other: SubscriptionDuration) -> Bool {
        guard months < other.months || seconds < other.seconds else { return false }
        return seconds(ofYear: 365, ofMonth: 28) < other.seconds(ofYear: 366, ofMonth: 31)
    }

    private func seconds(ofYear daysOfYear: Int, ofMonth daysOfMonth: Int) -> Int {
        (months / 12 * daysOfYear + months % 12 * daysOfMonth) * 86_400 + seconds
    }
}
