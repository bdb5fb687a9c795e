internal import Foundation
internal import HTTPTypes
internal import Networking

/// A request for what is missing of a file, or for its next part.
struct RangeRequest: Sendable {
    /// From which byte on.
    let offset: Int
    /// How many bytes the whole has; `nil` where nobody has said so.
    let length: Int?
    /// What the bytes before the offset are from; `nil` where that is not known of this address.
    let validator: RangeValidator?
    /// The server has no ranges that can be put together: the whole is asked for.
    let isForWhole: Bool

    /// In bytes.
    static let longest = 4 * 1024 * 1024

    /// The byte behind the last one that is asked for.
    var end: Int { min(offset + Self.longest, length ?? .max) }
    /// How many bytes are asked for.
    var count: Int { end - offset }

    /// Only what is not packed can be cut into parts that fit together.
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
    /// How many bytes the whole has; `nil` where the server does not say.
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
