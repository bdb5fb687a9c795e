package import HTTPTypes
internal import Hummingbird
package import VitrineAppServerAPI
package import VitrineAppServerRecords
internal import VitrineHTTPServing
internal import VitrineSupport

/// Error response of a request.
package struct ErrorResponse: Error, Sendable {
    package var status: HTTPResponse.Status
    /// Stable error code, for programs.
    package var code: String
    /// Description of the error for people, as a complete sentence.
    package var message: String
    /// `true` if the same request may succeed later.
    package var isRetryable = false
    /// Name of the invalid field in the request; `nil` if the error does not concern a single field.
    package var field: String?
    /// Number of units in a wallet that has too few for the request; `nil` for other errors.
    var balance: Int?
    /// Additional header fields of the response.
    package var headers = HTTPFields()
    /// `true` if the connection is closed after the response, because the client may still be sending the body of the
    /// request.
    var endsConnection = false

    /// Time in seconds after which a client may try again where a limit is not one of time, such as that of devices.
    private static let longRetry = 3_600

    package init(_ status: HTTPResponse.Status, _ code: String, _ message: String, field: String? = nil) {
        (self.status, self.code, self.message, self.field) = (status, code, message, field)
    }

    package init(_ code: WireErrorCode, _ message: String, field: String? = nil) {
        self.init(code.status, code.rawValue, message, field: field)
    }

    package init(_ error: CustomerError) {
        self.init(WireErrorCode(error.code), error.errorDescription ?? error.reason)
        isRetryable = error.code.isRetryable
        if error.code == .unauthenticated { headers[.wwwAuthenticate] = "Bearer" }
        if error.code == .tooMany { headers[.retryAfter] = String(Self.longRetry) }
    }

    /// Creates the error response for an invalid request.
    package static func invalid(_ message: String, field: String? = nil) -> ErrorResponse {
        ErrorResponse(WireErrorCode.invalid, message, field: field)
    }

    package static func notFound(_ message: String) -> ErrorResponse {
        ErrorResponse(WireErrorCode.notFound, message)
    }

    /// Creates the error response for a client that exceeds its rate limit.
    ///
    /// - Parameter seconds: Time in seconds after which the client may try again.
    static func tooMany(after seconds: Int) -> ErrorResponse {
        var errorResponse = ErrorResponse(WireErrorCode.tooMany, "Too many requests; try again in \(seconds) s.")
        errorResponse.isRetryable = true
        errorResponse.headers[.retryAfter] = String(seconds)
        return errorResponse
    }

    /// Creates the error response for a request whose body is too large, arrives too late, or is malformed.
    init(_ refusal: BodyRefusal) {
        switch refusal {
        case .tooLarge(let limit, let isRead):
            self.init(WireErrorCode.tooLarge, "The body may have at most \(limit) bytes.")
            endsConnection = !isRead
        case .broken:
            self.init(WireErrorCode.invalid, "The body of the request is malformed, or incomplete.")
            endsConnection = true
        case .late:
            self.init(WireErrorCode.timeout, "The body of the request did not arrive in time.")
            (isRetryable, endsConnection) = (true, true)
        }
    }

    func response(in context: ConnectionContext) throws -> Response {
        let body = WireError(
            code: code, message: message, retryable: isRetryable, field: field, balance: balance)
        var response = try Response.json(body, status: status, headers: headers)
        if endsConnection { response.end(connection: context.channel) }
        return response
    }
}

extension WireErrorCode {
    fileprivate init(_ code: CustomerErrorCode) {
        self =
            switch code {
            case .invalid: .invalid
            case .unauthenticated: .unauthenticated
            case .forbidden: .forbidden
            case .notFound: .notFound
            case .conflict: .conflict
            case .insufficientFunds: .insufficientFunds
            case .rejected: .rejected
            case .tooLarge: .tooLarge
            case .tooMany: .tooMany
            case .tooManyDevices: .tooManyDevices
            case .unavailable: .unavailable
            }
    }
}
