import Crypto
import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineCatalog
import VitrineHostedContent
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@testable import VitrineAppServer

/// An app that a server has in two environments. A build of the app uses the bundle identifier as the only name.
@Suite(.hangLimit) struct EnvironmentTests {
    private static let rome = "com.example.voyager.rome"

    /// Store that signs for the environment `Production`.
    private static func productionStore() async throws -> SimulatedStore {
        let store = try SimulatedStore.inMemory(
            configuration: Data(contentsOf: Repository.sample("Voyager.storekit")), bundleIdentifier: ServedApps.app,
            environment: .production, appIdentifier: 1_234_567_890, seed: 8)
        try await store.useVirtualClock(at: Date(timeIntervalSince1970: 1_800_000_000))
        try await store.setOriginalPurchase(
            OriginalPurchase(version: "900", date: Date(timeIntervalSince1970: 1_800_000_000), platform: .iOS))
        return store
    }

    /// Serves the app in the sandbox under its bundle identifier, and in production under another name.
    private static func run(_ body: (ServedApps, SimulatedStore) async throws -> Void) async throws {
        let store = try await productionStore()
        let roots = try TrustedRoots(pem: store.rootCertificate)
        try await ServedApps.run { configuration, _ in
            var app = ConfiguredApp(
                name: "voyager-production", bundleIdentifier: ServedApps.app, environment: .production, roots: roots)
            app.catalog = Repository.sample("Voyager.plist")
            configuration.apps.append(app)
        } _: { server in
            try await body(server, store)
        }
    }

    /// Enrolls a device of a store, which shows the store's app transaction.
    private static func enroll(of store: SimulatedStore, at server: ServedApps) async throws -> ServedApps.Device {
        let key = P256.Signing.PrivateKey()
        let body = try await server.enrollment(key: key, appTransaction: try await store.appTransaction(), of: store)
        let answer = try await server.client.send("POST", "/v1/devices", json: body)
        return ServedApps.Device(key: key, enrollment: try answer.decode(Enrollment.self))
    }

    private static func buy(_ product: String, in store: SimulatedStore) async throws -> String {
        guard case .purchased(let transaction) = try await store.purchase(product, options: PurchaseOptions()) else {
            throw CancellationError()
        }
        return transaction.signedData
    }

    private struct Results: Decodable {
        struct Result: Decodable {
            let result: String
        }

        let results: [Result]
    }

    @Test func `a device enrolls in the environment of its app transaction, and reports purchases of this one only`()
        async throws
    {
        try await Self.run { server, store in
            let purchases = [
                try await server.buy(Self.rome), try await Self.buy(Self.rome, in: store),
            ]
            let sandbox = try await Self.enroll(of: server.store, at: server)
            let production = try await Self.enroll(of: store, at: server)
            #expect(sandbox.enrollment.customer != production.enrollment.customer)
            for (device, expected) in [(sandbox, ["accepted", "rejected"]), (production, ["rejected", "accepted"])] {
                let answer = try await server.report(purchases, from: device)
                #expect(try answer.decode(Results.self).results.map(\.result) == expected)
            }
        }
    }

    @Test func `wallets of the sandbox and of production are separate`() async throws {
        struct Wallets: Decodable {
            let wallets: [String: Int]
        }
        try await Self.run { server, store in
            let sandbox = try await Self.enroll(of: server.store, at: server)
            let production = try await Self.enroll(of: store, at: server)
            let coins = try await server.buy("com.example.voyager.coins50")
            for device in [sandbox, production] { try await server.report([coins], from: device) }
            for (device, balance) in [(sandbox, 50), (production, 0)] {
                let answer = try await server.client.send("GET", "/v1/me/state", device.headers)
                #expect(try answer.decode(Wallets.self).wallets["coins"] ?? 0 == balance)
            }
        }
    }

