import Entitlements
import Foundation
import ProductCatalog
import Purchasing
import Receipts
import TestSupport

/// Server of an app that records what its notifications say, in a ledger for each customer. A transaction goes the way
/// of one that an app receives from the store.
final class NotifiedServer {
    private struct Customer {
        let entitlements: EntitlementStore
        let queue: PurchaseQueue
    }

    private let story: NotificationStory
    private let makeLedger: (_ customer: String) throws -> any Ledger
    private var customers: [String: Customer] = [:]

    init(
        _ story: NotificationStory,
        makeLedger: @escaping (_ customer: String) throws -> any Ledger = { _ in MemoryLedger() }
    ) {
        (self.story, self.makeLedger) = (story, makeLedger)
    }

    /// Catalog of the products of the club.
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

    /// Records the transaction that a notification contains, with its renewal information.
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
        let (end, ledger) = (story.end, try makeLedger(name))
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

    /// What each customer has, at several dates after the end of the story.
    func possessions(days: [Int]) async throws -> [String: [Possessions]] {
        var all: [String: [Possessions]] = [:]
        for (name, customer) in customers {
            var snapshot = customer.entitlements.snapshot
            let rebuilt = EntitlementSnapshot(
                catalog: Self.catalog, summary: try await customer.entitlements.ledger.summary(), at: story.end)
            all[name] = [Possessions(snapshot), Possessions(rebuilt)]
            for day in days {
                _ = snapshot.set(date: story.end.addingTimeInterval(Double(day) * 86_400))
                all[name]?.append(Possessions(snapshot))
            }
        }
        return all
    }
}

/// What a customer has at a date.
struct Possessions: Hashable, Sendable {
    let owned: [String]
    let reasons: [String: Set<Ownership.Reason>]
    let unknown: [String: Ownership.UnknownReason]
    let subscriptions: [CustomerSubscription]
    let revocations: [String: [Date]]
    let balances: [String: Int]
    let nextEnd: Date?

    init(_ snapshot: EntitlementSnapshot) {
        owned = snapshot.owned
        var (reasons, unknown) = ([String: Set<Ownership.Reason>](), [String: Ownership.UnknownReason]())
        var revocations: [String: [Date]] = [:]
        for product in NotifiedServer.catalog.products {
            switch snapshot.ownership(of: product.identifier) {
            case .owned(let because): reasons[product.identifier] = Set(because)
            case .notOwned: break
            case .unknown(let reason): unknown[product.identifier] = reason
            }
            let revoked = snapshot.revocations(of: product.identifier).map(\.revocationDate)
            if !revoked.isEmpty { revocations[product.identifier] = revoked }
        }
        (self.reasons, self.unknown, self.revocations) = (reasons, unknown, revocations)
        subscriptions = snapshot.subscriptions
        balances = snapshot.balances
        nextEnd = snapshot.nextEnd
    }
}
