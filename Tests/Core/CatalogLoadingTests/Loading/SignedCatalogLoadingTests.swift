import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct SignedCatalogLoadingTests {
    let map = "com.example.voyager.map"

    func scene(_ publisher: CatalogPublisher = CatalogPublisher()) async throws -> LoaderScene {
        let scene = try await LoaderScene()
        try scene.publish(publisher)
        return scene
    }

    @Test func `a signed catalog is loaded, cached with its proof, and used while it is fresh`() async throws {
        let scene = try await scene()
        let remote = scene.remote(trust: CatalogPublisher().trust())
        let loaded = try await scene.loader(remote).load()
        #expect(loaded.identifiers == [map])
        #expect(loaded.signature == .valid(CatalogPublisher().statement))
        #expect(loaded.sellingObstacle == nil)
        #expect(
            Set(scene.server.requests.map(\.path))
                == ["/catalog.plist", "/catalog.plist.minisig", "/keys.plist", "/keys.plist.minisig"])
        scene.clock.advance(by: 86_399)

        let again = try await scene.loader(remote).load()
        #expect(again.origin == .cache)
        #expect(again.signature == loaded.signature)
        #expect(scene.server.requests.count == 4)
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var change: @Sendable (inout CatalogPublisher) -> Void = { _ in }
        var replacements: [String: LoopbackServer.Answer] = [:]
        var code = CatalogError.Code.signature
        let reason: String
        var retry: TimeInterval?
    }

    static let rows = [
        Row(
            testDescription: "another catalog", change: { $0.version = 13 },
            replacements: ["/catalog.plist": .text(PlistText.catalog(["b"]))], reason: "the catalog's signature"),
        Row(
            testDescription: "no signature",
            change: {
                $0.version = 13
                $0.catalog = Data(PlistText.catalog(["b"]).utf8)
            },
            replacements: ["/catalog.plist.minisig": .reply(404)], code: .status, reason: "404"),
        Row(
            testDescription: "no keys",
            change: {
                $0.version = 13
                $0.catalog = Data(PlistText.catalog(["b"]).utf8)
            },
            replacements: ["/keys.plist": .reply(503, headers: ["Retry-After": "60"])], code: .status, reason: "503",
            retry: 60),
        Row(
            testDescription: "a web page in the place of the signature", change: { $0.version = 13 },
            replacements: ["/catalog.plist.minisig": .text("<html></html>")], reason: "the catalog's signature"),
        Row(
            testDescription: "a signature without end",
            change: {
                $0.version = 13
                $0.catalog = Data(PlistText.catalog(["b"]).utf8)
            },
            replacements: ["/keys.plist.minisig": .endless()], code: .tooLarge, reason: "65536"),
        Row(testDescription: "an older one", change: { $0.version = 11 }, reason: "version 12 was seen"),
        Row(
            testDescription: "an expired one",
            change: {
                $0.version = 13
                $0.expires = CatalogPublisher.date + 86_400
            }, reason: "expired"),
        Row(testDescription: "another app's", change: { $0.app = "com.example.other" }, reason: "com.example.other"),
        Row(testDescription: "another root's", change: { $0.root = .sample(9) }, reason: "not a root key"),
        Row(
            testDescription: "one that says another version of itself",
            change: {
                $0.version = 13
                $0.catalog = Data(PlistText.catalog(["b"], version: 14).utf8)
            }, reason: "version 14"),
        Row(
            testDescription: "one with an error",
            change: {
                $0.version = 13
                $0.catalog = Data(PlistText.document("<array><dict/></array>").utf8)
            }, code: .hasErrors, reason: "productIdentifier"),
    ]

    @Test(arguments: rows)
    func `a catalog without a valid signature is refused, and the cached catalog remains in use`(_ row: Row)
        async throws
    {
        let scene = try await scene()
        let remote = scene.remote(trust: CatalogPublisher().trust())
        _ = try await scene.loader(remote).load()
        let cached = try scene.cacheContent()
        let numbers = await scene.numbers.numbers
        scene.clock.advance(by: 2 * 86_400)
        try scene.publish(CatalogPublisher().changed(row.change), row.replacements)

        let loaded = try await scene.loader(remote).load()
        #expect(loaded.identifiers == [map])
        #expect(loaded.origin == .cache)
        #expect(loaded.sellingObstacle == nil)
        let failure = try #require(loaded.failure)
        #expect(failure.code == row.code)
        #expect(failure.reason.contains(row.reason), "\(failure.reason)")
        #expect(failure.retryDate == row.retry.map { scene.clock.now + $0 })
        #expect(try scene.cacheContent() == cached)
        #expect(await scene.numbers.numbers == numbers)
    }

    @Test(arguments: rows.filter { $0.code != .hasErrors })
    func `if signature errors are only reported, a catalog without a valid signature is used`(_ row: Row)
        async throws
    {
        let scene = try await scene()
        let remote = scene.remote(trust: CatalogPublisher().trust(.report))
        _ = try await scene.loader(remote).load()
        scene.clock.advance(by: 2 * 86_400)
        try scene.publish(CatalogPublisher().changed(row.change), row.replacements)

        let loaded = try await scene.loader(remote).load()
        #expect(loaded.origin == .remote)
        #expect(loaded.failure == nil)
        #expect(loaded.sellingObstacle == nil)
        switch loaded.signature {
        case .invalid(let failure), .outOfDate(_, let failure):
            #expect(failure.reason.contains(row.reason), "\(failure.reason)")
        default: Issue.record("\(loaded.signature)")
        }
        #expect(await scene.loader(remote).storedCatalog()?.identifiers == loaded.identifiers)
    }

    @Test(arguments: [false, true])
    func `if signature errors are only reported, an older signed catalog is refused like an unsigned one`(
        acceptsOlderVersions: Bool
    ) async throws {
        let older = CatalogPublisher(catalog: PlistText.catalog(["older"], version: 11)).changed { $0.version = 11 }
        let scene = try await scene(CatalogPublisher(catalog: PlistText.catalog(["newer"], version: 12)))
        var remote = scene.remote(trust: older.trust(.report))
        remote.acceptsOlderVersions = acceptsOlderVersions
        let loader = scene.loader(remote)
        _ = try await loader.load()
        scene.clock.advance(by: 2 * 86_400)
        try scene.publish(older)

        let loaded = try await loader.load()
        #expect(loaded.identifiers == [acceptsOlderVersions ? "older" : "newer"])
        #expect(loaded.failure?.code == (acceptsOlderVersions ? nil : .olderVersion))
        #expect(await loader.storedCatalog()?.identifiers == loaded.identifiers)
        #expect(await scene.loader(remote).storedCatalog()?.identifiers == loaded.identifiers)
    }

    @Test func `an expired signed catalog is listed but not sold, and the server is asked even if the cache is fresh`()
        async throws
    {
        let publisher = CatalogPublisher().changed { $0.expires = CatalogPublisher.date + 3_600 }
        let scene = try await scene(publisher)
        let remote = scene.remote(trust: publisher.trust())
        let loader = scene.loader(remote)
        _ = try await loader.load()
        scene.clock.advance(by: 3_600)

        for loader in [loader, scene.loader(remote)] {
            let loaded = try await loader.load()
            #expect(loaded.origin == .cache)
            #expect(loaded.identifiers == [map])
            #expect(loaded.failure?.code == .signature)
            #expect(loaded.sellingObstacle?.contains("expired") == true)
        }
        let reporting = try await scene.loader(scene.remote(trust: publisher.trust(.report))).load()
        #expect(reporting.sellingObstacle == nil)
    }

    @Test func `a new signature of the same catalog makes an expired cached catalog valid again`() async throws {
        let publisher = CatalogPublisher().changed { $0.expires = CatalogPublisher.date + 3_600 }
        let scene = try await scene(publisher)
        let remote = scene.remote(trust: publisher.trust())
        _ = try await scene.loader(remote).load()
        scene.clock.advance(by: 3_600)
        let renewed = publisher.changed {
            $0.issued = CatalogPublisher.date + 3_600
            $0.expires = CatalogPublisher.date + 7_200
        }
        try scene.publish(renewed)

        let loaded = try await scene.loader(remote).load()
        #expect(loaded.origin == .remote)
        #expect(loaded.signature == .valid(renewed.statement))
        #expect(loaded.checkedDate == scene.clock.now)
        #expect(scene.server.requests.filter { $0.headers["if-none-match"] != nil }.count == 1)
        let stored = try #require(await scene.loader(remote).storedCatalog())
        #expect(stored.signature == .valid(renewed.statement))
        #expect(stored.sellingObstacle == nil)
    }

    @Test(arguments: CatalogTrust.Mode.allCases)
    func `a 304 reply with the signature of another catalog is followed by a request for the whole catalog`(
        mode: CatalogTrust.Mode
    ) async throws {
        let scene = try await scene()
        let remote = scene.remote(trust: CatalogPublisher().trust(mode))
        _ = try await scene.loader(remote).load()
        scene.clock.advance(by: 2 * 86_400)
        let next = CatalogPublisher(catalog: PlistText.catalog(["b"])).changed { $0.version = 13 }
        let asked = Recorder<Void>()
        let files = try next.files()
        let server = try await LoopbackServer { request in
            switch request.path {
            case "/catalog.plist" where request.headers["if-none-match"] != nil:
                asked.record(())
                return .reply(304)
            case "/catalog.plist": return .reply(body: files.catalog)
            case "/catalog.plist.minisig": return .reply(body: files.signature)
            case "/keys.plist": return .reply(body: files.keys)
            default: return .reply(body: files.keysSignature)
            }
        }
        // The same address as before leads there now.
        scene.answer { .redirect(to: server.url.appending(path: $0)) }

        #expect(try await scene.loader(remote).load().identifiers == ["b"])
        #expect(asked.values.count == 1)
    }

    @Test
    func
        `a cached catalog older than a recorded version is not sold until the newer catalog is loaded`()
        async throws
    {
        let scene = try await scene()
        let remote = scene.remote(trust: CatalogPublisher().trust())
        _ = try await scene.loader(remote).load()
        let next = CatalogPublisher(catalog: PlistText.catalog(["b"])).changed { $0.version = 13 }
        try scene.publish(next)
        // As the other one, which has remembered the version in the same ledger, and not written this cache.
        _ = try await scene.loader(remote, cache: "Elsewhere").load()

        try scene.publish(CatalogPublisher())
        let loaded = try await scene.loader(remote).load()
        #expect(loaded.identifiers == [map])
        #expect(loaded.sellingObstacle?.contains("version 13 was seen") == true)
        #expect(loaded.failure?.reason.contains("version 13 was seen") == true)
        try scene.publish(next)
        let recovered = try await scene.loader(remote).load()
        #expect(recovered.identifiers == ["b"])
        #expect(recovered.sellingObstacle == nil)
    }

    @Test func `if the record of seen catalog versions is unreadable, no catalog from the server is used`() async throws
    {
        let scene = try await scene()
        let remote = scene.remote(trust: CatalogPublisher().trust())
        _ = try await scene.loader(remote).load()
        await scene.numbers.setReadable(false)

        #expect(await scene.loader(remote).storedCatalog() == nil)
        let loaded = try await scene.loader(remote, local: scene.local("local")).load()
        #expect(loaded.identifiers == ["local"])
        #expect(loaded.failure?.code == .signature)
        #expect(loaded.cacheFailure != nil)
        await scene.numbers.setReadable(true)
        #expect(await scene.loader(remote).storedCatalog()?.identifiers == [map])
    }

    @Test func `a catalog whose version cannot be recorded is refused`() async throws {
        let scene = try await scene()
        let remote = scene.remote(trust: CatalogPublisher().trust())
        _ = try await scene.loader(remote).load()
        scene.clock.advance(by: 2 * 86_400)
        try scene.publish(CatalogPublisher(catalog: PlistText.catalog(["b"])).changed { $0.version = 13 })
        await scene.numbers.setWritable(false)

        let loaded = try await scene.loader(remote).load()
        #expect(loaded.identifiers == [map])
        #expect(loaded.failure?.reason.contains("the disk is full") == true)
    }

    @Test func `a catalog cached without a signature is not used once signatures are required`() async throws {
        let scene = try await scene()
        _ = try await scene.loader().load()
        let trust = CatalogPublisher().trust()

        #expect(await scene.loader(scene.remote(trust: trust)).storedCatalog() == nil)
        let reporting = CatalogPublisher().trust(.report)
        #expect(await scene.loader(scene.remote(trust: reporting)).storedCatalog()?.identifiers == [map])
        #expect(await scene.loader(scene.remote(trust: reporting)).status().isFresh == false)
        #expect(try await scene.loader(scene.remote(trust: trust)).load().origin == .remote)
        #expect(await scene.loader(scene.remote(trust: trust)).status().isFresh)
        #expect(await scene.loader(scene.remote(trust: reporting)).status().isFresh == false)
    }
}
