import Foundation
import Testing
import VitrineCatalog
import VitrineHostedContent
import VitrineSupport
import VitrineTestSupport

/// Sequential and concurrent downloads, with a source that the test controls step by step.
@Suite(.hangLimit) struct ContentDownloadsTests {
    let folder: TemporaryFolder
    let directory: ContentDirectory
    let source: ScriptedSource
    let clock = TestClock()
    let reported = Recorder<DownloadStatus>()

    init() throws {
        folder = try TemporaryFolder()
        directory = ContentDirectory(url: folder["content"])
        source = ScriptedSource(folder)
    }

    func makeDownloads(
        _ policy: DownloadPolicy = DownloadPolicy(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = sleepUntilCancelled,
        installed: @escaping @Sendable (InstalledContent, ContentPath) async throws(ContentError) -> Void = { _, _ in },
        makeRoom: @escaping @Sendable (Set<ContentPath>) async -> Void = { _ in }
    ) -> ContentDownloads {
        let (clock, reported) = (clock, reported)
        return ContentDownloads(
            directory: directory, source: source, policy: policy, now: { clock.now }, sleep: sleep,
            send: { reported.record($0) }, installed: installed, makeRoom: makeRoom)
    }

    func wanted(
        _ product: String, _ priority: DownloadPriority = .wanted, version: String? = "1.0", digest: String? = nil
    ) throws -> ContentDownloads.Wanted {
        ContentDownloads.Wanted(
            ContentRequest(productIdentifier: product, version: version, digest: digest),
            at: try ContentPath("guides/\(product)"), priority: priority)
    }

    /// Requests content, and calls a function while the request is in progress.
    func asking(
        _ downloads: ContentDownloads, _ product: String, isUserInitiated: Bool = true,
        meanwhile body: () async throws -> Void = {}
    ) async throws -> Result<InstalledContent, ContentError> {
        let wanted = try wanted(product)
        async let result = downloads.contents([wanted], isUserInitiated: isUserInitiated)[0]
        _ = await source.started()
        try await body()
        return await result
    }

    func state(_ product: String, _ downloads: ContentDownloads) -> DownloadState? {
        downloads.status(of: product)?.state
    }

    /// Waits until a condition is met, or the time limit of the test is over.
    func until(_ condition: () -> Bool) async {
        while !condition(), !Task.isCancelled { await Task.yield() }
    }

    func bytes(of product: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder["content/.downloads"].path())?.allObjects ?? []
        return names.compactMap { $0 as? String }.filter { $0.hasSuffix("/part") }
    }

    // MARK: Getting

    @Test func `requested content is installed, and its download folder is removed`() async throws {
        let downloads = makeDownloads()
        let result = try await asking(downloads, "rome") {
            source.script(.progress(5, of: 10), .finish, of: "rome")
        }

        #expect(try result.get() == directory.installedContent(at: ContentPath("guides/rome")))
        #expect(reported.values.map(\.state) == [.waiting, .active, .active, .finished])
        #expect(reported.values.map(\.fraction) == [nil, nil, 0.5, 1])
        #expect(try directory.downloads().isEmpty)
    }

    @Test func `a download that starts at once is never reported as waiting`() async throws {
        let downloads = makeDownloads()
        _ = try await asking(downloads, "rome") { source.script(.finish, of: "rome") }
        #expect(reported.values.map(\.wait) == Array(repeating: nil, count: reported.values.count))
    }

    @Test func `concurrent requests for the same content share one download`() async throws {
        let downloads = makeDownloads()
        let wanted = try wanted("rome")
        async let other = downloads.content(wanted, isUserInitiated: false)
        let result = try await asking(downloads, "rome") {
            source.script(.finish, of: "rome")
        }

        #expect(try await other == result.get())
        #expect(source.calls.values.count == 1)
    }

    @Test func `queued downloads start with the opened product, then purchases, then children of bundles`() async throws
    {
        let downloads = makeDownloads(DownloadPolicy(mostAtOnce: 1))
        let wanted = try [
            wanted("a"), wanted("child", .unlocked), wanted("b"), wanted("c"), wanted("opened", .unlocked),
        ]
        async let results = downloads.contents(wanted, isUserInitiated: true)
        #expect(await source.started() == "a")
        #expect(downloads.statuses.map(\.state) == [.active, .waiting, .waiting, .waiting, .waiting])
        #expect(downloads.statuses[1].wait == .turn)
        await downloads.prioritize("opened")
        for product in ["a", "opened", "b", "c", "child"] { source.script(.finish, of: product) }

        #expect(await results.count == 5)
        #expect(source.calls.values.map(\.product) == ["a", "opened", "b", "c", "child"])
    }

