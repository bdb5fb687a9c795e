package import Foundation
internal import VitrineSupport

/// Body of a request or a reply.
package protocol WireBody: Sendable {
    /// Media type of the body; `nil` if there is no body.
    static var mediaType: String? { get }
}

/// Body that can be sent.
package protocol SentBody: WireBody {
    /// Returns the bytes of the body.
    ///
    /// - Throws: `EncodingError`.
    func encoded() throws -> Data
}

/// Body that can be received.
package protocol ReceivedBody: WireBody {
    /// Reads the bytes of a body from another party.
    ///
    /// - Throws: `DecodingError`.
    init(encoded: Data) throws
}

/// JSON document that both parties send and receive.
package protocol JSONBody: SentBody, ReceivedBody, Codable {}

extension WireBody where Self: Encodable {
    package static var mediaType: String? { "application/json" }
}

extension WireBody where Self: Decodable {
    package static var mediaType: String? { "application/json" }
}

extension WireBody where Self: Codable {
    package static var mediaType: String? { "application/json" }
}

extension SentBody where Self: Encodable {
    /// Encodes the value. Equal values result in equal bytes.
    package func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}

extension ReceivedBody where Self: Decodable {
    package init(encoded: Data) throws { self = try JSONDecoder().decodeForeign(Self.self, from: encoded) }
}

/// Absence of a body.
package struct NoBody: SentBody, ReceivedBody, Hashable {
    package static var mediaType: String? { nil }

    package init() {}

    package init(encoded: Data) {}

    package func encoded() -> Data { Data() }
}

/// Body of bytes that the server does not make from a value: a document of an exchange.
package struct BytesBody: SentBody, ReceivedBody, Hashable {
    package static var mediaType: String? { "application/octet-stream" }

    package let bytes: Data

    package init(encoded: Data) { bytes = encoded }

    package func encoded() -> Data { bytes }
}

/// Contents of a file, whose media type depends on the file.
package struct FileBody: WireBody {
    package static var mediaType: String? { "*/*" }
}

/// Stream of server-sent events, each of which is a ``ChangeEvent``.
package struct EventStreamBody: WireBody {
    package static var mediaType: String? { "text/event-stream" }
}
