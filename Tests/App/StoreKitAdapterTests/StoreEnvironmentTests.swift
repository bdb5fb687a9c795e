import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@testable import VitrineStoreKitAdapter

/// Purchases in each store environment, for each way in which StoreKit answers a request for the app transaction.
@Suite(.hangLimit) struct StoreEnvironmentTests {
    /// Copy of the app: how it was built, and the name of its receipt file.
    enum Copy: String, CaseIterable, Sendable {
        case appStore = "from the App Store"
        case testFlight = "from TestFlight"
        case simulator = "from Xcode, in a simulator"

        var environment: StoreEnvironment {
            switch self {
            case .appStore: .production
            case .testFlight: .sandbox
            case .simulator: .xcode
            }
        }

        var directory: String {
            switch self {
            case .appStore: "app"
            case .testFlight: "Sandbox"
            case .simulator: "Xcode"
            }
        }
    }

    /// Answer of StoreKit to a request for the app transaction.
    enum Answer: String, CaseIterable, Sendable {
        case signed = "returned"
        case late = "returned after the purchase"
        case never = "never returned"
        case unverified = "not verified by StoreKit"
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let copy: Copy
        let answer: Answer

        var testDescription: String { "\(copy.rawValue); app transaction \(answer.rawValue)" }

        static let all = Copy.allCases.flatMap { copy in Answer.allCases.map { Case(copy: copy, answer: $0) } }
    }

    /// StoreKit of a copy of the app, with the requests for the app transaction.
    private struct Device {
        let folder: TemporaryFolder
        let simulated: SimulatedStore
        let requests = Recorder<Bool>()
        /// Opened once a late app transaction is there.
        let gate = Gate()
        let xcode: XcodeSigner
        var store: InterceptedStore

        init(_ environment: StoreEnvironment, answer: Answer) async throws {
            folder = try TemporaryFolder()
            let simulated = try await Shop.simulated(environment)
            self.simulated = simulated
            let adapted = try AdaptedStore(simulated)
            store = InterceptedStore(adapted)
            let xcode = try XcodeSigner(validity: .distantPast ... .distantFuture)
            self.xcode = xcode
            let (requests, gate) = (requests, gate)
            store.onAppTransaction = { () throws(StoreError) in
                requests.record(true)
                switch answer {
                case .signed: break
                case .late: await gate.pass()
                case .never: throw StoreError(code: .network, reason: "no network")
                case .unverified: throw StoreError(code: .unavailable, reason: "StoreKit could not verify it")
                }
                guard let token = try await adapted.appTransaction() else { return nil }
                return try signed(token)
            }
            // Xcode's store signs with one certificate, and the simulated one with a chain.
            @Sendable func signed(_ token: String) throws(StoreError) -> String {
                guard environment == .xcode else { return token }
                do {
                    return try xcode.sign(payloadOf: token)
                } catch {
                    throw StoreError(code: .unavailable, reason: "\(error)")
                }
            }
            store.onPurchase = { product, options throws(StoreError) in
                let answer = try await adapted.purchase(product, options: options)
                guard let bought = answer.transaction else { return answer }
                return .purchased(StoreTransaction(id: bought.id, signedData: try signed(bought.signedData)))
            }
            store.onUnfinished = { () throws(StoreError) in
                var unfinished: [StoreTransaction] = []
                for transaction in try await adapted.unfinishedTransactions() {
                    unfinished.append(
                        StoreTransaction(id: transaction.id, signedData: try signed(transaction.signedData)))
                }
                return unfinished
            }
        }

        /// Returns what a copy of the app finds on the device.
        func evidence(for copy: Copy) async throws -> EnvironmentEvidence {
            let receipt = folder["receipts/\(copy == .testFlight ? "sandboxReceipt" : "receipt")"]
            // There is no receipt before the first purchase in the sandbox.
            if copy == .appStore { try folder.write("a receipt", to: "receipts/receipt") }
            return await EnvironmentEvidence(
                of: copy == .simulator ? .debugInSimulator : .release, receipt: receipt, isNameTelling: true,
                bundleIdentifier: Shop.bundleIdentifier)
        }