    @Test func `a canceled caller receives an error, and the download continues`() async throws {
        let downloads = makeDownloads()
        let wanted = try wanted("rome")
        let waiting = Task { await downloads.contents([wanted], isUserInitiated: true)[0] }
        _ = await source.started()
        waiting.cancel()

        #expect(await waiting.value.failure?.code == .cancelled)
        source.script(.finish, of: "rome")
        await until { state("rome", downloads) == .finished }
    }

    // MARK: Pausing and going on

    @Test func `a paused download retains its received bytes across launches until it is requested again`() async throws
    {
        let first = makeDownloads()
        let answer = try await asking(first, "rome") {
            source.script(.progress(5, of: 10), of: "rome")
            await until { first.status(of: "rome")?.progress.received == 5 }
            try await first.pause("rome")
        }
        #expect(answer.failure?.code == .paused)
        #expect(state("rome", first) == .paused)
        #expect(try await first.contents([wanted("rome")], isUserInitiated: false)[0].failure?.code == .paused)

        let second = makeDownloads()
        try await second.restoreStored(resumes: true) { [wanted = try wanted("rome")] _ in wanted }
        #expect(state("rome", second) == .paused)
        #expect(second.status(of: "rome")?.progress == ContentProgress(received: 5, total: 10))
        #expect(try await second.contents([wanted("rome")], isUserInitiated: false)[0].failure?.code == .paused)
        let result = try await asking(second, "rome") { source.script(.finish, of: "rome") }
        #expect(throws: Never.self) { try result.get() }
        #expect(source.calls.values.map(\.stored) == [0, 5])
        #expect(try directory.downloads().isEmpty)
    }

    @Test func `a resumed download continues although no caller waits for it`() async throws {
        let downloads = makeDownloads()
        _ = try await asking(downloads, "rome") { try await downloads.pause("rome") }
        await downloads.resume("rome")
        #expect(await source.started() == "rome")
        source.script(.finish, of: "rome")
        await until { state("rome", downloads) == .finished }
    }

    @Test func `a canceled download leaves no files and is not restarted automatically`() async throws {
        let first = makeDownloads()
        let answer = try await asking(first, "rome") {
            source.script(.progress(5, of: 10), of: "rome")
            await until { first.status(of: "rome")?.progress.received == 5 }
            #expect(bytes(of: "rome").count == 1)
            try await first.cancel("rome")
        }
        #expect(answer.failure?.code == .cancelled)
        #expect(state("rome", first) == .cancelled)
        #expect(bytes(of: "rome").isEmpty)

        let second = makeDownloads()
        try await second.restoreStored(resumes: true) { [wanted = try wanted("rome")] _ in wanted }
        #expect(state("rome", second) == .cancelled)
        #expect(try await second.contents([wanted("rome")], isUserInitiated: false)[0].failure?.code == .cancelled)
        let result = try await asking(second, "rome") { source.script(.finish, of: "rome") }
        #expect(throws: Never.self) { try result.get() }
    }

    @Test func `canceling a download that does not exist throws a not-found error`() async throws {
        let error = await #expect(throws: ContentError.self) { try await makeDownloads().cancel("rome") }
        #expect(error?.code == .notFound)
    }

    @Test(arguments: [true, false])
    func `a download that the end of the process interrupts continues at the next launch or on request`(
        resumes: Bool
    ) async throws {
        let first = makeDownloads()
        let answer = try await asking(first, "rome") {
            source.script(.progress(5, of: 10), of: "rome")
            await until { first.status(of: "rome")?.progress.received == 5 }
            await first.stop()
        }
        #expect(answer.failure?.code == .cancelled)

        let second = makeDownloads()
        try await second.restoreStored(resumes: resumes) { [wanted = try wanted("rome")] _ in wanted }
        if resumes {
            #expect(await source.started() == "rome")
            source.script(.finish, of: "rome")
            await until { state("rome", second) == .finished }
        } else {
            #expect(state("rome", second) == .paused)
            let result = try await asking(second, "rome", isUserInitiated: false) { source.script(.finish, of: "rome") }
            #expect(throws: Never.self) { try result.get() }
        }
        #expect(source.calls.values.map(\.stored) == [0, 5])
    }

    @Test func `a stored download of a product that is no longer wanted is not restored at launch`() async throws {
        let first = makeDownloads()
        _ = try await asking(first, "rome") { try await first.pause("rome") }
        let second = makeDownloads()
        try await second.restoreStored(resumes: true) { _ in nil }

        #expect(second.statuses.isEmpty)
    }

    // MARK: Failing and waiting

