import Foundation
import HTTPTypes
import Testing
import VitrineCatalog
import VitrineHostedContent
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport

/// Faulty results of background transfers.
@Suite(.hangLimit) struct BackgroundFaultTests {
    private let device: BackgroundDevice
    private let rome = ServedArchive()

    init() throws { device = try BackgroundDevice() }

    private func server(
        _ fault: @escaping @Sendable (Int, RangeReply) -> ContentServer.Answer?
    ) async throws -> ContentServer {
        try await ContentServer({ [rome] _, _ in ContentServer.File(rome.bytes) }, fault: fault)
    }

    private func failure(
        from urls: URL..., session: (any BackgroundSession)? = nil
    ) async throws -> ContentError? {
        let app = device.launch(session: session)
        let wanted = ContentDownloads.Wanted(
            ContentRequest(
                productIdentifier: "rome", urls: urls, digest: rome.bytes.digestText, length: rome.bytes.count),
            at: try ContentPath("rome"))
        do throws(ContentError) {
            _ = try await app.downloads.content(wanted, isUserInitiated: true)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a background download with a wrong digest is removed and reported, and not requested again`()
        async throws
    {
        let server = try await server { _, reply in reply.wrong(at: 100).whole }
        let error = try await failure(from: server.url)

        #expect(error?.code == .wrongContent)
        #expect(error?.reason.hasSuffix("does not have the required digest") == true)
        #expect(server.requests.count == 1)
        #expect(try device.installed() == nil)
        #expect(try device.downloaded().isEmpty)
    }

    struct Case: CustomTestStringConvertible {
        let id: String
        let fault: @Sendable (Int, RangeReply) -> ContentServer.Answer?
        let code: ContentError.Code?
        let requests: Int
        var testDescription: String { id }
    }

    private static let cases = [
        Case(
            id: "not there", fault: { _, _ in Self.reply(404) }, code: .server, requests: 1),
        Case(
            id: "overloaded for ever", fault: { _, _ in Self.reply(503) }, code: .network, requests: 5),
        Case(
            id: "overloaded twice", fault: { number, _ in number < 2 ? Self.reply(503) : nil }, code: nil, requests: 3),
        Case(
            id: "broken off once",
            fault: { number, reply in number == 0 ? reply.broken(after: 2_000, then: .reset) : nil },
            code: nil, requests: 2),
        Case(
            id: "longer than promised",
            fault: { _, reply in RangeReply(status: 200, headers: [:], body: reply.body + Data(count: 9)).whole },
            code: .wrongContent, requests: 1),
        Case(
            id: "shorter than promised",
            fault: { _, reply in RangeReply(status: 200, headers: [:], body: reply.body.dropLast()).whole },
            code: .wrongContent, requests: 1),
    ]

    private static func reply(_ status: Int) -> ContentServer.Answer {
        RangeReply(status: status, headers: ["Content-Length": "0"], body: Data()).whole
    }

    @Test(arguments: cases)
    func `a background download from a failing server is retried or reported, and leaves no partial file`(_ each: Case)
        async throws
    {
        let server = try await server(each.fault)
        let error = try await failure(from: server.url)

        #expect(error?.code == each.code)
        #expect(server.requests.count == each.requests)
        #expect(try (device.installed() != nil) == (each.code == nil))
        #expect(try device.downloaded().isEmpty)
        #expect(device.system.running.isEmpty)
    }

    @Test func `a background download that receives more bytes before each failure is retried until it is complete`()
        async throws
    {
        // Some of the bytes before a failure are lost, but hardly ever all but 64 KiB.
        let rome = ServedArchive(lines: 120_000)
        let server = try await ContentServer({ _, _ in ContentServer.File(rome.bytes) }) { number, reply in
            number < 5 ? reply.broken(after: 150_000, then: .close) : nil
        }
        let app = device.launch()
        _ = try await app.downloads.content(rome.wanted(at: server.url), isUserInitiated: true)

        #expect(server.requests.count == 6)
        #expect(device.waits.values.count == 5)
        #expect(try device.installed()?.version == "1.0")
    }

    @Test func `a file longer than promised is removed even if it is complete before its transfer is canceled`()
        async throws
    {
        let session = ImmediateSession(bytes: rome.bytes + Data(count: 9), file: device.folder["received"])
        let error = try await failure(from: URL(string: "https://content.example/rome.zip")!, session: session)

        #expect(error?.code == .wrongContent)
        #expect(error?.reason.contains("more than the expected") == true)
        #expect(try device.downloaded().isEmpty)
    }

    @Test func `a background download uses the next address if an address fails`() async throws {
        let (bad, good) = (try await server { _, _ in Self.reply(404) }, try await server { _, _ in nil })
        #expect(try await failure(from: bad.url, good.url) == nil)

        #expect([bad, good].map(\.requests.count) == [1, 1])
        #expect(try device.installed()?.version == "1.0")
    }

    @Test func `a background download uses the next address if no byte is received from an address`() async throws {
        let (pieces, more) = AsyncStream<Data>.makeStream()
        let silent = try await server { _, reply in reply.beginning(with: 0, then: pieces) }
        let good = try await server { _, _ in nil }
        let sleeps = Recorder<Duration>()
        // The time for the first byte is over for the first transfer alone.
        let app = device.launch {
            sleeps.record($0)
            if sleeps.values.count > 1 { try await sleepUntilCancelled($0) }
        }
        _ = try await app.downloads.content(rome.wanted(at: silent.url, good.url), isUserInitiated: true)

        #expect(good.requests.count == 1)
        #expect(try device.installed()?.version == "1.0")
        #expect(device.system.cancelled.values == [rome.name])
        #expect(device.system.running.isEmpty)
        more.finish()
    }

    @Test func `a background download from an unencrypted address is refused without a request`() async throws {
        let url = try #require(URL(string: "http://content.example/rome.zip"))
        let error = try await failure(from: url)

        #expect(error?.code == .server)
        #expect(device.system.running.isEmpty)
    }

    @Test
    func `a transfer that failed while the app was closed is reported at the next launch and restarted afterwards`()
        async throws
    {
        let server = try await server { number, _ in number == 0 ? Self.reply(404) : nil }
        device.system.begin(server.url, name: rome.name)
        #expect(await device.system.ended() == rome.name)

        #expect(try await failure(from: server.url)?.code == .server)
        #expect(server.requests.count == 1)
        #expect(try await failure(from: server.url) == nil)
        #expect(server.requests.count == 2)
    }

    @Test func `two background transfers of the same archive install it once`() async throws {
        let holding = try await HoldingServer(rome)
        for _ in 0..<2 {
            device.system.begin(holding.url(rome), name: rome.name)
        }
        let app = device.launch()
        try await app.downloads.begin([rome.wanted(at: holding.url(rome))])
        holding.letGo()
        await app.until { $0.state == .finished }

        #expect(device.system.running.isEmpty)
        #expect(try device.installed()?.version == "1.0")
    }
}

/// Session that has received the whole file, and reported it, when it returns the started transfer.
private final class ImmediateSession: BackgroundSession {
    private let bytes: Data
    private let file: URL
    private let listener = Locked<BackgroundListener?>(nil)

    init(bytes: Data, file: URL) { (self.bytes, self.file) = (bytes, file) }

    func listen(_ listener: @escaping BackgroundListener) { self.listener.withLock { $0 = listener } }

    func transfers() async -> [BackgroundTransfer] { [] }

    func start(_ url: URL, fields: HTTPFields, name: String, resumption: Data?) -> BackgroundTransfer {
        let begun = BackgroundTransfer(number: 1, name: name, address: url)
        let transfer = BackgroundTransfer(
            number: 1, name: name, address: url, received: bytes.count, total: bytes.count)
        _ = FileManager.default.createFile(atPath: file.path(), contents: bytes)
        let listener = listener.withLock { $0 }
        listener?(transfer, .progress)
        listener?(transfer, .finished(file, HTTPResponse(status: .ok)))
        return begun
    }

    func cancel(_ transfer: BackgroundTransfer) async -> Data? { nil }
}