    @Test func `a device without an app transaction enrolls in the app that has the given name`() async throws {
        try await Self.run { server, store in
            let device = try await server.enroll(isKnown: false)
            let purchases = [try await server.buy(Self.rome), try await Self.buy(Self.rome, in: store)]
            let answer = try await server.report(purchases, from: device)
            // The device has not proven the store account of the purchase in the sandbox.
            #expect(try answer.decode(Results.self).results.map(\.result) == ["elsewhere", "rejected"])
        }
    }

    /// Names of the app in the sandbox at the server.
    @Test(arguments: [ServedApps.app, "voyager-sandbox"])
    func `a device gets its content and links to it, whatever name its app has in its environment`(_ name: String)
        async throws
    {
        let folder = try TemporaryFolder()
        let package = try ContentPackage(folder: Repository.samplePackages.appending(component: "Rome"))
        let packed = try ContentPacker.pack(package, into: folder.url)
        let store = try await Self.productionStore()
        let roots = try TrustedRoots(pem: store.rootCertificate)
        try await ServedApps.run { configuration, _ in
            var sandbox = ConfiguredApp(
                name: name, bundleIdentifier: ServedApps.app, environment: .sandbox, roots: configuration.apps[0].roots)
            let production = ConfiguredApp(
                name: "voyager-production", bundleIdentifier: ServedApps.app, environment: .production, roots: roots)
            (sandbox.catalog, sandbox.content) = (configuration.apps[0].catalog, folder.url)
            configuration.apps = [sandbox, production]
        } _: { server in
            let device = try await Self.enroll(of: server.store, at: server)
            try await server.report([try await server.buy(Self.rome)], from: device)
            let file = packed.archive.lastPathComponent
            // The catalog names the address with the bundle identifier.
            let path = AppServerAPI.content.segments([ServedApps.app, file]).joined(separator: "/")
            #expect(try await server.client.send("GET", "/\(path)", device.headers).status == 200)
            let answer = try await server.client.send("POST", "/v1/me/links", device.headers, json: ["path": file])
            let link = try answer.decode(ContentLink.self).link
            #expect(link.hasPrefix("/v1/apps/\(name)/content/\(file)?"))
            #expect(try await server.client.send("GET", link).status == 200)
        }
    }

    struct Question: Sendable, CustomTestStringConvertible {
        let id: String
        let isProduction: Bool
        var named: String?
        var status = 200
        var verdict: String?
        var environment: String?

        var testDescription: String { id }
    }

    private static let questions = [
        Question(id: "a sandbox purchase", isProduction: false, verdict: "verified", environment: "Sandbox"),
        Question(id: "a purchase", isProduction: true, verdict: "verified", environment: "Production"),
        Question(
            id: "a sandbox purchase, asked for production", isProduction: false, named: "Production",
            verdict: "rejected", environment: "Production"),
        Question(
            id: "a purchase, asked for the sandbox", isProduction: true, named: "Sandbox", verdict: "rejected",
            environment: "Sandbox"),
        Question(
            id: "a purchase, asked for production", isProduction: true, named: "Production", verdict: "verified",
            environment: "Production"),
        Question(id: "an environment that is not served", isProduction: true, named: "Xcode", status: 404),
    ]

    @Test(arguments: questions)
    func `a verdict names its environment, and a question about one environment is never answered for another`(
        _ question: Question
    ) async throws {
        struct Verdict: Decodable {
            let verdict: String
            let environment: String
        }
        try await Self.run { server, store in
            var body = ["bundleId": ServedApps.app]
            body["signedTransaction"] =
                question.isProduction ? try await Self.buy(Self.rome, in: store) : try await server.buy(Self.rome)
            body["environment"] = question.named
            let answer = try await server.client.send("POST", "/v1/verify", json: body)
            #expect(answer.status == question.status)
            guard answer.status == 200 else { return }
            let verdict = try answer.decode(Verdict.self)
            #expect(verdict.verdict == question.verdict)
            #expect(verdict.environment == question.environment)
        }
    }
}
