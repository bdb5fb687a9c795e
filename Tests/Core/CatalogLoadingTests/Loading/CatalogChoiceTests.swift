import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineSupport
import VitrineTestSupport

/// Choice between the server's catalog, the cached catalog and the app's own property list.
@Suite(.hangLimit) struct CatalogChoiceTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Version of the cached catalog: `.none` without a cached catalog, `.some(nil)` for a catalog without a
        /// version.
        var cached: Int?? = .none
        /// Build of the app that cached the catalog.
        var cachedBuild: String? = "1"
        /// Version of the app's own catalog: `.none` without a catalog, `.some(nil)` for a catalog without a version.
        var local: Int?? = .none
        var build: String? = "1"
        /// Catalog that is used if the server cannot be reached and the cached catalog has expired.
        let offline: Winner
        /// Catalog that is used while the cached catalog is fresh.
        let fresh: Winner
    }

    enum Winner: Sendable { case cache, local, server, none }

    @Test(arguments: [
        Row(testDescription: "nothing is there", offline: .none, fresh: .server),
        Row(testDescription: "only the app's own", local: .some(nil), offline: .local, fresh: .server),
        Row(testDescription: "only a downloaded one", cached: .some(nil), offline: .cache, fresh: .cache),
        Row(
            testDescription: "both, without versions", cached: .some(nil), local: .some(nil), offline: .cache,
            fresh: .cache),
        Row(testDescription: "the app's own is higher", cached: 3, local: 4, offline: .local, fresh: .local),
        Row(
            testDescription: "a newer app, its own is higher", cached: 3, local: 4, build: "2", offline: .local,
            fresh: .server),
        Row(testDescription: "the downloaded one is higher", cached: 4, local: 3, offline: .cache, fresh: .cache),
        Row(testDescription: "both are the same version", cached: 4, local: 4, offline: .cache, fresh: .cache),
        Row(
            testDescription: "only the app's own has a version", cached: .some(nil), local: 4, offline: .cache,
            fresh: .cache),
        Row(
            testDescription: "a newer app, without versions", cached: .some(nil), local: .some(nil), build: "2",
            offline: .local, fresh: .server),
        Row(
            testDescription: "a newer app, the same version", cached: 4, local: 4, build: "1.0.1", offline: .local,
            fresh: .server),
        Row(
            testDescription: "a newer app, a downloaded one that is higher", cached: 4, local: 3, build: "2",
            offline: .cache, fresh: .cache),
        Row(
            testDescription: "a newer app without a catalog of its own", cached: .some(nil), build: "2",
            offline: .cache, fresh: .cache),
        Row(
            testDescription: "builds are compared by number", cached: .some(nil), cachedBuild: "10", local: .some(nil),
            build: "9", offline: .cache, fresh: .cache),
        Row(
            testDescription: "a build that is no number", cached: .some(nil), local: .some(nil), build: "two",
            offline: .cache, fresh: .cache),
        Row(
            testDescription: "nobody knows who downloaded it", cached: .some(nil), cachedBuild: nil,
            local: .some(nil), build: "2", offline: .cache, fresh: .cache),
        Row(
            testDescription: "an older app, the app's own is higher", cached: 3, cachedBuild: "2", local: 4,
            offline: .local, fresh: .local),
    ])
    func `catalog versions and app builds decide between the cached, the app's own and the server's catalog`(_ row: Row)
        async throws
    {
        let scene = try await LoaderScene()
        if let version = row.cached {
            scene.answer(.catalog("cached", version: version))
            _ = try await scene.loader(build: row.cachedBuild).load()
        }
        let local = try row.local.map { try scene.local("local", version: $0) }
        func used(_ loaded: LoadedCatalog?) -> Winner {
            switch loaded?.origin {
            case .cache: .cache
            case .file: .local
            case .remote, .code: .server
            case nil: .none
            }
        }

        let stored = await scene.loader(local: local, build: row.build).storedCatalog()
        #expect(used(stored) == row.offline)
        scene.answer(.catalog("new", version: 9))
        #expect(used(try await scene.loader(local: local, build: row.build).load()) == row.fresh)
        if row.fresh == .server {
            #expect(await scene.loader(build: row.build).storedCatalog()?.identifiers == ["new"])
            return
        }
        scene.clock.advance(by: 2 * 86_400)
        scene.answer(.reply(500))
        #expect(used(try await scene.loader(local: local, build: row.build).load()) == row.offline)
    }

    @Test func `a cached catalog that the server confirms has precedence over the catalog of a newer app build`()
        async throws
    {
        let scene = try await LoaderScene()
        _ = try await scene.loader(build: "1").load()
        let local = try scene.local("local")
        #expect(await scene.loader(local: local, build: "2").storedCatalog()?.identifiers == ["local"])

        #expect(try await scene.loader(local: local, build: "2").load().identifiers == ["a"])
        #expect(scene.server.requests.last?.headers["if-none-match"] == "\"a\"")
        #expect(await scene.loader(local: local, build: "2").storedCatalog()?.identifiers == ["a"])
    }

    @Test
    func `an older catalog on the server does not replace the app's own catalog or cause extra requests`()
        async throws
    {
        let scene = try await LoaderScene(.catalog("old", version: 3))
        let local = try scene.local("local", version: 4)
        let loader = scene.loader(local: local)
        let stored = try #require(await loader.storedCatalog())
        for requests in [1, 1, 2, 2] {
            if requests > scene.server.requests.count { scene.clock.advance(by: 86_400) }
            let loaded = try await loader.load()
            #expect(loaded.origin == .file(local))
            #expect(loaded.failure == nil)
            #expect(loaded.reading == stored.reading)
            #expect(scene.server.requests.count == requests)
            #expect(await loader.status().isFresh)
            #expect(await scene.loader(local: local).storedCatalog()?.identifiers == ["local"])
        }
        // The second time it has said that nothing is new.
        #expect(scene.server.requests.last?.headers["if-none-match"] == "\"old3\"")
        scene.clock.advance(by: 86_400)
        scene.answer(.catalog("new", version: 5))

        #expect(try await loader.load().identifiers == ["new"])
        #expect(try await loader.load().origin == .cache)
    }

    @Test func `the app's own catalog file is read again only after it has changed`() async throws {
        let scene = try await LoaderScene(.reply(500))
        let local = try scene.local("local")
        let loader = scene.loader(local: local)
        let stored = try #require(await loader.storedCatalog())
        #expect(try await loader.load().reading == stored.reading)
        _ = try scene.local("local")
        #expect(try await loader.load().reading == stored.reading)
        _ = try scene.local("lacol")

        let changed = try await loader.load()
        #expect(changed.identifiers == ["lacol"])
        #expect(changed.reading != stored.reading)
    }

    @Test func `if no catalog can be used, the error states why the server's and the app's own catalog failed`()
        async throws
    {
        let scene = try await LoaderScene(.reply(404))
        let missing = scene.folder["no.plist"]
        let error = await #expect(throws: CatalogError.self) { try await scene.loader(local: missing).load() }

        #expect(error?.code == .status)
        #expect(error?.url == scene.url)
        #expect(
            error?.reason
                == "the server answered with the status 404; the catalog on this device cannot be used either: "
                + "\(missing.relativePath): there is no such file")
    }

    @Test func `products with errors are left out of the app's own catalog, and its other products are used`()
        async throws
    {
        let scene = try await LoaderScene(.reply(404))
        let local = try scene.folder.write(
            PlistText.document(
                """
                <array><dict><key>productIdentifier</key><string>local</string><key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key><string>b</string></dict></array>
                """), to: "local.plist")
        let loaded = try await scene.loader(local: local).load()

        #expect(loaded.origin == .file(local))
        #expect(loaded.identifiers == ["local"])
        #expect(loaded.failure?.code == .status)
    }
}
