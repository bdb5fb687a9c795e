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

/// Reconciliation of notifications that did not reach the app's server.
@Suite struct ReconciliationTests {
    private static let app = SignedApp.bundleIdentifier

    @Test func `reconciliation with the store records each purchase missed during an outage exactly once`() async throws
    {
        let store = try SimulatedStore.inMemory(
            configuration: Data(contentsOf: Repository.sample("Voyager.storekit")), bundleIdentifier: Self.app,
            environment: .sandbox, seed: 7)
        // Without a receiver no notification is made. Nothing answers at this port.
        try await store.setNotificationURL(URL(string: "http://127.0.0.1:9/notifications")!)
        let key = try await store.addServerKey()
        try await Self.serving(store) { url in
            for product in ["rome", "coins50", "coins500"] {
                _ = try await store.purchase(.voyager(product), options: .init())
            }
            let records = try await CustomerRecords(
                database: SQLiteCustomerDatabase.inMemory(),
                apps: [
                    ServedApp(
                        name: Self.app, bundleIdentifier: Self.app, environment: .sandbox,
                        verifier: SignedDataVerifier(
                            roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: Self.app,
                            environment: .sandbox))
                ])
            try await records.publish(
                ["catalog.plist": try Data(contentsOf: Repository.sample("Voyager.plist"))], app: Self.app)
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
