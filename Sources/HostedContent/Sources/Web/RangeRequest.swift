internal import Foundation
internal import HTTPTypes
internal import Networking

/// A request for the missing rest of a file, or for its next part.
struct RangeRequest: Sendable {
    /// Position of the first requested byte.
    let offset: Int
    /// Length of the whole file in bytes; `nil` if unknown.
    let length: Int?
    /// Validator of the version that the received bytes belong to; `nil` if unknown for this address.
    let validator: RangeValidator?
    /// `true` to request the whole file, because the server has no usable ranges.
    let isForWhole: Bool

    /// In bytes.
    static let longest = 4 * 1024 * 1024

    /// Position after the last requested byte.
    var end: Int { min(offset + Self.longest, length ?? .max) }
    /// Number of requested bytes.
    var count: Int { end - offset }

    /// Only replies without content coding can be received in parts that fit together.
    var fields: HTTPFields {
        var fields: HTTPFields = [.acceptEncoding: "identity"]
        guard !isForWhole else { return fields }
        fields[.range] = "bytes=\(offset)-\(end - 1)"
        fields[.ifRange] = validator?.value
        return fields
    }
}

/// The field `Content-Range` (RFC 9110 §14.4) of a reply with one part.
struct ContentRange: Sendable, Equatable {
    let first: Int
    let last: Int
    /// Length of the whole file in bytes; `nil` if the server does not name it.
    let length: Int?

    /// - Returns: `nil` for anything else.
    init?(_ text: String?) {
        guard let text, text.utf8.count <= 100,
            let match = text.wholeMatch(of: /(?i:bytes) +([0-9]+)-([0-9]+)\/([0-9]+|\*)/),
            let first = Int(match.1), let last = Int(match.2), first <= last
        else { return nil }
        let length = Int(match.3)
        guard match.3 == "*" || length.map({ last < $0 }) ?? false else { return nil }
        (self.first, self.last, self.length) = (first, last, length)
    }
}
