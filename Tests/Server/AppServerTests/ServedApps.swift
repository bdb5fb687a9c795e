import Crypto
import Foundation
import Logging
import ServiceLifecycle
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@testable import VitrineAppServer

/// Server of one app with a simulated store. The customer database is in memory.
struct ServedApps: Sendable {
    static let app = "com.example.voyager"
    /// Token of an operator with all permissions.
    static let operatorToken = "a token for tests of 32 characters"

    let store: SimulatedStore
    let clock: TestClock
    /// Sleep of the event streams between heartbeats, and of the other services between two runs.
    let sleep: ManualSleep
    let client: HTTPLine
    let operators: HTTPLine
    /// Begins the shutdown, as a signal does.
    let shutDown: @Sendable () async -> Void

    /// Serves while a function runs.
    ///
    /// - Parameters:
    ///   - catalog: Catalog that is published; `nil` for the catalog of the sample app.
    ///   - configure: Function that changes the configuration or the options.
    static func run<Value: Sendable>(
        catalog: URL? = nil, logger: Logger? = nil,
        configure: (inout AppServerConfiguration, inout AppServerOptions) -> Void = { _, _ in },
        _ body: (ServedApps) async throws -> Value
    ) async throws -> Value {
        let (clock, sleep) = (TestClock(Date(timeIntervalSince1970: 1_800_000_000)), ManualSleep())
        let store = try SimulatedStore.inMemory(
            configuration: Data(contentsOf: Repository.sample("Voyager.storekit")), bundleIdentifier: app,
            environment: .sandbox, seed: 7)
        try await store.useVirtualClock(at: clock.now)
        try await store.setOriginalPurchase(OriginalPurchase(version: "900", date: clock.now, platform: .iOS))
        var app = ConfiguredApp(
            name: app, bundleIdentifier: app, environment: .sandbox, roots: try TrustedRoots(pem: store.rootCertificate)
        )
        app.catalog = catalog ?? Repository.sample("Voyager.plist")
        var configuration = AppServerConfiguration()
        configuration.storage = .memory
        configuration.listen.port = 0
        configuration.operatorsListen.port = 0
        configuration.apps = [app]
        configuration.operators = [
            OperatorAccount(
                name: "tester", role: .admin, tokenDigest: OperatorAccounts.digest(of: operatorToken))
        ]
        var options = AppServerOptions()
        options.customers.now = { clock.now }
        options.sleep = { try await sleep.sleep(.seconds($0)) }
        // A client in the same process may be slow beside other tests.
        let hour = Duration.seconds(3_600)
        (options.bodyTime, options.idleTime, options.readinessTime) = (hour, hour, hour)
        configure(&configuration, &options)
        return try await run(configuration, options, logger ?? .silent) { addresses, shutDown in
            try await body(
                ServedApps(
                    store: store, clock: clock, sleep: sleep, client: HTTPLine(port: addresses.apps.port ?? 0),
                    operators: HTTPLine(port: addresses.operators?.port ?? 0), shutDown: shutDown))
        }
    }

    private static func run<Value: Sendable>(
        _ configuration: AppServerConfiguration, _ options: AppServerOptions, _ logger: Logger,
        _ body: (AppServer.Addresses, @escaping @Sendable () async -> Void) async throws -> Value
    ) async throws -> Value {
        let (ready, isReady) = AsyncStream<AppServer.Addresses>.makeStream()
        let server = AppServer(configuration: configuration, options: options, logger: logger) { isReady.yield($0) }
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [server], logger: logger))
        let thread = ThreadExecutor()
        let running = Task(executorPreference: thread) {
            defer { withExtendedLifetime(thread) { isReady.finish() } }
            try await group.run()
        }
        defer { running.cancel() }
        guard let addresses = await ready.first(where: { _ in true }) else {
            try await running.value
            throw CancellationError()
        }
        let value = try await body(addresses) { await group.triggerGracefulShutdown() }
        running.cancel()
        _ = try? await running.value
        return value
    }

    // MARK: Devices

    /// Enrolled device.
    struct Device: Sendable {
        let key: P256.Signing.PrivateKey
        let enrollment: Enrollment
        var headers: [(String, String)] { [("Authorization", "Bearer \(enrollment.token.token)")] }
    }

    /// Returns the body of a request to enroll.
    ///
    /// - Parameters:
    ///   - store: Store of the device; `nil` for that of the app.
    ///   - accountToken: Token of the app's own login; `nil` for none.
    func enrollment(
        key: P256.Signing.PrivateKey = P256.Signing.PrivateKey(), appTransaction: String? = nil,
        of store: SimulatedStore? = nil, accountToken: String? = nil
    ) async throws -> [String: String] {
        let challenge = try await challenge()
        let identifier = (store ?? self.store).deviceVerificationID?.uuidString.lowercased()
        let message = DeviceProof.message(
            "enroll \(Self.app)", challenge: challenge,
            covering: ["phone", appTransaction, identifier, accountToken, nil])
        var body = [
            "app": Self.app, "publicKey": key.publicKey.x963Representation.base64EncodedString(),
            "challenge": challenge, "name": "phone",
            "signature": try key.signature(for: message).derRepresentation.base64EncodedString(),
        ]
        (body["appTransaction"], body["deviceVerificationID"]) = (appTransaction, identifier)
        body["accountToken"] = accountToken
        return body
    }

    func challenge() async throws -> String {
        try await client.send("GET", "/v1/challenge").decode(Challenge.self).challenge
    }

    /// Enrolls a device. With `isKnown`, it sends the app transaction of the simulated store's customer; otherwise it
    /// sends none.
    func enroll(isKnown: Bool = true, accountToken: String? = nil) async throws -> Device {
        let key = P256.Signing.PrivateKey()
        let body = try await enrollment(
            key: key, appTransaction: isKnown ? store.appTransaction() : nil, accountToken: accountToken)
        let answer = try await client.send("POST", "/v1/devices", json: body)
        return Device(key: key, enrollment: try answer.decode(Enrollment.self))
    }

    /// Buys a product, and returns the signed transaction.
    func buy(_ product: String) async throws -> String {
        guard case .purchased(let transaction) = try await store.purchase(product, options: PurchaseOptions()) else {
            throw CancellationError()
        }
        return transaction.signedData
    }

    /// Reports signed data from a device.
    @discardableResult
    func report(_ signed: [String], from device: Device) async throws -> HTTPLine.Answer {
        try await client.send("POST", "/v1/me/signed", device.headers, json: ["signed": signed])
    }
}

extension Logger {
    /// Logger without output.
    static var silent: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }
}

extension ServerLimits {
    /// Limits that no test reaches.
    static var unlimited: ServerLimits {
        var limits = ServerLimits()
        let all = RequestRate(count: 1_000_000_000, seconds: 1)
        (limits.enrollments, limits.requests, limits.documents, limits.reads, limits.writes) = (all, all, all, all, all)
        (limits.connections, limits.streams, limits.deviceStreams) = (1_000_000, 1_000_000, 1_000_000)
        return limits
    }
}
