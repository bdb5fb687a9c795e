import Foundation
import Testing
import VitrineCatalog
import VitrineHostedContent
import VitrineSupport
import VitrineTestSupport

/// Content that arrives completely but does not match the catalog.
extension ContentDownloadsTests {
    private static let wrong = ContentError(code: .wrongContent, reason: "another digest")

    /// Requests content as a retry does. The source fails if it is called.
    private func retry(
        _ downloads: ContentDownloads, digest: String? = nil, isUserInitiated: Bool = false
    ) async throws -> ContentError? {
        source.script(.progress(1, of: 2), .fail(Self.wrong), of: "rome")
        let address = try #require(URL(string: "https://example.com/rome.plist"))
        let request = ContentRequest(productIdentifier: "rome", version: "1.0", urls: [address], digest: digest)
        let wanted = ContentDownloads.Wanted(request, at: try ContentPath("guides/rome"))
        return await downloads.contents([wanted], isUserInitiated: isUserInitiated)[0].failure
    }

    @Test
    func `content that failed validation twice is downloaded again after a day, for a new digest, or on user request`()
        async throws
    {
        let downloads = makeDownloads()
        for _ in 0..<5 { #expect(try await retry(downloads) == Self.wrong) }
        #expect(source.calls.values.count == 2)

        clock.advance(by: 86_399)
        #expect(try await retry(downloads) == Self.wrong)
        #expect(source.calls.values.count == 2)
        clock.advance(by: 1)
        #expect(try await retry(downloads) == Self.wrong)
        #expect(source.calls.values.count == 3)
        #expect(try await retry(downloads) == Self.wrong)
        #expect(source.calls.values.count == 3)

        #expect(try await retry(downloads, isUserInitiated: true) == Self.wrong)
        #expect(source.calls.values.count == 4)
        #expect(try await retry(downloads, digest: "new") == Self.wrong)
        #expect(source.calls.values.count == 5)
    }

    @Test(arguments: [nil, "new"])
    func `content that failed validation is not downloaded again at the next launch unless its digest has changed`(
        digest: String?
    )
        async throws
    {
        let first = makeDownloads()
        for _ in 0..<3 { _ = try await retry(first) }
        let next = makeDownloads()
        let answer = try await retry(next, digest: digest)

        #expect(answer?.code == .wrongContent)
        #expect(source.calls.values.count == (digest == nil ? 2 : 3))
    }

    @Test func `content that fails validation once in each of two launches is not downloaded in a third`() async throws
    {
        for _ in 0..<3 { #expect(try await retry(makeDownloads()) == Self.wrong) }
        #expect(source.calls.values.count == 2)
    }

    @Test(arguments: [false, true])
    func `a new purchase permits one more download of content that failed validation, and no retry after it`(
        isRelaunched: Bool
    )
        async throws
    {
        var downloads = makeDownloads()
        for _ in 0..<3 { _ = try await retry(downloads) }
        if isRelaunched {
            downloads = makeDownloads()
            _ = try await retry(downloads)
        }
        await downloads.allow(["rome"])
        for _ in 0..<3 { #expect(try await retry(downloads) == Self.wrong) }
        #expect(source.calls.values.count == 3)
    }

    @Test func `content that is refused before a byte of it arrives is requested at each retry`() async throws {
        let downloads = makeDownloads()
        let address = try #require(URL(string: "https://example.com/rome.plist"))
        let request = ContentRequest(productIdentifier: "rome", version: "1.0", urls: [address])
        let wanted = ContentDownloads.Wanted(request, at: try ContentPath("guides/rome"))
        for _ in 0..<3 {
            source.script(.fail(Self.wrong), of: "rome")
            #expect(await downloads.contents([wanted], isUserInitiated: false)[0].failure == Self.wrong)
        }
        #expect(source.calls.values.count == 3)
    }

    @Test func `a canceled download can be started again after the app allows it`() async throws {
        let downloads = makeDownloads()
        _ = try await asking(downloads, "rome") { try await downloads.cancel("rome") }
        #expect(await downloads.isCancelled("rome"))
        #expect(try await downloads.contents([wanted("rome")], isUserInitiated: false)[0].failure?.code == .cancelled)
        await downloads.allow(["rome", "oslo"])

        let result = try await asking(downloads, "rome", isUserInitiated: false) { source.script(.finish, of: "rome") }
        #expect(throws: Never.self) { try result.get() }
    }
}
