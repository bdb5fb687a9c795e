import Foundation
import NIOCore
import NIOPosix
import Testing
import VitrineAppServerAPI

/// Client that writes requests byte by byte, including invalid ones, each over a connection of its own.
struct HTTPLine: Sendable {
    let port: Int

    /// Answer of a server.
    struct Answer: Sendable {
        let status: Int
        /// Header fields, by their names in lower case.
        let fields: [String: String]
        let body: Data

        var text: String { String(decoding: body, as: UTF8.self) }

        /// Parses an answer.
        ///
        /// - Returns: `nil` if the header is not complete.
        init?(_ data: Data) {
            guard let end = data.firstRange(of: Data("\r\n\r\n".utf8)) else { return nil }
            let lines = String(decoding: data[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
            let parts = lines[0].split(separator: " ")
            guard parts.count > 1, let status = Int(parts[1]) else { return nil }
            self.status = status
            fields = Dictionary(
                lines.dropFirst().map { line in
                    let parts = line.split(separator: ":", maxSplits: 1)
                    return (parts[0].lowercased(), parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
                }, uniquingKeysWith: { "\($0), \($1)" })
            body = Data(data[end.upperBound...])
        }

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try #require((200..<300).contains(status), "\(status) \(text)")
            return try JSONDecoder().decode(type, from: body)
        }

        /// Error response in the answer.
        var errorResponse: WireError {
            get throws { try WireError(encoded: body) }
        }
    }

    /// Sends a request, and reads until the server closes the connection.
    func send(
        _ method: String, _ path: String, _ headers: [(String, String)] = [], body: Data? = nil
    ) async throws -> Answer {
        try await send(
            raw: Self.head(method, path, [("Connection", "close")] + headers, length: body?.count) + (body ?? Data()))
    }

    func send(
        _ method: String, _ path: String, _ headers: [(String, String)] = [], json: some Encodable
    ) async throws -> Answer {
        try await send(method, path, headers, body: try JSONEncoder().encode(json))
    }

    /// Sends bytes, and reads until the server closes the connection.
    func send(raw: Data) async throws -> Answer {
        try await connect { connection in
            try await connection.write(raw)
            return try #require(Answer(try await connection.readAll()))
        }
    }

    static func head(_ method: String, _ path: String, _ headers: [(String, String)], length: Int? = nil) -> Data {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: localhost"] + headers.map { "\($0.0): \($0.1)" }
        if let length { lines.append("Content-Length: \(length)") }
        return Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    // MARK: Connections

    /// Open connection.
    struct Connection: ~Copyable {
        fileprivate let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
        fileprivate var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        private(set) var received = Data()

        fileprivate init(
            _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>,
            _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        ) {
            (self.outbound, self.inbound) = (outbound, inbound)
        }

        var text: String { String(decoding: received, as: UTF8.self) }

        func write(_ data: Data) async throws { try await outbound.write(ByteBuffer(bytes: data)) }

        /// Reads until a text is received, and returns all bytes up to the end of that text.
        mutating func read(until text: String) async throws -> String {
            while true {
                if let range = received.firstRange(of: Data(text.utf8)) {
                    defer { received = Data(received[range.upperBound...]) }
                    return String(decoding: received[..<range.upperBound], as: UTF8.self)
                }
                let part = try #require(
                    try await inbound.next(isolation: #isolation),
                    "the connection ended after \(self.text.debugDescription)")
                received.append(contentsOf: part.readableBytesView)
            }
        }

        /// Reads until the server closes the connection.
        mutating func readAll() async throws -> Data {
            do {
                while let part = try await inbound.next(isolation: #isolation) {
                    received.append(contentsOf: part.readableBytesView)
                }
            } catch is IOError {
                // The server has broken the connection off: what it has sent before counts.
            }
            return received
        }
    }

    func connect<Value: Sendable>(
        _ body: @Sendable (inout Connection) async throws -> Value
    ) async throws -> Value {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var connection = Connection(outbound, inbound.makeAsyncIterator())
            return try await body(&connection)
        }
    }
}
