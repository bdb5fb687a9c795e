import Foundation
import Testing
import VitrineHostedContent
import VitrineSupport
import VitrineTestSupport

/// Background transfers that end while the app runs, or while it does not run.
@Suite(.hangLimit) struct BackgroundTransferTests {
    private let device: BackgroundDevice
    private let rome = ServedArchive()

    init() throws { device = try BackgroundDevice() }

    /// Requests content, waits until the first half has arrived, and ends the app.
    private func leaveHalfway(_ server: HoldingServer) async throws {
        let app = device.launch()
        try await app.downloads.begin([rome.wanted(at: server.url(rome))])
        await device.system.received(rome.half, of: rome.name)
        await device.end(app)
        #expect(device.system.running == [rome.name])
    }

    /// Launches the app, which resumes its stored downloads.
    private func relaunch(_ wanted: ContentDownloads.Wanted) async throws -> BackgroundDevice.App {
        let app = device.launch()
        try await app.downloads.restoreStored(resumes: true) { _ in wanted }
        return app
    }

    // MARK: While the app is there

    @Test func `a background download fetches an archive in one request, reports progress and installs it`()
        async throws
    {
        let server = try await HoldingServer(rome)
        let app = device.launch()
        try await app.downloads.begin([rome.wanted(at: server.url(rome))])
        let halfway = await app.until { $0.progress.received == rome.half }
        #expect(halfway?.state == .active)
        #expect(halfway?.progress.total == rome.bytes.count)
        server.letGo()
        await app.until { $0.state == .finished }

        #expect(try device.installed()?.version == "1.0")
        #expect(server.server.requests.map { $0.headers["range"] } == [nil])
        #expect(server.server.requests.first?.headers["accept-encoding"] == "identity")
        #expect(try device.downloaded().isEmpty)
        #expect(device.system.running.isEmpty)
    }

    @Test func `two products are downloaded in the background at the same time, each to its own path`() async throws {
        let athens = ServedArchive("athens")
        let server = try await HoldingServer(rome, athens)
        let app = device.launch()
        try await app.downloads.begin([
            try rome.wanted(at: server.url(rome)), try athens.wanted(at: server.url(athens)),
        ])
        await app.until("rome") { $0.progress.received == rome.half }
        await app.until("athens") { $0.progress.received == athens.half }
        #expect(device.system.running.sorted() == [rome.name, athens.name].sorted())
        server.letGo("athens")
        await app.until("athens") { $0.state == .finished }
        #expect(app.state("rome") == .active)
        server.letGo("rome")
        await app.until("rome") { $0.state == .finished }

        #expect(try device.installed("rome")?.productIdentifier == "rome")
        #expect(try device.installed("athens")?.productIdentifier == "athens")
    }

    @Test func `a foreground download continues in the foreground after a relaunch, from the bytes already received`()
        async throws
    {
        let server = try await HoldingServer(rome)
        let first = device.launch(background: false)
        try await first.downloads.begin([rome.wanted(at: server.url(rome))])
        await first.until { $0.progress.received == rome.half }
        await device.end(first)
        let app = try await relaunch(rome.wanted(at: server.url(rome)))
        await app.until { $0.state == .finished }

        #expect(server.server.requests.last?.headers["range"] == "bytes=\(rome.half)-\(rome.bytes.count - 1)")
        #expect(try device.installed()?.version == "1.0")
    }

    // MARK: Stopping

    @Test func `a paused background download is resumed from its progress after a relaunch`() async throws {
        let server = try await HoldingServer(rome)
        let first = device.launch()
        try await first.downloads.begin([rome.wanted(at: server.url(rome))])
        await first.until { $0.progress.received == rome.half }
        try await first.downloads.pause("rome")
        #expect(device.system.running.isEmpty)
        #expect(first.state() == .paused)
        await device.end(first)

        let app = try await relaunch(rome.wanted(at: server.url(rome)))
        #expect(app.state() == .paused)
        #expect(device.system.running.isEmpty)
        await app.downloads.resume("rome")
        await app.until { $0.state == .finished }
        #expect(server.server.requests.last?.headers["range"] == "bytes=\(rome.half)-999999999")
        #expect(try device.installed()?.version == "1.0")
    }

    @Test func `a canceled background download stops its system transfer and leaves no files`() async throws {
        let server = try await HoldingServer(rome)
        let app = device.launch()
        try await app.downloads.begin([rome.wanted(at: server.url(rome))])
        await app.until { $0.progress.received == rome.half }
        try await app.downloads.cancel("rome")

        #expect(device.system.running.isEmpty)
        #expect(device.system.cancelled.values == [rome.name])
        #expect(app.state() == .cancelled)
        #expect(try device.downloaded().isEmpty)
    }

    @Test func `a background transfer that the system ends is resumed at the byte where it stopped`() async throws {
        let server = try await HoldingServer(rome)
        let app = device.launch()
        try await app.downloads.begin([rome.wanted(at: server.url(rome))])
        await app.until { $0.progress.received == rome.half }
        await device.system.endAll()
        await app.until { $0.state == .finished }

        #expect(server.server.requests.count == 2)
        #expect(server.server.requests.last?.headers["range"] == "bytes=\(rome.half)-999999999")
        #expect(device.waits.values.count == 1)
    }

