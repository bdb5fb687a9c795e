package import HTTPTypes
package import Hummingbird
internal import NIOCore
internal import VitrineSupport

/// Responder of an HTTP server, over the responder that answers the requests.
///
/// A client that waits before it sends the body of its request (RFC 9110, section 10.1.1) is told to go on when the body is
/// read. If the body is not read, the connection ends with the response, because the client may or may not send it.
package struct ServedResponder<Base: HTTPResponder>: HTTPResponder where Base.Context == ConnectionContext {
    package typealias Context = ConnectionContext

    let base: Base

    package func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        guard request.isAwaitingContinuation else { return try await base.respond(to: request, context: context) }
        let body = AwaitedBody(request.body, from: context.channel)
        var request = request
        request.body = RequestBody(asyncSequence: body)
        var response = try await base.respond(to: request, context: context)
        if !body.isRequested { response.end(connection: context.channel) }
        return response
    }
}

extension Request {
    fileprivate var isAwaitingContinuation: Bool { headers[named: "Expect"]?.lowercased() == "100-continue" }
}

extension HTTPRequest {
    /// `false` if the request breaks ``hostRule``. The first field is the authority of a request, and others are left among
    /// its fields. A connection adds an empty one to a request that must have one and has none (``VersionRules``).
    package var hasOneHost: Bool { authority != "" && headerFields[named: "Host"] == nil }

    /// Rule about the header field `Host` (RFC 9112, section 3.2), which requests of HTTP/1.0 may lack.
    package static var hostRule: String { "A request must have exactly one header field Host." }
}

/// Body of a request whose client waits with it until the server reads it.
private final class AwaitedBody: AsyncSequence, Sendable {
    private let body: RequestBody
    private let channel: any Channel
    private let requested = Locked(false)

    init(_ body: RequestBody, from channel: any Channel) { (self.body, self.channel) = (body, channel) }

    /// `true` once the client was told to send the body.
    var isRequested: Bool { requested.withLock { $0 } }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var body: RequestBody.AsyncIterator
        fileprivate let awaited: AwaitedBody

        @concurrent mutating func next() async throws -> ByteBuffer? {
            awaited.request()
            return try await body.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: body.makeAsyncIterator(), awaited: self) }

    /// Tells the client to send the body, the first time.
    private func request() {
        let isFirst = requested.withLock { requested in
            defer { requested = true }
            return !requested
        }
        if isFirst { channel.triggerUserOutboundEvent(VersionRules.Continuation(), promise: nil) }
    }
}
