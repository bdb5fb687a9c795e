import Foundation
import Testing
import VitrineHostedContent
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport

/// Downloads from faulty servers.
@Suite(.hangLimit) struct WebContentFaultTests {
    /// Two complete parts, and a fraction of a third one.
    fileprivate static let content = Data.random(9_000_000)
    private static let part = 4 * 1024 * 1024

    /// Fault of a server in one request or in all requests, with the expected behavior of the download.
    struct Fault: Sendable, CustomTestStringConvertible {
        let id: String
        /// Function that returns the server's file for a request, given its number from 0.
        var file: @Sendable (Int) -> ContentServer.File = { _ in ContentServer.File(content) }
        /// Function that returns the answer that replaces the normal reply to a request, given its number from 0.
        var answer: @Sendable (Int, RangeReply) -> ContentServer.Answer? = { _, _ in nil }
        /// Expected error; `nil` for a download that succeeds.
        var code: ContentError.Code?
        var reason = ""
        var retryAfter: TimeInterval?
        /// Expected number of requests.
        var requests: Int
        /// Maximum number of bytes that may be fetched.
        var most = content.count
        /// First byte that the next download requests when the server works again; `nil` if it requests the whole
        /// archive or nothing.
        var next: Int?
        /// Expected delays before each retry, in seconds.
        var waits: [Double] = []
        /// `true` if the last received bytes may be lost when the connection ends, which can cause further requests.
        var losesBytes = false

        var testDescription: String { id }
    }

    private static func at(
        _ number: Int, _ answer: @escaping @Sendable (RangeReply) -> ContentServer.Answer
    ) -> @Sendable (Int, RangeReply) -> ContentServer.Answer? {
        { $0 == number ? answer($1) : nil }
    }

    private static func always(
        _ answer: @escaping @Sendable (RangeReply) -> ContentServer.Answer
    ) -> @Sendable (Int, RangeReply) -> ContentServer.Answer? {
        { _, reply in answer(reply) }
    }

    private static func status(_ status: Int, _ headers: [String: String] = [:]) -> ContentServer.Answer {
        ContentServer.Answer(.reply(status, headers: headers))
    }