    @Test func `a failed download reports its error, retains its bytes and waits for the server's retry delay`()
        async throws
    {
        let downloads = makeDownloads()
        let error = ContentError(code: .network, reason: "overloaded", retryAfter: 60)
        let answer = try await asking(downloads, "rome") {
            source.script(.progress(5, of: 10), .fail(error), of: "rome")
        }
        #expect(answer.failure == error)
        #expect(state("rome", downloads) == .failed)
        #expect(downloads.status(of: "rome")?.error == error)
        #expect(bytes(of: "rome").count == 1)

        #expect(try await downloads.contents([wanted("rome")], isUserInitiated: false)[0].failure == error)
        clock.advance(by: 60)
        let result = try await asking(downloads, "rome", isUserInitiated: false) { source.script(.finish, of: "rome") }
        #expect(throws: Never.self) { try result.get() }
        #expect(source.calls.values.map(\.stored) == [0, 5])
    }

    @Test func `a download without enough free storage waits, and is tried again on request`() async throws {
        let downloads = makeDownloads()
        let error = ContentError(code: .noSpace, reason: "5 bytes are missing")
        let answer = try await asking(downloads, "rome") { source.script(.fail(error), of: "rome") }
        #expect(answer.failure == error)
        #expect(downloads.status(of: "rome")?.wait == .space)
        #expect(downloads.status(of: "rome")?.error == error)

        await downloads.retryHeld()
        #expect(await source.started() == "rome")
        source.script(.finish, of: "rome")
        await until { state("rome", downloads) == .finished }
    }

    @Test func `a download that the app does not allow waits without sending a request`() async throws {
        let downloads = makeDownloads(DownloadPolicy { _, _ in .notNow("no Wi-Fi") })
        let answer = try await downloads.contents([wanted("rome")], isUserInitiated: true)[0]

        #expect(answer.failure == ContentError(code: .notAllowed, reason: "no Wi-Fi"))
        #expect(downloads.status(of: "rome")?.wait == .permission("no Wi-Fi"))
        #expect(source.calls.values.isEmpty)
    }

    @Test func `the download policy is asked again once the length of the archive is known`() async throws {
        let asked = Recorder<Int?>()
        let downloads = makeDownloads(
            DownloadPolicy { _, length in
                asked.record(length)
                return length ?? 0 > 100 && asked.values.count < 3 ? .notNow("too much") : .allowed
            })
        let answer = try await asking(downloads, "rome") {
            source.script(.progress(5, of: 1000), of: "rome")
        }
        #expect(answer.failure?.code == .notAllowed)
        #expect(downloads.status(of: "rome")?.wait == .permission("too much"))

        let result = try await asking(downloads, "rome") { source.script(.finish, of: "rome") }
        #expect(throws: Never.self) { try result.get() }
        #expect(asked.values == [nil, 1000, 1000])
    }

    // MARK: Telling

    @Test func `download progress is reported four times per second, with the remaining time`() async throws {
        let downloads = makeDownloads()
        _ = try await asking(downloads, "rome") {
            for step in 1...40 {
                source.script(.progress(step * 10, of: 1000), of: "rome")
                await until { downloads.status(of: "rome")?.progress.received == step * 10 }
                clock.advance(by: 0.0625)
            }
            let left = try #require(downloads.status(of: "rome")?.secondsLeft)
            #expect(abs(left - 3.75) < 0.3)
            source.script(.finish, of: "rome")
        }

        let progress = reported.values.filter { $0.state == .active && $0.progress.received > 0 }
        #expect(progress.count == 10)
        #expect(progress.first?.progress.received == 10)
        #expect(reported.values.last?.state == .finished)
        #expect(reported.values.last?.progress == ContentProgress(received: 1000, total: 1000))
    }

    @Test func `the last progress before a stall is reported once, a quarter of a second later`() async throws {
        let sleep = ManualSleep()
        let downloads = makeDownloads { try await sleep.sleep($0) }
        _ = try await asking(downloads, "rome") {
            source.script(.progress(5, of: 10), .progress(6, of: 10), .progress(7, of: 10), of: "rome")
            #expect(await sleep.begun() == .milliseconds(250))
            await until { downloads.status(of: "rome")?.progress.received == 7 }
            #expect(reported.values.map(\.progress.received) == [0, 0, 5])
            sleep.wake()
            await until { reported.values.count == 4 }
            source.script(.progress(8, of: 10), of: "rome")
            #expect(await sleep.begun() == .milliseconds(250))
            source.script(.fail(ContentError(code: .server, reason: "it has no more")), of: "rome")
        }

        #expect(reported.values.map(\.progress.received) == [0, 0, 5, 7, 8])
        #expect(reported.values.last?.state == .failed)
        sleep.wake()
        await letTasksRun { reported.values.count > 5 }
        #expect(reported.values.count == 5)
    }
}

extension Result {
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
