import Foundation
import HTTPTypes
import Testing
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport

/// Faulty replies of servers.
@Suite(.blocksThreads, .hangLimit) struct TransportFaultTests {
    private func send(to url: URL, sizeLimit: Int = 100_000) async throws(HTTPTransportError) -> HTTPReply {
        try await DefaultTransport.patient.send(
            HTTPRequest(method: .get, url: url), body: Data(), limits: HTTPLimits(size: sizeLimit, seconds: 60))
    }

    private static let text = Data((0..<100).map { "line \($0)\n" }.joined().utf8)
    private static let packed = Gzip.pack(text)
    private static let gzip = "Content-Encoding: gzip"
    private static let chunked = "Transfer-Encoding: chunked"

    private static func length(_ body: Data) -> String { "Content-Length: \(body.count)" }
    private static func head(_ text: String) -> LoopbackServer.Answer { .bytes(Data(text.utf8), then: .close) }
    private static func chunks(_ text: String, _ headers: String...) -> LoopbackServer.Answer {
        .bytes(LoopbackServer.Answer.head([chunked] + headers) + Data(text.utf8), then: .close)
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let id: String
        let answer: LoopbackServer.Answer
        var testDescription: String { id }
    }

    static let faults = [
        Fault(id: "closed without a word", answer: .bytes(Data(), then: .close)),
        Fault(id: "reset without a word", answer: .reset),
        Fault(id: "shorter than its length", answer: .broken(after: 10, of: 20)),
        Fault(id: "reset in the body", answer: .broken(after: 10, of: 20, then: .reset)),
        Fault(id: "chunks cut off", answer: .brokenChunks(text)),
        Fault(id: "cut off in a chunk", answer: chunks("20\r\nabc")),
        Fault(id: "chunks without the last", answer: chunks("3\r\nabc\r\n")),
        Fault(id: "a chunk without a size", answer: chunks("zz\r\nabc\r\n0\r\n\r\n")),
        Fault(id: "a chunk without end", answer: chunks("ffffffffffffffff\r\nabc")),
        Fault(id: "chunks and a length", answer: chunks("3\r\nabc\r\n0\r\n\r\n", "Content-Length: 2")),
        Fault(id: "gzip, shorter than its length", answer: .body(packed.dropLast(20), headers: gzip, length(packed))),
        Fault(id: "gzip, chunks cut off", answer: .brokenChunks(packed.dropLast(20), headers: gzip)),
        Fault(id: "gzip, whole in chunks cut off", answer: .brokenChunks(packed, headers: gzip)),
        Fault(id: "gzip by name only", answer: .body(text, headers: gzip, length(text))),
        Fault(
            id: "gzip with a wrong checksum",
            answer: .body(packed.dropLast(8) + Data(repeating: 1, count: 8), headers: gzip, length(packed))),
        Fault(id: "gzip with more behind", answer: .body(packed + text, headers: gzip, length(packed + text))),
        Fault(id: "gzip in gzip", answer: .body(Gzip.pack(packed), headers: "Content-Encoding: gzip, gzip")),
        Fault(
            id: "gzip, twice named",
            answer: .body(packed, headers: gzip, gzip, length(packed))),
        Fault(id: "gzip by its older name", answer: .body(packed, headers: "Content-Encoding: x-gzip", length(packed))),
        Fault(id: "an encoding not asked for", answer: .body(text, headers: "Content-Encoding: br", length(text))),
        Fault(id: "two lengths", answer: .body(text, headers: "Content-Length: 20", "Content-Length: 10")),
        Fault(id: "a negative length", answer: .body(text, headers: "Content-Length: -1")),
        Fault(id: "a length in words", answer: .body(text, headers: "Content-Length: ten")),
        Fault(id: "a length beyond all", answer: .body(text, headers: "Content-Length: 99999999999999999999999")),
        Fault(id: "another protocol", answer: head("SSH-2.0-OpenSSH_9.2\r\n")),
        Fault(id: "a body and no head", answer: head("<html>hello</html>")),
        Fault(id: "a status that is none", answer: head("HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n")),
        Fault(
            id: "a head of 400 KB",
            answer: head(
                "HTTP/1.1 200 OK\r\n"
                    + String(repeating: "X-A: \(String(repeating: "a", count: 1_000))\r\n", count: 400) + "\r\n")),
        Fault(
            id: "a head of 50,000 lines",
            answer: head("HTTP/1.1 200 OK\r\n" + String(repeating: "X-A: a\r\n", count: 50_000) + "\r\n")),
        Fault(
            id: "a line of 200 KB",
            answer: head("HTTP/1.1 200 OK\r\nX-A: \(String(repeating: "a", count: 200_000))\r\n\r\n")),
        Fault(id: "closed behind the status", answer: head("HTTP/1.1 200 OK\r\n")),
        Fault(id: "closed in the head", answer: head("HTTP/1.1 200 OK\r\nContent-Len")),
        Fault(id: "closed behind a provisional head", answer: head("HTTP/1.1 100 Continue\r\n\r\n")),
        Fault(id: "the status 0", answer: head("HTTP/1.1 000 None\r\nContent-Length: 2\r\n\r\nab")),
        Fault(id: "the status 99", answer: head("HTTP/1.1 099 Early\r\n\r\n")),
        Fault(id: "a length in the trailers", answer: chunks("3\r\nabc\r\n0\r\nContent-Length: 9\r\n\r\n")),
        Fault(id: "closed in the trailers", answer: chunks("3\r\nabc\r\n0\r\nX-After: ye")),
        Fault(
            id: "trailers without end",
            answer: chunks("3\r\nabc\r\n0\r\n" + String(repeating: "X-A: a\r\n", count: 50_000) + "\r\n")),
    ]

