internal import Foundation

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
