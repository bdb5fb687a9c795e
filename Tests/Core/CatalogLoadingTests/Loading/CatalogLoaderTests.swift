import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct CatalogLoaderTests {
    private let day: TimeInterval = 86_400

    @Test func `a cached catalog is used without a request while it is fresh, also after a restart`()
        async throws
    {
        let scene = try await LoaderScene()
        let loader = scene.loader()
        #expect(try await loader.load().origin == .remote)
        scene.clock.advance(by: day - 1)

        #expect(try await loader.load().origin == .cache)
        let loaded = try await scene.loader().load()
        #expect(loaded.origin == .cache)
        #expect(loaded.identifiers == ["a"])
        #expect(loaded.checkedDate == scene.clock.now - day + 1)
        #expect(loaded.failure == nil)
        #expect(scene.server.requests.count == 1)
    }

    struct FreshnessCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var cacheDays: Double = 1
        var advance: TimeInterval = 0
        let isFresh: Bool
    }

    @Test(arguments: [
        FreshnessCase(testDescription: "just now", isFresh: true),
        FreshnessCase(testDescription: "a second before the end", advance: 86_399, isFresh: true),
        FreshnessCase(testDescription: "at the end", advance: 86_400, isFresh: false),
        FreshnessCase(testDescription: "half a day, later", cacheDays: 0.5, advance: 43_201, isFresh: false),
        FreshnessCase(testDescription: "the clock was set back", advance: -1, isFresh: false),
        FreshnessCase(testDescription: "no days", cacheDays: 0, isFresh: false),
        FreshnessCase(testDescription: "negative days", cacheDays: -1, isFresh: false),
        FreshnessCase(testDescription: "no number of days", cacheDays: .nan, isFresh: false),
        FreshnessCase(testDescription: "for ever", cacheDays: .infinity, advance: 1e9, isFresh: true),
    ])
    func `a cached catalog is fresh for the configured number of days`(_ row: FreshnessCase) async throws {
        let scene = try await LoaderScene()
        let loader = scene.loader(scene.remote(cacheDays: row.cacheDays))
        _ = try await loader.load()
        scene.clock.advance(by: row.advance)

        #expect(await loader.status().isFresh == row.isFresh)
        #expect(try await loader.load().origin == (row.isFresh ? .cache : .remote))
        #expect(scene.server.requests.count == (row.isFresh ? 1 : 2))
        #expect(scene.server.requests.last?.headers["if-none-match"] == (row.isFresh ? nil : "\"a\""))
    }

    @Test func `a 304 reply renews the date at which the cached catalog was last confirmed`() async throws {
        let scene = try await LoaderScene()
        _ = try await scene.loader().load()
        let begin = scene.clock.now
        scene.clock.advance(by: 2 * day)

        let loaded = try await scene.loader().load()
        #expect(loaded.origin == .remote)
        #expect(loaded.identifiers == ["a"])
        #expect(loaded.checkedDate == begin + 2 * day)
        let status = await scene.loader().status()
        #expect(status.isFresh)
        #expect(status.fetchedDate == begin)
        #expect(status.stored?.checkedDate == begin + 2 * day)
        #expect(status.stored?.validators.etag == "\"a\"")
    }

    @Test func `a new catalog from the server replaces the cached one`() async throws {
        let scene = try await LoaderScene()
        _ = try await scene.loader().load()
        scene.answer(.catalog("b"))
        scene.clock.advance(by: 2 * day)

        #expect(try await scene.loader().load().identifiers == ["b"])
        #expect(try await #require(scene.loader().storedCatalog()).identifiers == ["b"])
    }

    @Test func `a 304 reply without a cached catalog causes exactly one more request`() async throws {
        let scene = try await LoaderScene()
        let server = try await LoopbackServer(.reply(304), .catalog("a"))

        #expect(try await scene.loader(scene.remote(server.url)).load().identifiers == ["a"])
        #expect(server.requests.count == 2)
        let other = try await LoopbackServer(.reply(304))
        let error = await #expect(throws: CatalogError.self) {
            try await scene.loader(scene.remote(other.url)).load()
        }
        #expect(error?.code == .status)
        #expect(other.requests.count == 2)
    }

    @Test func `products of an expired unsigned catalog are sold, and the next load requests it from the server`()
        async throws
    {
        let scene = try await LoaderScene(.catalog("a", expires: TestClock().now + 60))
        let loader = scene.loader()
        _ = try await loader.load()
        #expect(try await loader.load().origin == .cache)
        scene.clock.advance(by: 60)

        let loaded = try await loader.load()
        #expect(loaded.origin == .remote)
        #expect(loaded.sellingObstacle == nil)
        #expect(scene.server.requests.count == 2)
    }

    @Test func `a catalog cached from another address is ignored`() async throws {
        let scene = try await LoaderScene()
        _ = try await scene.loader().load()
        let other = scene.loader(scene.remote(scene.server.url.appending(path: "other.plist")))

        #expect(await other.storedCatalog() == nil)
        #expect(try await other.load().origin == .remote)
        #expect(scene.server.requests.map(\.path) == ["/catalog.plist", "/other.plist"])
        #expect(scene.server.requests.allSatisfy { $0.headers["if-none-match"] == nil })
    }

    @Test func `concurrent catalog loads share one request`() async throws {
        let gate = Gate()
        let scene = try await LoaderScene()
        let server = try await LoopbackServer { _ in
            await gate.pass()
            return .catalog("a")
        }
        let loader = scene.loader(scene.remote(server.url))
        async let first = loader.load()
        await gate.arrival()
        async let second = loader.load()
        async let third = loader.load()
        await gate.open()

        #expect(try await [first, second, third].map(\.identifiers) == [["a"], ["a"], ["a"]])
        #expect(server.requests.count == 1)
    }

    @Test func `a load in progress does not restore a catalog cache that is deleted meanwhile`() async throws {
        let gate = Gate()
        let scene = try await LoaderScene()
        let server = try await LoopbackServer { _ in
            await gate.pass()
            return .catalog("a")
        }
        let loader = scene.loader(scene.remote(server.url))
        async let first = loader.load()
        await gate.arrival()
        try await loader.deleteCache()
        await gate.open()

        #expect(try await first.identifiers == ["a"])
        #expect(await loader.storedCatalog() == nil)
        #expect(!FileManager.default.fileExists(atPath: scene.cacheFile.path()))
        #expect(try await loader.load().origin == .remote)
        #expect(server.requests.count == 2)
    }

    @Test func `after the catalog cache is deleted, the catalog is requested without the old copy's validators`()
        async throws
    {
        let scene = try await LoaderScene()
        let loader = scene.loader()
        _ = try await loader.load()
        try await loader.deleteCache()
        try await loader.deleteCache()

        #expect(try await loader.load().origin == .remote)
        #expect(scene.server.requests.map { $0.headers["if-none-match"] } == [nil, nil])
    }

    @Test func `after the cache is deleted, its catalog is not used, even if its file could not be removed`()
        async throws
    {
        let scene = try await LoaderScene()
        _ = try await scene.loader().load()
        // A folder that is a link can be read, and is not locked, so that nothing in it is written or removed.
        try FileManager.default.createSymbolicLink(
            at: scene.folder["Link"], withDestinationURL: scene.folder["Cache"])
        let loader = scene.loader(cache: "Link")
        #expect(try await loader.load().origin == .cache)
        await #expect(throws: CatalogCacheError.self) { try await loader.deleteCache() }

        #expect(await loader.storedCatalog() == nil)
        #expect(await loader.status().isFresh == false)
        #expect(try await loader.load().origin == .remote)
        #expect(scene.server.requests.map { $0.headers["if-none-match"] } == [nil, nil])
    }

    @Test func `a removed catalog cache folder is created again, and the catalog in memory is used meanwhile`()
        async throws
    {
        let scene = try await LoaderScene()
        let loader = scene.loader()
        _ = try await loader.load()
        try FileManager.default.removeItem(at: scene.folder["Cache"])

        #expect(try await loader.load().origin == .cache)
        #expect(await scene.loader().storedCatalog() == nil)
        #expect(try await scene.loader().load().origin == .remote)
        #expect(await scene.loader().storedCatalog() != nil)
    }

    @Test func `a catalog cache that cannot be written is reported, and the catalog is loaded anyway`() async throws {
        let scene = try await LoaderScene()
        try scene.folder.write("no folder", to: "Cache")
        let loader = scene.loader()
        let loaded = try await loader.load()

        #expect(loaded.identifiers == ["a"])
        #expect(loaded.failure == nil)
        #expect(loaded.cacheFailure != nil)
        #expect(try await loader.load().origin == .cache)
        #expect(scene.server.requests.count == 1)
    }

    @Test func `several catalog loaders that share a cache write complete files and leave no temporary files`()
        async throws
    {
        let scene = try await LoaderScene()
        for _ in 0..<10 {
            scene.clock.advance(by: 2 * day)
            let failures = await withTaskGroup(of: CatalogCacheError?.self) { group in
                for _ in 0..<10 {
                    let loader = scene.loader()
                    group.addTask { (try? await loader.load())?.cacheFailure }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(failures == Array(repeating: nil, count: 10))
            #expect(await scene.loader().storedCatalog()?.checkedDate == scene.clock.now)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: scene.folder["Cache"].path())
        #expect(names.sorted() == ["Attempt.json", "CACHEDIR.TAG", "Catalog.cache"])
    }

    @Test func `temporary files of a killed process are removed from the catalog cache by the next write`() async throws
    {
        let scene = try await LoaderScene()
        try scene.folder.write("half", to: "Cache/.Catalog.cache.6F5B")
        try scene.folder.write("half", to: "Cache/.Attempt.json.6F5B")
        try scene.folder.write("kept", to: "Cache/.other")
        _ = try await scene.loader().load()

        let names = try FileManager.default.contentsOfDirectory(atPath: scene.folder["Cache"].path())
        #expect(names.sorted() == [".other", "Attempt.json", "CACHEDIR.TAG", "Catalog.cache"])
    }

    @Test func `the loader's status has the last catalog download, its failure and the next download's date`()
        async throws
    {
        let scene = try await LoaderScene()
        #expect(await scene.loader().status().lastAttempt == nil)
        let loader = scene.loader()
        _ = try await loader.load()
        #expect(await scene.loader().status().lastAttempt?.failure == nil)
        scene.answer(.reply(503, headers: ["Retry-After": "120"]))
        scene.clock.advance(by: 2 * day)
        _ = try await loader.load()

        let attempt = try #require(await scene.loader().status().lastAttempt)
        #expect(attempt.failure?.code == "status")
        #expect(attempt.failure?.reason == "the server answered with the status 503")
        #expect(attempt.date == scene.clock.now)
        #expect(attempt.nextDate == scene.clock.now + 120)
        try await loader.noteNextAttempt(at: scene.clock.now + 150)
        #expect(await scene.loader().status().lastAttempt?.nextDate == scene.clock.now + 150)
    }

    @Test func `the date of the next catalog download is written to its file only when it changes`()
        async throws
    {
        let scene = try await LoaderScene(.reply(500))
        let loader = scene.loader(local: try scene.local("local"))
        _ = try await loader.load()
        let date = scene.clock.now + 150.75
        try await loader.noteNextAttempt(at: date)
        let file = scene.folder["Cache/Attempt.json"]
        let written = try Data(contentsOf: file) + Data("\n".utf8)
        try written.write(to: file)
        try await loader.noteNextAttempt(at: date)

        #expect(try Data(contentsOf: file) == written)
        try await loader.noteNextAttempt(at: date + 1)
        #expect(try Data(contentsOf: file) != written)
    }
}
