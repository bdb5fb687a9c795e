package import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A real HTTP server on this device, at a port that the kernel chooses. It ends with its last reference.
package final class LoopbackServer: Sendable {
    /// What came in.
    package struct Request: Sendable {
        package let method: String
        /// With the query.
        package let path: String
        /// By lower-case name.
        package let headers: [String: String]
        package let body: Data
    }

    /// Where it can be reached.
    package let url: URL
    private let received: Recorder<Request>
    private let arrivals: AsyncStream<Void>
    private let listener: any Channel
    private let connections: OpenChannels

    /// - Parameters:
    ///   - certificate: What the server shows over TLS; `nil` for plain HTTP.
    ///   - answer: What is done with each request.
    package init(
        certificate: ServerCertificate? = nil, _ answer: @escaping @Sendable (Request) async -> Answer
    ) async throws {
        let tls = try certificate?.context
        let (received, connections) = (Recorder<Request>(), OpenChannels())
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
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
        self.arrivals = arrivals
        self.connections = connections
    }

    /// Gives one answer after another, the last for ever.
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

    /// Everything that came in.
    package var requests: [Request] { received.values }

    /// Waits until a request has come in that nobody has waited for.
    package func arrival() async { _ = await arrivals.first { _ in true } }
}
