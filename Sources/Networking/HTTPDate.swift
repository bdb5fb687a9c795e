internal import Foundation

/// Dates as HTTP writes them (RFC 9110 §5.6.7).
enum HTTPDate {
    /// - Parameter now: A year of two digits is not more than 50 years after it.
    /// - Returns: `nil` for anything that has none of the three forms.
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
