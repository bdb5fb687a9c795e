package import Foundation
package import HTTPTypes
package import Hummingbird
internal import NIOCore
package import VitrineAppServerAPI
internal import VitrineHTTPServing
internal import VitrineSupport

/// Request to an endpoint.
@dynamicMemberLookup
package struct EndpointCall<Body: WireBody, Reply: WireBody>: Sendable {
    package let route: RouteCall
    private let endpoint: Endpoint<Body, Reply>

    init(_ route: RouteCall, _ endpoint: Endpoint<Body, Reply>) { (self.route, self.endpoint) = (route, endpoint) }

    package subscript<Value>(dynamicMember path: KeyPath<RouteCall, Value>) -> Value { route[keyPath: path] }

    /// Returns the value of a path parameter. An empty value is answered with status 404.
    package func parameter(_ name: String) throws(ErrorResponse) -> String { try route.parameter(name) }

    // MARK: Body of the request

    /// Reads the bytes of the body.
    ///
    /// - Parameter count: Function that receives the size in bytes of each part of the body before the part is kept.
    /// - Throws: `BodyRefusal`, an error of the connection, or the error of `count`.
    package func bytes(counting count: @escaping @Sendable (Int) throws -> Void = { _ in }) async throws -> Data {
        try await route.body(limit: endpoint.bodyLimit, counting: count)
    }

    /// Reads the body.
    ///
    /// - Throws: ``ErrorResponse``, `BodyRefusal`, or an error of the connection.
    package func body() async throws -> Body where Body: ReceivedBody {
        let data = try await bytes()
        guard !data.hasNullCharacter else {
            throw ErrorResponse.invalid("The body of the request contains the character U+0000, or is not in UTF-8.")
        }
        do {
            return try Body(encoded: data)
        } catch let error as DecodingError {
            throw ErrorResponse(error)
        } catch {
            throw ErrorResponse.invalid("The body of the request is not JSON in UTF-8.")
        }
    }

    // MARK: Reply

    /// Returns a response with a value.
    ///
    /// - Parameter status: Status of the response; by default that of the endpoint.
    package func reply(
        _ value: Reply, status: HTTPResponse.Status? = nil, headers: HTTPFields = HTTPFields()
    ) throws -> Response where Reply: SentBody {
        let bytes = ByteBuffer(bytes: try value.encoded())
        guard let mediaType = Reply.mediaType else {
            return Response(status: status ?? endpoint.status, headers: headers)
        }
        return Response(mediaType, bytes, status: status ?? endpoint.status, headers: headers)
    }

    /// Returns a response without a body.
    package func reply() throws -> Response where Reply == NoBody { try reply(NoBody()) }
}

extension Data {
    /// `true` if JSON in these bytes contains the character U+0000, in plain form or escaped. No database stores a text with
    /// this character, or searches for one. In UTF-16 and UTF-32, JSON has zero bytes as well.
    fileprivate var hasNullCharacter: Bool {
        withUnsafeBytes { bytes in
            guard !bytes.contains(0) else { return true }
            var rest = bytes[...]
            while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
                let escape = rest[(backslash + 1)...]
                if escape.starts(with: "u0000".utf8) { return true }
                // The escaped character may be a backslash.
                rest = escape.dropFirst()
            }
            return false
        }
    }
}

extension ErrorResponse {
    /// Creates the error response for a JSON document that cannot be decoded, with the name of the invalid field.
    fileprivate init(_ error: DecodingError) {
        let (field, text) = error.fault
        self = .invalid(
            field.isEmpty ? "The body of the request \(text)." : "The field \(field) \(text).",
            field: field.isEmpty ? nil : field)
    }
}
