internal import Foundation
package import HTTPTypes
package import Hummingbird
package import NIOCore

extension Response {
    /// Creates a response with a body of the given media type.
    package init(
        _ mediaType: String, _ body: ByteBuffer, status: HTTPResponse.Status = .ok, headers: HTTPFields = HTTPFields()
    ) {
        var headers = headers
        headers[.contentType] = mediaType
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
    }

    /// Returns a response with the bytes of a JSON document. Its content type has no parameter such as `charset`,
    /// because Apple's client for Python does not accept parameters.
    package static func json(
        bytes: ByteBuffer, status: HTTPResponse.Status = .ok, headers: HTTPFields = HTTPFields()
    ) -> Response {
        Response("application/json", bytes, status: status, headers: headers)
    }

    /// Returns a response with a value as JSON document.
    package static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = HTTPFields()
    ) throws -> Response {
        .json(bytes: try ByteBuffer(json: value), status: status, headers: headers)
    }

    /// Closes the connection after the response is sent.
    package mutating func end(connection channel: any Channel) {
        let content = body
        headers[.connection] = "close"
        body = ResponseBody(contentLength: content.contentLength) { writer in
            try await content.write(writer)
            channel.close(promise: nil)
        }
    }
}

extension ByteBuffer {
    /// Encodes a value as JSON. Equal values result in equal bytes.
    package init(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        self.init(bytes: try encoder.encode(value))
    }
}
