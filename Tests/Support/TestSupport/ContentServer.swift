package import Foundation

/// A web server that has files, honours `Range` and `If-Range`, and does with each request what it is told besides.
package final class ContentServer: Sendable {
    /// What the server has at a path.
    package struct File: Sendable {
        package var bytes: Data
        /// What its version is named by, and what else is said of it.
        package var headers: [String: String]
        package var hasRanges: Bool

        package init(_ bytes: Data, headers: [String: String] = ["ETag": "\"1\""], hasRanges: Bool = true) {
            self.bytes = bytes
            self.headers = headers
            self.hasRanges = hasRanges
        }
    }

    /// What is done with a request, and how many bytes of a body go out.
    package struct Answer: Sendable {
        package let answer: LoopbackServer.Answer
        package let bodyCount: Int

        package init(_ answer: LoopbackServer.Answer, bodyCount: Int = 0) {
            self.answer = answer
            self.bodyCount = bodyCount
        }
    }

    private let server: LoopbackServer
    private let bodyCounts: Recorder<Int>

    /// - Parameters:
    ///   - file: Is given the number of the request, from 0 on, and its path, as `/rome.zip`; answers what is there.
    ///   - fault: Is given the number and the reply to the request; answers what is done instead, or `nil`.
    package init(
        _ file: @escaping @Sendable (Int, String) -> File?,
        fault: @escaping @Sendable (Int, RangeReply) -> Answer? = { _, _ in nil }
    ) async throws {
        let (asked, bodyCounts) = (Recorder<Void>(), Recorder<Int>())
        self.bodyCounts = bodyCounts
        server = try await LoopbackServer { request in
            let number = asked.values.count
            asked.record(())
            let reply = RangeReply(to: request, file(number, request.path))
            let answer = fault(number, reply) ?? reply.whole
            bodyCounts.record(answer.bodyCount)
            return answer.answer
        }
    }

    package var url: URL { server.url }
    package var requests: [LoopbackServer.Request] { server.requests }

    /// Waits until a request has come in that nobody has waited for.
    package func arrival() async { await server.arrival() }

    /// Bytes of bodies that were sent, as far as the server knows.
    package var sent: Int { bodyCounts.values.reduce(0, +) }
}

/// A reply with a file, or with the part of it that was asked for.
package struct RangeReply: Sendable {
    package var status: Int
    package var headers: [String: String]
    package var body: Data

    fileprivate init(to request: LoopbackServer.Request, _ file: ContentServer.File?) {
        guard let file else {
            self.init(status: 404, headers: ["Content-Length": "0"], body: Data())
            return
        }
        let names = [file.headers["ETag"], file.headers["Last-Modified"]].compactMap(\.self)
        let isSame = request.headers["if-range"].map { names.contains($0) } ?? true
        if file.hasRanges, isSame, let range = request.headers["range"].flatMap({ Self.range($0) }) {
            guard range.lowerBound < file.bytes.count else {
                let total = ["Content-Range": "bytes */\(file.bytes.count)", "Content-Length": "0"]
                self.init(status: 416, headers: total, body: Data())
                return
            }
            let body = file.bytes[range.clamped(to: 0..<file.bytes.count)]
            self.init(status: 206, headers: file.headers, body: body)
            headers["Content-Range"] = "bytes \(body.startIndex)-\(body.endIndex - 1)/\(file.bytes.count)"
        } else {
            self.init(status: 200, headers: file.headers, body: file.bytes)
        }
        headers["Content-Length"] = "\(body.count)"
    }

    package init(status: Int, headers: [String: String], body: Data) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    private static func range(_ text: String) -> Range<Int>? {
        guard let match = text.wholeMatch(of: /bytes=([0-9]+)-([0-9]+)/), let first = Int(match.1),
            let last = Int(match.2), first <= last
        else { return nil }
        return first..<last + 1
    }
}

extension RangeReply {
    /// As it is.
    package var whole: ContentServer.Answer { broken(after: body.count, then: .close) }

    /// So many bytes of the body, and then an end.
    package func broken(after count: Int, then end: LoopbackServer.Answer.End) -> ContentServer.Answer {
        ContentServer.Answer(.bytes(head + body.prefix(count), then: end), bodyCount: min(count, body.count))
    }

    /// As it is, in pieces of so many bytes.
    package func inPieces(of count: Int) -> ContentServer.Answer {
        let (body, rest) = (body, Recorder<Void>())
        let pieces = AsyncStream<Data> {
            let piece = body.dropFirst(rest.values.count * count).prefix(count)
            rest.record(())
            return piece.isEmpty ? nil : Data(piece)
        }
        return ContentServer.Answer(.stream(head, pieces), bodyCount: body.count)
    }

    /// So many bytes of the body, and then what a test gives.
    package func beginning(with count: Int, then pieces: AsyncStream<Data>) -> ContentServer.Answer {
        ContentServer.Answer(.stream(head + body.prefix(count), pieces), bodyCount: body.count)
    }

    /// With other headers; `nil` takes one away.
    package func with(_ changes: [String: String?]) -> RangeReply {
        var reply = self
        for (name, value) in changes { reply.headers[name] = value }
        return reply
    }

    /// With another bit somewhere.
    package func wrong(at place: Int) -> RangeReply {
        var reply = self
        reply.body = Data(body)
        reply.body[place % max(body.count, 1)] ^= 1
        return reply
    }

    private var head: Data {
        let lines = ["HTTP/1.1 \(status) Status"] + headers.map { "\($0.key): \($0.value)" }
        return Data((lines + ["", ""]).joined(separator: "\r\n").utf8)
    }
}
