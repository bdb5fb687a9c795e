import Foundation
import Logging
import VitrineAppStoreEmulator
import VitrineNetworking
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Simulated store in memory or in a folder, with its emulated server and a key of the app's server.
struct ServedStore: Sendable {
    static let bundle = "com.example.club"
    /// Number of the app in the App Store, which only the production environment names.
    static let app: Int64 = 1_234_567_890

    let store: SimulatedStore
    let key: AppStoreServerKey
    /// Address of the server.
    let url: URL

    /// Serves a store while a function runs.
    ///
    /// - Parameters:
    ///   - store: Store to serve; `nil` for a new one in memory with the products of the club.
    ///   - environment: Environment of the new store.
    ///   - clock: Date of the store's virtual clock; `nil` for the clock of the machine.
    ///   - webhook: Receiver of the notifications; `nil` for none.
    static func run<Value: Sendable>(
        _ store: SimulatedStore? = nil, environment: StoreEnvironment = .sandbox,
        at clock: Date? = Date(timeIntervalSince1970: 1_800_000_000), webhook: LoopbackServer? = nil,
        options: AppStoreEmulatorOptions = AppStoreEmulatorOptions(), _ body: (ServedStore) async throws -> Value
    ) async throws -> Value {
        let store = try store ?? Self.club(environment)
        if let clock, try await !store.hasVirtualClock { try await store.useVirtualClock(at: clock) }
        if let webhook { try await store.setNotificationURL(webhook.url.appending(path: "notifications")) }
        let key = try await store.addServerKey()
        let (ready, isReady) = AsyncStream<URL>.makeStream()
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let server = AppStoreEmulator(store: store, options: options, logger: logger) { isReady.yield($0) }
        let thread = ThreadExecutor()
        let running = Task(executorPreference: thread) {
            defer { withExtendedLifetime(thread) { isReady.finish() } }
            try await server.run()
        }
        defer { running.cancel() }
        guard let url = await ready.first(where: { _ in true }) else {
            try await running.value
            throw CancellationError()
        }
        let value = try await body(ServedStore(store: store, key: key, url: url))
        running.cancel()
        _ = try? await running.value
        return value
    }

    /// Returns a new store in memory that sells the products of `Catalogs/Club.storekit`.
    static func club(_ environment: StoreEnvironment = .sandbox, seed: UInt64 = 7) throws -> SimulatedStore {
        try SimulatedStore.inMemory(
            configuration: Data(contentsOf: Repository.file("Catalogs/Club.storekit")), bundleIdentifier: bundle,
            environment: environment, appIdentifier: environment == .production ? app : nil, seed: seed)
    }

    /// Returns a token that is valid for a request now.
    func token(at date: Date = Date()) throws -> String { try key.token(for: Self.bundle, at: date) }

    /// Returns a verifier that trusts the store.
    func verifier() throws -> SignedDataVerifier {
        SignedDataVerifier(
            roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: Self.bundle,
            appIdentifier: store.environment == .production ? Self.app : nil,
            environment: store.environment)
    }
}
