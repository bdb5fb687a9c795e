import Entitlements
import Foundation
import HostedContent
import Purchasing
import Receipts
import StoreSimulator
import TestSupport
import Testing
import Vitrine

@testable import ProductCatalog

/// What each event is about, and what went wrong with it.
@Suite struct EventPartsTests {
    private struct Part {
        let id: String
        let event: CatalogEvent
        var products: [String] = []
        var error: String?
    }

    private static let store = StoreError(code: .network, reason: "no network")
    private static let ledger = LedgerError(code: .unavailable, reason: "no disk")
    private static let content = ContentProviderError(code: .unavailable, reason: "no content")
    private static let catalog = CatalogError(
        code: .notFound, url: URL(filePath: "/catalog.plist"), reason: "no catalog")
    private static let rejection = RejectionReason(code: .app, detail: "not this one")

    private func parts() throws -> [Part] {
        let transaction = try StoreTransaction.sample("1", claiming: "pack")
        let payload = try #require(TransactionPayload(unverified: transaction.signedData))
        let signed = SignedTransaction(payload: payload, signedData: transaction.signedData)
        let (store, ledger, content, catalog) = (Self.store, Self.ledger, Self.content, Self.catalog)
        let failure = PurchaseFailure(code: .notOffered, reason: "not offered")
        return [
            Part(id: "status", event: .statusChanged(.productsLoaded)),
            Part(id: "list", event: .listUpdated(Catalog(identifiers: ["a"]))),
            Part(id: "no list", event: .listFailed(catalog), error: "/catalog.plist: no catalog"),
            Part(id: "no cache", event: .catalogCacheFailed(CatalogCacheError(reason: "full")), error: "full"),
            Part(id: "products", event: .productsUpdated(invalidIdentifiers: ["a"])),
            Part(id: "no products", event: .productsFailed(store), error: "no network"),
            Part(id: "listing", event: .listingChanged([])),
            Part(id: "missed", event: .eventsMissed(3)),
            Part(id: "kept", event: .keptAnswerLost(ledger), error: "no disk"),
            Part(id: "not kept", event: .storeAnswerNotKept(ledger), error: "no disk"),
            Part(
                id: "retry", event: .retryScheduled(at: .distantFuture, because: .products(store)), error: "no network"),
            Part(id: "received", event: .transactionUpdated(.received(transaction)), products: ["pack"]),
            Part(id: "verified", event: .transactionUpdated(.verified(signed)), products: ["pack"]),
            Part(id: "recorded", event: .transactionUpdated(.recorded(signed, isNew: true)), products: ["pack"]),
            Part(id: "revoked", event: .transactionUpdated(.revoked(signed, isNew: true)), products: ["pack"]),
            Part(
                id: "installed",
                event: .transactionUpdated(.contentInstalled(signed, products: ["guide", "pack"])),
                products: ["pack", "guide"]),
            Part(id: "finished", event: .transactionUpdated(.finished(signed)), products: ["pack"]),
            Part(
                id: "not finished", event: .transactionUpdated(.notFinished(signed, store)), products: ["pack"],
                error: "no network"),
            Part(
                id: "waiting", event: .transactionUpdated(.waiting(transaction, .ledger(ledger))), products: ["pack"],
                error: "no disk"),
            Part(
                id: "waiting for content", event: .transactionUpdated(.waiting(transaction, .content(content))),
                products: ["pack"], error: "no content"),
            Part(
                id: "waiting for the app", event: .transactionUpdated(.waiting(transaction, .handler("later"))),
                products: ["pack"]),
            Part(
                id: "waiting and not readable",
                event: .transactionUpdated(.waiting(StoreTransaction(id: "1", signedData: ""), .verification("later")))),
            Part(
                id: "rejected", event: .transactionUpdated(.rejected(transaction, [Self.rejection])),
                products: ["pack"], error: "not this one"),
            Part(
                id: "renewal", event: .transactionUpdated(.renewalIgnored(signed, reason: "forged")), products: ["pack"]
            ),
            Part(id: "discarded", event: .transactionUpdated(.discarded(transaction)), products: ["pack"]),
            Part(id: "not restored", event: .restoreFailed(store), error: "no network"),
            Part(id: "backlog", event: .backlogFailed(store), error: "no network"),
            Part(id: "ownership", event: .ownershipChanged(["a", "b"]), products: ["a", "b"]),
            Part(id: "app transaction", event: .appTransactionFailed(.store(store)), error: "no network"),
            Part(
                id: "receipt", event: .receiptValidationDidFail(.missing), error: "there is no receipt on this device"),
            Part(id: "removed", event: .contentRemoved(["a"]), products: ["a"]),
            Part(id: "wallet", event: .walletChanged("coins", balance: .known(7))),
            Part(id: "settled", event: .ledgerLossChanged(nil)),
            Part(id: "promoted", event: .purchasePromoted("a"), products: ["a"]),
            Part(id: "no ledger", event: .ledgerFailed(ledger), error: "no disk"),
            Part(
                id: "bought", event: .purchaseAnswered("a", .success(signed, notChargedAgain: false)), products: ["a"]),
            Part(id: "cancelled", event: .purchaseAnswered("a", .cancelled), products: ["a"]),
            Part(id: "failed", event: .purchaseAnswered("a", .failed(failure)), products: ["a"], error: "not offered"),
            Part(id: "pending", event: .purchaseAnswered("a", .pending(.askToBuy)), products: ["a"]),
            Part(
                id: "unknown", event: .purchaseAnswered("a", .pending(.outcomeUnknown(store))), products: ["a"],
                error: "no network"),
            Part(
                id: "content", event: .purchaseAnswered("a", .pending(.content(content))), products: ["a"],
                error: "no content"),
            Part(
                id: "not recorded", event: .purchaseAnswered("a", .pending(.delivery(.ledger(ledger)))),
                products: ["a"], error: "no disk"),
        ]
    }

    @Test func `each event says which products it is about, and what went wrong`() throws {
        for part in try parts() {
            #expect(part.event.products == part.products, "\(part.id)")
            #expect(part.event.error.map { "\($0)" } == part.error, "\(part.id)")
        }
    }

    @Test func `a restore is about all that it brought or found, each product once`() async throws {
        let voyager = try VoyagerStore()
        let folder = try TemporaryFolder()
        let manager = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: voyager.store, verifier: voyager.verifier(),
            home: Home(url: folder["home"]),
            options: ManagerOptions(languages: ["en"], schedule: .never, now: { voyager.clock.now }))
        await manager.loadProducts()
        _ = await manager.purchase(.voyager("lisbon"))
        try await voyager.store.purchaseElsewhere(.voyager("porto"))
        let events = manager.events()
        _ = try await manager.restore()
        await manager.stop()

        let answers = await events.reduce(into: [[String]]()) { answers, event in
            if case .restoreAnswered = event { answers.append(event.products.sorted()) }
        }
        #expect(answers == [["lisbon", "porto"].map(String.voyager)])
    }
}
