package import Foundation
package import HTTPTypes
internal import VitrineSupport

/// Parser for dates in HTTP header fields (RFC 9110 §5.6.7).
enum HTTPDate {
    /// Parses a date in one of the three formats of HTTP (RFC 9110 §5.6.7).
    ///
    /// - Parameter now: Current date. A year of two digits is at most 50 years after it.
    /// - Returns: `nil` for any other text.
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
    /// Maximum wait in seconds. Longer waits that a server requests are shortened to it.
    private static let longest: TimeInterval = 3_600

    /// Returns the number of seconds that a value of `Retry-After` requests the client to wait.
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

/// Validator that identifies one version of a file, so that parts of different versions are never combined (RFC 9110
/// §13.1.5). It is a strong entity tag or, without an entity tag, a strong date of `Last-Modified`.
package struct RangeValidator: Sendable, Hashable, Codable {
    /// Value of the header field `ETag` or `Last-Modified` as received. It is sent back in `If-Range`.
    package let value: String

    /// Reads the strong validator of a reply.
    ///
    /// - Returns: `nil` if the reply has no strong validator (RFC 9110 §8.8.1, §8.8.2.2).
    package init?(_ response: HTTPResponse, now: Date) {
        let validators = HTTPValidators(response)
        if let etag = validators.etag {
            guard etag.hasPrefix("\""), etag.hasSuffix("\""), etag.utf8.count >= 2 else { return nil }
            value = etag
        } else if let modified = validators.certainLastModified(now: now) {
            value = modified
        } else {
            return nil
        }
    }
}

/// Values that identify a copy of a file on a server, so that a client can request a newer copy (RFC 9110 §8.8).
public struct HTTPValidators: Sendable, Hashable, Codable {
    /// Value of the header field `ETag` as received, with its quotes.
    public var etag: String?
    /// Value of the header field `Last-Modified` as received.
    public var lastModified: String?
    /// Value of the header field `Date` of the same reply, as received.
    public var date: String?

    /// - Parameter date: Without it, `lastModified` is not sent back.
    public init(etag: String? = nil, lastModified: String? = nil, date: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
        self.date = date
    }

    init(_ response: HTTPResponse) {
        self.init(
            etag: Self.usable(response.headerFields[.eTag]),
            lastModified: Self.usable(response.headerFields[.lastModified]),
            date: Self.usable(response.headerFields[.date]))
    }

    /// Returns the date in `Last-Modified` if it belongs to one version of the file only (RFC 9110 §8.8.2.2): if it is
    /// at least a minute before the reply. Otherwise the file could change within the same second, or its date is wrong:
    /// a server that compares dates would confirm a copy with a date in the future until then.
    ///
    /// - Returns: `nil` also if a date is absent or invalid.
    func certainLastModified(now: Date) -> String? {
        guard let lastModified, let modified = HTTPDate.date(lastModified, now: now),
            let date = date.flatMap({ HTTPDate.date($0, now: now) }),
            date.timeIntervalSince(modified) >= Self.certainAge
        else { return nil }
        return lastModified
    }

    /// Minimum age in seconds of a date in `Last-Modified` that is certain. It is longer than a second, because the
    /// clocks of the file system and of the server may differ a little.
    private static let certainAge: TimeInterval = 60

    /// Header fields of a conditional request, which requests only content that is newer than the copy with these
    /// validators.
    func conditions(now: Date) -> HTTPFields {
        var fields = HTTPFields()
        fields[.ifNoneMatch] = Self.usable(etag)
        fields[.ifModifiedSince] = Self.usable(certainLastModified(now: now))
        return fields
    }

    /// Maximum length in bytes of a validator that is stored and sent back.
    private static let lengthLimit = 1_024

    private static func usable(_ value: String?) -> String? {
        guard let value, !value.isEmpty, value.utf8.count <= lengthLimit,
            value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { return nil }
        return value
    }
}

extension HTTPResponse {
    /// Returns the reason why the head of a reply is rejected, as the rest of a sentence; `nil` if it is accepted.
    func objection(to request: HTTPRequest) -> String? {
        if let encoding, encoding.lowercased() != "gzip" || !request.takesGzip {
            return "the reply is encoded as \(encoding.prefix(40)), which was not requested"
        }
        if let lengthField = headerFields[.contentLength], claimedLength == nil {
            return "the reply's Content-Length, \(lengthField.prefix(40)), is not a number"
        }
        return nil
    }

    /// Number of bytes of the body in `Content-Length`, compressed or not; `nil` if the server does not send it.
    var claimedLength: Int? { headerFields[.contentLength].flatMap { Int($0) } }

    /// Returns the required number of bytes of a reply's body; `nil` if the head does not specify it, or if the body is
    /// not read, as in a redirect.
    func bodyLength(to method: HTTPRequest.Method) -> Int? {
        guard hasBody(to: method), encoding == nil, status.kind != .redirection else { return nil }
        return claimedLength
    }

    /// Returns `true` if a reply with this status can have a body (RFC 9110 §6.4.1).
    func hasBody(to method: HTTPRequest.Method) -> Bool {
        method != .head && status.kind != .informational && status != .noContent && status != .notModified
    }

    private var encoding: String? {
        headerFields[.contentEncoding].flatMap { $0.lowercased() == "identity" ? nil : $0 }
    }
}

extension HTTPRequest {
    /// `true` if the reply to the request may be compressed with gzip.
    var takesGzip: Bool { headerFields[.acceptEncoding]?.lowercased() != "identity" }
}

extension HTTPRequest {
    /// Returns the address of the request.
    ///
    /// - Throws: ``HTTPTransportError`` for an address that is not allowed.
    func address(plainHTTP: PlainHTTP) throws(HTTPTransportError) -> URL {
        guard let url, let host = url.host(), !host.isEmpty else {
            throw HTTPTransportError(code: .invalidRequest, reason: "the request has no address")
        }
        if let objection = plainHTTP.objection(to: url) {
            throw HTTPTransportError(
                code: .invalidRequest, reason: "the address \(WebAddress.printed(url)) \(objection)")
        }
        return url
    }
}

/// Hosts that may be requested over plain `http`, which anyone on the network path can read and change.
public enum PlainHTTP: Sendable, Hashable {
    /// This device only: `localhost`, `127.0.0.1` and `[::1]`.
    case loopback
    /// This device and the given hosts: names, or addresses without brackets, and without a port.
    case hosts(Set<String>)
    /// All hosts. Used for signed replies such as OCSP responses, because certificates contain `http` addresses of OCSP
    /// servers.
    case everywhere

    package func allows(_ host: String) -> Bool {
        switch self {
        case .loopback: WebAddress.isLoopback(host)
        case .hosts(let hosts): WebAddress.isLoopback(host) || hosts.contains { $0.lowercased() == host.lowercased() }
        case .everywhere: true
        }
    }

    /// Returns why an address is not requested, as the rest of a sentence about it; `nil` for one that is.
    package func objection(to url: URL) -> String? { WebAddress.objection(to: url, allowsPlainHTTP: allows) }
}
