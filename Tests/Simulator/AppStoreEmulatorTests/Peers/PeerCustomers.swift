import Foundation
import HTTPTypes
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Customers of a served store with purchases in every state that servers request, and the names of their identifiers
/// in `Tests/Peers/server_errors.py`.
struct PeerCustomers: Sendable {
    /// Number of days of the store's clock that ``live()`` simulates.
    private static let days = 43

    private let served: ServedStore
    private var store: SimulatedStore { served.store }

    /// Serves a store with the customers while a function runs. Notifications are sent to a receiver.
    static func run<Value: Sendable>(
        in environment: StoreEnvironment = .sandbox,
        _ body: (ServedStore, _ ids: [String: String]) async throws -> Value
    ) async throws -> Value {
        let receiver = try await LoopbackServer(.reply())
        return try await ServedStore.run(environment: environment, webhook: receiver) { served in
            try await body(served, PeerCustomers(served: served).live())
        }
    }

    /// Simulates six weeks of the customers.
    ///
    /// - Returns: Identifiers by their names.
    private func live() async throws -> [String: String] {
        var ids = try await liveOneMonth()
        ids.merge(try await liveOneDay()) { $1 }
        try await advance(toDay: Self.days - 2)
        ids["expiredToken"] = try await token()
        try await advance(toDay: Self.days)
        ids["trial"] = try await buy("club.gold", as: "trial")
        let another: StoreEnvironment = store.environment == .production ? .sandbox : .production
        ids["otherEnvironment"] = try await ServedStore.club(another, seed: 9).purchaseElsewhere("coins").id
        (ids["product"], ids["noURL"]) = ("news", "none")
        return ids
    }

    /// Begins subscriptions on the first day, one of which is renewed.
    private func liveOneMonth() async throws -> [String: String] {
        try await store.setOriginalPurchase(
            OriginalPurchase(version: "1", date: ServedStore.start, platform: .iOS))
        let (map, news) = (try await buy("map"), try await buy("news"))
        let expired = try await buy("club.silver", as: "expired")
        try await customer("expired").setRenewal(false, of: "club.silver")
        let retry = try await buy("club.silver", as: "retry")
        try await customer("retry").failBilling("club.silver")
        try await advance(toDay: 40)
        let renewal = try #require(try await store.transactions().last { $0.originalID == news }).id
        return [
            "nonConsumable": map, "subscription": news, "original": news, "renewal": renewal, "expired": expired,
            "retry": retry, "appTransaction": try await served.appTransaction(),
        ]
    }

    /// Makes purchases for three pages, and changes the subscriptions of other customers.
    private func liveOneDay() async throws -> [String: String] {
        var coins: [String] = []
        for _ in 0..<50 { coins.append(try await buy("coins")) }
        try await store.refund(coins[1])
        try await store.refund(coins[2], .percent(40))
        for member in [store, try customer("family")] { try await member.joinFamily("Lovelace") }
        let shared = try #require(try await customer("family").transactions().last { $0.groupID != nil })
        let refunded = try await buy("club.silver", as: "refunded")
        try await customer("refunded").refund(refunded)
        let extended = try await buy("club.silver", as: "extended")
        let caller = try APICaller(served)
        for request in ["first", "second"] {
            let answer = try await caller.send(
                .put, "/inApps/v1/subscriptions/extend/\(extended)",
                body: [
                    "extendByDays": .integer(5), "extendReasonCode": .integer(1), "requestIdentifier": .string(request),
                ])
            #expect(answer.status == 200)
        }
        let other = try await buy("coins", as: "other")
        return [
            "transaction": coins[0], "consumable": coins[0], "family": shared.id, "refunded": refunded,
            "extended": extended, "otherCustomer": other, "noAppTransaction": other,
            "order": OrderIdentifier.identifier(of: try #require(Int64(coins[0]))),
        ]
    }

    /// Returns the pagination token of the first page of notifications, for the date range that the table requests at
    /// the end.
    private func token() async throws -> String {
        let end = ServedStore.start.addingTimeInterval(TimeInterval(Self.days) * .days)
        let answer = try await APICaller(served).send(
            .post, "/inApps/v1/notifications/history",
            body: [
                "startDate": .integer(end.addingTimeInterval(-29 * .days).inMilliseconds),
                "endDate": .integer(end.inMilliseconds),
            ])
        return try #require(answer[text: "paginationToken"])
    }

    private func customer(_ name: String) throws -> SimulatedStore { try store.device("phone", of: name) }

    private func buy(_ product: String, as name: String? = nil) async throws -> String {
        try await (name.map { try customer($0) } ?? store).purchaseElsewhere(product).id
    }

    private func advance(toDay day: Int) async throws {
        try await store.advance(to: ServedStore.start.addingTimeInterval(TimeInterval(day) * .days))
    }
}
