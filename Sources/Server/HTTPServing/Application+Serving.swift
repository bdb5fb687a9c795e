package import Foundation
package import Hummingbird
internal import HummingbirdCore
package import Logging
package import NIOCore
package import ServiceLifecycle
internal import VitrineFileSystem

/// Context of a request: its connection, and the logger for its messages.
package struct ConnectionContext: InitializableFromSource {
    package let channel: any Channel
    package let logger: Logger

    package init(source: ApplicationRequestContextSource) { (channel, logger) = (source.channel, source.logger) }
}

extension Application {
    /// Creates an HTTP application that listens at an address.
    ///
    /// - Parameters:
    ///   - port: Port of the address; 0 lets the system choose one.
    ///   - idleTime: Maximum time for which a connection may be idle. A client may take no bytes of a response for longer
    ///     (``StalledClientGuard``).
    ///   - connectionsPerAddress: Maximum number of connections of one client address, of which no address gets more
    ///     than half of all; `nil` if all connections come from a proxy.
    ///   - services: Services that run as long as the application.
    ///   - onReady: Function that is called with the address once the application accepts connections.
    package init<Base: HTTPResponder>(
        _ responder: Base, host: String, port: Int, idleTime: Duration = .seconds(60),
        connectionsPerAddress: Int? = nil, services: [any Service] = [], logger: Logger,
        onReady: @escaping @Sendable (URL) async -> Void
    ) where Responder == ServedResponder<Base> {
        let most = ConnectionLimit.present
        let connections = AddressConnections(limit: min(connectionsPerAddress ?? most, max(most / 2, 1)))
        let isCounted = connectionsPerAddress != nil
        self.init(
            responder: ServedResponder(base: responder),
            server: HTTPServerBuilder { responder in
                VersionedChannel(
                    base: HTTP1Channel(
                        responder: responder,
                        configuration: .init(
                            additionalChannelHandlers: [StalledClientGuard(idleTime: TimeAmount(idleTime))]
                                + (isCounted ? [ConnectionCounter(connections)] : []),
                            idleTimeout: TimeAmount(idleTime))))
            },
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), backlog: 1_024,
                availableConnectionsDelegate: MaximumAvailableConnections(most)),
            services: services,
            onServerRunning: { channel in
                let name = host.contains(":") ? "[\(host)]" : host
                guard let port = channel.localAddress?.port, let url = URL(string: "http://\(name):\(port)") else {
                    return
                }
                await onReady(url)
            },
            logger: logger)
    }
}

/// Maximum number of concurrent connections of a server. Further connections wait until others end.
package enum ConnectionLimit {
    /// Number of open files that are reserved for purposes other than connections. Without them, system libraries may
    /// end the process: libdispatch, for example, must be able to inspect its threads.
    private static let reserve = 64

    /// Maximum number of connections according to the current limit on open files of this process.
    package static var present: Int { max(OpenFiles.limit - reserve, 1) }
}

/// Service that runs background work until the task is canceled or the server shuts down.
package struct BackgroundWork: Service {
    private let work: @Sendable () async -> Void

    package init(_ work: @escaping @Sendable () async -> Void) { self.work = work }

    package func run() async { await cancelWhenGracefulShutdown(work) }
}
