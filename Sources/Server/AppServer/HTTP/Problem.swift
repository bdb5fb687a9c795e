package import Foundation
package import HTTPTypes
package import Hummingbird
internal import NIOCore
package import VitrineAppServerRecords
internal import VitrineSupport

/// Reason why a request is refused, as the client is told it.
package struct Problem: Error, Sendable {
    package var status: HTTPResponse.Status
    /// Stable name of the reason, for programs.
    package var code: String
    /// Complete sentence for people.
    package var message: String
    /// `true` if the same request may succeed later.
    package var isRetryable = false
    /// Name of the field of the request that is wrong; `nil` if the reason is not one field.
    package var field: String?
    /// Balance of the wallet that has too few units; `nil` for another problem.
    var balance: Int?
    /// Header fields of the answer.
    package var headers = HTTPFields()
    /// `true` if the connection is closed after the answer, because the client may go on with its request.
    var endsConnection = false

    package init(_ status: HTTPResponse.Status, _ code: String, _ message: String, field: String? = nil) {
        (self.status, self.code, self.message, self.field) = (status, code, message, field)
    }

    package init(_ error: CustomerError) {
        self.init(error.code.status, error.code.rawValue, error.errorDescription ?? error.reason)
        isRetryable = error.code.isRetryable
        if error.code == .unauthenticated { headers[.wwwAuthenticate] = "Bearer" }
    }

    /// Creates the problem of a request with a wrong field.
    package static func invalid(_ message: String, field: String? = nil) -> Problem {
        Problem(.badRequest, CustomerErrorCode.invalid.rawValue, message, field: field)
    }

    package static func notFound(_ message: String) -> Problem {
        Problem(.notFound, CustomerErrorCode.notFound.rawValue, message)
    }

    /// Creates the problem of a client that makes too many requests.
    ///
    /// - Parameter seconds: Time after which it may try again.
    static func tooMany(after seconds: Int) -> Problem {
        var problem = Problem(
            .tooManyRequests, CustomerErrorCode.tooMany.rawValue, "Too many requests; try again in \(seconds) s.")
        problem.isRetryable = true
        problem.headers[.retryAfter] = String(seconds)
        return problem
    }

    /// Creates the problem of a request whose body does not arrive in time.
    static var slowBody: Problem {
        var problem = Problem(.requestTimeout, "timeout", "The body of the request did not arrive in time.")
        problem.isRetryable = true
        problem.endsConnection = true
        return problem
    }

    private struct Body: Encodable {
        let code: String
        let message: String
        let retryable: Bool
        let field: String?
        let balance: Int?
    }

    func response(in context: AppRequestContext) -> Response {
        let body = Body(code: code, message: message, retryable: isRetryable, field: field, balance: balance)
        var response: Response
        do {
            response = try Response.json(body, status: status)
        } catch {
            response = Response(status: status)
        }
        for header in headers { response.headers[header.name] = header.value }
        if endsConnection { response.end(connection: context.channel) }
        return response
    }
}

extension CustomerErrorCode {
    /// Status of a response that refuses a request for this reason.
    var status: HTTPResponse.Status {
        switch self {
        case .invalid, .rejected: .badRequest
        case .unauthenticated: .unauthorized
        case .forbidden: .forbidden
        case .notFound: .notFound
        case .conflict, .insufficientFunds: .conflict
        case .tooLarge: .contentTooLarge
        case .tooMany: .tooManyRequests
        case .unavailable: .serviceUnavailable
        }
    }
}

extension Response {
    /// Returns a response with a JSON document. Its content type has no parameter, because Apple's client for Python
    /// accepts none.
    package static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = HTTPFields()
    ) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return .json(bytes: try encoder.encode(value), status: status, headers: headers)
    }

    /// Returns a response with the bytes of a JSON document.
    package static func json(
        bytes: Data, status: HTTPResponse.Status = .ok, headers: HTTPFields = HTTPFields()
    ) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Lets the connection end once the response is sent.
    fileprivate mutating func end(connection channel: any Channel) {
        let content = body
        headers[.connection] = "close"
        body = ResponseBody(contentLength: content.contentLength) { writer in
            try await content.write(writer)
            channel.close(promise: nil)
        }
    }
}
