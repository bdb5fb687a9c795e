internal import Foundation
package import HTTPTypes
package import Hummingbird
package import NIOCore

extension Response {
    /// Creates a response with bytes of a media type.
    package init(
        _ mediaType: String, _ body: ByteBuffer, status: HTTPResponse.Status = .ok, headers: HTTPFields = HTTPFields()
    ) {
        var headers = headers
        headers[.contentType] = mediaType
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
    }

    /// Returns a response with the bytes of a JSON document. Its content type has no parameter, because Apple's client for
    /// Python accepts none.
    package static func json(
        bytes: ByteBuffer, status: HTTPResponse.Status = .ok, headers: HTTPFields = HTTPFields()
    ) -> Response {
        Response("application/json", bytes, status: status, headers: headers)
    }

    /// Returns a response with a JSON document.
    package static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = HTTPFields()
    ) throws -> Response {
        .json(bytes: try ByteBuffer(json: value), status: status, headers: headers)
    }
}

extension ByteBuffer {
    /// Creates the bytes of a JSON document, which are the same for the same value.
    package init(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        self.init(bytes: try encoder.encode(value))
    }
}