    @Test(arguments: faults) func `an incomplete or malformed HTTP reply is a connection error`(fault: Fault)
        async throws
    {
        let server = try await LoopbackServer(fault.answer)
        let error = try #require(
            await #expect(throws: HTTPTransportError.self) { try await send(to: server.url) })

        #expect(error.code == .connection)
        expectOwnWords(error.reason)
    }

    /// Expects that a message does not contain the name of a library's error, such as `inflationError(-3)`.
    private func expectOwnWords(_ reason: String) {
        #expect(!reason.isEmpty)
        #expect(!reason.contains(/[a-z][A-Z]|\([-0-9]+\)|[0-9]{2,} of/), "\(reason)")
    }

    @Test(
        arguments: [
            Fault(id: "with its length", answer: .body(packed, headers: gzip, length(packed))),
            Fault(id: "until the connection ends", answer: .body(packed, headers: gzip)),
            Fault(id: "not packed", answer: .body(text, headers: "Content-Encoding: identity", length(text))),
            Fault(id: "not packed, until the connection ends", answer: .body(text)),
        ]
    )
    func `the transport requests gzip, and reads compressed and uncompressed replies`(reply: Fault) async throws {
        let server = try await LoopbackServer(reply.answer)

        #expect(try await send(to: server.url).body == Self.text)
        #expect(server.requests.map { $0.headers["accept-encoding"] } == ["gzip"])
    }

    @Test func `a gzip reply that decompresses beyond the size limit is refused as too large`() async throws {
        let bomb = Gzip.pack(Data(count: 32 * 1_024 * 1_024))
        #expect(bomb.count < 100_000)
        let server = try await LoopbackServer(.body(bomb, headers: Self.gzip, Self.length(bomb)))
        let error = await #expect(throws: HTTPTransportError.self) { try await send(to: server.url) }

        #expect(error?.code == .tooLarge)
        #expect(error?.reason == "the reply has more than 100000 bytes")
    }

    @Test(arguments: [100_001, Int.max - 1, .max])
    func `a Content-Length beyond the size limit is refused without reading the whole body`(length: Int) async throws {
        let server = try await LoopbackServer(.broken(after: 1, of: length, then: .silence))
        let error = await #expect(throws: HTTPTransportError.self) { try await send(to: server.url) }

        #expect(error?.code == .tooLarge)
    }

    @Test(arguments: [packed.count - 20, packed.count - 8, packed.count - 1, 5, 0])
    func `a truncated gzip body is never returned as complete`(size: Int) async throws {
        let part = Self.packed.prefix(size)
        let server = try await LoopbackServer(.body(part, headers: Self.gzip, Self.length(part)))
        #if os(Linux)
            let error = await #expect(throws: HTTPTransportError.self) { try await send(to: server.url) }

            #expect(error?.code == .connection)
            expectOwnWords(error?.reason ?? "")
        #else
            // Foundation does not tell.
            let body = try? await send(to: server.url).body

            #expect(body?.count ?? 0 < Self.text.count)
        #endif
    }

