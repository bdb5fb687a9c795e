import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// The app receipts that the store issues.
extension SimulatedStoreTests {
    private func verified(_ data: Data?) async throws -> AppReceipt {
        let receipt = try #require(data)
        switch try await voyager.receiptVerifier().verify(receipt: receipt) {
        case .verified(let signed): return signed.receipt
        case .rejected(let reasons): throw StoreError(code: .unavailable, reason: "\(reasons)")
        case .undetermined(let reason): throw StoreError(code: .unavailable, reason: reason)
        }
    }

    private func codes(of data: Data) async throws -> [RejectionReason.Code] {
        guard case .rejected(let reasons) = try await voyager.receiptVerifier().verify(receipt: data) else { return [] }
        return reasons.map(\.code)
    }

    @Test(arguments: ["a purchase", "a refresh", "an approval", "a lost answer"])
    func `a purchase, approval or refresh writes an app receipt to the device`(_ occasion: String) async throws {
        #expect(try await store.appReceipt() == nil)
        switch occasion {
        case "a purchase": _ = try await buy("lisbon")
        case "a refresh": _ = try await store.refreshAppReceipt(ReceiptRequest())
        case "an approval":
            try await store.setAsksToBuy(true)
            _ = try await store.purchase(.voyager("lisbon"), quantity: 1)
            #expect(try await store.appReceipt() == nil)
            try await store.approve("1")
        default:
            try await store.fail(.lostAnswer, times: 1)
            _ = try? await store.purchase(.voyager("lisbon"), quantity: 1)
        }

        let count = try await store.transactions().count
        #expect(try await verified(store.appReceipt()).purchases.count == count)
        #expect(try await verified(voyager.reopened().appReceipt()).purchases.count == count)
        try await store.removeAppReceipt()
        #expect(try await voyager.reopened().appReceipt() == nil)
    }

