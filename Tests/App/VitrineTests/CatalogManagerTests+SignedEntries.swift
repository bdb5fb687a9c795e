import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// The store's signed data in the entries of a ledger.
extension CatalogManagerTests {
    private static let lisbon = String.voyager("lisbon")

    private func notTrusted(_ events: [CatalogEvent]) -> [Int64] {
        events.compactMap { if case .ledger(.notTrusted(let entry)) = $0 { entry.sequence } else { nil } }
    }

    @Test func `a ledger with signatures of another store is reported as untrusted, and its products remain owned`()
        async throws
    {
        let first = try await makeManager()
        await first.loadProducts()
        for name in ["coins50", "lisbon"] { #expect(await buy(name, with: first) == "charged") }
        await first.stop()
        let other = try VoyagerStore()
        let second = try await makeManager(store: other.store, verifier: try other.verifier()) { _ in }
        let events = try await events(of: second) {
            await second.loadProducts()
            await second.loadProducts()
        }

        #expect(notTrusted(events) == [3])
        #expect(second.ownedProducts == [Self.lisbon])
        #expect(try await second.ledger.check().untrusted.map(\.sequence) == [1, 3])
    }

    @Test(arguments: [true, false])
    func `a ledger is not reported as untrusted if its signatures are valid or cannot be verified now`(
        isTold: Bool
    ) async throws {
        struct Undecided: TransactionVerifier {
            func verify(transaction: String) -> Verification<SignedTransaction> { .undetermined("offline") }
            func verify(appTransaction: String) -> Verification<SignedAppTransaction> { .undetermined("offline") }
            func verify(renewal: String) -> Verification<SignedRenewal> { .undetermined("offline") }
        }
        let first = try await makeManager()
        await first.loadProducts()
        #expect(await buy("lisbon", with: first) == "charged")
        await first.stop()
        let second = try await makeManager(verifier: isTold ? nil : Undecided()) { _ in }
        let events = try await events(of: second) { await second.loadProducts() }

        #expect(notTrusted(events) == [])
        #expect(second.ownedProducts == [Self.lisbon])
    }

    @Test func `a restored purchase is listed with its original purchase date and its restoration date`()
        async throws
    {
        let (start, clock) = (voyager.clock.now, voyager.clock)
        clock.advance(by: 86_400)
        let identity = try SigningIdentity(commonName: "Store", around: start)
        let restored = TransactionPayload(
            transactionID: "9", originalTransactionID: "1", bundleIdentifier: VoyagerStore.bundleIdentifier,
            productIdentifier: Self.lisbon, purchaseDate: start + 80_000, originalPurchaseDate: start, quantity: 1,
            type: .nonConsumable, environment: .sandbox, signedDate: start + 80_000, storefront: nil, price: nil,
            currency: nil, revocationDate: nil, expiresDate: nil, isUpgraded: nil)
        let transaction = StoreTransaction(id: "9", signedData: try identity.sign(restored))
        var store = InterceptedStore(voyager.store)
        store.onRestore = { () throws(StoreError) in [transaction] }
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: identity.rootPEM), bundleIdentifier: VoyagerStore.bundleIdentifier,
            environment: .sandbox)
        let manager = try await makeManager(store: store, verifier: verifier) { _ in }
        await manager.loadProducts()
        #expect(try await manager.restore().restored == [Self.lisbon])
        let document = try await manager.ledger.export()
        #expect(try LedgerDocument(json: document.json()) == document)
        await manager.stop()

        let next = try await makeManager(store: store, verifier: verifier) { _ in }
        guard case .owned(let reasons) = next.ownership(of: Self.lisbon),
            case .transaction(let reason) = try #require(reasons.first)
        else {
            Issue.record("it is not owned by a purchase")
            return
        }
        #expect(reason.id == "9")
        #expect(reason.purchaseDate == start + 80_000)
        #expect(reason.originalPurchaseDate == start)
        #expect(try await next.ledger.check().isGood)
    }
}
