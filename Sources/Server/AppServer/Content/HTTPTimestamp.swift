internal import Foundation

/// Dates in HTTP header fields, in the form that senders must use (RFC 9110 §5.6.7): `Sun, 22 Nov 2026 03:49:02 GMT`.
enum HTTPTimestamp {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    static func text(_ date: Date) -> String {
        var seconds = time_t(min(max(date.timeIntervalSince1970, 0), 253_402_300_799))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits(Int($0), 2) }.joined(separator: ":")
        return "\(days[Int(parts.tm_wday)]), \(digits(Int(parts.tm_mday), 2)) \(months[Int(parts.tm_mon)]) "
            + "\(digits(Int(parts.tm_year) + 1900, 4)) \(time) GMT"
    }

    /// Parses the date of an HTTP header field.
    ///
    /// - Returns: `nil` for another form, also for the two obsolete ones. A condition with such a date is ignored.
    static func date(_ text: String) -> Date? {
        let fields = text.split(separator: " ", omittingEmptySubsequences: false)
        guard fields.count == 6, let month = months.firstIndex(of: String(fields[2])), let day = Int(fields[1]),
            let year = Int(fields[3])
        else { return nil }
        let time = fields[4].split(separator: ":", omittingEmptySubsequences: false).compactMap { Int32($0) }
        guard time.count == 3, (1970...9999).contains(year), (1...31).contains(day) else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month), Int32(day))
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (time[0], time[1], time[2])
        let date = Date(timeIntervalSince1970: Double(timegm(&parts)))
        // The texts are equal only if each part was within its range, and the weekday is right.
        return self.text(date) == text ? date : nil
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(count - text.count, 0)) + text
    }
}
