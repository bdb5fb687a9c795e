public import Foundation
public import HTTPTypes

/// Sends requests over HTTP: one connection's worth, without cookies, caches or credentials.
public protocol HTTPTransport: Sendable {
    /// Sends a request and reads the whole reply, whatever its status. Redirects are not followed.
    ///
    /// - Parameters:
    ///   - body: What is sent with the request; empty for none.
    ///   - limits: What it may take before it is given up.
    /// - Throws: ``HTTPTransportError`` where there is no whole reply.
    func send(
        _ request: HTTPRequest, body: Data, limits: HTTPLimits
    ) async throws(HTTPTransportError) -> HTTPReply
}

/// A whole reply.
public struct HTTPReply: Sendable, Hashable {
    public var response: HTTPResponse
    public var body: Data

    public init(response: HTTPResponse, body: Data) {
        self.response = response
        self.body = body
    }
}

/// Why a request has no whole reply.
public struct HTTPTransportError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// The address is not one that can be asked.
        case invalidRequest
        /// Nobody could be reached, or the connection broke.
        case connection
        case timeout
        /// The reply is longer than the limit.
        case tooLarge
        case cancelled
    }

    public let code: Code
    /// What happened, as the rest of a sentence.
    public let reason: String

    public init(code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }
}
