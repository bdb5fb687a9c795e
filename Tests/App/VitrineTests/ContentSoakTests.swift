import Foundation
import Testing
import VitrineHostedContent
import VitrineSupport
import VitrineTestSupport

/// Purchases of a guide of 21 MiB, each from a server with a random fault: fifty, or the number in `CONTENT_SOAK`.
@Suite(.hangLimit) struct ContentSoakTests {
    static let count = ProcessInfo.processInfo.environment["CONTENT_SOAK"].flatMap { Int($0) } ?? 50

    /// Fault of a server during one download.
    private struct Fault: Sendable {
        let name: String
        /// Errors with which the download may fail.
        var codes: Set<ContentError.Code> = []
        /// `true` if more than one part may have to be fetched twice.
        var wastes = false
        var hasRanges = true
        let answer: @Sendable (Int, RangeReply) -> ContentServer.Answer?
    }

    private static func status(_ status: Int, _ headers: [String: String] = [:]) -> ContentServer.Answer {
        ContentServer.Answer(.reply(status, headers: headers))
    }

    /// Returns random faults in the manifest or in one of the six parts of the archive.
    private static func faults(_ random: inout SeededGenerator) throws -> [Fault] {
        let (number, place) = (Int.random(in: 0...6, using: &random), Int.random(in: 0..<(4 << 20), using: &random))
        let redirect = [301, 302, 303, 307, 308].randomElement(using: &random) ?? 302
        let packed = try HostedGuide.shared.packed
        func once(
            _ answer: @escaping @Sendable (RangeReply) -> ContentServer.Answer
        ) -> @Sendable (Int, RangeReply) -> ContentServer.Answer? {
            { $0 == number ? answer($1) : nil }
        }
        return [
            Fault(name: "reset", answer: once { $0.broken(after: place % $0.body.count, then: .reset) }),
            Fault(name: "close", answer: once { $0.broken(after: place % $0.body.count, then: .close) }),
            Fault(name: "stall", answer: once { $0.broken(after: place % $0.body.count, then: .silence) }),
            Fault(name: "slow", answer: once { $0.inPieces(of: 8_192) }),
            Fault(
                name: "wrong length", codes: [.wrongContent], wastes: true,
                answer: once { reply in
                    let length = packed.manifest.archive.length + place + 1
                    let range = reply.headers["Content-Range"]?.replacing(/\/.*/, with: "/\(length)")
                    guard let range else { return reply.with(["Content-Length": "\(length)"]).whole }
                    return reply.with(["Content-Range": range]).whole
                }),
            Fault(
                name: "wrong bytes", codes: [.wrongContent], wastes: true, answer: once { $0.wrong(at: place).whole }),
            Fault(
                name: "other tag", wastes: true,
                answer: { index, reply in index >= number ? reply.with(["ETag": "\"2\""]).whole : nil }),
            Fault(
                name: "no ranges", wastes: true, hasRanges: false,
                answer: { index, reply in
                    index == 1 ? reply.broken(after: place % reply.body.count, then: .reset) : nil
                }),
            Fault(name: "404", codes: [.server], answer: once { _ in status(404) }),
            Fault(name: "416", codes: number == 0 ? [.server] : [], wastes: true, answer: once { _ in status(416) }),
            Fault(name: "500", answer: once { _ in status(500) }),
            Fault(name: "503", answer: once { _ in status(503, ["Retry-After": "1"]) }),
            Fault(
                name: "503, later", codes: [.network], answer: once { _ in status(503, ["Retry-After": "600"]) }),
            Fault(
                name: "redirect",
                answer: once { reply in
                    let file = reply.headers["Content-Range"] == nil ? packed.manifestFile : packed.archive
                    return status(redirect, ["Location": "/\(file.lastPathComponent)"])
                }),
            Fault(name: "gzip", answer: once { $0.with(["Content-Encoding": "gzip"]).whole }),
            Fault(
                name: "other part", wastes: true,
                answer: once { $0.with(["Content-Range": "bytes 7-9/\(packed.manifest.archive.length)"]).whole }),
        ]
    }

    @Test func `a purchase from a faulty content server is completed, or is pending with an error and completed later`()
        async throws
    {
        var random = SeededGenerator(seed: 20)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<Self.count {
                if index >= 4 { try await group.next() }
                let faults = try Self.faults(&random)
                // Each kind in turn, so that all are among the fifty.
                let fault = faults[index % faults.count]
                group.addTask { try await Self.buy(fault, "\(index): \(fault.name)") }
            }
            try await group.waitForAll()
        }
    }

    private static func buy(_ fault: Fault, _ id: Comment) async throws {
        let (guide, transport, isWell) = (try HostedGuide.shared, ImpatientTransport(), Recorder<Void>())
        let server = try await ContentServer { _, path in
            guide.file(at: path, hasRanges: fault.hasRanges)
        } fault: { number, reply in
            // The first two requests ask, before the purchase, whether the server has the manifest and the archive.
            guard number > 1, isWell.values.isEmpty, let answer = fault.answer(number - 2, reply) else { return nil }
            if case .bytes(_, then: .silence) = answer.answer { transport.expectSilence(after: answer.bodyCount) }
            return answer
        }
        let buyer = try await GuideBuyer(from: server, by: transport)
        if let code = try await buyer.buy(id) {
            #expect(fault.codes.contains(code), "\(id): \(code)")
            isWell.record(())
            await buyer.retry()
        }
        try await buyer.expectInstalled(id)
        #expect(fault.wastes || server.sent <= guide.length * 6 / 5, "\(id): \(server.sent) bytes")
    }

    /// The kernel's limit on the size of files simulates a full disk. It applies to the whole process, so the test runs
    /// in a process of its own.
    @Test func `a purchase without enough disk space for its content is pending, and completes when there is space`()
        async
    {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let guide = try HostedGuide.shared
            var random = SeededGenerator(seed: 21)
            for index in 0..<max(3, ContentSoakTests.count / 16) {
                let server = try await ContentServer { _, path in guide.file(at: path, hasRanges: true) }
                let buyer = try await GuideBuyer(from: server)
                let id: Comment = "\(index)"
                let limit = FileLimit(Int.random(in: (1 << 20)..<(20 << 20), using: &random))
                let code = try await limit.during { try await buyer.buy(id) }
                #expect(code == .noSpace, id)
                await buyer.retry()
                try await buyer.expectInstalled(id)
                #expect(server.sent <= guide.length * 6 / 5, "\(id): \(server.sent) bytes")
            }
        }
    }
}

/// Limit on the size of files that this process writes, in bytes.
private struct FileLimit {
    private let before: rlimit
    private let bytes: Int

    init(_ bytes: Int) {
        var limit = rlimit()
        getrlimit(FileLimit.resource, &limit)
        (before, self.bytes) = (limit, bytes)
    }

    #if os(Linux)
        private static let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
        private static let resource = RLIMIT_FSIZE
    #endif

    func during<Value>(_ body: () async throws -> Value) async throws -> Value {
        var limit = before
        limit.rlim_cur = rlim_t(bytes)
        try #require(setrlimit(Self.resource, &limit) == 0)
        let value = try await body()
        limit = before
        try #require(setrlimit(Self.resource, &limit) == 0)
        return value
    }
}
