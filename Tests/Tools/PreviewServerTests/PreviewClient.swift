import Foundation
import NIOCore
import NIOPosix
import Testing

/// Client that writes requests byte by byte, including invalid ones.
struct PreviewClient: Sendable {
    let port: Int

    /// Sends a request over a connection of its own.
    ///
    /// - Parameters:
    ///   - host: Value of the header field `Host`; `nil` for none.
    ///   - size: Number of bytes of the answer's body after which the connection is closed; `nil` to wait for the
    ///     server.
    func send(
        _ method: String, _ path: String, host: String?, headers: [(String, String)] = [], body: String = "",
        size: Int? = nil
    ) async throws -> PreviewAnswer {
        var lines = ["\(method) \(path) HTTP/1.1", "Connection: close", "Content-Length: \(body.utf8.count)"]
        if let host { lines.append("Host: \(host)") }
        lines += headers.map { "\($0.0): \($0.1)" }
        let request = lines.joined(separator: "\r\n") + "\r\n\r\n" + body
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var received = Data()
            for try await part in inbound {
                received.append(contentsOf: part.readableBytesView)
                if let size, let answer = PreviewAnswer(received), answer.body.utf8.count >= size { break }
            }
            return try #require(PreviewAnswer(received))
        }
    }
}

/// Response of the server.
struct PreviewAnswer: Sendable {
    let status: Int
    /// Header fields, by their names in lower case.
    let fields: [String: String]
    let body: String

    /// Parses a response.
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
        body = String(decoding: data[end.upperBound...], as: UTF8.self)
    }
}
