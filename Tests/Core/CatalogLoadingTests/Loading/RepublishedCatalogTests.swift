import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineSupport
import VitrineTestSupport

/// Catalogs that a server replaces while a device has a copy.
@Suite(.hangLimit) struct RepublishedCatalogTests {
    @Test(
        arguments: [
            ("dated in the future and repaired", "Tue, 01 Jan 2030 00:00:00 GMT", "Sun, 22 Nov 2026 03:00:00 GMT", "b"),
            ("replaced within a second", "Sun, 22 Nov 2026 03:00:00 GMT", "Sun, 22 Nov 2026 03:00:00 GMT", "b"),
            ("from a server without a clock", "Sun, 22 Nov 2026 03:00:00 GMT", nil, "b"),
            ("unchanged for an hour", "Sun, 22 Nov 2026 02:00:00 GMT", "Sun, 22 Nov 2026 03:00:00 GMT", "a"),
        ] as [(String, String, String?, String)])
    func `a copy with a doubtful Last-Modified date is replaced by a server that compares dates`(
        id: String, modified: String, date: String?, identifier: String
    ) async throws {
        let scene = try await LoaderScene()
        let headers = ["Last-Modified": modified].merging(date.map { ["Date": $0] } ?? [:]) { $1 }
        let published = Recorder<String>()
        published.record("a")
        // The date of the file is that of the copy, or an earlier one.
        let server = try await LoopbackServer { request in
            request.headers["if-modified-since"] != nil
                ? .reply(304) : .text(PlistText.catalog([published.values.last ?? ""]), headers: headers)
        }
        _ = try await scene.loader(scene.remote(server.url)).load()
        published.record("b")
        scene.clock.advance(by: 2 * 86_400)

        #expect(try await scene.loader(scene.remote(server.url)).load().identifiers == [identifier])
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [(5, "version 5"), (nil, "no version")] as [(Int?, String)])
    func `a device does not go back to a lower version, or none, that another server of a network still has`(
        version: Int?, named: String
    ) async throws {
        let scene = try await LoaderScene(.catalog("new", version: 6))
        let loader = scene.loader()
        _ = try await loader.load()
        for (asked, isRelaunched) in [(scene.loader(), true), (loader, false)] {
            scene.answer(.catalog("old", version: version))
            scene.clock.advance(by: 2 * 86_400)
            let loaded = try await asked.load()

            #expect(loaded.identifiers == ["new"], "\(isRelaunched)")
            #expect(loaded.origin == .cache)
            #expect(loaded.failure?.code == .olderVersion)
            #expect(
                loaded.failure?.reason
                    == "the server's catalog has \(named), and the copy on this device version 6")
            #expect(await scene.loader().status().lastAttempt?.failure?.code == "older-version")
        }
        scene.answer(.catalog("newest", version: 7))
        #expect(try await loader.load().identifiers == ["newest"])
    }

    @Test(
        arguments: [
            ("the same version", 6, false), ("a lower version, which the app accepts", 5, true),
            ("no version, which the app accepts", nil, true),
        ] as [(String, Int?, Bool)])
    func `a catalog that is not refused as an older one replaces the copy`(
        id: String, version: Int?, acceptsOlderVersions: Bool
    ) async throws {
        let scene = try await LoaderScene(.catalog("a", version: 6))
        var remote = scene.remote()
        remote.acceptsOlderVersions = acceptsOlderVersions
        _ = try await scene.loader(remote).load()
        scene.answer(.catalog("b", version: version))
        scene.clock.advance(by: 2 * 86_400)

        let loaded = try await scene.loader(remote).load()
        #expect(loaded.identifiers == ["b"])
        #expect(loaded.failure == nil)
        #expect(await scene.loader(remote).storedCatalog()?.identifiers == ["b"])
    }

    @Test func `a process that still has an older copy in memory does not replace a newer one in the cache`()
        async throws
    {
        let scene = try await LoaderScene(.catalog("5", version: 5))
        let (first, second) = (scene.loader(), scene.loader())
        _ = try await first.load()
        scene.answer(.catalog("7", version: 7))
        _ = try await second.load(asksServer: true)
        scene.answer(.catalog("6", version: 6))

        #expect(try await first.load(asksServer: true).failure?.code == .olderVersion)
        #expect(await scene.loader().storedCatalog()?.identifiers == ["7"])
    }

    @Test(arguments: [5, nil])
    func `an older copy in memory that a server confirms does not replace a newer one that another process has cached`(
        version: Int?
    ) async throws {
        let scene = try await LoaderScene(.catalog("old", version: version))
        let (first, second) = (scene.loader(), scene.loader())
        _ = try await first.load()
        scene.answer(.catalog("7", version: 7))
        _ = try await second.load(asksServer: true)
        scene.answer(.catalog("old", version: version))

        #expect(try await first.load(asksServer: true).failure == nil)
        #expect(scene.server.requests.last?.headers["if-none-match"] != nil)
        #expect(await scene.loader().storedCatalog()?.identifiers == ["7"])
    }

    @Test func `a confirmed copy with a lower version replaces the cached one if the app accepts older versions`()
        async throws
    {
        let scene = try await LoaderScene(.catalog("old", version: 5))
        var remote = scene.remote()
        remote.acceptsOlderVersions = true
        let (first, second) = (scene.loader(remote), scene.loader(remote))
        _ = try await first.load()
        scene.answer(.catalog("new", version: 7))
        _ = try await second.load(asksServer: true)
        scene.answer(.catalog("old", version: 5))
        _ = try await first.load(asksServer: true)

        #expect(await scene.loader(remote).storedCatalog()?.identifiers == ["old"])
    }

    @Test func `after the cache is deleted, a catalog with a lower version is accepted`() async throws {
        let scene = try await LoaderScene(.catalog("a", version: 6))
        let loader = scene.loader()
        _ = try await loader.load()
        try await loader.deleteCache()
        scene.answer(.catalog("b", version: 5))

        #expect(try await loader.load().identifiers == ["b"])
    }
}