    @Test(arguments: [304, 204])
    func `a 204 or 304 reply that is marked as gzip is read with an empty body`(status: Int) async throws {
        let server = try await LoopbackServer(
            .bytes(Data("HTTP/1.1 \(status) None\r\n\(Self.gzip)\r\nContent-Length: 20\r\n\r\n".utf8), then: .close))

        let reply = try await send(to: server.url)
        #expect(reply.response.status.code == status)
        #expect(reply.body.isEmpty)
    }

    @Test(arguments: ["X-After: yes\r\n", "X-After:\r\n", "X-After: 1\r\nX-After: 2\r\n"])
    func `trailers of a chunked reply are ignored`(trailers: String) async throws {
        let server = try await LoopbackServer(
            Self.chunks("3\r\nabc\r\n0\r\n\(trailers)\r\n", "Trailer: X-After"))

        #expect(try await send(to: server.url).body == Data("abc".utf8))
    }

    @Test(arguments: ["HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nabc"])
    func `a reply with the status 101 is not reported as a success`(text: String) async throws {
        let server = try await LoopbackServer(Self.head(text))
        let status = try? await send(to: server.url).response.status.code

        #expect(status == nil || status == 101)
    }

    @Test func `bytes after the end of a reply are ignored`() async throws {
        let one = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
        for more in ["HTTP/1.1 100 Continue\r\n\r\n", one + "def", "HTTP/1.1 099 Early\r\n\r\n", "\0\0"] {
            let server = try await LoopbackServer(Self.head(one + "abc" + more))

            #expect(try await send(to: server.url).body == Data("abc".utf8))
        }
    }

    @Test func `a redirect with an endless body is aborted at the size limit`() async throws {
        let head = Data("HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n".utf8)
        let server = try await LoopbackServer(.stream(head, AsyncStream { Data(count: 64 * 1_024) }))
        let error = await #expect(throws: HTTPTransportError.self) { try await send(to: server.url) }

        #expect(error?.code == .tooLarge)
    }

    @Test func `a reply body ends at its Content-Length even if the server sends more`() async throws {
        let server = try await LoopbackServer(.body(Self.text, headers: "Content-Length: 10"))

        #expect(try await send(to: server.url).body == Self.text.prefix(10))
    }

    @Test func `a refused connection is reported as a connection error`() async throws {
        let address = try DeadAddress()
        let error = await #expect(throws: HTTPTransportError.self) { try await send(to: address.url) }

        #expect(error?.code == .connection)
        #expect(error?.reason.contains("the server refuses connections") == true)
    }

    @Test func `randomly damaged HTTP replies do not crash the process`() async throws {
        var random = SeededGenerator(seed: 1)
        let replies = (0..<1_000).map { _ in Self.damagedReply(&random) }
        let server = try await LoopbackServer { request in
            .bytes(Int(request.path.dropFirst()).map { replies[$0] } ?? Data(), then: .close)
        }
        await withTaskGroup(of: Void.self) { group in
            for number in replies.indices {
                if number >= 20 { await group.next() }
                group.addTask {
                    do throws(HTTPTransportError) {
                        let body = try await send(to: server.url.appending(path: "\(number)")).body
                        #expect(body.count <= 100_000)
                    } catch  where error.reason.hasPrefix("the reply is encoded as ") {
                        // The rest of the message is the server's word.
                    } catch {
                        expectOwnWords(error.reason)
                    }
                }
            }
        }
        #expect(server.requests.count == replies.count)
    }

    private static func damagedReply(_ random: inout SeededGenerator) -> Data {
        let heads = [
            "HTTP/1.1 200 OK\r\nContent-Length: \(packed.count)\r\n\(gzip)\r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\(chunked)\r\nTrailer: A\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n",
            "HTTP/1.0 404 None\r\nConnection: keep-alive\r\n\r\n", "HTTP/1.1 101 Other\r\nUpgrade: x\r\n\r\n",
            "HTTP/1.1 304 Same\r\nETag: \"1\"\r\n\r\n",
        ]
        var reply = Data((heads.randomElement(using: &random) ?? "").utf8) + packed
        let bytes = Data("\r\n\0: ;,019fHTP\u{7F}".utf8) + [0xFF]
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0..<min(reply.count, 100), using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: reply[place] = bytes.randomElement(using: &random) ?? 0
            case 1: reply.insert(bytes.randomElement(using: &random) ?? 0, at: place)
            case 2: reply.remove(at: place)
            default: reply.insert(contentsOf: Data((heads.randomElement(using: &random) ?? "").utf8), at: place)
            }
        }
        return reply
    }
}
