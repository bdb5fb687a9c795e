import Testing
import VitrineHostedContent
import VitrineSupport
import VitrineTestSupport

/// Progress of a download, and the app's questions about it, belong to one version of the content.
extension ContentDownloadsTests {
    /// Change of the catalog after version 1.0, which had no digest.
    enum Change: CaseIterable {
        case version, digest, both

        var version: String { self == .digest ? "1.0" : "2.0" }
        var digest: String? { self == .version ? nil : String(repeating: "0", count: 64) }
    }

    @Test(arguments: Change.allCases, [true, false])
    func `a download of another version starts at zero bytes, and the policy is asked about the length of that version`(
        change: Change, isRelaunched: Bool
    ) async throws {
        let asked = Recorder<Int?>()
        let policy = DownloadPolicy { _, length in
            asked.record(length)
            return .allowed
        }
        let first = makeDownloads(policy)
        _ = try await asking(first, "rome") {
            source.script(.progress(5, of: 8), of: "rome")
            await until { asked.values.count == 2 }
            try await first.pause("rome")
        }
        let (next, wanted) = (
            isRelaunched ? makeDownloads(policy) : first,
            try wanted("rome", version: change.version, digest: change.digest)
        )
        if isRelaunched {
            try await next.restoreStored(resumes: true) { _ in wanted }
            #expect(state("rome", next) == .paused)
            #expect(next.status(of: "rome")?.progress == ContentProgress())
        }
        async let answer = next.contents([wanted], isUserInitiated: true)[0]
        _ = await source.started()
        #expect(next.status(of: "rome")?.progress == ContentProgress())
        source.script(.progress(1, of: 900), of: "rome")
        await until { asked.values.count == 4 }
        await next.stop()

        #expect(await answer.failure?.code == .cancelled)
        #expect(asked.values == [nil, 8, nil, 900])
    }

    @Test func `the download policy is asked again if the archive turns out to have another length`() async throws {
        let asked = Recorder<Int?>()
        let downloads = makeDownloads(
            DownloadPolicy { _, length in
                asked.record(length)
                return length ?? 0 > 100 ? .notNow("too much") : .allowed
            })
        let answer = try await asking(downloads, "rome") {
            source.script(.progress(1, of: 10), .progress(2, of: 10), of: "rome")
            await until { asked.values.count == 2 }
            source.script(.progress(3, of: 900), of: "rome")
        }

        #expect(answer.failure?.code == .notAllowed)
        #expect(asked.values == [nil, 10, 900])
    }
}
