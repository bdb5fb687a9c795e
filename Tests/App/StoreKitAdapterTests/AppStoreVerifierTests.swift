import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

@testable import VitrineStoreKitAdapter

/// Environments that the App Store verifier accepts, and the parameters that they require.
@Suite(.hangLimit) struct AppStoreVerifierTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        let environment: StoreEnvironment
        /// Root certificate that the verifier trusts in place of Apple's.
        let root: Root
        let isVerified: Bool

        enum Root { case store, test, both, none }

        var testDescription: String { id }
    }

    static let cases = [
        Case(id: "production", environment: .production, root: .store, isVerified: true),
        Case(id: "sandbox: TestFlight and App Review", environment: .sandbox, root: .store, isVerified: true),
        Case(id: "Xcode, signed under the store's root", environment: .xcode, root: .store, isVerified: false),
        Case(id: "Xcode, not named", environment: .xcode, root: .none, isVerified: false),
        Case(id: "Xcode, named", environment: .xcode, root: .test, isVerified: true),
        Case(id: "a simulated store, not named", environment: .sandbox, root: .none, isVerified: false),
        Case(id: "a simulated store, named", environment: .sandbox, root: .test, isVerified: true),
        Case(id: "production of a test store", environment: .production, root: .test, isVerified: false),
        Case(id: "production, with a test root as well", environment: .production, root: .both, isVerified: true),
        Case(
            id: "an unknown environment", environment: StoreEnvironment(rawValue: "Moon"), root: .store,
            isVerified: false),
    ]

    private func verifier(
        _ store: any Store, root: TrustedRoots, as place: Case.Root, bundle: String = "com.example.club"
    ) -> AppStoreVerifier {
        switch place {
        case .store: AppStoreVerifier(store: store, bundleIdentifier: bundle, roots: root)
        case .test: AppStoreVerifier(store: store, bundleIdentifier: bundle, testRoots: root)
        case .both: AppStoreVerifier(store: store, bundleIdentifier: bundle, roots: root, testRoots: root)
        case .none: AppStoreVerifier(store: store, bundleIdentifier: bundle)
        }
    }

    @Test(arguments: cases)
    func `signed data is verified if the app transaction names its environment and the root is trusted`(_ row: Case)
        async throws
    {
        let simulated = try await Shop.simulated(row.environment)
        let adapted = try AdaptedStore(simulated)
        let root = try TrustedRoots(pem: simulated.rootCertificate)
        let verifier = verifier(adapted, root: root, as: row.root)
        let bought = try #require(try await adapted.purchase("club.gold", quantity: 1).transaction)
        let app = try #require(try await simulated.appTransaction())

        let transaction = await verifier.verify(transaction: bought.signedData)
        let renewal = await verifier.verify(renewal: try #require(bought.signedRenewal))
        let appTransaction = await verifier.verify(appTransaction: app)
        if row.isVerified {
            guard case .verified = transaction, case .verified = renewal, case .verified = appTransaction else {
                Issue.record("\(transaction), \(renewal), \(appTransaction)")
                return
            }
        } else {
            // Nothing is rejected for good, because nothing is known: a purchase waits.
            guard case .undetermined = transaction, case .undetermined = renewal, case .undetermined = appTransaction
            else {
                Issue.record("\(transaction), \(renewal), \(appTransaction)")
                return
            }
        }
    }

    @Test func `signed data of another store environment than the app's is rejected`() async throws {
        let (sandbox, production) = (try await Shop.simulated(.sandbox), try await Shop.simulated(.production))
        let roots = try TrustedRoots(pem: sandbox.rootCertificate).union(
            TrustedRoots(pem: production.rootCertificate))
        let bought = try #require(try await sandbox.purchase("map", quantity: 1).transaction)
        let verifier = AppStoreVerifier(store: production, bundleIdentifier: "com.example.club", roots: roots)
        guard case .rejected(let reasons) = await verifier.verify(transaction: bought.signedData) else {
            Issue.record("not rejected")
            return
        }
        #expect(reasons.map(\.code) == [.environment])
    }

    @Test func `each environment except production has its own storage directory, even if the store does not answer`()
        async throws
    {
        let folder = try TemporaryFolder()
        let base = folder["app"]
        func directory(_ environment: StoreEnvironment, answers: Bool = true) async throws -> String {
            let simulated = try await Shop.simulated(environment)
            var intercepted = InterceptedStore(simulated)
            if !answers {
                intercepted.onAppTransaction = { () throws(StoreError) in
                    throw StoreError(code: .network, reason: "no network")
                }
            }
            let root = try TrustedRoots(pem: simulated.rootCertificate)
            let place: Case.Root = environment == .production ? .store : .test
            return await verifier(intercepted, root: root, as: place)
                .directory(in: base, sleep: sleepUntilCancelled).lastPathComponent
        }
        #expect(try await directory(.sandbox, answers: false) == "app")
        #expect(try await directory(.sandbox) == "Sandbox")
        #expect(try await directory(.production, answers: false) == "Sandbox")
        #expect(try await directory(.xcode) == "Xcode")
        #expect(try await directory(.production) == "app")
        #expect(try await directory(.production, answers: false) == "app")
        // A store that does not answer at all is not awaited where the environment is known.
        let gate = Gate()
        let simulated = try await Shop.simulated(.production)
        var silent = InterceptedStore(simulated)
        silent.onAppTransaction = { () throws(StoreError) in
            await gate.pass()
            return try await simulated.appTransaction()
        }
        try Data("Sandbox".utf8).write(to: base.appending(path: "environment"))
        let late = verifier(silent, root: try TrustedRoots(pem: simulated.rootCertificate), as: .store)
        #expect(await late.directory(in: base, sleep: { _ in }).lastPathComponent == "Sandbox")
        await gate.open()
        // Its production purchases then wait for the next launch.
        let bought = try #require(try await simulated.purchase("map", quantity: 1).transaction)
        guard case .undetermined(let reason) = await late.verify(transaction: bought.signedData) else {
            Issue.record("decided in the directory of another environment")
            return
        }
        #expect(reason.contains("it is Production, and this launch began with Sandbox"))
        // That the store has named it late is known in the next launch, and in that one the store need not answer.
        while try String(contentsOf: base.appending(path: "environment"), encoding: .utf8) != "Production" {
            await Task.yield()
        }
        #expect(try await directory(.sandbox, answers: false) == "app")
        // What it did not write names no directory.
        try Data("../elsewhere".utf8).write(to: base.appending(path: "environment"))
        #expect(try await directory(.production, answers: false) == "app")
    }

    @Test(
        arguments: [
            (nil, nil, "app"), (nil, .sandbox, "Sandbox"), ("Sandbox", nil, "Sandbox"),
            ("Sandbox", .production, "app"), ("Production", .sandbox, "Sandbox"), ("Moon", nil, "app"),
            ("Sandbox\nProduction", .production, "Sandbox"), ("Sandbox\nProduction", nil, "app"),
            ("Production\nSandbox", .sandbox, "app"), ("Production\nSandbox\n", .production, "app"),
        ] as [(String?, StoreEnvironment?, String)])
    func `while the store does not answer, the last app transaction counts unless the receipt has changed`(
        last: String?, named: StoreEnvironment?, expected: String
    ) async throws {
        let folder = try TemporaryFolder()
        if let last { try folder.write(last, to: "app/environment") }
        var silent = InterceptedStore(try await Shop.simulated(.sandbox))
        silent.onAppTransaction = { () throws(StoreError) in
            throw StoreError(code: .network, reason: "no network")
        }
        let evidence = EnvironmentEvidence(named: named, assumed: .production, asksStore: true)
        let verifier = AppStoreVerifier(
            store: silent, bundleIdentifier: "com.example.club", evidence: { evidence })
        #expect(await verifier.directory(in: folder["app"], sleep: { _ in }).lastPathComponent == expected)
    }

    @Test func `the storage directory is chosen even if it cannot be written`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("a file", to: "app")
        let simulated = try await Shop.simulated(.production)
        let verifier = verifier(simulated, root: try TrustedRoots(pem: simulated.rootCertificate), as: .store)
        #expect(await verifier.directory(in: folder["app"], sleep: sleepUntilCancelled).lastPathComponent == "app")
    }

    @Test(arguments: [StoreEnvironment.production, .sandbox])
    func `while the app transaction is unavailable, only production data is verified`(_ environment: StoreEnvironment)
        async throws
    {
        let simulated = try await Shop.simulated(environment)
        var silent = InterceptedStore(simulated)
        silent.onAppTransaction = { () throws(StoreError) in
            throw StoreError(code: .unavailable, reason: "StoreKit could not verify the app transaction")
        }
        let root = try TrustedRoots(pem: simulated.rootCertificate)
        let verifier = verifier(silent, root: root, as: .both)
        let bought = try #require(try await simulated.purchase("map", quantity: 1).transaction)
        switch await verifier.verify(transaction: bought.signedData) {
        case .verified: #expect(environment == .production)
        case .undetermined: #expect(environment == .sandbox)
        case .rejected(let reasons): Issue.record("\(reasons)")
        }
    }

    @Test func `the verification of another app's signed data is undetermined`() async throws {
        let simulated = try await Shop.simulated(.sandbox)
        let bought = try #require(try await simulated.purchase("map", quantity: 1).transaction)
        let verifier = verifier(
            simulated, root: try TrustedRoots(pem: simulated.rootCertificate), as: .store, bundle: "com.example.other")
        guard case .undetermined = await verifier.verify(transaction: bought.signedData) else {
            Issue.record("verified, or rejected")
            return
        }
    }

    @Test func `a transaction is verified as soon as the store returns an app transaction`() async throws {
        let simulated = try await Shop.simulated(.sandbox)
        var intercepted = InterceptedStore(simulated)
        let answers = Recorder<Int>()
        intercepted.onAppTransaction = { () throws(StoreError) in
            answers.record(1)
            switch answers.values.count {
            case 1: throw StoreError(code: .network, reason: "no network")
            case 2: return nil
            case 3: return "damaged"
            default: return try await simulated.appTransaction()
            }
        }
        let verifier = verifier(intercepted, root: try TrustedRoots(pem: simulated.rootCertificate), as: .store)
        let bought = try #require(try await simulated.purchase("map", quantity: 1).transaction)
        for _ in 1...3 {
            guard case .undetermined = await verifier.verify(transaction: bought.signedData) else {
                Issue.record("decided without an app transaction")
                return
            }
        }
        guard case .verified = await verifier.verify(transaction: bought.signedData) else {
            Issue.record("not verified")
            return
        }
        // The environment is known from then on.
        _ = await verifier.verify(transaction: bought.signedData)
        #expect(answers.values.count == 4)
    }
}
