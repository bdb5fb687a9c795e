package import Foundation

extension Int {
    /// Text with a number of products, such as "2 products".
    package var products: String { "\(self) product\(self == 1 ? "" : "s")" }
}

extension Date {
    /// Formatted day in UTC, such as "2019-05-01".
    package var day: String { UTCTime(self).day }

    /// Formatted day and time in UTC, to the second, such as "2019-05-01 12:30:00 UTC".
    package var second: String {
        let time = UTCTime(self)
        return "\(time.day) \(time.time) UTC"
    }

    /// Formatted day and time in UTC, to the minute, such as "2019-05-01 12:30 UTC".
    package var minute: String {
        let time = UTCTime(self)
        return "\(time.day) \(time.time.prefix(5)) UTC"
    }

    /// Formatted date such as `2026-11-22T00:00:00Z`, rounded down to the second.
    package var inSeconds: String {
        let time = UTCTime(self)
        return "\(time.day)T\(time.time)Z"
    }
}

/// Day and time in UTC, in the calendar of ISO 8601: the Gregorian one at all times. Foundation's formatters use the Julian
/// calendar before 1582, so that the date of a property list would be shown as another one.
private struct UTCTime {
    /// Year, month and day, such as `2019-05-01`.
    let day: String
    /// Hour, minute and second, such as `12:30:00`.
    let time: String

    init(_ date: Date) {
        // Numbers that are no dates, such as NaN, must not end the process.
        let most = 1e14
        let seconds = Int(max(-most, min(date.timeIntervalSince1970.rounded(.down), most)))
        let (days, second) = (seconds.flooredDivision(by: 86_400), seconds.flooredRemainder(by: 86_400))
        // Years begin in March, so that a leap day is the last day of its year.
        let shifted = days + 719_468
        let era = shifted.flooredDivision(by: 146_097)
        let dayOfEra = shifted.flooredRemainder(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        self.day = [year.padded(to: 4), month.padded(to: 2), day.padded(to: 2)].joined(separator: "-")
        time = [second / 3_600, second / 60 % 60, second % 60].map { $0.padded(to: 2) }.joined(separator: ":")
    }
}

extension Int {
    fileprivate func flooredDivision(by divisor: Int) -> Int {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    fileprivate func flooredRemainder(by divisor: Int) -> Int { self - flooredDivision(by: divisor) * divisor }

    /// Returns the decimal digits of a number, with leading zeros up to a width.
    fileprivate func padded(to width: Int) -> String {
        let digits = String(magnitude)
        return (self < 0 ? "-" : "") + String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}

extension Date {
    /// Parses a day such as 2019-05-01 as midnight in UTC. The formatted result must equal the text, because
    /// Foundation's parser is lenient.
    package init?(day text: String) {
        guard let date = try? Date(text, strategy: .iso8601.year().month().day()), date.day == text,
            date.timeIntervalSince1970 >= 0
        else { return nil }
        self = date
    }

    /// Parses a day such as 2019-05-01, or a time such as 2019-05-01T12:30:00Z, also in the forms in which it is displayed:
    /// 2019-05-01 12:30:00 UTC and 2019-05-01 12:30 UTC.
    package init?(dayOrTime text: String) {
        let inSeconds = text.replacing(" UTC", with: text.utf8.count < 23 ? ":00Z" : "Z").replacing(" ", with: "T")
        if let date = Date(day: text) ?? Date(inSeconds: text) {
            self = date
        } else if let date = Date(inSeconds: inSeconds), [date.second, date.minute].contains(text) {
            self = date
        } else {
            return nil
        }
    }
}

extension Date {
    /// Parses a time such as `2026-11-22T00:00:00Z`, not before 1970. The formatted result must equal the text.
    package init?(inSeconds text: String) {
        guard text.utf8.count == 20, let date = try? Date(text, strategy: .iso8601), date.timeIntervalSince1970 >= 0,
            date.inSeconds.utf8.elementsEqual(text.utf8)
        else { return nil }
        self = date
    }
}
