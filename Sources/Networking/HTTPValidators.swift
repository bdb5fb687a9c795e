internal import HTTPTypes

/// Validators with which a server identifies a copy, so that a client can request a newer one (RFC 9110 §8.8).
public struct HTTPValidators: Sendable, Hashable, Codable {
    /// Entity tag as received, with its quotes.
    public var etag: String?
    /// Date of `Last-Modified` as received.
    public var lastModified: String?

    public init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
    }

    init(_ response: HTTPResponse) {
        self.init(
            etag: Self.usable(response.headerFields[.eTag]),
            lastModified: Self.usable(response.headerFields[.lastModified]))
    }

    /// Header fields that request content newer than this copy.
    var conditions: HTTPFields {
        var fields = HTTPFields()
        fields[.ifNoneMatch] = Self.usable(etag)
        fields[.ifModifiedSince] = Self.usable(lastModified)
        return fields
    }

    /// Largest length, in bytes, of a validator that is stored and sent back.
    private static let lengthLimit = 1_024

    private static func usable(_ value: String?) -> String? {
        guard let value, !value.isEmpty, value.utf8.count <= lengthLimit,
            value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { return nil }
        return value
    }
}
