internal import NIOCore

/// Handler of one connection, which closes it if the client takes no more bytes of a response. Otherwise a client that reads
/// nothing could keep its connection, and what the server holds for the response, for any time.
///
/// The time begins when the buffers of the system and of the server are full, and a byte counts as taken when it has left the
/// server's buffer.
final class StalledClientGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let time: TimeAmount
    /// Check of a connection that takes no more data at the moment.
    private var check: Scheduled<Void>?

    /// - Parameters:
    ///   - idleTime: Maximum time for which a connection may be idle.
    ///   - factor: Number of such times without a byte that leaves the server's buffer, after which the connection is closed.
    ///     It is large, because Linux takes further bytes only once about a third of a socket's buffer, which may have
    ///     several megabytes, has arrived: none may leave for minutes while a slow client takes some all the time.
    init(idleTime: TimeAmount, times factor: Int = 10) { time = idleTime * factor }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        endCheck()
        if !context.channel.isWritable { scheduleCheck(of: context, unsent: Self.unsentBytes(of: context)) }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        endCheck()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { endCheck() }

    private func endCheck() {
        check?.cancel()
        check = nil
    }

    private func scheduleCheck(of context: ChannelHandlerContext, unsent: Int) {
        check = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in
            let left = Self.unsentBytes(of: context)
            guard left < unsent else { return context.close(promise: nil) }
            scheduleCheck(of: context, unsent: left)
        }
    }

    /// Returns the number of bytes that wait for the client.
    private static func unsentBytes(of context: ChannelHandlerContext) -> Int {
        do {
            return try context.channel.syncOptions?.getOption(.bufferedWritableBytes) ?? 0
        } catch {
            // The connection has ended.
            return 0
        }
    }
}
