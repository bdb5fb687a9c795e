internal import FileSystem
public import Foundation
public import HTTPTypes

/// Sends requests over HTTP: one connection's worth, without cookies, caches or credentials.
public protocol HTTPTransport: Sendable {
    /// Sends a request and hands the reply on as it comes, whatever its status. Redirects are not followed.
    ///
    /// A reply may come packed in gzip, which is asked for and handed on unpacked, unless the request has
    /// `Accept-Encoding: identity`: then one that comes packed all the same is an error.
    ///
    /// One part is read after the other: the next comes once the one before has been taken. Nothing is handed on any more
    /// once this has answered or thrown.
    ///
    /// - Parameters:
    ///   - request: Its method, address and fields.
    ///   - body: What is sent with the request; empty for none.
    ///   - limits: What it may take before it is given up.
    ///   - head: Is told the status and the fields, before any part. What it throws ends the exchange.
    ///   - part: Is given the body's bytes in their order. What it throws ends the exchange.
    /// - Throws: ``HTTPTransportError`` where there is no whole reply.
    func receive(
        _ request: HTTPRequest, body: Data, limits: HTTPLimits,
        head: @escaping @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void,
        part: @escaping @Sendable (Data) throws(HTTPTransportError) -> Void
    ) async throws(HTTPTransportError)
}

extension HTTPTransport {
    /// Sends a request and reads the whole reply, whatever its status. Redirects are not followed.
    ///
    /// - Parameters:
    ///   - request: Its method, address and fields.
    ///   - body: What is sent with the request; empty for none.
    ///   - limits: What it may take before it is given up.
    /// - Throws: ``HTTPTransportError`` where there is no whole reply.
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
        /// Who asked does not want what comes.
        case refused
    }

    public let code: Code
    /// What happened, as the rest of a sentence.
    public let reason: String

    public init(code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }

    static let noStatus = HTTPTransportError(code: .connection, reason: "the reply has no status")
}
