import Foundation
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineTestSupport

/// Server of an app that records its notifications in a ledger for each customer. Transactions are processed like those
/// that an app receives from the store.
final class NotifiedServer {
    private struct Customer {
        let entitlements: EntitlementStore
        let queue: PurchaseQueue
    }

    private let story: NotificationStory
    private let makeLedger: () throws -> any Ledger
    private var customers: [String: Customer] = [:]

    /// - Parameter makeLedger: Function that creates the empty ledger of a customer.
    init(_ story: NotificationStory, makeLedger: @escaping () throws -> any Ledger) {
        (self.story, self.makeLedger) = (story, makeLedger)
    }

    /// Catalog of the server.
    static let catalog = Catalog(products: [
        CatalogProduct(
            identifier: "club.gold", kind: .autoRenewableSubscription, childProducts: ["map"],
            subscriptionGroup: "Club", level: 1),
        CatalogProduct(
            identifier: "club.silver", kind: .autoRenewableSubscription, subscriptionGroup: "Club", level: 2),
        CatalogProduct(
            identifier: "club.bronze", kind: .autoRenewableSubscription, subscriptionGroup: "Club", level: 3),
        CatalogProduct(identifier: "news", kind: .autoRenewableSubscription, subscriptionGroup: "News", level: 1),
        CatalogProduct(identifier: "map", kind: .nonConsumable),
        CatalogProduct(identifier: "coins", kind: .consumable, storageKey: "coins", productValue: 50),
    ])

    /// Records the transaction in a notification, with its renewal information.
    func receive(_ notification: SignedNotification) async throws {
        guard let transaction = notification.transaction else { return }
        let customer = try await customer(transaction.payload.appTransactionID ?? "")
        await customer.queue.deliver(
            StoreTransaction(
                id: transaction.payload.transactionID, signedData: transaction.signedData,
                signedRenewal: notification.renewal?.signedData))
    }

    private func customer(_ name: String) async throws -> Customer {
        if let known = customers[name] { return known }
        let (end, ledger) = (story.end, try makeLedger())
        var store = InterceptedStore(PaperStore(selling: [:], now: { end }))
        store.onFinish = { _ in }
        let entitlements = EntitlementStore(ledger, summary: try await ledger.summary(), at: end)
        entitlements.change {
            $0 = $0.with(catalog: Self.catalog)
        } observing: { _, _ in
        }
        let customer = Customer(
            entitlements: entitlements,
            queue: PurchaseQueue(
                store: store, entitlements: entitlements, verifier: story.verifier, content: NoContent(),
                catalog: { Self.catalog }, now: { end }, emit: { _ in }))
        customers[name] = customer
        return customer
    }

    /// Returns the state of each customer at the end of the story, and some weeks later according to a reopened ledger.
    func possessions() async throws -> [String: [Possessions]] {
        var all: [String: [Possessions]] = [:]
        for (name, customer) in customers {
            let later = EntitlementSnapshot(
                catalog: Self.catalog, summary: try await customer.entitlements.ledger.summary(),
                at: story.end + 40 * 86_400)
            all[name] = [Possessions(customer.entitlements.snapshot), Possessions(later)]
        }
        return all
    }
}