    static let faults: [Fault] = [
        Fault(id: "none", requests: 3),
        Fault(
            id: "reset in a part", answer: at(1) { $0.broken(after: 1_000_000, then: .reset) }, requests: 3,
            most: content.count + 1_000_000, waits: [0.5], losesBytes: true),
        Fault(
            id: "closed in a part", answer: at(1) { $0.broken(after: 1_000_000, then: .close) }, requests: 3,
            waits: [0.5], losesBytes: true),
        Fault(
            id: "always closed after 1,000 bytes", answer: always { $0.broken(after: 1_000, then: .close) },
            code: .network, reason: "the connection closed before the reply was complete", requests: 5, most: 5_000,
            next: 5_000, waits: [0.5, 1, 2, 4], losesBytes: true),
        Fault(
            id: "always closed after 2,000,000 bytes", answer: always { $0.broken(after: 2_000_000, then: .close) },
            requests: 5, waits: [0.5, 0.5, 0.5, 0.5], losesBytes: true),
        Fault(id: "a part in pieces", answer: at(2) { $0.inPieces(of: 16_384) }, requests: 3),
        Fault(
            id: "parts smaller than asked for",
            answer: { number, reply in
                let first = [0, 1_000_000][min(number, 1)]
                guard number < 2 else { return nil }
                var reply = reply.with([
                    "Content-Range": "bytes \(first)-\(first + 999_999)/\(content.count)", "Content-Length": "1000000",
                ])
                reply.body = reply.body.prefix(1_000_000)
                return reply.whole
            }, requests: 4),
        Fault(
            id: "another length", file: { _ in ContentServer.File(content + [0]) }, code: .wrongContent,
            reason: "the file on the server has 9000001 bytes instead of 9000000", requests: 2,
            most: part + content.count + 1),
        Fault(
            id: "another length in every part",
            answer: { _, reply in
                reply.status == 206 ? reply.with(["Content-Range": "bytes 0-\(part - 1)/9000001"]).whole : nil
            }, requests: 2, most: part + content.count),
        Fault(
            id: "another length, without ranges", file: { _ in ContentServer.File(content + [0], hasRanges: false) },
            code: .wrongContent, reason: "the file on the server has 9000001 bytes instead of 9000000",
            requests: 1, most: content.count + 1),
        Fault(
            id: "wrong bytes in a part", answer: at(1) { $0.wrong(at: 17).whole }, requests: 4,
            most: 2 * content.count),
        Fault(
            id: "always wrong bytes", answer: always { $0.wrong(at: 17).whole }, code: .wrongContent,
            reason: "the received file does not have the required digest", requests: 4, most: 2 * content.count),
        Fault(
            id: "every part from elsewhere than it says",
            answer: { _, reply in
                guard reply.status == 206 else { return nil }
                var reply = reply
                reply.body = content.prefix(reply.body.count)
                return reply.whole
            }, requests: 4, most: 2 * content.count),
        Fault(
            id: "another version from the second part on",
            file: { ContentServer.File(content, headers: ["ETag": $0 == 0 ? "\"1\"" : "\"2\""]) }, requests: 2,
            most: content.count + part),
        Fault(
            id: "two servers by turns, with names of their own, the second of which breaks off",
            file: { ContentServer.File(content, headers: ["ETag": "\"\($0 % 2)\""]) },
            answer: at(1) { $0.broken(after: 5_000_000, then: .close) }, requests: 3,
            most: content.count + part + 5_000_000, waits: [0.5], losesBytes: true),
        Fault(
            id: "a part of another version, always",
            file: { ContentServer.File(content, headers: ["ETag": "\"\(max($0 - 1, 0))\""]) },
            answer: { number, reply in reply.with(["ETag": "\"\(number)\""]).whole }, requests: 5,
            most: 4 * part + content.count),
        Fault(id: "no ranges", file: { _ in ContentServer.File(content, hasRanges: false) }, requests: 1),
        Fault(
            id: "no ranges, closed once", file: { _ in ContentServer.File(content, hasRanges: false) },
            answer: at(0) { $0.broken(after: 5_000_000, then: .close) }, requests: 2, most: content.count + 5_000_000,
            waits: [0.5], losesBytes: true),
        Fault(
            id: "no ranges, always closed", file: { _ in ContentServer.File(content, hasRanges: false) },
            answer: always { $0.broken(after: 5_000_000, then: .close) }, code: .network,
            reason: "the connection closed before the reply was complete", requests: 5, most: 25_000_000,
            next: 5_000_000, waits: [0.5, 1, 2, 4], losesBytes: true),
        Fault(
            id: "no strong name of the version",
            file: { _ in ContentServer.File(content, headers: ["ETag": "W/\"1\""]) },
            requests: 2, most: part + content.count),
        Fault(
            id: "a part where the whole is asked for", file: { _ in ContentServer.File(content, headers: [:]) },
            answer: { number, reply in
                guard number > 0 else { return nil }
                var reply = reply.with(["Content-Range": "bytes 0-8999999/9000000"])
                reply.status = 206
                return reply.whole
            }, requests: 2, most: part + content.count),
        Fault(
            id: "always a part, even where the whole is asked for",
            file: { _ in ContentServer.File(content, headers: [:]) },
            answer: { number, reply in
                guard number > 0 else { return nil }
                var reply = reply.with(["Content-Range": "bytes 0-999/9000000", "Content-Length": "1000"])
                (reply.status, reply.body) = (206, content.prefix(1_000))
                return reply.whole
            }, code: .server, reason: "the server sends a part of the file, although the whole file was requested",
            requests: 2, most: part + 1_000),
        Fault(
            id: "404", answer: always { _ in status(404) }, code: .server,
            reason: "the server answered with the status 404", requests: 1, most: 0),
        Fault(id: "416 once", answer: at(1) { _ in status(416) }, requests: 5, most: content.count + part),
        Fault(
            id: "416 for ever", answer: { number, _ in number > 0 ? status(416) : nil }, code: .server,
            reason: "the server answered with the status 416", requests: 4, most: part),
        Fault(
            id: "416 to every range", answer: { _, reply in reply.status == 206 ? status(416) : nil }, requests: 2),
        Fault(
            id: "parts of a whole whose length is not said",
            answer: always { reply in
                reply.with(["Content-Range": reply.headers["Content-Range"]?.replacing(/\/.*/, with: "/*")]).whole
            }, requests: 3),
        Fault(id: "500 once", answer: at(1) { _ in status(500) }, requests: 4, waits: [0.5]),
        Fault(
            id: "500 for ever", answer: { number, _ in number > 0 ? status(500) : nil }, code: .network,
            reason: "the server answered with the status 500", requests: 6, next: 4_194_304, waits: [0.5, 1, 2, 4]),
        Fault(
            id: "503, and a short time to wait", answer: at(0) { _ in status(503, ["Retry-After": "7"]) }, requests: 4,
            waits: [7]),
        Fault(
            id: "503, and a long time to wait",
            answer: { number, _ in number > 0 ? status(503, ["Retry-After": "7200"]) : nil }, code: .network,
            reason: "the server answered with the status 503", retryAfter: 3_600, requests: 2, most: part,
            next: 4_194_304),
        Fault(id: "429 once", answer: at(2) { _ in status(429) }, requests: 4, waits: [0.5]),
        Fault(
            id: "packed once", answer: at(1) { $0.with(["Content-Encoding": "gzip"]).whole }, requests: 4,
            most: content.count + part, waits: [0.5]),
        Fault(
            id: "always packed", answer: always { $0.with(["Content-Encoding": "gzip"]).whole }, code: .network,
            reason: "the reply is encoded as gzip, which was not requested", requests: 5, most: 5 * part,
            waits: [0.5, 1, 2, 4]),
        Fault(
            id: "a part from elsewhere",
            answer: at(1) { $0.with(["Content-Range": "bytes 0-\(part - 1)/\(content.count)"]).whole }, requests: 3,
            most: 2 * part + content.count),
        Fault(
            id: "a part that begins earlier", answer: at(1) { $0.with(part - 65_536..<2 * part) }, requests: 3,
            most: content.count + 65_536),
        Fault(
            id: "every part begins at a border of 5,000,000 bytes",
            answer: { number, reply in number == 0 ? reply.with(0..<3_000_000) : reply.with(0..<content.count) },
            requests: 2, most: content.count + 3_000_000),
        Fault(id: "a part that ends later", answer: at(1) { $0.with(part..<2 * part + 65_536) }, requests: 3),
        Fault(id: "a part that ends with the file", answer: at(0) { $0.with(0..<content.count) }, requests: 1),
        Fault(
            id: "every part with the status 200",
            answer: always { reply in
                var reply = reply
                reply.status = 200
                return reply.whole
            }, requests: 3),
        Fault(
            id: "every part with the status 200, and of unsaid length",
            answer: { _, reply in
                var whole = reply.with(["Content-Length": nil])
                whole.status = 200
                return whole.whole
            }, requests: 2, most: part + content.count),
        Fault(
            id: "every part with an end after the last byte",
            answer: { _, reply in
                reply.status == 206 ? reply.with(["Content-Range": "bytes 0-\(part)/\(part)"]).whole : nil
            }, requests: 2, most: part + content.count),
        Fault(
            id: "every part with an end of the largest number, in a file of unsaid length",
            answer: { _, reply in
                reply.status == 206 ? reply.with(["Content-Range": "bytes 0-\(Int.max)/*"]).whole : nil
            }, requests: 2, most: part + content.count),
        Fault(
            id: "every part with an end of the largest number, and the status 200",
            answer: { _, reply in
                guard reply.status == 206 else { return nil }
                var reply = reply.with(["Content-Range": "bytes 0-\(Int.max)/*"])
                reply.status = 200
                return reply.whole
            }, requests: 2, most: part + content.count),
        Fault(
            id: "a part without its position", answer: at(1) { $0.with(["Content-Range": nil]).whole }, requests: 3,
            most: 2 * part + content.count),
        Fault(
            id: "a part with a byte too many, of unsaid length",
            answer: at(1) { $0.withByteTooMany }, requests: 3, most: content.count + 1),
        Fault(
            id: "the last part with a byte too many",
            answer: at(2) { $0.withByteTooMany }, requests: 3, most: content.count + 1),
        Fault(
            id: "a part that is too long",
            answer: at(1) { $0.with(["Content-Range": "bytes 4194304-8388608/\(content.count)"]).whole },
            requests: 3, most: 2 * part + content.count),
        Fault(
            id: "a part that is shorter than it is",
            answer: at(1) { $0.with(["Content-Range": "bytes 4194304-4194403/\(content.count)"]).whole },
            requests: 3, most: 2 * part + content.count),
        Fault(
            id: "a part of unsaid length that is shorter than it is",
            answer: at(1) {
                $0.with(["Content-Range": "bytes 4194304-4194403/\(content.count)", "Content-Length": nil]).whole
            }, requests: 3, most: 2 * part + content.count),
        Fault(
            id: "every part has 1,000 bytes",
            answer: { _, reply in reply.status == 206 ? reply.with(0..<1_000) : nil }, requests: 2,
            most: content.count + 1_000),
        Fault(
            id: "a part of unsaid length that is longer than it is",
            answer: at(1) { $0.with(["Content-Length": nil]).broken(after: 2_000_000, then: .close) }, requests: 3,
            waits: [0.5], losesBytes: true),
        Fault(
            id: "many parts in one",
            answer: at(0) {
                $0.with(["Content-Range": nil, "Content-Type": "multipart/byteranges; boundary=x"]).whole
            }, requests: 2, most: part + content.count),
        Fault(
            id: "a web page", answer: always { _ in .init(.reply(body: Data("<html>Log in</html>".utf8))) },
            code: .wrongContent, reason: "the file on the server has 19 bytes instead of 9000000", requests: 1, most: 0),
    ]

