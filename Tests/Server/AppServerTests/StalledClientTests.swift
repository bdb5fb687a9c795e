import Foundation
import NIOCore
import NIOEmbedded
import Testing
import VitrineTestSupport

@testable import VitrineAppServer
@testable import VitrineHTTPServing

/// Clients that request data and do not take it.
@Suite(.hangLimit) struct StalledClientTests {
    /// Connection with 100 bytes that wait for the client, who takes no more.
    private static func stalledChannel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: StalledClientGuard(idleTime: .seconds(60)))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        channel.write(ByteBuffer(repeating: 0, count: 100), promise: nil)
        set(channel, isWritable: false)
        return channel
    }

    private static func set(_ channel: EmbeddedChannel, isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
    }

    private func expectClosing(of channel: EmbeddedChannel, after seconds: Int64) {
        channel.embeddedEventLoop.advanceTime(by: .seconds(seconds - 1))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func `the connection of a client that takes no bytes of a response is closed`() throws {
        let channel = try Self.stalledChannel()
        // Ten times as long as a connection may be idle.
        expectClosing(of: channel, after: 600)
    }

    @Test func `the connection of a slow client stays open as long as the client takes some bytes`() throws {
        let channel = try Self.stalledChannel()
        channel.flush()
        channel.write(ByteBuffer(repeating: 0, count: 40), promise: nil)
        expectClosing(of: channel, after: 1_200)
    }

    @Test func `a client that has taken a response has its connection without a limit of this kind`() throws {
        let channel = try Self.stalledChannel()
        Self.set(channel, isWritable: true)
        channel.embeddedEventLoop.advanceTime(by: .seconds(6_000))
        #expect(channel.isActive)
        // Another response is measured from its own beginning.
        Self.set(channel, isWritable: false)
        expectClosing(of: channel, after: 600)
    }

    @Test func `the server closes the connection of a client that requests data and takes none`() async throws {
        let head = HTTPLine.head("GET", "/v1/apps/\(ServedApps.app)/catalog/catalog.plist", [])
        // The responses are more than the buffers of a connection hold.
        let requests = Data([Data](repeating: head, count: 5_000).joined())
        try await ServedApps.run(configure: { configuration, options in
            configuration.limits = .unlimited
            options.idleTime = .milliseconds(100)
        }) { server in
            var received = Data()
            // A connection without a request may also end because it was idle.
            while received.isEmpty {
                received = try await server.client.connect { connection in
                    do {
                        // The server reads no more requests, so that this would wait for an open connection.
                        while true { try await connection.write(requests) }
                    } catch {}
                    return try await connection.readAll()
                }
            }
            #expect(String(decoding: received.prefix(12), as: UTF8.self) == "HTTP/1.1 200")
        }
    }
}
