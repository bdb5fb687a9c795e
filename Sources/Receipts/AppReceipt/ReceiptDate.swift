internal import Foundation

/// Parser for dates in receipts: RFC 3339, for which Xcode writes a local offset without a colon.
enum ReceiptDate {
    /// Parses a date.
    ///
    /// - Returns: `nil` for another format, and for a date outside the years 1970 to 9999, which not every calendar and
    ///   not every database can represent.
    static func date(_ text: String) -> Date? {
        var reader = Reader(rest: Array(text.utf8)[...])
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T"), let hour = reader.number(2), reader.skip(":"),
            let minute = reader.number(2), reader.skip(":"), let second = reader.number(2),
            let fraction = reader.fraction(), let offset = reader.offset(), reader.rest.isEmpty
        else { return nil }
        guard (1...12).contains(month), (1...length(of: month, in: year)).contains(day), hour < 24, minute < 60,
            second < 60
        else { return nil }
        let seconds = (days(year, month, day) * 24 + hour) * 3_600 + minute * 60 + second - offset
        guard (0...253_402_300_799).contains(seconds) else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(seconds) + fraction)
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func length(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the number of days from January 1, 1970 to a day of the Gregorian calendar.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // Years that begin in March have their leap day at the end.
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        /// Reads a number with the given count of digits.
        mutating func number(_ count: Int) -> Int? {
            let digits = rest.prefix(count)
            guard digits.count == count, digits.allSatisfy(Self.isDigit) else { return nil }
            rest = rest.dropFirst(count)
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        /// Reads the fraction after a point, of up to nine digits; 0 if there is no point.
        mutating func fraction() -> TimeInterval? {
            guard skip(".") else { return 0 }
            let count = rest.prefix(while: Self.isDigit).count
            guard (1...9).contains(count), let number = number(count) else { return nil }
            return (0..<count).reduce(TimeInterval(number)) { fraction, _ in fraction / 10 }
        }

        /// Reads the number of seconds by which local time is ahead of UTC.
        mutating func offset() -> Int? {
            if skip("Z") { return 0 }
            let sign: Int
            if skip("+") {
                sign = 1
            } else if skip("-") {
                sign = -1
            } else {
                return nil
            }
            guard let hours = number(2) else { return nil }
            _ = skip(":")
            guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
            return sign * (hours * 3_600 + minutes * 60)
        }
    }
}
