import Foundation
import Testing
import VitrineCatalog
import VitrineHostedContent
import VitrineSupport
import VitrineTestSupport

/// Downloads of several processes in one directory.
extension ContentDownloadsTests {
    @Test(arguments: ["1.0", nil])
    func `a download that another process has in progress waits, and the content of that process is recorded`(
        version: String?
    ) async throws {
        let (sleep, recorded) = (ManualSleep(), Recorder<InstalledContent>())
        let first = makeDownloads()
        let second = makeDownloads(
            sleep: { try await sleep.sleep($0) }, installed: { content, _ in recorded.record(content) })
        let wanted = try wanted("rome", version: version)
        async let answer = first.content(wanted, isUserInitiated: true)
        _ = await source.started()
        async let other = second.content(wanted, isUserInitiated: true)
        #expect(await sleep.begun() == .seconds(1))
        #expect(second.status(of: "rome")?.wait == .otherProcess)
        source.script(.finish, of: "rome")
        let installed = try await answer
        sleep.wake()

        #expect(try await other == installed)
        #expect(recorded.values == [installed])
        #expect(source.calls.values.count == 1)
        #expect(try directory.downloads().isEmpty)
    }

    @Test func `content that another process installs while a download is queued is not downloaded again`() async throws
    {
        let recorded = Recorder<String>()
        let second = makeDownloads(
            DownloadPolicy(mostAtOnce: 1), installed: { content, _ in recorded.record(content.productIdentifier) })
        let wanted = try ["athens", "rome"].map { try self.wanted($0) }
        async let results = second.contents(wanted, isUserInitiated: true)
        #expect(await source.started() == "athens")
        let installed = try await asking(makeDownloads(), "rome") { source.script(.finish, of: "rome") }.get()
        source.script(.finish, of: "athens")
        source.script(.finish, of: "rome")

        #expect(try await results.last?.get() == installed)
        #expect(recorded.values == ["athens", "rome"])
        #expect(source.calls.values.map(\.product) == ["athens", "rome"])
        #expect(try directory.downloads().isEmpty)
    }

    @Test func `content that is installed without a digest is not downloaded again if it has the requested version`()
        async throws
    {
        let installed = try await asking(makeDownloads(), "rome") { source.script(.finish, of: "rome") }.get()
        source.script(.finish, of: "rome")
        let wanted = try wanted("rome", digest: String(repeating: "0a", count: 32))

        #expect(try await makeDownloads().content(wanted, isUserInitiated: true) == installed)
        #expect(source.calls.values.count == 1)
    }

    enum Reason: CaseIterable {
        case damaged, otherVersionIsWanted
        /// The catalog names no version, so only the source knows whether there is a newer one.
        case noVersionIsWanted
    }

    @Test(arguments: Reason.allCases)
    func `installed content is downloaded again if it is damaged, of another version, or no version is requested`(
        _ reason: Reason
    ) async throws {
        let downloads = makeDownloads()
        let installed = try await asking(downloads, "rome") { source.script(.finish, of: "rome") }.get()
        if reason == .damaged { try Data("?".utf8).write(to: installed.url.appending(path: "guide.md")) }
        let version = [Reason.damaged: "1.0", .otherVersionIsWanted: "2.0"][reason]
        let wanted = try wanted("rome", version: version)
        async let result = downloads.contents([wanted], isUserInitiated: true)[0]
        #expect(await source.started() == "rome")
        source.script(.finish, of: "rome")

        #expect(await result.failure?.code == (reason == .otherVersionIsWanted ? .wrongContent : nil))
        #expect(try await directory.check(at: ContentPath("guides/rome")).isWhole)
    }

    /// Source whose content is in the download folder, and is removed with that folder.
    private struct ContentInFolder: ContentSource {
        let package: URL

        func fetch(
            _ request: ContentRequest, in folder: URL, progress: @escaping @Sendable (ContentProgress) -> Void
        ) async throws(ContentError) -> FetchedContent {
            let copy = folder.appending(component: "package")
            do {
                try FileManager.default.copyItem(at: package, to: copy)
            } catch {
                throw ContentError(code: .storage, reason: "\(error)")
            }
            return .package(try ContentPackage(folder: copy))
        }
    }

    @Test func `a download folder that another process creates during an installation is not removed`() async throws {
        let (directory, package) = (directory, try SamplePackage(in: folder))
        let downloads = ContentDownloads(
            directory: directory, source: ContentInFolder(package: package.url),
            installed: { _, _ throws(ContentError) in
                #expect(try directory.downloads().isEmpty)
                let others = try directory.downloadFolder(for: "rome").appending(component: "part")
                #expect(FileManager.default.createFile(atPath: others.path(), contents: Data("half".utf8)))
            })
        _ = try await downloads.content(wanted("rome"), isUserInitiated: true)

        #expect(try directory.downloads() == ["rome"])
        #expect(bytes(of: "rome").count == 1)
    }
}