    /// Requests content that stalls after the first half until the request times out.
    private func wait(
        for server: HoldingServer, _ sleep: ManualSleep
    ) async throws -> (BackgroundDevice.App, ContentError?) {
        let app = device.launch { try await sleep.sleep($0) }
        // A transfer that has received bytes is not given up for the next address.
        let wanted = try rome.wanted(at: server.url(rome), server.server.url.appending(path: "mirror.zip"))
        async let answer = app.downloads.contents([wanted], isUserInitiated: true)[0]
        await app.until { $0.progress.received == rome.half }
        while app.downloads.status(of: "rome")?.wait != .otherProcess {
            sleep.wake()
            await Task.yield()
        }
        return (app, await answer.failure)
    }

    @Test func `a caller of a stalled background download stops waiting, and the download continues when data arrives`()
        async throws
    {
        let server = try await HoldingServer(rome)
        let (app, failure) = try await wait(for: server, ManualSleep())
        #expect(failure?.code == .inProgress)
        #expect(device.system.running == [rome.name])
        server.letGo()
        await app.until { $0.state == .finished }

        #expect(server.server.requests.count == 1)
        #expect(device.system.cancelled.values.isEmpty)
        #expect(try device.installed()?.version == "1.0")
    }

    @Test(arguments: [true, false])
    func `a stalled background download without a waiting caller can be paused and canceled`(isPaused: Bool)
        async throws
    {
        let server = try await HoldingServer(rome)
        let (app, _) = try await wait(for: server, ManualSleep())
        if isPaused { try await app.downloads.pause("rome") } else { try await app.downloads.cancel("rome") }

        #expect(device.system.running.isEmpty)
        #expect(app.state() == (isPaused ? .paused : .cancelled))
        #expect(try device.downloaded() == (isPaused ? ["resumption-\(rome.bytes.digestText)"] : []))
    }

    // MARK: While the app is gone

    @Test func `a transfer that runs while the app is closed is continued by the next launch with its progress`()
        async throws
    {
        let server = try await HoldingServer(rome)
        try await leaveHalfway(server)
        let app = try await relaunch(rome.wanted(at: server.url(rome)))
        let found = await app.until { $0.progress.received == rome.half }
        #expect(found?.state == .active)
        server.letGo()
        await app.until { $0.state == .finished }

        #expect(server.server.requests.count == 1)
        #expect(try device.installed()?.version == "1.0")
    }

    @Test func `an archive downloaded while the app was closed is installed at the next launch without a request`()
        async throws
    {
        let server = try await HoldingServer(rome)
        try await leaveHalfway(server)
        server.letGo()
        #expect(await device.system.ended() == rome.name)
        #expect(try device.installed() == nil)
        let app = try await relaunch(rome.wanted(at: server.url(rome)))
        await app.until { $0.state == .finished }

        #expect(server.server.requests.count == 1)
        #expect(try device.installed()?.version == "1.0")
        #expect(try device.downloaded().isEmpty)
    }

    @Test func `an archive downloaded while the app was closed is retained until a launch requests it`() async throws {
        let server = try await HoldingServer(rome)
        try await leaveHalfway(server)
        server.letGo()
        #expect(await device.system.ended() == rome.name)
        // It is launched to be told, and ends before it has a catalog.
        await device.end(device.launch())
        #expect(try device.downloaded() == ["arrived-\(rome.bytes.digestText)"])
        let app = try await relaunch(rome.wanted(at: server.url(rome)))
        await app.until { $0.state == .finished }

        #expect(server.server.requests.count == 1)
        #expect(try device.installed()?.version == "1.0")
    }

    @Test(arguments: [true, false])
    func `a background transfer of an outdated version is canceled or removed, and never installed`(
        hasCome: Bool
    ) async throws {
        let server = try await HoldingServer(rome)
        try await leaveHalfway(server)
        if hasCome {
            server.letGo()
            #expect(await device.system.ended() == rome.name)
        }
        let new = ServedArchive(version: "2.0")
        let newServer = try await HoldingServer(new)
        let app = try await relaunch(new.wanted(at: newServer.url(new)))
        await app.until { $0.progress.received == new.half }
        #expect(device.system.running == [new.name])
        #expect(device.system.cancelled.values == (hasCome ? [] : [rome.name]))
        #expect(try device.downloaded().isEmpty)
        newServer.letGo()
        await app.until { $0.state == .finished }

        #expect(try device.installed()?.version == "2.0")
    }

    @Test func `background transfers of unknown archives are canceled at launch, and requested transfers continue`()
        async throws
    {
        let server = try await HoldingServer(rome)
        try await leaveHalfway(server)
        let silent = try await LoopbackServer(.silence)
        for name in ["nonsense", "\(rome.bytes.digestText) gone", "\(rome.bytes.digestText) kept"] {
            device.system.begin(silent.url, name: name)
        }
        let app = try await relaunch(rome.wanted(at: server.url(rome)))
        await app.until { $0.progress.received == rome.half }
        await app.transfers.end(exceptFor: ["kept"])

        #expect(device.system.cancelled.values.sorted() == ["\(rome.bytes.digestText) gone", "nonsense"])
        server.letGo()
        await app.until { $0.state == .finished }
    }
}
