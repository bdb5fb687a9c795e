import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineHostedContent
import VitrineNetworking
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@Suite(.hangLimit) struct ComingFromCargoBayTests {
    @Test(arguments: cases)
    func `the replacement of each symbol of the CargoBay library behaves as the migration article states`(
        _ row: ComingFromCase
    )
        async throws
    {
        try await row.exercise(ComingFromScene())
    }

    static let cases: [ComingFromCase] = products + verification + queue + addresses + statuses + errors

    private static let lisbon = String.voyager("lisbon")

    private static let products: [ComingFromCase] = [
        ComingFromCase("sharedManager") { scene in
            try await scene.store.purchaseElsewhere(lisbon)
            let manager = try await scene.loadedManager()
            #expect(manager.ownedProducts == [lisbon])
            #expect(try await scene.store.unfinishedTransactions().isEmpty)
        },
        ComingFromCase("productsWithIdentifiers:success:failure:") { scene in
            let (manager, call) = (try await scene.makeManager(), await CallListener())
            func fetch() {
                manager.catalog.fetchProducts([lisbon]) {
                    call.productsFetched($0.products, invalidIdentifiers: $0.invalidIdentifiers)
                } onFailure: {
                    call.productsFetchFailed($0)
                }
            }
            fetch()
            #expect(await call.next() == #"fetched ["lisbon"], not []"#)
            try await scene.store.fail(.products)
            fetch()
            #expect(await call.next() == "not fetched: unavailable")
        },
        ComingFromCase("productsWithRequest:success:failure:") { scene in
            let server = try await scene.server { .json(#"["\#(lisbon)", "\#(String.voyager("porto"))"]"#) }
            let manager = try await scene.makeManager(catalog: .remote(scene.remote(server)))
            #expect(await manager.loadProducts() == .productsLoaded)
            #expect(manager.products.map(\.id) == ["lisbon", "porto"].map(String.voyager))
            #expect(server.requests.count == 1)
        },
    ]

    private static let verification: [ComingFromCase] = [
        ComingFromCase("verifyTransaction:password:success:failure:") { scene in
            try await scene.buyElsewhere("lisbon")
            let signed = try #require(try await scene.store.restore().first).signedData
            #expect(try await scene.voyager.verifier().verify(transaction: signed).value != nil)
            let stranger = try VoyagerStore().verifier()
            #expect(await stranger.verify(transaction: signed).codes == [.certificateChain])
            let manager = try await scene.makeManager(verifier: stranger) { _ in }
            await manager.loadProducts()
            #expect(await scene.buy("porto", with: manager) == "rejected")
        },
        ComingFromCase("verifyTransactionReceipt:password:success:failure:") { _ in
            let receipt = try ComingFromScene.receipt(of: ["lisbon"])
            let verified = try await ComingFromScene.receiptVerifier().verify(receipt: receipt).value
            #expect(verified?.receipt.purchases.map(\.productIdentifier) == [lisbon])
            let servers = ReceiptServices(production: try await LoopbackServer(.receiptStatus(0)))
            #expect(await servers.service().reply(to: receipt).value?.status == 0)
        },
        ComingFromCase("verifyTransactionWithMethod:endpoint:receipt:password:success:failure:") { scene in
            let server = try await LoopbackServer(.json(#"{"verdict": "rejected"}"#))
            let hooks = AppHooks(
                server: ServerVerifier(
                    url: server.url, bundleIdentifier: VoyagerStore.bundleIdentifier,
                    transport: DefaultTransport.patient))
            let manager = try await scene.makeManager { $0.purchases.hooks = hooks }
            await manager.loadProducts()
            #expect(await scene.buy("lisbon", with: manager) == "rejected")
            #expect(server.requests.count == 1)
            let services = ReceiptServices(production: try await LoopbackServer(.receiptStatus(0)))
            #expect(await services.service().reply(to: Data("receipt".utf8)).value != nil)
            #expect(services.asked == [1, 0])
        },
    ]

    private static let queue: [ComingFromCase] = [
        ComingFromCase("setPaymentQueueUpdatedTransactionsBlock:") { scene in
            let manager = try await scene.loadedManager()
            let observed = try await scene.observed(by: manager) { _ = await scene.buy("lisbon", with: manager) }
            #expect(Array(observed.events.names.prefix(3)) == ["received", "verified", "recorded"])
            #expect(
                observed.notifications(.vitrineTransactionDidUpdate).map(\.products)
                    == Array(repeating: ["lisbon"], count: 3))
        },
        ComingFromCase("setPaymentQueueRemovedTransactionsBlock:") { scene in
            let manager = try await scene.loadedManager()
            let observed = try await scene.observed(by: manager) { _ = await scene.buy("lisbon", with: manager) }
            #expect(observed.events.names.filter { $0 == "finished" }.count == 1)
            #expect(observed.notifications(.vitrineTransactionDidFinish).map(\.products) == [["lisbon"]])
            #expect(try await scene.store.unfinishedTransactions().isEmpty)
        },
        ComingFromCase("setPaymentQueueRestoreCompletedTransactionsWithSuccess:failure:") { scene in
            try await scene.buyElsewhere("lisbon")
            let (manager, call) = (try await scene.loadedManager(store: scene.voyager.unlisted), await CallListener())
            func restore() {
                manager.restore(onSuccess: { call.restoreSucceeded($0) }, onFailure: { call.restoreFailed($0) })
            }
            let events = try await scene.events(of: manager) {
                restore()
                #expect(await call.next() == #"restore: ["lisbon"], had []"#)
                try await scene.store.fail(.restore)
                restore()
                #expect(await call.next() == "not restored: unavailable")
            }
            #expect(events.restores.map(\.restored) == [[lisbon]])
            #expect(events.restoreFailures == [.unavailable])
        },
        ComingFromCase("setPaymentQueueUpdatedDownloadsBlock:") { scene in
            let manager = try await scene.loadedManager()
            let observed = try await scene.observed(by: manager) { _ = await scene.buy("rome", with: manager) }
            #expect(observed.events.downloads.map(\.state).last == .finished)
            let heard = observed.notifications(.vitrineContentDidChange)
            #expect(heard.count > observed.events.downloads.count)
            #expect(heard.allSatisfy { $0.products == ["rome"] })
        },
    ]

    private static let addresses: [ComingFromCase] = [
        ComingFromCase("kCargoBaySandboxReceiptVerificationURLString") { _ in
            try await expectAddress("https://sandbox.itunes.apple.com/verifyReceipt", of: .sandbox)
            let (production, sandbox) = (try await LoopbackServer(.silence), try await LoopbackServer(.sandbox(0)))
            let services = ReceiptServices(production: production, sandbox: sandbox)
            #expect(await services.service([.sandbox]).reply(to: receipt).value?.environment == .sandbox)
            #expect(services.asked == [0, 1])
        },
        ComingFromCase("kCargoBayProductionReceiptVerificationURLString") { _ in
            try await expectAddress("https://buy.itunes.apple.com/verifyReceipt", of: .production)
            let answer = try await reply(.receiptStatus(0))
            #expect(answer.reply.value?.environment == .production)
            #expect(answer.asked == [1, 0])
        },
    ]

    private static let statuses: [ComingFromCase] = [
        ComingFromCase("CargoBayStatusOK") { _ in
            let answer = try await reply(.receiptStatus(0))
            #expect(answer.reply.value?.status == 0)
        },
        ComingFromCase("CargoBayStatusCannotParseJSON") { _ in
            let answer = try await reply(.receiptStatus(21000))
            #expect(answer.reply.reason?.contains("21000") == true)
        },
        ComingFromCase("CargoBayStatusMalformedReceiptData") { _ in
            let answer = try await reply(.receiptStatus(21002))
            #expect(answer.reply.reason?.contains("21002") == true)
            let verifier = try ComingFromScene.receiptVerifier()
            #expect(await verifier.verify(receipt: receipt).codes == [.malformed])
        },
        ComingFromCase("CargoBayStatusCannotAuthenticateReceiptData") { _ in
            let answer = try await reply(.receiptStatus(21003))
            #expect(answer.reply.codes == [.signature])
            var receipt = try ComingFromScene.receipt(of: [])
            receipt[receipt.endIndex - 1] ^= 1
            #expect(try await ComingFromScene.receiptVerifier().verify(receipt: receipt).codes == [.signature])
        },
        ComingFromCase("CargoBayStatusSharedSecretDoesNotMatch") { _ in
            let answer = try await reply(.receiptStatus(21004))
            #expect(answer.reply.reason?.contains("21004") == true)
        },
        ComingFromCase("CargoBayStatusReceiptServerUnavailable") { _ in
            let server = try await LoopbackServer(.receiptStatus(21005), .receiptStatus(0))
            let service = ReceiptServices(production: server).service()
            #expect(await service.reply(to: receipt).reason?.contains("21005") == true)
            #expect(await service.reply(to: receipt).value?.status == 0)
            #expect(server.requests.count == 2)
        },
        ComingFromCase("CargoBayStatusReceiptValidButSubscriptionExpired") { _ in
            let answer = try await reply(.receiptStatus(21006))
            #expect(answer.reply.value?.status == 21006)
        },
        ComingFromCase("CargoBayStatusSandboxReceiptSentToProduction") { _ in
            let accepted = try await reply(.receiptStatus(21007), .sandbox(0), [.production, .sandbox])
            #expect(accepted.reply.value?.environment == .sandbox)
            #expect(accepted.asked == [1, 1])
            let refused = try await reply(.receiptStatus(21007), .sandbox(0))
            #expect(refused.reply.codes == [.environment])
            #expect(refused.asked == [1, 0])
        },
        ComingFromCase("CargoBayStatusProductionReceiptSentToSandbox") { _ in
            let refused = try await reply(.receiptStatus(0), .sandbox(21008), [.sandbox])
            #expect(refused.reply.codes == [.environment])
            #expect(refused.asked == [0, 1])
            // Where both are accepted production is asked first, and the sandbox not at all.
            let accepted = try await reply(.receiptStatus(0), .sandbox(21008), [.production, .sandbox])
            #expect(accepted.reply.value?.environment == .production)
            #expect(accepted.asked == [1, 0])
        },
    ]

    private static let errors: [ComingFromCase] = [
        ComingFromCase("CargoBayErrorPurchaseInfoDoesNotMatchReceipt") { _ in
            let answer = try await reply(
                .json(
                    #"""
                    {"status": 0, "receipt": {"bundle_id": "com.example.app", "in_app": [{"quantity": "2",
                     "product_id": "com.example.app.coins", "transaction_id": "7"}]}}
                    """#))
            var payload = TransactionPayload.sample()
            #expect(answer.reply.value?.purchase(for: payload)?.quantity == 2)
            payload.productIdentifier = "com.example.app.gold"
            #expect(answer.reply.value != nil && answer.reply.value?.purchase(for: payload) == nil)
        },
        ComingFromCase("CargoBayErrorCannotExtractPurchaseInfoFromTransactionReceipt") { _ in
            let identity = try SigningIdentity(commonName: "Test Store", around: .sample)
            let verifier = SignedDataVerifier(
                roots: try TrustedRoots(pem: identity.rootPEM), bundleIdentifier: "com.example.app",
                environment: .sandbox)
            #expect(await verifier.verify(transaction: "no token").codes == [.malformed])
            let token = try identity.sign(payload: Data(#"{"product": "coins"}"#.utf8))
            #expect(await verifier.verify(transaction: token).codes == [.payload])
        },
        ComingFromCase("CargoBayErrorTransactionNotValid") { scene in
            try await scene.buyElsewhere("lisbon")
            let signed = try #require(try await scene.store.restore().first).signedData
            let verifier = SignedDataVerifier(
                roots: try TrustedRoots(pem: scene.store.rootCertificate), bundleIdentifier: "com.example.other",
                environment: .production)
            #expect(await verifier.verify(transaction: signed).codes == [.bundleIdentifier, .environment])
        },
    ]

    private static let receipt = Data("receipt".utf8)

    /// Returns the result of `verifyReceipt`, and the numbers of requests to production and to the sandbox.
    private static func reply(
        _ production: LoopbackServer.Answer, _ sandbox: LoopbackServer.Answer = .silence,
        _ environments: Set<StoreEnvironment> = [.production]
    ) async throws -> (reply: Verification<VerifyReceiptReply>, asked: [Int]) {
        let services = ReceiptServices(
            production: try await LoopbackServer(production), sandbox: try await LoopbackServer(sandbox))
        return (await services.service(environments).reply(to: receipt), services.asked)
    }

    /// Expects that only the default address of an environment is used.
    private static func expectAddress(_ address: String, of environment: StoreEnvironment) async throws {
        let transport = DeafTransport()
        let service = VerifyReceiptService(
            bundleIdentifier: "com.example.app", environments: [environment], transport: transport)
        #expect(await service.reply(to: receipt).reason != nil)
        #expect(transport.asked == [address])
    }
}

extension LoopbackServer.Answer {
    fileprivate static func sandbox(_ status: Int) -> Self { .receiptStatus(status, environment: "Sandbox") }
}
