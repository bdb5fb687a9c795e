import Foundation
import Logging
import Testing
import VitrineAppServerRecords
import VitrineAppStoreEmulator
import VitrineFileSystem
import VitrineNetworking
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

@testable import VitrineAppServer

/// Reconciliation of notifications that did not reach the app's server.
@Suite(.hangLimit) struct ReconciliationTests {
    private static let app = SignedApp.bundleIdentifier

    @Test func `reconciliation with the store records each purchase missed during an outage exactly once`() async throws
    {
        let (store, key) = try await Self.storeWithServer()
        try await Self.serving(store) { url in
            for product in ["rome", "coins50", "coins500"] {
                _ = try await store.purchase(.voyager(product), options: .init())
            }
            let records = try await Self.records(of: store)
            let client = AppStoreServerClient(server: .other(url), key: key, bundleIdentifier: Self.app)

            #expect(try await records.reconcile(app: Self.app, with: client) == 3)
            #expect(try await records.reconcile(app: Self.app, with: client) == 0)

            let found = try await records.customers(matching: "", app: Self.app)
            try #require(found.count == 1)
            let detail = try await records.detail(of: found[0].id)
            #expect(detail.owned == [.voyager("rome")])
            #expect(detail.wallets == ["coins": 550])
            await records.close()
        }
    }

    @Test func `missed notifications are found however far the simulated store's clock was advanced`() async throws {
        let (store, key) = try await Self.storeWithServer()
        try await Self.serving(store) { url in
            _ = try await store.purchase(.voyager("rome"), options: .init())
            try await store.advance(by: 100 * 86_400)
            _ = try await store.purchase(.voyager("coins50"), options: .init())
            let records = try await Self.records(of: store)
            let client = AppStoreServerClient(server: .other(url), key: key, bundleIdentifier: Self.app)

            #expect(try await records.reconcile(app: Self.app, with: client) == 2)
            await records.close()
        }
    }

    @Test func `a server that starts asks for missed notifications, although a server that ended has the job`()
        async throws
    {
        let (store, key) = try await Self.storeWithServer()
        try await Self.serving(store) { url in
            _ = try await store.purchase(.voyager("coins50"), options: .init())
            let records = try await Self.records(of: store)
            #expect(try await records.beginJob("reconcile \(Self.app)", holder: "ended", seconds: 3_240))

            #expect(try await Self.firstSleep(of: Self.app(of: store, key, at: url), records) == .seconds(3_600))

            let found = try await records.customers(matching: "", app: Self.app)
            try #require(found.count == 1)
            #expect(try await records.detail(of: found[0].id).wallets == ["coins": 50])
            await records.close()
        }
    }

    @Test func `two servers that start at the same time record each missed purchase once`() async throws {
        let (store, key) = try await Self.storeWithServer()
        try await Self.serving(store) { url in
            for product in ["coins50", "coins500"] {
                _ = try await store.purchase(.voyager(product), options: .init())
            }
            let records = try await Self.records(of: store)
            let app = try Self.app(of: store, key, at: url)

            async let first = Self.firstSleep(of: app, records)
            async let second = Self.firstSleep(of: app, records)
            let sleeps = try await [first, second]
            #expect(sleeps == [.seconds(3_600), .seconds(3_600)])

            let found = try await records.customers(matching: "", app: Self.app)
            try #require(found.count == 1)
            #expect(try await records.detail(of: found[0].id).wallets == ["coins": 550])
            await records.close()
        }
    }

    @Test func `a failed attempt to ask for missed notifications is repeated soon, by any server`() async throws {
        let (store, key) = try await Self.storeWithServer()
        let records = try await Self.records(of: store)
        let address = try DeadAddress()
        defer { withExtendedLifetime(address) {} }
        let app = try Self.app(of: store, key, at: address.url)
        let sleep = ManualSleep()
        let running = Self.run(app, records, sleep)
        for seconds in [60, 120, 240, 480, 960, 1_920, 3_600, 3_600] {
            #expect(await sleep.begun() == .seconds(seconds))
            #expect(try await records.beginJob("reconcile \(Self.app)", holder: "other", seconds: 60))
            sleep.wake()
        }
        running.cancel()
        try await running.value
        await records.close()
    }

    @Test func `only one of two servers holds the lock for reconciliation until the lock expires`() async throws {
        let clock = TestClock()
        var options = CustomerOptions()
        options.now = { clock.now }
        let records = try await CustomerRecords(
            database: SQLiteCustomerDatabase.inMemory(), apps: [], options: options)
        #expect(try await records.beginJob("reconcile", holder: "one", seconds: 60))
        #expect(try await !records.beginJob("reconcile", holder: "two", seconds: 60))
        #expect(try await records.beginJob("reconcile", holder: "one", seconds: 60))
        clock.advance(by: 60)
        #expect(try await records.beginJob("reconcile", holder: "two", seconds: 60))
    }

    // MARK: Scenes

    /// Returns a store that makes notifications, and a key for its server.
    private static func storeWithServer() async throws -> (SimulatedStore, AppStoreServerKey) {
        let store = try SimulatedStore.inMemory(
            configuration: Data(contentsOf: Repository.sample("Voyager.storekit")), bundleIdentifier: app,
            environment: .sandbox, seed: 7)
        // Without a receiver no notification is made. Nothing answers at this port.
        try await store.setNotificationURL(URL(string: "http://127.0.0.1:9/notifications"))
        return (store, try await store.addServerKey())
    }

    private static func records(of store: SimulatedStore) async throws -> CustomerRecords {
        let records = try await CustomerRecords(
            database: SQLiteCustomerDatabase.inMemory(),
            apps: [
                ServedApp(
                    name: app, bundleIdentifier: app, environment: .sandbox,
                    verifier: SignedDataVerifier(
                        roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: app,
                        environment: .sandbox))
            ])
        try await records.publish(
            ["catalog.plist": try Data(contentsOf: Repository.sample("Voyager.plist"))], after: nil, app: app)
        return records
    }

    private static func app(
        of store: SimulatedStore, _ key: AppStoreServerKey, at url: URL
    ) throws -> ConfiguredApp {
        var configured = ConfiguredApp(
            name: app, bundleIdentifier: app, environment: .sandbox,
            roots: try TrustedRoots(pem: store.rootCertificate))
        (configured.serverKey, configured.storeServer) = (key, url)
        return configured
    }

    /// Starts the reconciliation of a server.
    private static func run(
        _ app: ConfiguredApp, _ records: CustomerRecords, _ sleep: ManualSleep
    ) -> Task<Void, any Error> {
        var options = AppServerOptions()
        options.sleep = { try await sleep.sleep(.seconds($0)) }
        let service = Reconciliation(app, records: records, options: options, logger: .silent)
        return Task { try await service?.run() }
    }

    /// Starts the reconciliation of a server, and ends it with its first pause.
    ///
    /// - Returns: The duration of the pause.
    private static func firstSleep(of app: ConfiguredApp, _ records: CustomerRecords) async throws -> Duration? {
        let sleep = ManualSleep()
        let running = run(app, records, sleep)
        let duration = await sleep.begun()
        running.cancel()
        try await running.value
        return duration
    }

    private static func serving(_ store: SimulatedStore, _ body: (URL) async throws -> Void) async throws {
        let (ready, isReady) = AsyncStream<URL>.makeStream()
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let server = AppStoreEmulator(store: store, logger: logger) { isReady.yield($0) }
        let running = Task {
            defer { isReady.finish() }
            try await server.run()
        }
        defer { running.cancel() }
        let url = try #require(await ready.first { _ in true })
        try await body(url)
    }
}
