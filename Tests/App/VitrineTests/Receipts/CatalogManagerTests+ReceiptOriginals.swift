import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// Original purchase of the app according to its receipt.
extension CatalogManagerTests {
    private func store(
        appTransaction: String?, original: OriginalPurchase?
    ) async throws -> InterceptedStore {
        if let original { try await voyager.store.setOriginalPurchase(original) }
        let receipt = try await voyager.store.refreshAppReceipt(ReceiptRequest())
        var store = InterceptedStore(voyager.store)
        store.onAppTransaction = { () throws(StoreError) in appTransaction }
        store.onAppReceipt = { () throws(StoreError) in receipt }
        return store
    }

    private func first(_ version: String) -> OriginalPurchase {
        OriginalPurchase(version: version, date: Date(timeIntervalSince1970: 1_556_668_800), platform: .iOS)
    }

    @Test func `without an app transaction, the original version of the app is read from the receipt`() async throws {
        let manager = try await makeReader(store: store(appTransaction: nil, original: first("150"))) {
            $0.purchases.sandboxOriginalVersion = .asSigned
        }
        let events = try await events(of: manager) { await manager.loadProducts() }

        #expect(manager.purchases.originalPurchasedVersion == "150")
        #expect(events.contains { if case .entitlements(.originalPurchaseKnown) = $0 { true } else { false } })
        #expect(try await self.entries.map(\.fact.kind) == [.receipt, .appPurchase])
    }

    @Test(arguments: ["the store fails", "it cannot be trusted"])
    func `a receipt does not state the app's original version while the app transaction is unavailable or invalid`(
        _ failure: String
    )
        async throws
    {
        var store = try await store(appTransaction: "a.b.c", original: first("150"))
        if failure == "the store fails" {
            store.onAppTransaction = { () throws(StoreError) in
                throw StoreError(code: .network, reason: "no network")
            }
        }
        let manager = try await makeReader(store: store)
        let events = try await events(of: manager) { await manager.loadProducts() }
        #expect(events.contains { if case .entitlements(.appTransactionFailed) = $0 { true } else { false } })
        #expect(manager.purchases.originalPurchasedVersion == nil)
        #expect(try await self.entries.isEmpty)

        let next = try await makeReader(store: self.store(appTransaction: nil, original: first("150")))
        await next.loadProducts()
        #expect(next.purchases.originalPurchasedVersion == "150")
    }

    @Test func `a later receipt that states the same original version of the app is not recorded`() async throws {
        for _ in 1...3 {
            voyager.clock.advance(by: 60)
            let store = try await store(appTransaction: nil, original: first("150"))
            await (try await makeReader(store: store)).loadProducts()
        }

        #expect(try await self.entries.map(\.fact.kind) == [.receipt, .appPurchase])
    }

    @Test func `an app transaction has precedence over receipts recorded before and after it`() async throws {
        try await voyager.store.setOriginalPurchase(first("500"))
        let signed = try #require(try await voyager.store.appTransaction())
        for appTransaction in [nil, signed, nil] {
            voyager.clock.advance(by: 60)
            let store = try await store(appTransaction: appTransaction, original: first("150"))
            let manager = try await makeReader(store: store)
            await manager.loadProducts()
        }

        let manager = try await makeReader()
        #expect(manager.purchases.originalPurchasedVersion == "500")
        #expect(try await self.entries.map(\.fact.kind) == [.receipt, .appPurchase, .appPurchase])
    }

    @Test(
        arguments: [
            (SandboxOriginalVersion.unknown, nil), (.override("150"), "150"), (.asSigned, "1.0"),
        ] as [(SandboxOriginalVersion, String?)])
    func `the option sandboxOriginalVersion applies to the original version in a receipt too`(
        choice: SandboxOriginalVersion, version: String?
    ) async throws {
        let manager = try await makeReader(store: store(appTransaction: nil, original: first("1.0"))) {
            $0.purchases.sandboxOriginalVersion = choice
        }
        await manager.loadProducts()

        #expect(manager.purchases.originalPurchasedVersion == version)
        #expect(try await manager.ledger.check().isGood)
    }
}
