public import Foundation
public import HTTPTypes
public import VitrineSupport

/// Transport that sends single requests over HTTP, without cookies, caches or credentials.
public protocol HTTPTransport: Sendable {
    /// Sends a request and passes on the reply, with any status, while it is received. Redirects are not followed.
    ///
    /// The transport requests gzip and decompresses the reply. If the request has `Accept-Encoding: identity`, a
    /// compressed reply is an error.
    ///
    /// Parts are passed on one at a time: the next part follows after `part` has returned. Nothing is passed on after
    /// this function has returned or thrown.
    ///
    /// - Parameters:
    ///   - request: Method, address and header fields of the request.
    ///   - body: Body of the request; empty for none.
    ///   - limits: Limits of the exchange, which is aborted if one is exceeded.
    ///   - head: Function that receives the status and the header fields, before any part. An error that it throws ends
    ///     the exchange.
    ///   - part: Function that receives the bytes of the body in their order. An error that it throws ends the
    ///     exchange.
    /// - Throws: ``HTTPTransportError`` if there is no complete reply.
    func receive(
        _ request: HTTPRequest, body: Data, limits: HTTPLimits,
        head: @escaping @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void,
        part: @escaping @Sendable (Data) throws(HTTPTransportError) -> Void
    ) async throws(HTTPTransportError)

    /// Returns why this transport sends no request to an address, as the rest of a sentence about it; `nil` for an
    /// address that it accepts. What an app sells is not offered if it would have to be fetched from refused addresses.
    func objection(to url: URL) -> String?
}

extension HTTPTransport {
    /// Refuses addresses of other schemes than `https` and `http`, without a host, with a user name or password, or with
    /// a port that does not exist.
    public func objection(to url: URL) -> String? { WebAddress.objection(to: url) }

    /// Sends a request and reads the complete reply, with any status. Redirects are not followed.
    ///
    /// - Parameters:
    ///   - request: Method, address and header fields of the request.
    ///   - body: Body of the request; empty for none.
    ///   - limits: Limits of the exchange, which is aborted if one is exceeded.
    /// - Throws: ``HTTPTransportError`` if there is no complete reply.
    public func send(
        _ request: HTTPRequest, body: Data, limits: HTTPLimits
    ) async throws(HTTPTransportError) -> HTTPReply {
        let reply = Locked<(response: HTTPResponse?, body: Data)>((nil, Data()))
        try await receive(request, body: body, limits: limits) { response in
            reply.withLock { $0.response = response }
        } part: { part in
            reply.withLock { $0.body.append(part) }
        }
        return try reply.withLock { (reply) throws(HTTPTransportError) in
            guard let response = reply.response else { throw .noStatus }
            return HTTPReply(response: response, body: reply.body)
        }
    }
}

/// Complete reply of a server.
public struct HTTPReply: Sendable, Hashable {
    public var response: HTTPResponse
    public var body: Data

    public init(response: HTTPResponse, body: Data) {
        self.response = response
        self.body = body
    }
}

/// Error of a request without a complete reply.
public typealias HTTPTransportError = CodedError<HTTPTransportErrorCode>

/// Category of ``HTTPTransportError``.
public enum HTTPTransportErrorCode: String, ErrorCode {
    /// The request cannot be sent: its address is not allowed, or its body cannot be encoded.
    case invalidRequest = "invalid-request"
    /// The server could not be reached, or the connection broke.
    case connection
    case timeout
    /// The body of the reply is longer than the limit.
    case tooLarge = "too-large"
    case cancelled
    /// A handler of the caller rejected the reply.
    case refused

    public var advice: String? {
        switch self {
        case .invalidRequest: "Correct the address of the request."
        case .connection, .timeout: "Connect to the internet and try again later."
        case .tooLarge, .refused: "Check what the server sends from the requested address."
        case .cancelled: "Send the request again."
        }
    }
}

extension HTTPTransportError {
    static var noStatus: HTTPTransportError {
        HTTPTransportError(code: .connection, reason: "the reply of the server has no HTTP status code")
    }
}
