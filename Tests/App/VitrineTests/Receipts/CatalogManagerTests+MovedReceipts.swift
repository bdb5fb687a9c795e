import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// Entries that are proved by app receipts, exported and imported on other devices.
extension CatalogManagerTests {
    /// Creates a manager on another device of the customer, which imports the exported entries.
    private func makeOther(
        _ home: String = "other", store: (any Store)? = nil, hooks: AppHooks = AppHooks(),
        believing receipts: (any ReceiptVerifier)?
    ) async throws -> CatalogManager {
        let clock = voyager.clock
        return try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: store ?? voyager.store.launched,
            verifier: voyager.verifier(), home: Home(url: folder[home]),
            options: ManagerOptions(now: { clock.now }) {
                $0.purchases.hooks = hooks
                $0.purchases.receipts = receipts.map { ReceiptOptions(verifier: $0, readsAtLaunch: false) }
            })
    }

    @Test func `purchases from a receipt pass the ledger check and can be imported on another device`()
        async throws
    {
        for name in ["lisbon", "porto", "coins50"] { try await buyElsewhere(name) }
        voyager.clock.advance(by: 60)
        try await voyager.store.setOriginalPurchase(
            OriginalPurchase(version: "500", date: Date(timeIntervalSince1970: 1_556_668_800), platform: .iOS))
        var store = InterceptedStore(voyager.store)
        store.onAppTransaction = { () throws(StoreError) in nil }
        let manager = try await makeReader(store: store)
        await manager.loadProducts()
        await manager.stop()
        // A refund of which the queue does not hear.
        try await voyager.store.refund("2")
        voyager.clock.advance(by: 60)
        store.onUnfinished = { () throws(StoreError) in [] }
        let later = try await makeReader(store: store)
        await later.loadProducts()

        #expect(
            try await self.entries.map(\.fact.kind) == [
                .receipt, .purchase, .purchase, .appPurchase, .receipt, .revocation,
            ])
        let check = try await later.ledger.check()
        #expect(check.isGood, "\(check)")
        let document = try LedgerDocument(json: await later.ledger.export().json())
        // Another device, another version of the app, and after the receipt's end.
        let otherDevice = AppReceiptVerifier(
            roots: try TrustedRoots(pem: voyager.store.receiptRootCertificate),
            bundleIdentifier: VoyagerStore.bundleIdentifier, appVersion: "9", environment: .sandbox,
            deviceIdentifier: Data([1]))
        let other = try await makeOther(store: store, believing: otherDevice)
        #expect(try await other.ledger.importDocument(document) == 6)
        #expect(try await other.ledger.importDocument(document) == 0)
        #expect(other.ownership(of: .voyager("lisbon")).isOwned)
        #expect(!other.ownership(of: .voyager("porto")).isOwned)
        #expect(try await other.ledger.check().isGood)
    }

    struct Forgery: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Function that changes the exported entries: a receipt, a purchase, a revocation, and the original purchase
        /// of the app.
        let change: @Sendable (inout [LedgerEntry]) -> Void
    }

    private static func changing(
        _ name: String, _ kind: Fact.Kind, _ change: @escaping @Sendable (inout Fact) -> Void
    ) -> Forgery {
        Forgery(testDescription: name) { entries in
            entries = entries.map { entry in
                guard entry.fact.kind == kind else { return entry }
                var fact = entry.fact
                change(&fact)
                return LedgerEntry(sequence: entry.sequence, recordedAt: entry.recordedAt, fact: fact)
            }
        }
    }

    private static let forgeries = [
        changing("another product", .purchase) { fact in
            guard case .purchase(var purchase) = fact else { return }
            purchase.origin.productIdentifier = .voyager("everything")
            fact = .purchase(purchase)
        },
        changing("another transaction", .purchase) { fact in
            guard case .purchase(var purchase) = fact else { return }
            (purchase.origin.purchaseID, purchase.origin.transactionID) = ("77", "77")
            fact = .purchase(purchase)
        },
        changing("a later date", .purchase) { fact in
            guard case .purchase(var purchase) = fact else { return }
            purchase.origin.signedDate += 86_400
            fact = .purchase(purchase)
        },
        changing("another kind", .purchase) { fact in
            guard case .purchase(var purchase) = fact else { return }
            purchase.kind = .autoRenewableSubscription
            fact = .purchase(purchase)
        },
        changing("shared by a family", .purchase) { fact in
            guard case .purchase(var purchase) = fact else { return }
            purchase.isFamilyShared = true
            fact = .purchase(purchase)
        },
        changing("another purchase taken back", .revocation) { fact in
            guard case .revocation(var revocation) = fact else { return }
            revocation.origin.purchaseID = "1"
            fact = .revocation(revocation)
        },
        changing("a version that nobody said", .appPurchase) { fact in
            guard case .appPurchase(var purchase) = fact else { return }
            purchase.original.version = "1"
            fact = .appPurchase(purchase)
        },
        changing("another receipt under the digest", .receipt) { fact in
            guard case .receipt(var receipt) = fact else { return }
            receipt.signedData = Data("a receipt".utf8).base64EncodedString()
            fact = .receipt(receipt)
        },
        changing("a digest that is not the receipt's", .receipt) { fact in
            guard case .receipt(var receipt) = fact else { return }
            receipt.digest = (receipt.digest.first == "0" ? "1" : "0") + receipt.digest.dropFirst()
            fact = .receipt(receipt)
        },
        changing("a receipt of another date", .receipt) { fact in
            guard case .receipt(var receipt) = fact else { return }
            receipt.signedDate += 1
            fact = .receipt(receipt)
        },
        Forgery(testDescription: "no receipt") { $0.removeAll { $0.fact.kind == .receipt } },
    ]

    @Test(.withoutAdapter, arguments: forgeries)
    func `entries are not imported if the receipt that they refer to does not contain them`(_ forgery: Forgery)
        async throws
    {
        try await voyager.store.setOriginalPurchase(
            OriginalPurchase(version: "500", date: Date(timeIntervalSince1970: 1_556_668_800), platform: .iOS))
        for name in ["lisbon", "porto"] { try await buyElsewhere(name) }
        try await voyager.store.refund("2")
        var store = InterceptedStore(voyager.store)
        store.onAppTransaction = { () throws(StoreError) in nil }
        store.onUnfinished = { () throws(StoreError) in [] }
        let manager = try await makeReader(store: store)
        await manager.loadProducts()
        var document = try await manager.ledger.export()
        #expect(document.entries.map(\.fact.kind) == [.receipt, .purchase, .revocation, .appPurchase])
        forgery.change(&document.entries)

        let other = try await makeOther(store: store, believing: voyager.receiptVerifier())
        let error = await #expect(throws: LedgerImportError.self) { try await other.ledger.importDocument(document) }
        #expect(error?.code == .notTrusted)
        #expect(try await other.ledger.history().isEmpty)
    }

    @Test func `a receipt that needs approval is approved again before its entries are imported on another device`()
        async throws
    {
        try await buyElsewhere("lisbon")
        let manager = try await makeReader()
        await manager.loadProducts()
        let document = try await manager.ledger.export()
        for (reasons, isTrusted) in [([], true), ([RejectionReason(code: .app, reason: "no")], false)] {
            let verifier = Agreeing(base: try voyager.receiptVerifier(), reasons: reasons)
            let other = try await makeOther("other \(isTrusted)", believing: verifier)
            if isTrusted {
                #expect(try await other.ledger.importDocument(document) == 2)
            } else {
                await #expect(throws: LedgerImportError.self) { try await other.ledger.importDocument(document) }
                #expect(try await other.ledger.history().isEmpty)
            }
            #expect(try await other.ledger.check().isGood)
        }
    }

    @Test func `a ledger document above the size limit is not written`() async throws {
        try await buyElsewhere("lisbon")
        let manager = try await makeReader()
        await manager.loadProducts()
        let document = try await manager.ledger.export()
        let size = try document.json().count

        #expect(try document.json(limit: size).count == size)
        let error = #expect(throws: LedgerError.self) { try document.json(limit: size - 1) }
        #expect(error?.code == .tooLarge)
    }

    @Test
    func `entries from a receipt are imported only with a receipt verifier and without the app's verification hook`()
        async throws
    {
        try await buyElsewhere("lisbon")
        await (try await makeReader()).loadProducts()
        let manager = try await makeReader()
        let document = try await manager.ledger.export()
        let other = try await makeOther(believing: nil)

        await #expect(throws: LedgerImportError.self) { try await other.ledger.importDocument(document) }
        let judging = try await makeOther(
            "judging", hooks: AppHooks(verification: { _ in .verified }), believing: voyager.receiptVerifier())
        await #expect(throws: LedgerImportError.self) { try await judging.ledger.importDocument(document) }
    }
}

/// Verifier that rejects new receipts for the given reasons, and accepts recorded ones.
private struct Agreeing: ReceiptVerifier {
    let base: AppReceiptVerifier
    let reasons: [RejectionReason]

    func verify(receipt data: Data) async -> Verification<SignedAppReceipt> {
        reasons.isEmpty ? await base.verify(receipt: data) : .rejected(reasons)
    }

    func verify(stored data: Data) async -> Verification<SignedAppReceipt> { await base.verify(stored: data) }

    func verify(moved data: Data) async -> Verification<SignedAppReceipt> {
        reasons.isEmpty ? await base.verify(stored: data) : .rejected(reasons)
    }
}
