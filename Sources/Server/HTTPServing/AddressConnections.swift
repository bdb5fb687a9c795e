internal import NIOCore
internal import VitrineSupport

/// Counter of the open connections of each client address.
final class AddressConnections: Sendable {
    private let limit: Int
    private let counts = Locked<[String: Int]>([:])

    /// - Parameter limit: Maximum number of connections of one address.
    init(limit: Int) { self.limit = limit }

    fileprivate func admit(_ address: String) -> Bool {
        counts.withLock { counts in
            let count = counts[address] ?? 0
            guard count < limit else { return false }
            counts[address] = count + 1
            return true
        }
    }

    fileprivate func end(_ address: String) {
        counts.withLock { counts in
            let count = (counts[address] ?? 1) - 1
            counts[address] = count == 0 ? nil : count
        }
    }
}

/// Handler of one connection, which closes it if its address has too many.
final class ConnectionCounter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let connections: AddressConnections
    /// Address under which the connection is counted; `nil` if it is not.
    private var address: String?

    init(_ connections: AddressConnections) { self.connections = connections }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        guard let client = context.remoteAddress?.ipAddress else { return }
        let name = NetworkName.of(client)
        guard connections.admit(name) else { return context.close(promise: nil) }
        address = name
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let address { connections.end(address) }
        address = nil
        context.fireChannelInactive()
    }
}
