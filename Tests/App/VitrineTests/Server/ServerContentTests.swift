import Foundation
import Testing
import VitrineCatalogLoading
import VitrineHostedContent
import VitrineNetworking
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// Content on the app's own server, which sends it only to devices whose customers own it.
@Suite(.hangLimit) struct ServerContentTests: ServerScene {
    let stage: ServerStage
    private let rome: PackedRome
    private static let path = "/v1/apps/com.example.voyager/content"

    init() async throws {
        stage = try await ServerStage()
        rome = try PackedRome(in: stage.folder)
        let files = rome.files
        stage.server.change { state in
            for (name, file) in files { state.files[Self.path + name] = file }
        }
    }

    /// Creates a device whose catalog has the address of Rome's content on a server.
    private func makeDevice(on url: URL) async throws -> CatalogManager {
        let text = try rome.catalog(on: url.appending(path: String(Self.path.dropFirst())))
        let catalog = try folder.write(text, to: "catalog.plist")
        let clock = voyager.clock
        var options = ManagerOptions(now: { clock.now })
        options.server = self.options("phone")
        options.server?.transport = DefaultTransport.patient
        // The question before a purchase has no limit, because tests keep the machine busy.
        options.loading.schedule.sleep = sleepUntilCancelled
        let manager = try await CatalogManager(
            catalog: .file(catalog), store: voyager.store.launched, verifier: voyager.verifier(), home: home("phone"),
            options: options)
        await manager.loadProducts()
        return manager
    }

    /// Header fields of the requests for content.
    private var credentials: [String?] {
        server.received.filter { $0.path.hasPrefix(Self.path) }.map { $0.headers["authorization"] }
    }

    @Test func `content on the app's own server is fetched with the token, after the purchase was reported`()
        async throws
    {
        let phone = try await makeDevice(on: server.url)
        guard case .success = await phone.purchase(.voyager("rome")) else {
            Issue.record("the content is not installed")
            return
        }
        #expect(throws: Never.self) { try phone.content.url(for: .voyager("rome")) }
        let requests = server.requests
        let report = try #require(requests.firstIndex(of: "POST /v1/me/signed"))
        // One question before the purchase, and one request that is refused until the purchase is reported.
        #expect(requests[..<report].count { $0.hasPrefix("GET \(Self.path)") } == 2)
        #expect(requests.count { $0 == "POST /v1/me/signed" } == 1)
        #expect(credentials.allSatisfy { $0?.hasPrefix("Bearer token-") == true })
        await phone.stop()
    }

    /// Returns a fetcher with the token of a device, and the address of the manifest.
    private func fetcher(of phone: CatalogManager) throws -> (HTTPFetcher, URL) {
        let content = ServerContent(
            options("phone"), others: DefaultTransport.patient, sleep: sleepUntilCancelled)
        content.connect(to: phone)
        let name = rome.packed.manifestFile.lastPathComponent
        return (HTTPFetcher(transport: content), server.url.appending(path: "\(Self.path.dropFirst())/\(name)"))
    }

    @Test func `an expired token is renewed, and the request for content repeated`() async throws {
        let phone = try await makeDevice(on: server.url)
        try await phone.server.enroll()
        server.change { $0.isReported = true }
        server.endTokens()
        let (fetcher, url) = try fetcher(of: phone)
        guard case .fetched(let copy) = try await fetcher.fetch(url, now: voyager.clock.now) else {
            Issue.record("the server sends no content")
            return
        }
        #expect(copy.body == rome.manifest)
        #expect(server.requests.count { $0 == "POST /v1/devices/me/token" } == 1)
    }

    @Test func `a server that refuses content after it was restored from a backup gets all reports again, once`()
        async throws
    {
        let phone = try await makeDevice(on: server.url)
        guard case .success = await phone.purchase(.voyager("rome")) else {
            Issue.record("the content is not installed")
            return
        }
        let (fetcher, url) = try fetcher(of: phone)
        for (isSent, reports) in [(true, 2), (false, 2)] {
            server.change { $0.isReported = false }
            let isFetched: Bool
            do {
                if case .fetched = try await fetcher.fetch(url, now: voyager.clock.now) {
                    isFetched = true
                } else {
                    isFetched = false
                }
            } catch {
                isFetched = false
            }
            #expect(isFetched == isSent)
            #expect(server.requests.count { $0 == "POST /v1/me/signed" } == reports)
        }
        await phone.stop()
    }

