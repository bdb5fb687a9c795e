internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// Handler of one connection for what later handlers do not know of a request: the version of HTTP, the absolute form of its
/// target, and why it is malformed.
final class VersionRules: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Event that tells a client to send the body of its request.
    struct Continuation: Sendable {}

    /// Fault that the decoder has found; `nil` if there is none, or once it is answered.
    private var fault: HTTPParserError?
    /// Indicates for each request without a response, in their order, that its version is older than HTTP/1.1.
    private var unanswered: [Bool] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        unanswered.append(head.isOld)
        if head.isOld {
            // RFC 9110, section 10.1.1: a server ignores it in a request of HTTP/1.0.
            head.headers.remove(name: "Expect")
        } else if !head.headers.contains(name: "Host") {
            head.headers.add(name: "Host", value: "")
        }
        head.replaceAbsoluteForm()
        // Hummingbird knows only this spelling, and keeps the connections of HTTP/1.0 open.
        if head.isLast { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fault = error as? HTTPParserError
        context.fireErrorCaught(error)
    }

    /// Sends the response to an old request without chunks, which HTTP/1.0 does not have (RFC 9112, section 6.1), and adds the
    /// reason to the response to a malformed request, which has no body.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        // A malformed request is not among them.
        if !unanswered.isEmpty, unanswered.removeFirst() { head.version = .http1_0 }
        guard let fault, head.status == .badRequest, head.headers["Content-Length"] == ["0"] else {
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        }
        self.fault = nil
        let body = ByteBuffer(string: "The request is malformed: \(fault).\n")
        head.headers.replaceOrAdd(name: "Content-Length", value: String(body.readableBytes))
        head.headers.replaceOrAdd(name: "Content-Type", value: "text/plain; charset=utf-8")
        context.write(wrapOutboundOut(.head(head)), promise: promise)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is Continuation else { return context.triggerUserOutboundEvent(event, promise: promise) }
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: promise)
    }
}

extension HTTPRequestHead {
    /// `true` if the version of the request is older than HTTP/1.1.
    fileprivate var isOld: Bool { (version.major, version.minor) < (1, 1) }

    /// `true` if the connection ends after the response (RFC 9112, section 9.3). A connection of HTTP/1.0 always does.
    fileprivate var isLast: Bool {
        isOld || headers[canonicalForm: "Connection"].contains { $0.lowercased() == "close" }
    }

    /// Replaces a target in absolute form, such as `http://example.com/path`, as clients of a proxy send it (RFC 9112,
    /// section 3.2.2): its authority counts, and not the header field `Host`, which the request has nevertheless.
    ///
    /// An authority with a user may look like another host (RFC 9110, section 4.2.4). Its target is replaced by one that
    /// servers refuse, because it does not begin with `/` (``RequestTarget``).
    fileprivate mutating func replaceAbsoluteForm() {
        let hosts = headers["Host"]
        guard !uri.hasPrefix("/"), let scheme = uri.firstRange(of: "://"), hosts.count <= 1, hosts != [""] else {
            return
        }
        let rest = uri[scheme.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else {
            uri = "*"
            return
        }
        headers.replaceOrAdd(name: "Host", value: String(authority))
        let target = rest[authority.endIndex...]
        uri = target.hasPrefix("/") ? String(target) : "/\(target)"
    }
}

/// Channel of a connection with ``VersionRules`` directly after the decoder of requests.
struct VersionedChannel: ServerChildChannel {
    let base: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(VersionRules(), position: .after(decoder.handler))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
