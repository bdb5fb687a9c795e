import Foundation
import HTTPTypes
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Simulated store with every event that causes a notification.
enum PeerStory {
    /// Serves a store while a function runs, after all events have happened.
    static func run<Value: Sendable>(
        in environment: StoreEnvironment, _ body: (NotifiedStore) async throws -> Value
    ) async throws -> Value {
        // The offer code is for active subscribers too.
        let edit: (String) -> String = { $0.replacing("\"new\",", with: "\"new\", \"existing\",") }
        return try await NotifiedStore.run(in: environment, edit: edit) { notified in
            try await begin(notified)
            try await change(notified)
            try await fail(notified)
            try await refund(notified)
            try await extend(notified)
            try await notified.request(.post, "/inApps/v1/notifications/test")
            return try await body(notified)
        }
    }

    /// Makes purchases, and uses offers for new subscribers.
    private static func begin(_ notified: NotifiedStore) async throws {
        try await notified.store.setOriginalPurchase(
            OriginalPurchase(version: "1", date: NotifiedStore.start, platform: .iOS))
        try await notified.formFamily()
        try await notified.buy("coins", PurchaseOptions(quantity: 3, accountToken: UUID()))
        for product in ["map", "pass", "club.silver"] { try await notified.buy(product) }
        try await notified.buy("club.bronze", as: "Intro")
    }

    /// Changes plans, renewals and prices, and uses offers for subscribers.
    private static func change(_ notified: NotifiedStore) async throws {
        for product in ["club.silver", "club.gold"] { try await notified.buy(product, as: "Upgrade") }
        for product in ["club.silver", "club.bronze", "club.silver"] {
            try await notified.buy(product, as: "Downgrade")
        }
        let spring = try await notified.spring()
        for product in ["club.gold", "club.silver"] {
            try await notified.buy(product, as: "\(product) with offer")
            try await notified.buy("club.gold", spring, as: "\(product) with offer")
        }
        try await notified.buy("club.gold", as: "Code")
        try await notified.customer("Code").redeem("summer", of: "club.silver")
        for (name, product) in [
            ("Leaves", "club.silver"), ("Withdrawn", "club.argent"), ("Pays more", "news"), ("Pays no more", "news"),
        ] {
            try await notified.buy(product, as: name)
        }
        // The subscription that is shared renews to a plan that cannot be shared.
        for name in ["Shares", "Member"] { try await notified.customer(name).joinFamily("Babbage") }
        for product in ["club.silver", "club.week"] { try await notified.buy(product, as: "Shares") }
        for isRenewing in [false, true, false] {
            try await notified.customer("Leaves").setRenewal(isRenewing, of: "club.silver")
        }
        try await notified.store.withdraw("club.argent")
        try await notified.store.setPrice(3, of: "news", consentRequired: true)
        try await notified.customer("Pays more").consentToPriceIncrease(true, of: "news")
    }

    /// Lets renewals fail, without and with a grace period, and then recovers or ends them.
    private static func fail(_ notified: NotifiedStore) async throws {
        let (poor, late) = (try notified.customer("Poor"), try notified.customer("Late"))
        try await notified.buy("club.silver", as: "Poor")
        try await poor.failBilling("club.silver")
        try await notified.advance(toDay: 10)
        try await notified.buy("club.silver", as: "Late")
        try await late.failBilling("club.silver")
        try await notified.advance(toDay: 35)
        try await notified.store.setGracePeriod(true)
        try await notified.buy("club.silver", PurchaseOptions(winBackOffer: "again"), as: "Leaves")
        try await notified.advance(toDay: 60)
        try await late.recoverBilling("club.silver")
        try await notified.advance(toDay: 92)
    }

    /// Makes refunds with and without requests, and ends Family Sharing.
    private static func refund(_ notified: NotifiedStore) async throws {
        let store = notified.store
        let requested = [try await notified.buy("coins"), try await notified.buy("coins")]
        for id in requested { try await store.requestRefund(id, because: .unsatisfied) }
        try await store.declineRefund(requested[0])
        try await store.refund(requested[1])
        try await store.reverseRefund(requested[1])
        let part = try await notified.buy("pass")
        try await store.refund(part, .percent(50))
        try await notified.customer("Ada").leaveFamily()
    }

    /// Extends one subscription, and all subscriptions.
    private static func extend(_ notified: NotifiedStore) async throws {
        try await notified.extend()
        try await notified.buy("club.gold", as: "Trial")
        try await notified.extendAll("club.gold")
    }
}

extension NotifiedStore {
    /// Returns the store's signed data: its notifications, and the current transactions, renewal information and app
    /// transactions of its customers.
    func payloads() async throws -> [AppleClientPeer.Question.Payload] {
        typealias Payload = AppleClientPeer.Question.Payload
        var payloads = try await store.notifications().map { Payload(kind: "notification", text: $0.signedPayload) }
        let (client, caller) = (served.client, try APICaller(served))
        for id in try await store.customers().map(\.appTransactionID) {
            for try await page in client.transactionHistory(of: id) {
                payloads += page.signedTransactions.map { Payload(kind: "transaction", text: $0) }
            }
            for subscription in try await client.subscriptionStatuses(of: id).groups.flatMap(\.subscriptions) {
                payloads.append(Payload(kind: "renewal", text: subscription.signedRenewal))
            }
            let app = try await caller.send(.get, "/inApps/v1/transactions/appTransactions/\(id)")
            if let text = app[text: "signedAppTransactionInfo"] {
                payloads.append(Payload(kind: "appTransaction", text: text))
            }
        }
        return payloads
    }
}
