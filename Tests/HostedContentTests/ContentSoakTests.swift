import Foundation
import HostedContent
import Networking
import TestSupport
import Testing

/// Downloads of 20 MiB, each with a fault of the server at random: fifty, or as many as `CONTENT_SOAK` says.
@Suite struct ContentSoakTests {
    private static let content = Data.random(20 << 20)
    private static let count = ProcessInfo.processInfo.environment["CONTENT_SOAK"].flatMap { Int($0) } ?? 50

    /// What a server does in one download.
    private struct Fault: Sendable {
        let name: String
        /// What does not end whole.
        var codes: Set<ContentError.Code> = []
        /// More than a part may have to be fetched twice.
        var wastes = false
        var hasRanges = true
        let answer: @Sendable (Int, RangeReply) -> ContentServer.Answer?
    }

    private static func status(_ status: Int, _ headers: [String: String] = [:]) -> ContentServer.Answer {
        ContentServer.Answer(.reply(status, headers: headers))
    }

    private static func fault(_ random: inout SeededGenerator) -> Fault {
        let (number, place) = (Int.random(in: 0..<5, using: &random), Int.random(in: 0..<(4 << 20), using: &random))
        func once(
            _ answer: @escaping @Sendable (RangeReply) -> ContentServer.Answer
        ) -> @Sendable (Int, RangeReply) -> ContentServer.Answer? {
            { $0 == number ? answer($1) : nil }
        }
        let faults = [
            Fault(name: "reset", answer: once { $0.broken(after: place, then: .reset) }),
            Fault(name: "close", answer: once { $0.broken(after: place, then: .close) }),
            Fault(name: "stall", answer: once { $0.broken(after: place, then: .silence) }),
            Fault(name: "slow", answer: once { $0.inPieces(of: 8_192) }),
            Fault(
                name: "wrong length", codes: [.wrongContent, .server],
                answer: once { reply in
                    let range = reply.headers["Content-Range"]?.replacing(/\/.*/, with: "/\(place)")
                    return reply.with(["Content-Range": range]).whole
                }),
            Fault(name: "wrong bytes", codes: [.wrongContent], answer: once { $0.wrong(at: place).whole }),
            Fault(
                name: "other tag", wastes: true,
                answer: { index, reply in index >= number ? reply.with(["ETag": "\"2\""]).whole : nil }),
            Fault(
                name: "no ranges", wastes: true, hasRanges: false,
                answer: { index, reply in index == 0 ? reply.broken(after: place, then: .reset) : nil }),
            Fault(name: "404", codes: [.server], answer: once { _ in status(404) }),
            Fault(name: "416", wastes: true, answer: once { _ in status(416) }),
            Fault(name: "500", answer: once { _ in status(500) }),
            Fault(name: "503", answer: once { _ in status(503, ["Retry-After": "5"]) }),
            Fault(
                name: "503, later", codes: [.network], answer: once { _ in status(503, ["Retry-After": "600"]) }),
            Fault(name: "gzip", answer: once { $0.with(["Content-Encoding": "gzip"]).whole }),
            Fault(
                name: "other part", codes: [.server],
                answer: once { $0.with(["Content-Range": "bytes 7-9/\(content.count)"]).whole }),
        ]
        return faults.randomElement(using: &random) ?? faults[0]
    }

    @Test func `downloads end whole to the byte, or with a reason, and then whole`() async throws {
        var random = SeededGenerator(seed: 20)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<Self.count {
                if index >= 2 { try await group.next() }
                let fault = Self.fault(&random)
                group.addTask { try await Self.download(fault, "\(index): \(fault.name)") }
            }
            try await group.waitForAll()
        }
    }

    private static func download(_ fault: Fault, _ id: String) async throws {
        let isWell = Recorder<Void>()
        let server = try await ContentServer { _, _ in
            ContentServer.File(content, hasRanges: fault.hasRanges)
        } fault: { number, reply in
            isWell.values.isEmpty ? fault.answer(number, reply) : nil
        }
        let download = try WebDownload(
            transport: DefaultTransport(), limits: HTTPLimits(size: 1 << 30, firstByte: 60, stall: 1, whole: 600))
        let request = ContentRequest(content, at: server.url)
        do throws(ContentError) {
            let data = try await download.fetch(request)
            #expect(data == content, "\(id)")
            #expect(fault.wastes || server.sent <= content.count * 6 / 5, "\(id): \(server.sent) bytes")
        } catch {
            #expect(fault.codes.contains(error.code) && !error.reason.isEmpty, "\(id): \(error)")
            isWell.record(())
            #expect(try await download.fetch(request) == content, "\(id)")
        }
    }
}