    struct Answer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: LoopbackServer.Answer?
        let isSold: Bool
        /// Number of requests that get the answer.
        var count = 5
    }

    private static let answers = [
        Answer(testDescription: "the file is not owned", answer: nil, isSold: true),
        Answer(testDescription: "the server is overloaded", answer: .reply(503), isSold: true, count: 1),
        Answer(testDescription: "there is no file", answer: .reply(404), isSold: false),
        Answer(testDescription: "a proxy forbids", answer: .reply(403), isSold: false),
        Answer(
            testDescription: "the server forbids", answer: SampleServer.errorResponse(403, "forbidden", "No."),
            isSold: false),
    ]

    @Test(arguments: answers)
    func `a product is sold only if the app's own server has its content, or cannot answer`(_ answer: Answer)
        async throws
    {
        let phone = try await makeDevice(on: server.url)
        try await phone.server.enroll()
        if let refusal = answer.answer {
            for _ in 0..<answer.count { server.answerNext("GET", Self.path, refusal) }
        }
        let result = await phone.purchase(.voyager("rome"))
        let transactions = try await voyager.store.transactions()
        #expect(transactions.count == (answer.isSold ? 1 : 0), "\(result)")
        await phone.stop()
    }

    @Test func `a product is sold if a proxy answers the question for one byte with the whole file`() async throws {
        let phone = try await makeDevice(on: server.url)
        try await phone.server.enroll()
        server.answerNext("GET", Self.path, .endless(claimed: 1 << 40))
        let result = await phone.purchase(.voyager("rome"))
        #expect(try await voyager.store.transactions().count == 1, "\(result)")
        await phone.stop()
    }

    @Test func `the question before a purchase ends after 3 seconds, even while the device enrolls`() async throws {
        let phone = try await makeDevice(on: server.url)
        let sleep = ManualSleep()
        let content = ServerContent(options("phone"), others: DefaultTransport.patient) { try await sleep.sleep($0) }
        content.connect(to: phone)
        server.answerNext("GET", "/v1/challenge", .silence)
        let url = server.url.appending(path: "\(Self.path.dropFirst())/a.zip")
        let asking = Task { () async -> ContentError? in
            do throws(ContentError) {
                try await content.checkPresence(of: url)
                return nil
            } catch {
                return error
            }
        }
        #expect(await sleep.begun() == .seconds(3))
        sleep.wake()
        #expect(await asking.value?.code == .network)
        await phone.stop()
    }

    @Test func `a device that the server does not accept buys no content from it`() async throws {
        let phone = try await makeDevice(on: server.url)
        let refusal = SampleServer.errorResponse(403, "forbidden", "The customer has an account.")
        for _ in 0..<5 { server.answerNext("POST", "/v1/devices", refusal) }
        let result = await phone.purchase(.voyager("rome"))
        #expect(try await voyager.store.transactions().isEmpty, "\(result)")
        await phone.stop()
    }

    struct Link: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Address that the server answers, in which `PATH` stands for the address of the requested file.
        let link: String
        let isAccepted: Bool
    }

    @Test(arguments: [
        Link(testDescription: "the same app", link: "PATH?until=1&code=a", isAccepted: true),
        Link(
            testDescription: "the app in another environment",
            link: "/v1/apps/voyager-sandbox/content/a%20b.zip?until=1&code=a", isAccepted: true),
        Link(
            testDescription: "another file", link: "/v1/apps/voyager-sandbox/content/c.zip?until=1", isAccepted: false),
        Link(testDescription: "no content", link: "/v1/apps/voyager-sandbox/catalog/a%20b.zip", isAccepted: false),
        Link(testDescription: "a longer name", link: "/v1/apps/a/b/content/a%20b.zip", isAccepted: false),
        Link(testDescription: "another server", link: "//example.com/v1/apps/a/content/a%20b.zip", isAccepted: false),
        Link(testDescription: "no path", link: "@example.com/v1/apps/a/content/a%20b.zip", isAccepted: false),
    ])
    func `a link to content is accepted if it is of the requested file on the server, whatever name the app has there`(
        _ link: Link
    ) async throws {
        let phone = try await makeDevice(on: server.url)
        let text = link.link.replacing("PATH", with: "\(Self.path)/a%20b.zip")
        server.answerNext("POST", "/v1/me/links", .json("{\"link\":\"\(text)\",\"until\":1}", status: 201))
        let url = server.url.appending(path: "\(Self.path.dropFirst())/a b.zip")
        guard link.isAccepted else {
            let error = await #expect(throws: AppServerError.self) { try await phone.server.link(to: url) }
            #expect(error?.code == .format)
            return
        }
        #expect(try await phone.server.link(to: url).url.absoluteString.hasSuffix(text))
    }

    @Test func `the token is sent neither to another server nor after a redirect to it`() async throws {
        let manifest = try #require(rome.manifest)
        let other = try await LoopbackServer { _ in .reply(body: manifest) }
        let phone = try await makeDevice(on: server.url)
        try await phone.server.enroll()
        let (fetcher, url) = try fetcher(of: phone)
        let place = other.url.appending(path: url.path())
        server.answerNext("GET", Self.path, .redirect(to: place))
        for address in [url, place] {
            guard case .fetched(let copy) = try await fetcher.fetch(address, now: voyager.clock.now) else {
                Issue.record("the other server sends no content")
                return
            }
            #expect(copy.url.port == other.url.port)
        }
        #expect(other.requests.count == 2)
        #expect(other.requests.allSatisfy { $0.headers["authorization"] == nil })
        #expect(credentials.count == 1)
        #expect(credentials.allSatisfy { $0 != nil })
    }

    @Test(arguments: [
        "http://127.0.0.1:1/v1/apps/com.example.voyager/content/a.plist",
        "https://SERVER/v1/apps/com.example.voyager/content/a.plist", "http://SERVER/v1/apps/other/content/a.plist",
        "http://SERVER/v1/apps/com.example.voyager/contents/a.plist",
        "http://SERVER/v1/apps/com.example.voyager/content/",
        "http://SERVER/v1/apps/com.example.voyager/content/../../../me/state",
        "http://SERVER/v1/apps/com.example.voyager/content/%2E%2E/a.plist",
        "http://me@SERVER/v1/apps/com.example.voyager/content/a.plist",
        "http://shop.example/v1/apps/com.example.voyager/content/a.plist",
    ])
    func `the token is not sent to an address that is not of the app's content on its server`(_ text: String) throws {
        let authority = "127.0.0.1:\(try #require(server.url.port))"
        let url = try #require(URL(string: text.replacing("SERVER", with: authority)))
        let content = ServerContent(
            options("phone"), others: DefaultTransport.patient, sleep: sleepUntilCancelled)
        #expect(!content.has(url))
        let own = server.url.appending(path: "\(Self.path.dropFirst())/files/a b.zip")
        #expect(content.has(own))
    }
}
