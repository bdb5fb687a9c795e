import Foundation
import Testing
import Vitrine
import VitrineCatalogLoading
import VitrineEntitlements
import VitrineHostedContent
import VitrineNetworking
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@testable import VitrineAppServer

/// Managers on devices, and the app's own server.
@Suite(.blocksThreads, .hangLimit) struct LibraryTests {
    private static let rome = "com.example.voyager.rome"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Creates a device of the store's customer.
    private func makeDevice(
        _ name: String, _ store: SimulatedStore, at url: URL, catalog: URL = Repository.sample("Voyager.plist"),
        transport: any HTTPTransport = DefaultTransport.patient, now: @escaping @Sendable () -> Date
    ) async throws -> CatalogManager {
        var options = ManagerOptions()
        options.languages = ["en"]
        options.now = now
        options.loading.schedule = .never
        options.loading.transport = DefaultTransport.patient
        options.server = ManagerOptions.Server(url: url, app: ServedApps.app, deviceName: name)
        options.server?.transport = transport
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: ServedApps.app,
            environment: .sandbox)
        let manager = try await CatalogManager(
            catalog: .file(catalog), store: store, verifier: verifier, home: Home(url: folder[name]), options: options)
        await manager.loadProducts()
        return manager
    }

    private func makeDevice(
        _ name: String, _ server: ServedApps, transport: any HTTPTransport = DefaultTransport.patient
    ) async throws -> CatalogManager {
        let clock = server.clock
        return try await makeDevice(
            name, server.store, at: try #require(URL(string: "http://127.0.0.1:\(server.client.port)")),
            transport: transport
        ) { clock.now }
    }

    // MARK: Wallets

    @Test func `units that a device spends at the server are spent once, and its ledger learns of it`() async throws {
        try await ServedApps.run { server in
            let phone = try await makeDevice("phone", server)
            guard case .success = await phone.purchase("com.example.voyager.coins50") else {
                Issue.record("the units are not bought")
                return
            }
            try await phone.server.report()
            let debit = try await phone.server.spend(30, from: "coins", token: "map")
            #expect((debit.isNew, debit.balance) == (true, 20))
            let again = try await phone.server.spend(30, from: "coins", token: "map")
            #expect((again.isNew, again.balance) == (false, 20))
            let other = await #expect(throws: AppServerError.self) {
                try await phone.server.spend(10, from: "coins", token: "map")
            }
            #expect(other?.code == .conflict)
            let short = await #expect(throws: AppServerError.self) {
                try await phone.server.spend(21, from: "coins", token: "guide")
            }
            #expect(short?.code == .insufficientFunds)
            #expect(short?.reason.contains("the wallet has 20 units") == true)
            #expect(phone.wallets.balance(for: "coins") == .known(50))
            server.clock.advance(by: 1)
            _ = try await phone.server.exchange()
            #expect(phone.wallets.balance(for: "coins") == .known(20))
            await phone.stop()
        }
    }

    @Test func `a device reserves units at the server, reports what it has spent, and returns the rest`() async throws {
        try await ServedApps.run { server in
            let phone = try await makeDevice("phone", server)
            _ = await phone.purchase("com.example.voyager.coins50")
            try await phone.server.report()
            let lease = try await phone.server.reserve(20, of: "coins", token: "trip", seconds: 3_600)
            #expect((lease.wallet, lease.amount, lease.left) == ("coins", 20, 20))
            #expect(lease.expirationDate == server.clock.now + 3_600)
            server.clock.advance(by: 60)
            let debit = ServerLeaseDebit(token: "seat", amount: 5, date: server.clock.now)
            #expect(try await phone.server.report([debit], ofLease: "trip").left == 15)
            #expect(try await phone.server.report([debit], ofLease: "trip", returning: true).left == 15)
            let unknown = await #expect(throws: AppServerError.self) {
                try await phone.server.report([], ofLease: "bus")
            }
            #expect(unknown?.code == .notFound)
            await phone.stop()
        }
    }

    @Test func `a request to spend or to reserve units whose reply was lost is repeated without spending twice`()
        async throws
    {
        try await ServedApps.run { server in
            let transport = LossyTransport()
            let phone = try await makeDevice("phone", server, transport: transport)
            _ = await phone.purchase("com.example.voyager.coins50")
            try await phone.server.report()

            transport.loseReply(to: "/coins/debits")
            let lost = await #expect(throws: AppServerError.self) {
                try await phone.server.spend(10, from: "coins", token: "map")
            }
            #expect(lost?.code == .connection)
            let debit = try await phone.server.spend(10, from: "coins", token: "map")
            #expect((debit.isNew, debit.balance) == (false, 40))

            transport.loseReply(to: "/coins/leases")
            let unknown = await #expect(throws: AppServerError.self) {
                try await phone.server.reserve(20, of: "coins", token: "trip", seconds: 3_600)
            }
            #expect(unknown?.code == .connection)
            server.clock.advance(by: 60)
            let lease = try await phone.server.reserve(20, of: "coins", token: "trip", seconds: 3_600)
            #expect((lease.amount, lease.left) == (20, 20))
            #expect(lease.expirationDate == server.clock.now + 3_540)

            transport.loseReply(to: "/leases/trip")
            let spent = ServerLeaseDebit(token: "seat", amount: 5, date: server.clock.now)
            _ = await #expect(throws: AppServerError.self) { try await phone.server.report([spent], ofLease: "trip") }
            #expect(try await phone.server.report([spent], ofLease: "trip").left == 15)
            await phone.stop()
        }
    }

    // MARK: Changes

    @Test func `a device learns of a purchase on another device from the stream of changes`() async throws {
        try await ServedApps.run { server in
            let (phone, tablet) = (try await makeDevice("phone", server), try await makeDevice("tablet", server))
            try await phone.server.enroll()
            var changes = phone.server.changes(retries: .never).makeAsyncIterator()
            let first = try await changes.next() ?? 0
            _ = await tablet.purchase("com.example.voyager.coins50")
            try await tablet.server.report()
            let next = try await changes.next() ?? 0
            #expect(next > first)
            let key = try await phone.server.publicKey()
            #expect(try await phone.server.customerState().isSigned(by: key))
            for device in [phone, tablet] { await device.stop() }
        }
    }

    // MARK: Content

    @Test func `content on the app's own server is installed by a purchase, and is reached by a link`() async throws {
        let store = try SimulatedStore.inMemory(
            configuration: Data(contentsOf: Repository.sample("Voyager.storekit")), bundleIdentifier: ServedApps.app,
            environment: .sandbox, seed: 7)
        try FileManager.default.createDirectory(at: folder["content"], withIntermediateDirectories: true)
        let packed = try ContentPacker.pack(
            ContentPackage(folder: Repository.samplePackages.appending(component: "Rome")), into: folder["content"])
        func catalog(on url: String) throws -> String {
            try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8).replacing(
                "<string>guides/rome</string>",
                with: """
                    <string>guides/rome</string>
                    <key>contentVersion</key><string>\(packed.manifest.version)</string>
                    <key>contentDigest</key><string>sha256:\(packed.manifestDigest)</string>
                    <key>contentURL</key><string>\(url)/\(packed.manifestFile.lastPathComponent)</string>
                    """)
        }
        let place = "v1/apps/\(ServedApps.app)/content"
        try folder.write(catalog(on: "https://shop.example/\(place)"), to: "served.plist")
        try folder.write(store.rootCertificate, to: "root.pem")
        try folder.write(
            PlistText.document(
                """
                <dict><key>data</key><string>data</string><key>apps</key><array><dict>
                <key>bundleIdentifier</key><string>\(ServedApps.app)</string>
                <key>environment</key><string>Sandbox</string>
                <key>roots</key><array><string>root.pem</string></array>
                <key>catalog</key><string>served.plist</string>
                <key>content</key><string>content</string>
                </dict></array></dict>
                """), to: "server.plist")
        let server = try ServerProcess(folder["server.plist"], in: folder.url)
        let own = server.url.appending(path: place)
        let file = try folder.write(catalog(on: own.absoluteString), to: "device.plist")
        let phone = try await makeDevice("phone", store, at: server.url, catalog: file) { Date() }
        let manifest = own.appending(path: packed.manifestFile.lastPathComponent)

        let early = await #expect(throws: AppServerError.self) { try await phone.server.link(to: manifest) }
        #expect(early?.code == .notOwned)
        guard case .success = await phone.purchase(Self.rome) else {
            Issue.record("the content is not installed")
            return
        }
        let installed = try phone.content.url(for: Self.rome)
        let names = try FileManager.default.contentsOfDirectory(atPath: installed.path(percentEncoded: false))
        let files = Repository.samplePackages.appending(path: "Rome/Contents").path(percentEncoded: false)
        #expect(Set(names).isSuperset(of: try FileManager.default.contentsOfDirectory(atPath: files)))

        let link = try await phone.server.link(to: manifest)
        let fetcher = HTTPFetcher(transport: DefaultTransport.patient)
        guard case .fetched(let copy) = try await fetcher.fetch(link.url, now: Date()) else {
            Issue.record("the link leads to nothing")
            return
        }
        #expect(copy.body == (try Data(contentsOf: packed.manifestFile)))
        // Without a link or a token, the server sends nothing.
        await #expect(throws: HTTPFetchError.self) { try await fetcher.fetch(manifest, now: Date()) }
        await phone.stop()
        server.kill()
    }
}
