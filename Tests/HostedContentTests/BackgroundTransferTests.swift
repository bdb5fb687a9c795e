import Foundation
import HostedContent
import TestSupport
import Testing

/// Archives that the system fetches while the app is there, and while it is gone.
@Suite(.timeLimit(.minutes(45))) struct BackgroundTransferTests {
    private let device: BackgroundDevice
    private let rome = ServedArchive()

    init() throws { device = try BackgroundDevice() }

    /// Asks for content, waits until its first half is here, and ends the app.
    private func leaveHalfway(_ server: HoldingServer) async throws {
        let app = device.launch()
        try await app.downloads.begin([rome.wanted(at: server.url(rome))])
        await device.system.received(rome.half, of: rome.name)
        await device.end(app)
        #expect(device.system.running == [rome.name])
    }

    /// Launches the app, which goes on with what there is of a download.
    private func relaunch(_ wanted: ContentDownloads.Wanted) async throws -> BackgroundDevice.App {
        let app = device.launch()
        try await app.downloads.restoreStored(resumes: true) { _ in wanted }
        return app
    }

    // MARK: While the app is there

    @Test func `an archive comes in one piece, with progress, and is installed`() async throws {
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

    @Test func `two products come at once, each to its own place`() async throws {
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

    @Test func `what has begun in the foreground goes on there, and nothing of it comes again`() async throws {
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

    @Test func `paused, what has come is kept, and it goes on from there after a relaunch`() async throws {
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

    @Test func `cancelled, the system fetches nothing more, and nothing is left`() async throws {
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

    @Test func `what the system ends by itself goes on from where it was`() async throws {
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

    /// Asks for content, of which half comes and then nothing for so long that nobody waits.
    private func wait(
        for server: HoldingServer, _ sleep: ManualSleep
    ) async throws -> (BackgroundDevice.App, ContentError?) {
        let app = device.launch { try await sleep.sleep($0) }
        let wanted = try rome.wanted(at: server.url(rome))
        async let answer = app.downloads.contents([wanted], isUserInitiated: true)[0]
        await app.until { $0.progress.received == rome.half }
        while app.downloads.status(of: "rome")?.wait != .otherProcess {
            sleep.wake()
            await Task.yield()
        }
        return (app, await answer.failure)
    }

    @Test func `while nothing comes nobody waits, and what comes then wakes the download`() async throws {
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
    func `what nobody waits for is paused and cancelled all the same`(isPaused: Bool) async throws {
        let server = try await HoldingServer(rome)
        let (app, _) = try await wait(for: server, ManualSleep())
        if isPaused { try await app.downloads.pause("rome") } else { try await app.downloads.cancel("rome") }

        #expect(device.system.running.isEmpty)
        #expect(app.state() == (isPaused ? .paused : .cancelled))
        #expect(try device.downloaded() == (isPaused ? ["resumption-\(rome.bytes.digestText)"] : []))
    }

    // MARK: While the app is gone

    @Test func `what goes on while the app is gone is taken up by the next launch, with how far it is`() async throws {
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

    @Test func `what has come while the app was gone is installed without being asked for again`() async throws {
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

    @Test func `what has come and was not asked for yet waits, also for another launch`() async throws {
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
    func `another version is wanted meanwhile: the old one is ended, or removed, and never installed`(
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

    @Test func `transfers that nobody wants are ended, and those that are wanted or waited for go on`() async throws {
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
