internal import Foundation

/// Parser for dates in HTTP header fields (RFC 9110 §5.6.7).
enum HTTPDate {
    /// Parses a date.
    ///
    /// - Parameter now: Date that a year of two digits is at most 50 years after.
    /// - Returns: `nil` for a text in none of the three formats.
    static func date(_ text: String, now: Date) -> Date? {
        guard text.utf8.count <= 40 else { return nil }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.twoDigitStartDate = now.addingTimeInterval(-50 * 365.25 * 86_400)
        let formats =
            text.hasSuffix(" GMT")
            ? ["EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'"] : ["EEE MMM d HH:mm:ss yyyy"]
        for format in formats {
            formatter.dateFormat = format
            if let date = formatter.date(from: text) { return date }
        }
        return nil
    }
}