        func verifier(for copy: Copy) async throws -> AppStoreVerifier {
            let evidence = try await evidence(for: copy)
            return AppStoreVerifier(
                store: store, bundleIdentifier: Shop.bundleIdentifier,
                roots: try TrustedRoots(pem: simulated.rootCertificate), evidence: { evidence })
        }

        /// Launches a copy of the app.
        ///
        /// - Returns: The manager, and the name of its storage directory.
        func launch(_ copy: Copy) async throws -> (CatalogManager, directory: String) {
            let verifier = try await verifier(for: copy)
            let directory = await verifier.directory(in: folder["app"], sleep: sleepUntilCancelled)
            var options = ManagerOptions()
            options.loading.schedule = .never
            let manager = try await CatalogManager(
                catalog: .catalog(Catalog(products: [CatalogProduct(identifier: "map", kind: .nonConsumable)])),
                store: store, verifier: verifier, home: Home(url: directory), options: options)
            await manager.loadProducts()
            return (manager, directory.lastPathComponent)
        }
    }

    @Test(arguments: Case.all)
    func `a purchase is delivered at once in the directory of its environment, and no app transaction is requested`(
        _ row: Case
    ) async throws {
        let device = try await Device(row.copy.environment, answer: row.answer)
        let (manager, directory) = try await device.launch(row.copy)
        #expect(directory == row.copy.directory)
        guard case .success = await manager.purchase("map") else {
            Issue.record("not delivered")
            return
        }
        #expect(manager.ownership(of: "map").isOwned)
        #expect(try await device.simulated.unfinishedTransactions().isEmpty)
        #expect(device.requests.values.isEmpty)
        await manager.stop()
        await device.gate.open()

        let (next, _) = try await device.launch(row.copy)
        #expect(next.ownership(of: "map").isOwned)
        await next.stop()
    }

    @Test(arguments: [StoreEnvironment.sandbox, .xcode], Answer.allCases)
    func `a copy from the App Store accepts no data of the sandbox or of Xcode`(
        _ environment: StoreEnvironment, answer: Answer
    ) async throws {
        let device = try await Device(environment, answer: answer)
        await device.gate.open()
        let (manager, directory) = try await device.launch(.appStore)
        #expect(directory == "app")
        guard case .pending(.verification) = await manager.purchase("map") else {
            Issue.record("not pending")
            return
        }
        #expect(!manager.ownership(of: "map").isOwned)
        #expect(try await device.simulated.unfinishedTransactions().count == 1)
        await manager.stop()
    }

    @Test func `production data that a production app transaction confirms is rejected if its signature is wrong`()
        async throws
    {
        let device = try await Device(.production, answer: .signed)
        let stranger = try await Shop.simulated(.production)
        let bought = try #require(try await stranger.purchase("map", quantity: 1).transaction)
        let verifier = try await device.verifier(for: .appStore)
        guard case .rejected(let reasons) = await verifier.verify(transaction: bought.signedData) else {
            Issue.record("not rejected")
            return
        }
        #expect(reasons.map(\.code) == [.certificateChain])
        #expect(device.requests.values.count == 1)
    }

    @Test func `a transaction that StoreKit rejects is not delivered in a debug build`() async throws {
        var device = try await Device(.xcode, answer: .signed)
        let buy = try #require(device.store.onPurchase)
        device.store.onPurchase = { product, options throws(StoreError) in
            let bought = try await buy(product, options).transaction
            return .purchased(
                StoreTransaction(
                    id: bought?.id ?? "", signedData: bought?.signedData ?? "",
                    rejection: RejectionReason(code: .signature, reason: "StoreKit rejects it")))
        }
        let (manager, _) = try await device.launch(.simulator)
        guard case .failed(let failure) = await manager.purchase("map") else {
            Issue.record("not failed")
            return
        }
        #expect(failure.code == .rejected)
        #expect(!manager.ownership(of: "map").isOwned)
        await manager.stop()
    }

