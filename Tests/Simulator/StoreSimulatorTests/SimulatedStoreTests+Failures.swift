import Foundation
import Testing
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Simulated failures.
extension SimulatedStoreTests {
    private func error(of name: String = "coins50") async throws -> StoreError? {
        await #expect(throws: StoreError.self) { try await store.purchase(.voyager(name), quantity: 1) }
    }

    @Test(
        arguments: [
            (SimulatedFailure.network, StoreError.Code.network, false), (.notAvailable, .productNotAvailable, true),
            (.notAllowed, .notAllowed, true), (.unknown, .unavailable, false),
        ]
    )
    func `a purchase with a simulated failure reports its error and creates no transaction`(
        failure: SimulatedFailure, code: StoreError.Code, isKnown: Bool
    )
        async throws
    {
        try await store.fail(failure)
        let error = try await error()

        #expect(error?.code == code)
        #expect(error?.isOutcomeKnown == isKnown)
        #expect(try await store.transactions().isEmpty)
    }

    @Test func `a canceled purchase creates no transaction`() async throws {
        try await store.fail(.cancelled, times: 1)

        #expect(try await store.purchase(.voyager("lisbon"), quantity: 1) == .cancelled)
        #expect(try await store.transactions().isEmpty)
        _ = try await buy("lisbon")
    }

    @Test func `a purchase is made even if the store's response is lost`() async throws {
        try await store.fail(.lostAnswer, times: 1)
        let error = try await error()

        #expect(error?.code == .network)
        #expect(error?.isOutcomeKnown == false)
        let unfinished = try await voyager.reopened().unfinishedTransactions()
        #expect(try await payload(unfinished[0]).productIdentifier == .voyager("coins50"))
        #expect(try await buy("coins50").id == unfinished[0].id)
    }

    @Test func `a purchase is submitted for approval even if the store's response is lost`() async throws {
        try await store.setAsksToBuy(true)
        try await store.fail(.lostAnswer, times: 1)
        _ = try await error()

        #expect(try await store.pendingPurchases().count == 1)
    }

    @Test func `a simulated failure occurs as many times as configured, across restarts`() async throws {
        try await store.fail(.network, times: 2)
        _ = try await error()
        let reopened = try voyager.reopened()
        await #expect(throws: StoreError.self) { try await reopened.purchase(.voyager("coins50"), quantity: 1) }

        _ = try await buy("coins50")
    }

    @Test func `a simulated failure without a count occurs until it is cleared`() async throws {
        try await store.fail(.unknown)
        for _ in 0..<3 { _ = try await error() }
        try await voyager.reopened().clearFailures()

        _ = try await buy("coins50")
    }

    @Test func `a new purchase failure replaces the earlier one, but does not replace failures of other calls`()
        async throws
    {
        try await store.fail(.unknown)
        try await store.fail(.products, times: 1)
        try await store.fail(.network, times: 1)

        #expect(try await error()?.code == .network)
        _ = try await buy("coins50")
        await #expect(throws: StoreError.self) { try await store.products(for: []) }
        #expect(try await store.products(for: [.voyager("lisbon")]).count == 1)
    }

    @Test func `buying an unknown product does not use up a simulated failure`() async throws {
        try await store.fail(.network, times: 1)

        #expect(try await error(of: "atlantis")?.code == .productNotAvailable)
        #expect(try await error()?.code == .network)
    }

    @Test(
        arguments: [
            SimulatedFailure.products, .restore, .unfinished, .finish, .subscriptionStatus, .appTransaction,
            .appReceipt, .refreshReceipt,
        ])
    func `a simulated failure of one call does not affect other calls`(failure: SimulatedFailure) async throws {
        let bought = try await buy("lisbon")
        let store = store
        let calls: [SimulatedFailure: @Sendable () async throws -> Void] = [
            .products: { _ = try await store.products(for: []) }, .restore: { _ = try await store.restore() },
            .unfinished: { _ = try await store.unfinishedTransactions() }, .finish: { try await store.finish(bought) },
            .subscriptionStatus: { _ = try await store.subscriptionStatuses(inGroup: "plus") },
            .appTransaction: { _ = try await store.appTransaction() },
            .appReceipt: { _ = try await store.appReceipt() },
            .refreshReceipt: { _ = try await store.refreshAppReceipt(ReceiptRequest()) },
        ]
        try await store.fail(failure, times: 1)

        for (name, call) in calls where name != failure { try await call() }
        let failing = try #require(calls[failure])
        let error = await #expect(throws: StoreError.self) { try await failing() }
        #expect(error?.code == .unavailable)
        try await failing()
    }

    // MARK: Verification

    private func reasons(_ transaction: StoreTransaction) async throws -> [RejectionReason.Code] {
        switch try await voyager.verifier().verify(transaction: transaction.signedData) {
        case .verified: []
        case .rejected(let reasons): reasons.map(\.code)
        case .undetermined(let reason): throw StoreError(code: .unavailable, reason: "\(reason)")
        }
    }

