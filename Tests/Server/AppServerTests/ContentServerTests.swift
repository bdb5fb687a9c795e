import Foundation
import Testing
import Vitrine
import VitrineEntitlements
import VitrineNetworking
import VitrinePurchasing
import VitrineTestSupport

/// Content on the app's own server, which runs as a process, and the devices of a customer.
@Suite(.blocksThreads, .hangLimit) struct ContentServerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func names(in folder: URL) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)))
    }

    @Test func `content on the app's own server is installed by a purchase, and is reached by a link`() async throws {
        let scene = try await ContentServerScene(in: folder)
        let server = try scene.start()
        let phone = try await scene.makeDevice("phone", on: server)
        let manifest = scene.manifest(on: server)

        let early = await #expect(throws: AppServerError.self) { try await phone.server.link(to: manifest) }
        #expect(early?.code == .notOwned)
        guard case .success = await phone.purchase(ContentServerScene.rome) else {
            Issue.record("the content is not installed")
            return
        }
        let files = Repository.samplePackages.appending(path: "Rome/Contents")
        let installed = try phone.content.url(for: ContentServerScene.rome)
        #expect(try Self.names(in: installed).isSuperset(of: Self.names(in: files)))

        let link = try await phone.server.link(to: manifest)
        let fetcher = HTTPFetcher(transport: DefaultTransport.patient)
        guard case .fetched(let copy) = try await fetcher.fetch(link.url, now: Date()) else {
            Issue.record("the link leads to nothing")
            return
        }
        #expect(copy.body == (try Data(contentsOf: scene.packed.manifestFile)))
        // Without a link or a token, the server sends nothing.
        await #expect(throws: HTTPFetchError.self) { try await fetcher.fetch(manifest, now: Date()) }
        await phone.stop()
        server.kill()
    }

    @Test(arguments: EndToEndTests.Database.present)
    func `two devices install content and spend units once each, although one is offline and the server is killed`(
        _ kind: EndToEndTests.Database
    ) async throws {
        let database = try OutsideDatabase(kind, in: folder)
        let scene = try await ContentServerScene(in: folder, storage: database.setting)
        var server = try scene.start()
        let phone = try await scene.makeDevice("phone", on: server)
        let tablet = try await scene.makeDevice("tablet", on: server)
        try await tablet.server.enroll()
        let retries = RetrySchedule(first: .milliseconds(100), longest: .milliseconds(100))
        var changes = tablet.server.changes(retries: retries).makeAsyncIterator()
        _ = try await changes.next()

        // The phone buys, and the tablet is told.
        for product in [ContentServerScene.rome, "com.example.voyager.coins50"] {
            guard case .success = await phone.purchase(product) else {
                Issue.record("\(product) is not bought")
                return
            }
        }
        try await phone.server.report()
        repeat {
            _ = try await changes.next()
            _ = try await tablet.server.exchange()
        } while !tablet.ownership(of: ContentServerScene.rome).isOwned
            || tablet.wallets.balance(for: "coins") != .known(50)
        let copy = try await tablet.content.download(for: ContentServerScene.rome)
        #expect(try Self.names(in: copy) == Self.names(in: phone.content.url(for: ContentServerScene.rome)))

        // Both spend, the tablet without the server, which is killed in between.
        try await phone.server.spend(10, from: "coins", token: "map")
        try await tablet.wallets.spend(15, from: "coins", token: "guide")
        let port = try #require(server.url.port)
        let before = try #require(try database.rows("SELECT sequence FROM customer").first.flatMap { Int64($0) })
        server.kill()
        let offline = await #expect(throws: AppServerError.self) {
            try await phone.server.spend(5, from: "coins", token: "seat")
        }
        #expect(offline?.code == .connection)
        server = try scene.start(port: port)
        #expect(try await phone.server.spend(10, from: "coins", token: "map").isNew == false)
        #expect(try await phone.server.spend(5, from: "coins", token: "seat").balance == 35)
        // The stream of changes has connected to the new process, and tells what that has recorded.
        var told: Int64?
        repeat { told = try await changes.next() } while told.map { $0 <= before } == true
        #expect(told != nil)
        for device in [tablet, phone, tablet] { _ = try await device.server.exchange() }
        for device in [phone, tablet] { #expect(device.wallets.balance(for: "coins") == .known(20)) }

        #expect(
            try database.rows(
                "SELECT kind, key, amount FROM fact WHERE wallet = 'coins' AND kind = 'debit' ORDER BY key")
                == ["debit|guide|-15", "debit|map|-10", "debit|seat|-5"])
        #expect(try database.rows("SELECT sum(amount) FROM fact WHERE wallet = 'coins'") == ["20"])
        #expect(try database.rows("SELECT amount FROM fact WHERE wallet = 'coins' AND amount > 0") == ["50"])
        #expect(try database.rows("SELECT count(*) FROM fact WHERE kind = 'purchase'") == ["2"])
        #expect(try database.rows("SELECT name FROM device WHERE ended IS NULL ORDER BY name") == ["phone", "tablet"])
        #expect(try database.rows("SELECT count(*) FROM customer") == ["1"])
        for device in [phone, tablet] { await device.stop() }
        server.kill()
    }
}
