import Foundation
import Testing
import VitrineCatalog
import VitrineHostedContent
import VitrineSupport
import VitrineTestSupport

/// Downloads without a waiting caller, and the reported paths of content while it is downloaded.
extension ContentDownloadsTests {
    @Test func `the Wi-Fi-only policy delays a download while the network is expensive, such as cellular`() async throws
    {
        let isExpensive = Recorder<Bool>()
        let downloads = makeDownloads(.wifiOnly { isExpensive.values.last ?? true })
        let answer = try await downloads.contents([wanted("rome")], isUserInitiated: true)[0]
        #expect(answer.failure?.code == .notAllowed)
        #expect(downloads.status(of: "rome")?.wait == .permission("the download waits for Wi-Fi"))

        isExpensive.record(false)
        await downloads.retryHeld()
        #expect(await source.started() == "rome")
        source.script(.finish, of: "rome")
        await until { state("rome", downloads) == .finished }
    }

    @Test func `a download that no caller waits for is started and installed`() async throws {
        let downloads = makeDownloads()
        try await downloads.begin([wanted("rome")])
        #expect(await source.started() == "rome")
        source.script(.finish, of: "rome")
        await until { state("rome", downloads) == .finished }
    }

    @Test func `a download policy with a limit of zero or less still permits one download at a time`() async throws {
        var policy = DownloadPolicy(mostAtOnce: -1)
        #expect(policy.mostAtOnce == 1)
        policy.mostAtOnce = 0
        #expect(policy.mostAtOnce == 1)
        let downloads = makeDownloads(policy)
        let wanted = try wanted("rome")
        async let result = downloads.contents([wanted], isUserInitiated: true)[0]
        await until { state("rome", downloads) == .active }
        source.script(.finish, of: "rome")

        #expect(await result.failure == nil)
    }

    @Test(arguments: [true, false])
    func `a download that was paused or canceled before a relaunch is not restarted automatically`(isPaused: Bool)
        async throws
    {
        let first = makeDownloads()
        _ = try await asking(first, "rome") {
            source.script(.progress(5, of: 10), of: "rome")
            await until { first.status(of: "rome")?.progress.received == 5 }
            if isPaused { try await first.pause("rome") } else { try await first.cancel("rome") }
        }
        let second = makeDownloads()
        try await second.begin([wanted("rome"), wanted("athens")])

        #expect(await source.started() == "athens")
        #expect(state("rome", second) == (isPaused ? .paused : .cancelled))
        #expect(source.calls.values.map(\.product) == ["rome", "athens"])
        let result = try await asking(second, "rome") { source.script(.finish, of: "rome") }
        #expect(throws: Never.self) { try result.get() }
        #expect(source.calls.values.last?.stored == (isPaused ? 5 : 0))
    }

    @Test func `a download whose record cannot be read is reported and not started, and other downloads are started`()
        async throws
    {
        let first = makeDownloads()
        _ = try await asking(first, "rome") { try await first.pause("rome") }
        let names = FileManager.default.enumerator(atPath: folder["content/.downloads"].path())?.allObjects ?? []
        let record = try #require(names.compactMap { $0 as? String }.first { $0.hasSuffix("/download.json") })
        let file = folder["content/.downloads/\(record)"]
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        let second = makeDownloads()
        let wanted = try [wanted("rome"), wanted("athens")]
        let error = await #expect(throws: ContentError.self) { try await second.begin(wanted) }

        #expect(error?.code == .storage)
        #expect(await source.started() == "athens")
        #expect(state("rome", second) == nil)
    }

    @Test func `content eviction spares the install paths of all running and queued downloads`()
        async throws
    {
        let asked = Recorder<[String]>()
        let downloads = makeDownloads(
            DownloadPolicy(mostAtOnce: 1), makeRoom: { asked.record($0.map(\.description).sorted()) })
        let wanted = try ["athens", "oslo", "rome"].map { try self.wanted($0) }
        async let results = downloads.contents(wanted, isUserInitiated: true)
        _ = await source.started()
        source.script(.finish, of: "athens")
        _ = await source.started()
        try await downloads.pause("rome")
        source.script(.finish, of: "oslo")

        #expect(await results.count == 3)
        #expect(asked.values == [["guides/athens", "guides/oslo", "guides/rome"], ["guides/oslo"]])
    }
}
