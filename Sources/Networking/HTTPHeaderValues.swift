package import Foundation
package import HTTPTypes

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

/// Parser for the header field `Retry-After` (RFC 9110 §10.2.3).
enum RetryAfter {
    /// Longest wait that is accepted, in seconds.
    private static let longest: TimeInterval = 3_600

    /// Returns the number of seconds that the field asks to wait.
    ///
    /// - Returns: `nil` if the field is neither a number of seconds nor a date.
    static func seconds(_ value: String, now: Date) -> TimeInterval? {
        let value = value.trimmingCharacters(in: .whitespaces)
        if !value.isEmpty, value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return min(Int(value).map(TimeInterval.init) ?? longest, longest)
        }
        return HTTPDate.date(value, now: now).map { min(max($0.timeIntervalSince(now), 0), longest) }
    }
}

/// Validator that identifies one version of a file, so that parts of two versions are never combined (RFC 9110
/// §13.1.5): a strong entity tag, or else a strong date of `Last-Modified`.
package struct RangeValidator: Sendable, Hashable, Codable {
    /// Value as received, which is sent back in `If-Range`.
    package let value: String

    /// - Returns: `nil` if the reply has no strong validator (RFC 9110 §8.8.1, §8.8.2.2).
    package init?(_ response: HTTPResponse, now: Date) {
        let validators = HTTPValidators(response)
        if let etag = validators.etag {
            guard etag.hasPrefix("\""), etag.hasSuffix("\""), etag.utf8.count >= 2 else { return nil }
            value = etag
        } else if let text = validators.lastModified, let modified = HTTPDate.date(text, now: now),
            let date = response.headerFields[.date].flatMap({ HTTPDate.date($0, now: now) }),
            date.timeIntervalSince(modified) >= Self.certainAge
        {
            value = text
        } else {
            return nil
        }
    }

    /// Age, in seconds, from which a date is strong. By then a second change within the second of the date is ruled
    /// out, also if clocks differ a little.
    private static let certainAge: TimeInterval = 60
}
