import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Reads the requests of one connection, and sends the answers that a test has set.
final class LoopbackConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let answer: @Sendable (LoopbackServer.Request) async -> LoopbackServer.Answer
    private var head: HTTPRequestHead?
    private var body = Data()
    private var answering: Task<Void, any Error>?

    init(_ answer: @escaping @Sendable (LoopbackServer.Request) async -> LoopbackServer.Answer) {
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, Data())
        case .body(let buffer): body.append(contentsOf: buffer.readableBytesView)
        case .end:
            guard let head else { return }
            let request = LoopbackServer.Request(head, body: body)
            answering = Task(executorPreference: ThreadExecutor.answers) { [answer, channel = context.channel] in
                try await channel.carryOut(await answer(request))
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        answering?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

extension LoopbackServer.Request {
    fileprivate init(_ head: HTTPRequestHead, body: Data) {
        method = head.method.rawValue
        path = head.uri
        headers = Dictionary(
            head.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $0 + ", " + $1 })
        self.body = body
    }
}

extension Channel {
    fileprivate func carryOut(_ answer: LoopbackServer.Answer) async throws {
        switch answer {
        case .reply(let status, let headers, let body):
            try await send(Self.reply(status, headers, body))
        case .bytes(let bytes, let end):
            try await send(bytes)
            try await carryOut(end)
        case .stream(let bytes, let parts):
            try await send(bytes)
            for await part in parts { try await send(part) }
            try await close()
        case .endless(let claimed):
            try await send(LoopbackServer.Answer.head(claimed.map { "Content-Length: \($0)" } ?? "X-Length: unknown"))
            let part = Data(repeating: UInt8(ascii: " "), count: 64 * 1_024)
            while true { try await send(part) }
        }
    }

    private func carryOut(_ end: LoopbackServer.Answer.End) async throws {
        switch end {
        case .silence: break
        case .close: try await close()
        case .reset:
            try await (self as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            try await close()
        }
    }

    private func send(_ data: Data) async throws {
        guard !data.isEmpty else { return }
        try await writeAndFlush(ByteBuffer(bytes: data))
    }

    private static func reply(_ status: Int, _ headers: [String: String], _ body: Data) -> Data {
        let hasBody = status >= 200 && status != 204 && status != 304
        var lines = ["HTTP/1.1 \(status) Status"] + headers.map { "\($0.key): \($0.value)" }
        if hasBody, !headers.keys.contains(where: { $0.lowercased() == "content-length" }) {
            lines.append("Content-Length: \(body.count)")
        }
        return Data((lines + ["", ""]).joined(separator: "\r\n").utf8) + (hasBody ? body : Data())
    }
}

/// Open connections of a server, which are closed with it.
final class OpenChannels: Sendable {
    private let state = Mutex<(channels: [ObjectIdentifier: any Channel], isClosed: Bool)>(([:], false))

    func add(_ channel: any Channel) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.channels[ObjectIdentifier(channel)] = channel }
            return state.isClosed
        }
        guard !isClosed else { return channel.close(promise: nil) }
        channel.closeFuture.whenComplete { [self] _ in
            state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
        }
    }

    func close() {
        let channels = state.withLock { state in
            state.isClosed = true
            defer { state.channels = [:] }
            return state.channels.values.map { $0 }
        }
        for channel in channels { channel.close(promise: nil) }
    }
}
