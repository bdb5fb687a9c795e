import Foundation
import Testing
import VitrineHostedContent
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct WebContentTests {
    private static let content = Data.random(5_000_000)

    private func server(
        _ fault: @escaping @Sendable (Int, RangeReply) -> ContentServer.Answer? = { _, _ in nil }
    ) async throws -> ContentServer {
        try await ContentServer({ _, _ in ContentServer.File(Self.content) }, fault: fault)
    }

    private func failure(_ download: WebDownload, _ request: ContentRequest) async -> ContentError? {
        do throws(ContentError) {
            Issue.record("\(try await download.fetch(request).count) bytes have come")
            return nil
        } catch {
            return error
        }
    }

    // MARK: Requests

    @Test func `an archive is downloaded in parts, with the ETag of the first part in If-Range`() async throws {
        let server = try await server()
        let download = try WebDownload()

        #expect(try await download.fetch(ContentRequest(Self.content, at: server.url)) == Self.content)
        #expect(server.requests.map { $0.headers["range"] } == ["bytes=0-4194303", "bytes=4194304-4999999"])
        #expect(server.requests.map { $0.headers["if-range"] } == [nil, "\"1\""])
        #expect(download.reported.values.first == ContentProgress(received: 0, total: 5_000_000))
        #expect(download.reported.values.allSatisfy { $0.total == Self.content.count })
        #expect(download.reported.values.map(\.received) == download.reported.values.map(\.received).sorted())
    }

    @Test func `an archive of unknown length is downloaded with the length that the server states`() async throws {
        let server = try await server()
        let request = ContentRequest(
            productIdentifier: "rome", urls: [server.url], digest: Self.content.digestText)

        #expect(try await WebDownload().fetch(request) == Self.content)
    }

    @Test func `an archive whose length neither the catalog nor the server states is downloaded in one reply`()
        async throws
    {
        let server = try await server { _, reply in
            reply.headers["Content-Range"].map { range in
                reply.with(["Content-Range": range.replacing(/\/.*/, with: "/*")]).whole
            }
        }
        let request = ContentRequest(
            productIdentifier: "rome", urls: [server.url], digest: Self.content.digestText)

        #expect(try await WebDownload().fetch(request) == Self.content)
        #expect(server.requests.map { $0.headers["range"] } == ["bytes=0-4194303", nil])
    }

    @Test(
        arguments: [
            ("a date long before", "Sun, 22 Nov 2026 03:00:00 GMT", 2),
            ("a date of just now", "Sun, 22 Nov 2026 03:59:30 GMT", 2),
        ]
    )
    func `a Last-Modified date is sent in If-Range only if it is not recent`(
        id: String, modified: String, requests: Int
    ) async throws {
        let headers = ["Last-Modified": modified, "Date": "Sun, 22 Nov 2026 04:00:00 GMT"]
        let server = try await ContentServer { _, _ in ContentServer.File(Self.content, headers: headers) }

        #expect(try await WebDownload().fetch(ContentRequest(Self.content, at: server.url)) == Self.content)
        #expect(server.requests.count == 2)
        #expect(server.requests.last?.headers["if-range"] == (id == "a date long before" ? modified : nil))
        #expect((server.requests.last?.headers["range"] == nil) == (id == "a date of just now"))
    }

    @Test func `an archive is not requested if its digest is not known`() async throws {
        let server = try await server()
        let error = await failure(
            try WebDownload(), ContentRequest(productIdentifier: "rome", urls: [server.url], length: 5_000_000))

        #expect(error?.code == .wrongContent)
        #expect(server.requests.isEmpty)
    }

    @Test func `a content request without an address fails with a not-found error`() async throws {
        let error = await failure(try WebDownload(), ContentRequest(productIdentifier: "rome"))

        #expect(error == ContentError(code: .notFound, reason: "the catalog has no address for the content of rome"))
    }

    @Test func `redirects are followed for each part of a download, but never from https to http`() async throws {
        let other = try await server()
        let server = try await server { _, _ in
            ContentServer.Answer(.redirect(to: other.url))
        }
        #expect(try await WebDownload().fetch(ContentRequest(Self.content, at: server.url)) == Self.content)
        #expect(server.requests.count == 2)
        #expect(other.requests.map { $0.headers["range"] } == ["bytes=0-4194303", "bytes=4194304-4999999"])

        var components = try #require(URLComponents(url: server.url, resolvingAgainstBaseURL: false))
        components.scheme = "https"
        let safe = try #require(components.url)
        let error = await failure(
            try WebDownload(transport: UnwrappedTransport()), ContentRequest(Self.content, at: safe))
        #expect(error?.code == .server)
        #expect(error?.reason == "\(safe): the server redirects from https to \(other.url)")
        #expect(other.requests.count == 2)
    }

    @Test func `a server that stops sending is abandoned, and the rest of the archive is requested again`() async throws
    {
        let transport = ImpatientTransport()
        let server = try await server { number, reply in
            guard number == 1 else { return nil }
            transport.expectSilence(after: 100_000)
            return reply.broken(after: 100_000, then: .silence)
        }

        #expect(
            try await WebDownload(transport: transport).fetch(ContentRequest(Self.content, at: server.url))
                == Self.content)
        #expect(
            server.requests.map { $0.headers["range"] } == [
                "bytes=0-4194303", "bytes=4194304-4999999", "bytes=4294304-4999999",
            ])
    }

    // MARK: Going on

    @Test func `a later attempt fetches only the missing bytes of a failed download`() async throws {
        let server = try await server { number, reply in
            (1...5).contains(number) ? ContentServer.Answer(.reset) : nil
        }
        let download = try WebDownload()
        let request = ContentRequest(Self.content, at: server.url)
        #expect(await failure(download, request)?.code == .network)
        #expect(try await download.fetch(request) == Self.content)

        #expect(server.requests.last?.headers["range"] == "bytes=4194304-4999999")
        #expect(server.requests.last?.headers["if-range"] == "\"1\"")
        #expect(server.sent == Self.content.count)
        let count = server.requests.count
        #expect(try await download.fetch(request) == Self.content)
        #expect(server.requests.count == count)
    }

    struct Remains: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Change of the download folder before the download is resumed.
        let change: @Sendable (URL) throws -> Void
        /// First byte that the resumed download requests; it also requests all later bytes.
        let first: Int
    }

    private static let remains = [
        Remains(testDescription: "nothing", change: { _ in }, first: 4_194_304),
        Remains(
            testDescription: "the state is gone",
            change: { try FileManager.default.removeItem(at: $0.appending(path: "state")) }, first: 0),
        Remains(
            testDescription: "the state is damaged",
            change: { try Data("{".utf8).write(to: $0.appending(path: "state")) },
            first: 0),
        Remains(
            testDescription: "the state is another's",
            change: { try Data(#"{"digest":"00","length":5000000}"#.utf8).write(to: $0.appending(path: "state")) },
            first: 0),
        Remains(
            testDescription: "the bytes are gone",
            change: { try FileManager.default.removeItem(at: $0.appending(path: "archive.part")) }, first: 0),
        Remains(
            testDescription: "there are fewer bytes",
            change: { try Data(content.prefix(1_000)).write(to: $0.appending(path: "archive.part")) }, first: 1_000),
        Remains(
            testDescription: "there are too many bytes",
            change: { try Data(content + [0]).write(to: $0.appending(path: "archive.part")) }, first: 0),
        Remains(
            testDescription: "other bytes, which turn out wrong at the end",
            change: { try Data(count: 4_194_304).write(to: $0.appending(path: "archive.part")) }, first: 4_194_304),
        Remains(
            testDescription: "a link to elsewhere",
            change: { folder in
                let part = folder.appending(path: "archive.part")
                try FileManager.default.removeItem(at: part)
                try FileManager.default.createSymbolicLink(atPath: part.path(), withDestinationPath: "/etc/hostname")
            }, first: 0),
        Remains(
            testDescription: "a folder",
            change: { folder in
                let part = folder.appending(path: "archive.part")
                try FileManager.default.removeItem(at: part)
                try FileManager.default.createDirectory(at: part, withIntermediateDirectories: true)
            }, first: 0),
    ]

    @Test(arguments: remains)
    func `valid remains of a failed download are reused, and damaged remains are fetched again`(remains: Remains)
        async throws
    {
        let server = try await server { number, _ in (1...5).contains(number) ? ContentServer.Answer(.reset) : nil }
        let download = try WebDownload()
        let request = ContentRequest(Self.content, at: server.url)
        #expect(await failure(download, request)?.code == .network)
        try remains.change(download.folder.url)
        let count = server.requests.count

        #expect(try await download.fetch(request) == Self.content)
        let range = server.requests.dropFirst(count).first?.headers["range"]
        #expect(range?.hasPrefix("bytes=\(remains.first)-") == true)
        #expect(try download.names == ["archive.part", "state"])
    }

    @Test func `a canceled download stops and retains its received bytes`() async throws {
        let server = try await server { number, reply in
            number == 1 ? reply.broken(after: 100_000, then: .silence) : nil
        }
        let download = try WebDownload()
        let request = ContentRequest(Self.content, at: server.url)
        let task = Task { await failure(download, request)?.code }
        await server.arrival()
        await server.arrival()
        task.cancel()

        #expect(await task.value == .cancelled)
        #expect(try await download.fetch(request) == Self.content)
        #expect(server.sent <= Self.content.count + 200_000)
    }

    // MARK: Mirrors

    @Test func `addresses are tried in order, and the final error names the failure of each`() async throws {
        let dead = try DeadAddress()
        let empty = try await ContentServer { _, _ in nil }
        let server = try await server()
        let download = try WebDownload()

        #expect(
            try await download.fetch(ContentRequest(Self.content, at: dead.url, empty.url, server.url)) == Self.content)
        #expect(empty.requests.count == 1)
        let error = await failure(try WebDownload(), ContentRequest(Self.content, at: dead.url, empty.url))
        #expect(error?.code == .network)
        #expect(
            error?.reason.wholeMatch(
                of:
                    /http:\/\/127.0.0.1:[0-9]+\/: the connection failed: the server refuses connections; .*: the server answered with the status 404/
            )
                != nil, "\(error?.reason ?? "")")
    }

    @Test func `a mirror continues an interrupted download, and restarts it if the received bytes were wrong`()
        async throws
    {
        for isWrong in [false, true] {
            let broken = try await server { number, reply in
                if number > 0 { return ContentServer.Answer(.reset) }
                return isWrong ? reply.wrong(at: 5).whole : nil
            }
            let mirror = try await server()
            let download = try WebDownload()

            #expect(
                try await download.fetch(ContentRequest(Self.content, at: broken.url, mirror.url)) == Self.content)
            let ranges = ["bytes=4194304-4999999"] + (isWrong ? ["bytes=0-4194303", "bytes=4194304-4999999"] : [])
            #expect(mirror.requests.map { $0.headers["range"] } == ranges)
            #expect(mirror.requests.first?.headers["if-range"] == nil)
        }
    }

    // MARK: Room

    @Test func `a download that exceeds the free storage fails after the first reply`() async throws {
        let length = 1 << 61
        let server = try await server { _, reply in
            reply.with(["Content-Range": "bytes 0-4194303/\(length)"]).whole
        }
        let download = try WebDownload(limits: HTTPLimits(size: .max))
        let error = await failure(
            download,
            ContentRequest(
                productIdentifier: "rome", urls: [server.url, server.url], digest: Self.content.digestText,
                length: length))

        #expect(error?.code == .noSpace)
        #expect(error?.reason.hasSuffix(" more bytes of storage are needed than are free") == true)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [true, false])
    func `an address whose server states an excessive length fails, and the next address is tried`(inParts: Bool)
        async throws
    {
        let length = 1 << 61
        let boaster = try await ContentServer { _, _ in
            ContentServer.File(Self.content, hasRanges: inParts)
        } fault: { _, reply in
            let range = reply.headers["Content-Range"]?.replacing(/\/.*/, with: "/\(length)")
            return reply.with(inParts ? ["Content-Range": range] : ["Content-Length": "\(length)"]).whole
        }
        let server = try await server()
        let (url, limits) = (boaster.url.appending(path: "rome.zip"), HTTPLimits(size: .max))
        var request = ContentRequest(
            productIdentifier: "rome", urls: [url, server.url], digest: Self.content.digestText)
        #expect(try await WebDownload(limits: limits).fetch(request) == Self.content)

        request.urls = [url]
        let error = await failure(try WebDownload(limits: limits), request)
        #expect(error?.code == .noSpace)
        #expect(error?.reason.hasPrefix("\(url): ") == true)
    }

    /// The kernel's limit on the size of files simulates a full disk.
    @Test func `a download that fills the disk fails and retains its received bytes`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let before = limit
            limit.rlim_cur = 3_000_000
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)

            let content = Data.random(5_000_000)
            let server = try await ContentServer { _, _ in ContentServer.File(content) }
            let download = try WebDownload()
            let request = ContentRequest(content, at: server.url, server.url)
            do throws(ContentError) {
                _ = try await download.fetch(request)
                Issue.record("there was room")
            } catch {
                #expect(error.code == .noSpace)
                #expect(error.reason.hasSuffix("archive.part: the file would be larger than is allowed"))
            }
            #expect(server.requests.count == 1)
            var rest = before
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &rest)
            #expect(try await download.fetch(request) == content)
            #expect(server.requests.dropFirst().first?.headers["range"] == "bytes=3000000-4999999")
        }
    }
}
