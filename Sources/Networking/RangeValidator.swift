package import Foundation
package import HTTPTypes

/// What a version of a file is named by, so that parts of two versions are never put together (RFC 9110 §13.1.5): a
/// strong entity tag, or else a date of `Last-Modified` that is strong.
package struct RangeValidator: Sendable, Hashable, Codable {
    /// As it came, and as it goes back in `If-Range`.
    package let value: String

    /// - Returns: `nil` where the reply names its version by nothing that is strong (RFC 9110 §8.8.1, §8.8.2.2).
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

    /// A file that was changed twice within the second of its date has been left alone for so long, also by clocks that
    /// differ a little, in seconds.
    private static let certainAge: TimeInterval = 60
}
