package import Foundation

/// Web server that serves files, supports `Range` and `If-Range`, and can answer single requests with faults.
package final class ContentServer: Sendable {
    /// File on the server.
    package struct File: Sendable {
        package var bytes: Data
        /// Header fields of the reply, such as the `ETag` of the version.
        package var headers: [String: String]
        package var hasRanges: Bool

        package init(_ bytes: Data, headers: [String: String] = ["ETag": "\"1\""], hasRanges: Bool = true) {
            self.bytes = bytes
            self.headers = headers
            self.hasRanges = hasRanges
        }
    }

    /// Answer to a request, with the number of body bytes that are sent.
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
    ///   - file: Function that returns the file, given the number of the request from 0 and its path, such as
    ///     `/rome.zip`.
    ///   - fault: Function that returns an answer in place of the normal reply, given the number of the request;
    ///     `nil` for the normal reply.
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

    /// Waits for the next request that no earlier call has waited for.
    package func arrival() async { await server.arrival() }

    /// Number of body bytes that were sent, as far as the server knows.
    package var sent: Int { bodyCounts.values.reduce(0, +) }
}

/// Reply with a file, or with the requested part of it.
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
    /// Complete reply.
    package var whole: ContentServer.Answer { broken(after: body.count, then: .close) }

    /// Returns a reply that ends after a number of body bytes.
    package func broken(after count: Int, then end: LoopbackServer.Answer.End) -> ContentServer.Answer {
        ContentServer.Answer(.bytes(head + body.prefix(count), then: end), bodyCount: min(count, body.count))
    }

    /// Returns the complete reply, sent in pieces of a number of bytes.
    package func inPieces(of count: Int) -> ContentServer.Answer {
        let (body, rest) = (body, Recorder<Void>())
        let pieces = AsyncStream<Data> {
            let piece = body.dropFirst(rest.values.count * count).prefix(count)
            rest.record(())
            return piece.isEmpty ? nil : Data(piece)
        }
        return ContentServer.Answer(.stream(head, pieces), bodyCount: body.count)
    }

    /// Returns a reply with a number of body bytes, followed by the pieces that a test provides.
    package func beginning(with count: Int, then pieces: AsyncStream<Data>) -> ContentServer.Answer {
        ContentServer.Answer(.stream(head + body.prefix(count), pieces), bodyCount: body.count)
    }

    /// Returns the reply with changed header fields; `nil` removes one.
    package func with(_ changes: [String: String?]) -> RangeReply {
        var reply = self
        for (name, value) in changes { reply.headers[name] = value }
        return reply
    }

    /// Returns the reply with one flipped bit in the body.
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