    @Test func `an app receipt contains the owned, unfinished and refunded purchases`() async throws {
        try await store.setOriginalPurchase(
            OriginalPurchase(version: "150", date: Date(timeIntervalSince1970: 1_556_668_800), platform: .iOS))
        for transaction in [try await buy("lisbon"), try await buy("coins50", quantity: 3), try await buy("porto")] {
            if transaction.id != "1" { try await store.finish(transaction) }
        }
        _ = try await buy("coins500")
        voyager.clock.advance(by: 0.25)
        try await store.refund("3")

        let receipt = try await verified(store.appReceipt())
        #expect(receipt.type == .sandbox)
        #expect(receipt.bundleIdentifier == VoyagerStore.bundleIdentifier)
        #expect(receipt.originalApplicationVersion == "150")
        #expect(receipt.originalPurchaseDate == Date(timeIntervalSince1970: 1_556_668_800))
        #expect(receipt.creationDate == Date(timeIntervalSince1970: 1_790_000_000))
        #expect(receipt.expirationDate == nil)
        // They are a set: their order says nothing.
        let purchases = receipt.purchases.sorted { $0.transactionID < $1.transactionID }
        #expect(purchases.map(\.transactionID) == ["1", "3", "4"])
        #expect(purchases.map(\.originalTransactionID) == ["1", "3", "4"])
        #expect(
            purchases.map(\.productIdentifier) == ["lisbon", "porto", "coins500"].map(String.voyager))
        #expect(purchases.map(\.productType) == [.nonConsumable, .nonConsumable, .consumable])
        #expect(purchases.map { $0.cancellationDate != nil } == [false, true, false])
    }

    @Test func `the app receipt on the device does not change until the store issues a new one`() async throws {
        let bought = try await buy("coins50")
        let first = try #require(try await store.appReceipt())
        voyager.clock.advance(by: 60)
        try await store.finish(bought)
        #expect(try await store.appReceipt() == first)
        #expect(try await voyager.reopened().appReceipt() == first)

        _ = try await buy("lisbon")
        let second = try #require(try await store.appReceipt())
        #expect(try await verified(second).creationDate == voyager.clock.now)
        #expect(try await verified(second).purchases.map(\.transactionID) == ["2"])
        voyager.clock.advance(by: 60)
        try await store.refund("2")
        let third = try #require(try await store.appReceipt())
        #expect(try await verified(third).purchases.map { $0.cancellationDate != nil } == [true])
        voyager.clock.advance(by: 60)
        try await store.reverseRefund("2")
        #expect(try await store.appReceipt() == third)
        let fourth = try await store.refreshAppReceipt(ReceiptRequest())
        #expect(try await store.appReceipt() == fourth)
        #expect(try await verified(fourth).purchases.map { $0.cancellationDate != nil } == [false])

        try await store.removeAppReceipt()
        try await store.refund("2")
        #expect(try await store.appReceipt() == nil)
    }

    @Test func `an app receipt has no original version and purchase date if they are unknown`() async throws {
        let receipt = try await verified(store.refreshAppReceipt(ReceiptRequest()))

        #expect(receipt.originalApplicationVersion == nil)
        #expect(receipt.originalPurchaseDate == nil)
    }

    @Test(
        arguments: [
            (ReceiptRequest(isExpired: true), [RejectionReason.Code.expired]),
            (ReceiptRequest(isRevoked: true), [.expired]),
            (ReceiptRequest(isVolumePurchase: true), []),
            (ReceiptRequest(isExpired: true, isRevoked: true, isVolumePurchase: true), [.expired]),
        ]
    )
    func `an app receipt is expired, revoked or a volume purchase as requested, until the next purchase`(
        request: ReceiptRequest, codes: [RejectionReason.Code]
    ) async throws {
        for receipt in [
            try await store.refreshAppReceipt(request), try #require(try await voyager.reopened().appReceipt()),
        ] {
            #expect(try await self.codes(of: receipt) == codes)
        }
        if codes.isEmpty { #expect(try await verified(store.appReceipt()).type == .sandboxVolumePurchase) }
        _ = try await buy("lisbon")
        #expect(try await verified(store.appReceipt()).type == .sandbox)
    }

    @Test func `an app receipt is valid only on the device and under the root certificate that it was issued for`()
        async throws
    {
        let receipt = try await store.refreshAppReceipt(ReceiptRequest())
        let stranger = try VoyagerStore(seed: 1, receiptIdentity: nil)

        guard case .rejected(let reasons) = try await stranger.receiptVerifier().verify(receipt: receipt) else {
            Issue.record("a stranger trusts it")
            return
        }
        #expect(Set(reasons.map(\.code)).isSuperset(of: [.certificateChain, .device]))
        #expect(store.deviceIdentifier.count == 16)
        #expect(try store.receiptRootCertificate == voyager.reopened().receiptRootCertificate)
        #expect(try store.receiptRootCertificate != store.rootCertificate)
    }

    @Test func `a simulated damaged receipt is rejected, and the next receipt is valid`() async throws {
        _ = try await buy("lisbon")
        try await store.fail(.damagedReceipt, times: 1)

        #expect(try await codes(of: #require(try await store.appReceipt())) == [.signature])
        #expect(try await verified(store.appReceipt()).purchases.count == 1)
    }

    @Test func `an offline device has its stored app receipt, but cannot refresh it`() async throws {
        _ = try await buy("lisbon")
        try await store.setOffline(true)

        #expect(try await verified(store.appReceipt()).purchases.count == 1)
        let error = await #expect(throws: StoreError.self) { try await store.refreshAppReceipt(ReceiptRequest()) }
        #expect(error?.code == .network)
    }

    // MARK: Seeds

    /// Makes purchases and refunds, and returns the store's responses without the random parts of signatures.
    private func sayings(of voyager: VoyagerStore) async throws -> [Data] {
        let store = voyager.store
        try await store.setOriginalPurchase(
            OriginalPurchase(version: "150", date: Date(timeIntervalSince1970: 1_556_668_800), platform: .iOS))
        for name in ["lisbon", "coins50"] { _ = try await store.purchase(.voyager(name), quantity: 1) }
        voyager.clock.advance(by: 60)
        let first = try #require(try await store.transactions().first)
        try await store.refund(first.id)
        let signed =
            try await store.unfinishedTransactions().map(\.signedData)
            + [try #require(try await store.appTransaction())]
        let payloads = signed.map { Data($0.split(separator: ".")[1].utf8) }
        guard
            case .verified(let receipt) = try await voyager.receiptVerifier().verify(
                receipt: store.refreshAppReceipt(ReceiptRequest(isVolumePurchase: true)))
        else { throw StoreError(code: .unavailable, reason: "not verified") }
        return payloads + receipt.receipt.attributes.map(\.value) + [store.deviceIdentifier]
    }

    @Test(arguments: [0, 42, UInt64.max])
    func `stores with the same seed and clock sign byte-identical payloads and receipts`(seed: UInt64) async throws {
        let first = try await sayings(of: VoyagerStore(seed: seed))

        #expect(try await sayings(of: VoyagerStore(seed: seed)) == first)
        #expect(first.count > 10)
    }

    @Test func `the seed of a store determines its transaction numbers and its device identifier`() async throws {
        var (numbers, devices): (Set<String>, Set<Data>) = ([], [])
        for seed in [0, 1, 2, 1_000_000_000, .max] as [UInt64] {
            let other = try VoyagerStore(seed: seed)
            _ = try await other.store.purchase(.voyager("lisbon"), quantity: 1)
            numbers.formUnion(try await other.store.transactions().map(\.id))
            devices.insert(other.store.deviceIdentifier)
        }

        #expect(numbers == ["1", "1000001", "2000001", "709551615000001"])
        #expect(devices.count == 5)
    }
}
