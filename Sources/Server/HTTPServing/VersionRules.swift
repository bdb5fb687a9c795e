internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// Handler of one connection for what later handlers do not know of a request: the version of HTTP, and why it is malformed.
final class VersionRules: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Event that tells a client to send the body of its request.
    struct Continuation: Sendable {}

    /// Fault that the decoder has found; `nil` if there is none, or once it is answered.
    private var fault: HTTPParserError?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        if (head.version.major, head.version.minor) < (1, 1) {
            // RFC 9110, section 10.1.1: a server ignores it in a request of HTTP/1.0.
            head.headers.remove(name: "Expect")
        } else if !head.headers.contains(name: "Host") {
            head.headers.add(name: "Host", value: "")
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fault = error as? HTTPParserError
        context.fireErrorCaught(error)
    }

    /// Adds the reason to the response to a malformed request, which has no body.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let fault, case .head(var head) = unwrapOutboundIn(data), head.status == .badRequest,
            head.headers["Content-Length"] == ["0"]
        else { return context.write(data, promise: promise) }
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