    @Test func `during a simulated verification failure purchases succeed, but transactions have invalid signatures`()
        async throws
    {
        try await store.fail(.verification)
        let updates = store.updates()
        let bought = try await buy("lisbon")
        try await store.purchaseElsewhere(.voyager("coins50"))
        let sent = try [bought, #require(await updates.first { _ in true })]
        let listed = try await store.unfinishedTransactions() + store.restore() + store.knownTransactions()

        #expect(sent.count + listed.count == 7)
        for transaction in sent + listed { #expect(try await reasons(transaction) == [.signature]) }
        #expect(TransactionPayload(unverified: bought.signedData)?.productIdentifier == .voyager("lisbon"))
        let reopened = try voyager.reopened()
        try await reopened.clearFailures()
        for transaction in try await reopened.unfinishedTransactions() {
            #expect(try await reasons(transaction).isEmpty)
        }
    }

    @Test func `a simulated verification failure is used up only by responses that contain transactions`() async throws
    {
        try await store.fail(.verification, times: 1)
        #expect(try await store.unfinishedTransactions().isEmpty)

        #expect(try await reasons(buy("lisbon")) == [.signature])
        #expect(try await reasons(store.unfinishedTransactions()[0]).isEmpty)
    }

    @Test func `a transaction that could not be finished remains unfinished`() async throws {
        let bought = try await buy("lisbon")
        try await store.fail(.finish)
        await #expect(throws: StoreError.self) { try await store.finish(bought) }

        #expect(try await store.unfinishedTransactions().count == 1)
    }

    @Test func `an offline store answers only from data on the device, also after a restart`() async throws {
        let bought = try await buy("lisbon")
        try await store.setOffline(true)
        let store = try voyager.reopened()
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await store.products(for: []) }, { _ = try await store.purchase(.voyager("rome"), quantity: 1) },
            { _ = try await store.restore() }, { _ = try await store.appTransaction() },
        ]
        for call in calls {
            let error = await #expect(throws: StoreError.self) { try await call() }
            #expect(error?.code == .network)
        }
        #expect(try await store.knownTransactions().map(\.id) == [bought.id])
        #expect(try await store.unfinishedTransactions().map(\.id) == [bought.id])
        try await store.finish(bought)
        #expect(try await store.unfinishedTransactions().isEmpty)

        try await store.setOffline(false)
        #expect(try await store.restore().count == 1)
        #expect(try await store.transactions().count == 1)
    }

    @Test func `simulated failures are not used up while the store is offline`() async throws {
        try await store.fail(.cancelled, times: 1)
        try await store.fail(.restore, times: 1)
        try await store.setOffline(true)
        #expect(try await error()?.code == .network)
        await #expect(throws: StoreError.self) { try await store.restore() }
        try await store.setOffline(false)

        #expect(try await store.purchase(.voyager("coins50"), quantity: 1) == .cancelled)
        let restoring = await #expect(throws: StoreError.self) { try await store.restore() }
        #expect(restoring?.code == .unavailable)
    }

    @Test func `a payment restriction is reported, and purchases are refused with its reason`() async throws {
        #expect(await store.paymentRestriction() == nil)
        try await store.setPaymentRestriction("a parent has forbidden purchases")
        #expect(await (try voyager.reopened()).paymentRestriction() == "a parent has forbidden purchases")
        let error = try await error()
        #expect(error == StoreError(code: .notAllowed, reason: "a parent has forbidden purchases"))

        try await store.setPaymentRestriction(nil)
        #expect(await store.paymentRestriction() == nil)
        _ = try await buy("coins50")
    }

    @Test(
        arguments: [
            ("com.example.voyager.coins50", "spring", StoreError.Code.invalidOffer),
            ("com.example.plus", "autumn", .invalidOffer), ("com.example.plus", "first", .invalidOffer),
            ("com.example.plus", "spring", .invalidOffer),
        ]
    )
    func `a promotional offer that the subscription does not have, or with an invalid signature, is refused`(
        product: String, offer: String, code: StoreError.Code
    ) async throws {
        let configuration = #"""
            {"version": {"major": 4, "minor": 0},
             "products": [{"productID": "com.example.voyager.coins50", "type": "Consumable", "displayPrice": "0.99"}],
             "subscriptionGroups": [{"name": "Plus", "subscriptions": [{
                "productID": "com.example.plus", "type": "RecurringSubscription", "displayPrice": "1.99",
                "recurringSubscriptionPeriod": "P1M",
                "introductoryOffer": {"offerID": "first", "paymentMode": "free", "subscriptionPeriod": "P1W"},
                "adHocOffers": [{"offerID": "spring", "paymentMode": "free", "subscriptionPeriod": "P1W"}]}]}]}
            """#
        try SimulatedStore.create(
            in: voyager.folder["Store"], configuration: Data(configuration.utf8),
            bundleIdentifier: VoyagerStore.bundleIdentifier)
        let signed = PromotionalOffer(offerID: offer, keyID: "key", nonce: UUID(), signature: Data(), timestamp: 0)
        let error = await #expect(throws: StoreError.self) {
            try await voyager.reopened().purchase(product, options: PurchaseOptions(promotionalOffer: signed))
        }
        #expect(error?.code == code)
    }
}
