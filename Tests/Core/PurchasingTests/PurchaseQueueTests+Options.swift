import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

extension PurchaseQueueTests {
    @Test func `purchase options are passed to the store unchanged`() async throws {
        let asked = Recorder<PurchaseOptions>()
        var store = InterceptedStore(voyager.store)
        store.onPurchase = { _, options throws(StoreError) in
            asked.record(options)
            return .cancelled
        }
        let options = PurchaseOptions(
            quantity: 3, accountToken: UUID(uuidString: "6F9C0A0E-5B1C-4A5E-9B4C-0D1E2F3A4B5C"),
            promotionalOffer: PromotionalOffer(
                offerID: "loyal", keyID: "K1",
                nonce: try #require(UUID(uuidString: "0A1B2C3D-4E5F-6071-8293-A4B5C6D7E8F9")),
                signature: Data([1, 2, 3]), timestamp: 1_790_000_000_000),
            winBackOffer: "again", introductoryOfferEligibility: "a.b.c")

        #expect(try await makeQueue(store: store).purchase(.voyager("coins50"), options: options).word == "cancelled")
        #expect(asked.values == [options])
    }

    @Test func `the account token of a purchase is signed by the store and recorded`() async throws {
        let account = try #require(UUID(uuidString: "6F9C0A0E-5B1C-4A5E-9B4C-0D1E2F3A4B5C"))
        let answer = try await makeQueue().purchase(
            .voyager("lisbon"), options: PurchaseOptions(accountToken: account))

        guard case .success(let signed, _) = answer,
            case .purchase(let purchase)? = await ledger.entries(after: 0).first?.fact
        else {
            Issue.record("\(answer)")
            return
        }
        #expect(signed.payload.appAccountToken == account)
        #expect(purchase.accountToken == account)
    }

    @Test func `restoring for one account skips purchases of other accounts`() async throws {
        let mine = try #require(UUID(uuidString: "6F9C0A0E-5B1C-4A5E-9B4C-0D1E2F3A4B5C"))
        let other = try #require(UUID(uuidString: "0A1B2C3D-4E5F-6071-8293-A4B5C6D7E8F9"))
        for (name, account) in [("lisbon", mine), ("porto", other), ("madrid", nil)] {
            _ = try await makeQueue().purchase(.voyager(name), options: PurchaseOptions(accountToken: account))
        }
        let newDevice = MemoryLedger()
        let queue = try makeQueue(ledger: newDevice)
        let result = try await queue.restore(accountToken: mine)

        #expect(result.restored == ["lisbon", "madrid"].map(String.voyager))
        #expect(result.otherAccounts == [.voyager("porto")])
        #expect(await newDevice.entries(after: 0).count == 2)
        #expect(try await queue.restore().restored == [.voyager("porto")])
    }

    @Test func `a purchase with a quantity is one transaction, and credits the product value times the quantity`()
        async throws
    {
        #expect(try await makeQueue().purchase(.voyager("coins50"), quantity: 10).word == "success, charged")
        #expect(try await voyager.store.transactions().map(\.quantity) == [10])
        #expect(await balance() == 500)
    }

    // MARK: What is refused

    @Test func `a purchase is not sent to the store if payments are not allowed`() async throws {
        try await voyager.store.setPaymentRestriction("this is a child's device")
        let asked = Recorder<String>()
        var store = InterceptedStore(voyager.store)
        store.onPurchase = { identifier, _ throws(StoreError) in
            asked.record(identifier)
            return .cancelled
        }
        let answer = try await makeQueue(store: store).purchase(.voyager("coins50"), quantity: 1)

        guard case .failed(let failure) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(
            failure
                == PurchaseFailure(code: .notAllowed, reason: "payments are not allowed: this is a child's device"))
        #expect(asked.values.isEmpty)
    }

    @Test(
        arguments: [
            (.productNotAvailable, "failed: not-available"), (.invalidQuantity, "failed: invalid-quantity"),
            (.notAllowed, "failed: not-allowed"), (.invalidOffer, "failed: invalid-offer"),
            (.network, "unknown: no"), (.storage, "unknown: no"), (.unavailable, "unknown: no"),
        ] as [(StoreError.Code, String)]
    )
    func `a purchase with a store error is failed, or has an unknown outcome if it may have been charged`(
        code: StoreError.Code, word: String
    )
        async throws
    {
        var store = InterceptedStore(voyager.store)
        store.onPurchase = { _, _ throws(StoreError) in throw StoreError(code: code, reason: "no") }
        let queue = try makeQueue(store: store)

        #expect(await queue.purchase(.voyager("coins50"), quantity: 1).word == word)
        #expect(StoreError(code: code, reason: "no").isOutcomeKnown == word.hasPrefix("failed"))
    }

    @Test(
        arguments: [
            (.network, "failed: network"), (.storage, "failed: storage"), (.unavailable, "failed: store"),
        ] as [(StoreError.Code, String)]
    )
    func `no purchase is requested if the store's unfinished transactions cannot be read`(
        code: StoreError.Code, word: String
    ) async throws {
        let asked = Recorder<String>()
        var store = InterceptedStore(voyager.store)
        store.onUnfinished = { () throws(StoreError) in throw StoreError(code: code, reason: "no") }
        store.onPurchase = { identifier, _ throws(StoreError) in
            asked.record(identifier)
            return .cancelled
        }

        #expect(try await makeQueue(store: store).purchase(.voyager("coins50"), quantity: 1).word == word)
        #expect(asked.values.isEmpty)
    }

    @Test func `no purchase is requested if the ledger cannot be read`() async throws {
        let failing = FlakyLedger(ledger)
        failing.begin(callsBeforeFailure: 0)

        #expect(
            try await makeQueue(ledger: failing).purchase(.voyager("coins50"), quantity: 1).word == "failed: ledger")
        #expect(try await voyager.store.transactions().isEmpty)
    }

    @Test func `a purchase fails if the store returns another product, and that product is delivered`()
        async throws
    {
        let base = voyager.store
        var store = InterceptedStore(base)
        store.onPurchase = { _, options async throws(StoreError) in
            try await base.purchase(.voyager("coins50"), options: options)
        }

        #expect(
            try await makeQueue(store: store).purchase(.voyager("coins500"), quantity: 1).word
                == "failed: other-product")
        #expect(await balance() == 50)
        #expect(try await unfinished.isEmpty)
    }
}
