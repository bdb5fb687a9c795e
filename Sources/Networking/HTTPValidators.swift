internal import HTTPTypes

/// What a server names a copy by, so that it can be asked for a newer one (RFC 9110 §8.8).
public struct HTTPValidators: Sendable, Hashable, Codable {
    /// The entity tag as it came, with its quotes.
    public var etag: String?
    /// The date of `Last-Modified` as it came.
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

    /// The fields that ask for something newer than this.
    var conditions: HTTPFields {
        var fields = HTTPFields()
        fields[.ifNoneMatch] = Self.usable(etag)
        fields[.ifModifiedSince] = Self.usable(lastModified)
        return fields
    }

    /// More is not kept, and not sent back, in bytes.
    private static let lengthLimit = 1_024

    private static func usable(_ value: String?) -> String? {
        guard let value, !value.isEmpty, value.utf8.count <= lengthLimit,
            value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { return nil }
        return value
    }
}