    @Test func `an environment that the app passes is used without a request to the store`() async throws {
        let device = try await Device(.sandbox, answer: .signed)
        let verifier = try await device.verifier(for: .appStore)
        let directory = await verifier.directory(in: device.folder["app"], for: .sandbox, sleep: sleepUntilCancelled)
        #expect(directory.lastPathComponent == "Sandbox")
        let bought = try #require(try await device.store.purchase("map", quantity: 1).transaction)
        guard case .verified = await verifier.verify(transaction: bought.signedData) else {
            Issue.record("not verified")
            return
        }
        // Other data is rejected at once.
        let stranger = try await Shop.simulated(.production)
        let other = try #require(try await stranger.purchase("map", quantity: 1).transaction)
        guard case .rejected = await verifier.verify(transaction: other.signedData) else {
            Issue.record("not rejected")
            return
        }
        #expect(device.requests.values.isEmpty)
    }

    @Test func `an environment in which the app transaction contradicts the receipt is used from the next launch on`()
        async throws
    {
        let device = try await Device(.sandbox, answer: .signed)
        let (manager, _) = try await device.launch(.appStore)
        _ = await manager.purchase("map")
        await manager.stop()

        let (next, directory) = try await device.launch(.appStore)
        #expect(directory == "Sandbox")
        #expect(next.ownership(of: "map").isOwned)
        await next.stop()
    }

    // MARK: Evidence

    @Test(arguments: [nil, "receipt"] as [String?])
    func `a receipt that does not exist names no environment`(_ name: String?) async throws {
        let folder = try TemporaryFolder()
        let evidence = await EnvironmentEvidence(
            of: .release, receipt: name.map { folder[$0] }, isNameTelling: true,
            bundleIdentifier: Shop.bundleIdentifier)
        #expect((evidence.named, evidence.assumed) == (nil, .production))
    }

    @Test(arguments: [StoreEnvironment.production, .sandbox], [true, false])
    func `the verified content of the receipt names the environment, whatever the name of its file`(
        _ environment: StoreEnvironment, isNameTelling: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let simulated = try await Shop.simulated(environment)
        let receipt = try folder.write(try await simulated.refreshAppReceipt(ReceiptRequest()), to: "receipt")
        func named(_ roots: TrustedRoots, bundle: String = Shop.bundleIdentifier) async -> StoreEnvironment? {
            await EnvironmentEvidence(
                of: .release, receipt: receipt, isNameTelling: isNameTelling, bundleIdentifier: bundle, roots: roots
            ).named
        }
        let roots = try TrustedRoots(pem: simulated.receiptRootCertificate)
        #expect(await named(roots) == environment)
        let byName = isNameTelling ? StoreEnvironment.production : nil
        #expect(await named(.apple) == byName)
        #expect(await named(roots, bundle: "com.example.other") == byName)
    }

    @Test(
        arguments: [
            (.debug, .sandbox, true), (.debugInSimulator, .xcode, false), (.release, .production, false),
            (.simulatedStore, .production, true),
        ] as [(EnvironmentEvidence.Build, StoreEnvironment, Bool)])
    func `each kind of build assumes an environment, and only some ask the store at launch`(
        _ build: EnvironmentEvidence.Build, assumed: StoreEnvironment, asksStore: Bool
    ) async {
        let evidence = await EnvironmentEvidence(
            of: build, receipt: nil, isNameTelling: true, bundleIdentifier: Shop.bundleIdentifier)
        #expect((evidence.named, evidence.assumed, evidence.asksStore) == (nil, assumed, asksStore))
    }
}
