import Foundation
import HTTPTypes
import NIOCore
import NIOPosix

/// Client that sends bytes over a connection of its own, whether they are HTTP or not.
struct RawClient {
    let url: URL

    /// Sends bytes part by part, and reads at the same time.
    ///
    /// - Parameters:
    ///   - answers: Number of complete answers after which the connection is closed, or 0 to close it once all is
    ///     sent; `nil` to read until the server closes it.
    ///   - isHalfClosed: `true` to close the sending side after the last part.
    /// - Returns: The complete answers, and the remaining bytes.
    func send(
        _ parts: some Sequence<Data> & Sendable, answers: Int? = nil, isHalfClosed: Bool = false
    ) async throws -> RawExchange {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: url.port ?? 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        for part in parts { try await outbound.write(ByteBuffer(bytes: part)) }
                        if isHalfClosed { outbound.finish() }
                    } catch {
                        // The server has closed the connection: what it has answered before counts.
                    }
                }
                defer { group.cancelAll() }
                var exchange = RawExchange()
                if answers == 0 {
                    try await group.waitForAll()
                    return exchange
                }
                do {
                    for try await part in inbound {
                        exchange.append(Data(part.readableBytesView))
                        if let answers, exchange.answers.count >= answers { break }
                    }
                } catch is IOError {
                    exchange.isReset = true
                }
                return exchange
            }
        }
    }

    /// Sends the bytes of one text.
    func send(_ text: String, answers: Int? = nil, isHalfClosed: Bool = false) async throws -> RawExchange {
        try await send([Data(text.utf8)], answers: answers, isHalfClosed: isHalfClosed)
    }
}

/// Bytes that a server has sent over a connection.
struct RawExchange: Sendable {
    struct Answer: Sendable {
        let status: Int
        /// Header fields, by their names in lower case.
        let fields: [String: String]
        let body: Data
    }

    private(set) var answers: [Answer] = []
    /// Bytes after the last complete answer.
    private(set) var rest = Data()
    /// `true` if the server has reset the connection.
    var isReset = false

    mutating func append(_ data: Data) {
        rest += data
        while let answer = popAnswer() { answers.append(answer) }
    }

    private mutating func popAnswer() -> Answer? {
        guard let end = rest.firstRange(of: Data("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let parts = lines[0].split(separator: " ")
        guard parts.count > 1, parts[0].hasPrefix("HTTP/1."), let status = Int(parts[1]) else { return nil }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        let length = fields["content-length"].flatMap { Int($0) } ?? 0
        guard rest[end.upperBound...].count >= length else { return nil }
        let body = Data(rest[end.upperBound...].prefix(length))
        rest = Data(rest[end.upperBound...].dropFirst(length))
        return Answer(status: status, fields: fields, body: body)
    }
}

extension RawExchange.Answer {
    /// Error code or, without one, the status.
    var verdict: Int { APIAnswer(status: status, fields: [:], body: body).verdict }
}
