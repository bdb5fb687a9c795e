package import Foundation
package import HTTPTypes

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
