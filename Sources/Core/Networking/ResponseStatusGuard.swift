#if os(Linux)
    internal import NIOCore
    internal import NIOHTTP1

    /// Channel handler that rejects responses with a status below 100. AsyncHTTPClient would treat them as
    /// informational, and terminate the process when it receives further data of the response.
    final class ResponseStatusGuard: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias InboundOut = HTTPClientResponsePart

        /// Adds a guard after the response decoder of a connection.
        @Sendable static func watch(_ channel: any Channel) -> EventLoopFuture<Void> {
            channel.eventLoop.submit {
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(ResponseStatusGuard(), position: .after(decoder))
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .head(let head) = Self.unwrapInboundIn(data), head.status.code < 100 {
                context.fireErrorCaught(HTTPParserError.invalidStatus)
                context.close(promise: nil)
            } else {
                context.fireChannelRead(data)
            }
        }
    }
#endif
