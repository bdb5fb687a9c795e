import Foundation
import Testing
import VitrineEntitlements
import VitrineHostedContent
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine
@testable import VitrineCatalog
@testable import VitrineCatalogLoading

/// Products and errors of events.
@Suite(.hangLimit) struct EventPartsTests {
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
    private static let rejection = RejectionReason(code: .app, reason: "not this one")

    private func parts() throws -> [Part] {
        let transaction = try StoreTransaction.sample("1", claiming: "pack")
        let payload = try #require(TransactionPayload(unverified: transaction.signedData))
        let signed = SignedTransaction(payload: payload, signedData: transaction.signedData)
        let (store, ledger, content, catalog) = (Self.store, Self.ledger, Self.content, Self.catalog)
        let failure = PurchaseFailure(code: .notOffered, reason: "not offered")
        return [
            Part(id: "status", event: .loading(.statusChanged(.productsLoaded))),
            Part(id: "request status", event: .loading(.requestStatusChanged(.failed))),
            Part(id: "list", event: .loading(.catalogUpdated(Catalog(identifiers: ["a"])))),
            Part(id: "no list", event: .loading(.catalogFailed(catalog)), error: "/catalog.plist: no catalog"),
            Part(id: "no cache", event: .loading(.cacheFailed(CatalogCacheError(reason: "full"))), error: "full"),
            Part(id: "products", event: .loading(.productsUpdated(invalidIdentifiers: ["a"]))),
            Part(id: "no products", event: .loading(.productsFailed(store)), error: "no network"),
            Part(id: "listing", event: .listingChanged([])),
            Part(id: "missed", event: .eventsMissed(3)),
            Part(id: "kept", event: .loading(.storedProductsFailed(ledger)), error: "no disk"),
            Part(id: "not kept", event: .loading(.productsNotStored(ledger)), error: "no disk"),
            Part(
                id: "retry", event: .loading(.retryScheduled(at: .distantFuture, because: .products(store))),
                error: "no network"),
            Part(id: "received", event: .transaction(.received(transaction)), products: ["pack"]),
            Part(id: "verified", event: .transaction(.verified(signed)), products: ["pack"]),
            Part(id: "recorded", event: .transaction(.recorded(signed, isNew: true)), products: ["pack"]),
            Part(id: "revoked", event: .transaction(.revoked(signed, isNew: true)), products: ["pack"]),
            Part(
                id: "installed",
                event: .transaction(.contentInstalled(signed, products: ["guide", "pack"])),
                products: ["pack", "guide"]),
            Part(id: "finished", event: .transaction(.finished(signed)), products: ["pack"]),
            Part(
                id: "not finished", event: .transaction(.notFinished(signed, store)), products: ["pack"],
                error: "no network"),
            Part(
                id: "waiting", event: .transaction(.waiting(transaction, .ledger(ledger))), products: ["pack"],
                error: "no disk"),
            Part(
                id: "waiting for content", event: .transaction(.waiting(transaction, .content(content))),
                products: ["pack"], error: "no content"),
            Part(
                id: "waiting for the app", event: .transaction(.waiting(transaction, .handler("later"))),
                products: ["pack"]),
            Part(
                id: "waiting and not readable",
                event: .transaction(.waiting(StoreTransaction(id: "1", signedData: ""), .verification("later")))),
            Part(
                id: "rejected", event: .transaction(.rejected(transaction, [Self.rejection])),
                products: ["pack"], error: "not this one"),
            Part(
                id: "renewal", event: .transaction(.renewalIgnored(signed, reason: "forged")), products: ["pack"]
            ),
            Part(id: "discarded", event: .transaction(.discarded(transaction)), products: ["pack"]),
            Part(id: "not restored", event: .restore(.failed(store)), error: "no network"),
            Part(id: "no purchases", event: .loading(.purchasesFailed(store)), error: "no network"),
            Part(id: "no subscriptions", event: .loading(.subscriptionsFailed(store)), error: "no network"),
            Part(id: "backlog", event: .loading(.unfinishedTransactionsFailed(store)), error: "no network"),
            Part(
                id: "ownership", event: .entitlements(.ownershipChanged(["a", "b"])),
                products: ["a", "b"]),
            Part(id: "account", event: .entitlements(.accountChanged(from: "1", to: "2"))),
            Part(
                id: "app transaction", event: .entitlements(.appTransactionFailed(.store(store))),
                error: "no network"),
            Part(
                id: "receipt", event: .receipt(.validationFailed(.missing)), error: "there is no receipt on this device"
            ),
            Part(id: "removed", event: .content(.removed(["a"])), products: ["a"]),
            Part(id: "wallet", event: .entitlements(.walletChanged("coins", balance: .known(7)))),
            Part(id: "settled", event: .ledger(.lossChanged(nil))),
            Part(id: "promoted", event: .purchase(.promoted("a")), products: ["a"]),
            Part(id: "no ledger", event: .ledger(.failed(ledger)), error: "no disk"),
            Part(
                id: "bought", event: .purchase(.answered("a", .success(signed, notChargedAgain: false))),
                products: ["a"]),
            Part(id: "completed", event: .purchase(.completed(signed)), products: ["pack"]),
            Part(
                id: "not trusted",
                event: .ledger(.notTrusted(LedgerCheck.Untrusted(sequence: 1, reason: "another store")))),
            Part(id: "cancelled", event: .purchase(.answered("a", .cancelled)), products: ["a"]),
            Part(
                id: "failed", event: .purchase(.answered("a", .failed(failure))), products: ["a"], error: "not offered"),
            Part(id: "pending", event: .purchase(.answered("a", .pending(.askToBuy))), products: ["a"]),
            Part(
                id: "unknown", event: .purchase(.answered("a", .pending(.outcomeUnknown(store)))), products: ["a"],
                error: "no network"),
            Part(
                id: "content", event: .purchase(.answered("a", .pending(.content(content)))), products: ["a"],
                error: "no content"),
            Part(
                id: "not recorded", event: .purchase(.answered("a", .pending(.delivery(.ledger(ledger))))),
                products: ["a"], error: "no disk"),
        ]
    }

    @Test func `each event names the products it is about and the error that occurred`() throws {
        for part in try parts() {
            #expect(part.event.products == part.products, "\(part.id)")
            #expect(part.event.error.map { "\($0)" } == part.error, "\(part.id)")
        }
    }

    @Test func `a restore event names each restored or already owned product once`() async throws {
        let voyager = try VoyagerStore()
        let folder = try TemporaryFolder()
        let manager = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: voyager.store.launched,
            verifier: voyager.verifier(),
            home: Home(url: folder["home"]),
            options: ManagerOptions(languages: ["en"], schedule: .never, now: { voyager.clock.now }))
        await manager.loadProducts()
        _ = await manager.purchase(.voyager("lisbon"))
        try await voyager.store.purchaseElsewhere(.voyager("porto"))
        let events = manager.events()
        _ = try await manager.restore()
        await manager.stop()

        let answers = await events.reduce(into: [[String]]()) { answers, event in
            if case .restore(.completed) = event { answers.append(event.products.sorted()) }
        }
        #expect(answers == [["lisbon", "porto"].map(String.voyager)])
    }
}