    @Test(arguments: faults) func `a download from a faulty server either succeeds completely or reports an error`(
        fault: Fault
    ) async throws {
        let isWell = Recorder<Void>()
        let server = try await ContentServer { number, _ in
            isWell.values.isEmpty ? fault.file(number) : ContentServer.File(Self.content)
        } fault: { number, reply in
            isWell.values.isEmpty ? fault.answer(number, reply) : nil
        }
        let download = try WebDownload()
        let request = ContentRequest(Self.content, at: server.url.appending(path: "rome.zip"))
        do throws(ContentError) {
            let data = try await download.fetch(request)
            #expect(fault.code == nil)
            #expect(data == Self.content)
            #expect(download.reported.values.last == ContentProgress(received: data.count, total: data.count))
        } catch {
            #expect(error.code == fault.code)
            #expect(error.reason == "\(server.url)rome.zip: \(fault.reason)")
            #expect(error.retryAfter == fault.retryAfter)
        }
        let requests = server.requests.count
        #expect(server.requests.allSatisfy { $0.headers["accept-encoding"] == "identity" })
        if fault.losesBytes {
            #expect((fault.requests...fault.requests + 3).contains(requests))
            #expect(server.sent <= fault.most * 3 / 2)
            #expect(download.waits.values.first == .milliseconds(500))
        } else {
            #expect(requests == fault.requests)
            #expect(server.sent <= fault.most)
            #expect(download.waits.values == fault.waits.map { .seconds($0) })
        }

        isWell.record(())
        #expect(try await download.fetch(request) == Self.content)
        let next = server.requests.dropFirst(requests).first?.headers["range"]
        guard fault.code != nil, !fault.losesBytes else { return #expect(fault.losesBytes || next == nil) }
        let first = fault.next ?? 0
        #expect(next == "bytes=\(first)-\(min(first + Self.part, Self.content.count) - 1)")
    }
}

extension RangeReply {
    /// Reply of unstated length with one byte more than its header describes.
    fileprivate var withByteTooMany: ContentServer.Answer {
        var reply = with(["Content-Length": nil])
        reply.body += [0]
        return reply.whole
    }

    /// Returns a reply with a part of the test's content, with its position and length.
    fileprivate func with(_ range: Range<Int>) -> ContentServer.Answer {
        let content = WebContentFaultTests.content
        var reply = with([
            "Content-Range": "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)",
            "Content-Length": "\(range.count)",
        ])
        (reply.status, reply.body) = (206, content[range])
        return reply.whole
    }
}
