package import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Real HTTP server on this device, at a port that the kernel chooses. It stops when its last reference is released.
package final class LoopbackServer: Sendable {
    /// Received request.
    package struct Request: Sendable {
        package let method: String
        /// Path with the query.
        package let path: String
        /// Header fields, by their names in lower case.
        package let headers: [String: String]
        package let body: Data
    }

    /// Address of the server.
    package let url: URL
    private let received: Recorder<Request>
    private let accepted: Recorder<Void>
    private let arrivals: AsyncStream<Void>
    private let listener: any Channel
    private let connections: OpenChannels

    /// - Parameters:
    ///   - certificate: Certificate for TLS; `nil` for plain HTTP.
    ///   - answer: Function that returns the answer to each request.
    package init(
        certificate: ServerCertificate? = nil, _ answer: @escaping @Sendable (Request) async -> Answer
    ) async throws {
        let tls = try certificate?.context
        let (received, accepted, connections) = (Recorder<Request>(), Recorder<Void>(), OpenChannels())
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { channel in
                accepted.record(())
                return channel.eventLoop.makeCompletedFuture {
                    let connection = LoopbackConnection { request in
                        received.record(request)
                        arrived.yield()
                        return await answer(request)
                    }
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandlers([
                        ByteToMessageHandler(HTTPRequestDecoder()), connection,
                    ])
                    connections.add(channel)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let port = listener.localAddress?.port,
            let url = URL(string: "\(tls == nil ? "http" : "https")://127.0.0.1:\(port)/")
        else {
            throw ChannelError.unknownLocalAddress
        }
        self.url = url
        self.received = received
        self.accepted = accepted
        self.arrivals = arrivals
        self.connections = connections
    }

    /// Creates a server that gives one answer after another, and repeats the last one.
    package convenience init(certificate: ServerCertificate? = nil, _ answers: Answer...) async throws {
        let asked = Recorder<Void>()
        try await self.init(certificate: certificate) { _ in
            asked.record(())
            return answers[min(asked.values.count, answers.count) - 1]
        }
    }

    deinit {
        listener.close(promise: nil)
        connections.close()
    }

    /// Number of connections that clients have opened, also without a request.
    package var connectionCount: Int { accepted.values.count }

    /// Received requests, in order.
    package var requests: [Request] { received.values }

    /// Waits for the next request that no earlier call has waited for.
    package func arrival() async { _ = await arrivals.first { _ in true } }
}
