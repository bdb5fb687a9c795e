import Testing
import VitrinePurchasing
import VitrineStoreSimulator

/// One-time purchases, and the first subscriptions of customers.
extension NotificationCase {
    static let oneTimeCharges = [
        NotificationCase("a consumable is bought", [.charge("coins bought 990")]) { try await $0.buy("coins") },
        NotificationCase("three units of a consumable are bought", [.charge("coins x3 bought 2970")]) {
            try await $0.buy("coins", PurchaseOptions(quantity: 3))
        },
        NotificationCase("a non-consumable is bought", [.charge("map bought 4990")]) { try await $0.buy("map") },
        NotificationCase("a non-renewing subscription is bought", [.charge("pass bought 9990")]) {
            try await $0.buy("pass")
        },
        NotificationCase("another customer buys", [.charge("Ada's map bought 4990")]) {
            try await $0.buy("map", as: "Ada")
        },
        NotificationCase("a non-consumable is bought on another device", [.charge("map bought 4990")]) {
            try await $0.store.purchaseElsewhere("map")
        },
        NotificationCase("what the customer has is not bought again", []) {
            try await $0.buy("map")
        } event: {
            try await $0.buy("map")
        },
        NotificationCase("a purchase that waits for approval causes none", []) { notified in
            try await notified.store.setAsksToBuy(true)
            #expect(try await notified.store.purchase("map", options: PurchaseOptions()) == .pending)
        },
        NotificationCase("a purchase is approved", [.charge("map bought 4990")]) { notified in
            try await notified.store.setAsksToBuy(true)
            #expect(try await notified.store.purchase("map", options: PurchaseOptions()) == .pending)
        } event: { notified in
            try await notified.store.approve(notified.store.pendingPurchases()[0].id)
        },
        NotificationCase("the issue of an interrupted purchase is resolved", [.charge("map bought 4990")]) { notified in
            try await notified.store.setInterruptsPurchases(true)
            #expect(try await notified.store.purchase("map", options: PurchaseOptions()) == .interrupted)
        } event: { notified in
            try await notified.store.resolve(notified.store.pendingPurchases()[0].id)
        },
        NotificationCase(
            "a member of the family buys a non-consumable",
            [.charge("map bought 4990"), .charge("Ada's map bought by the family")]
        ) {
            try await $0.formFamily()
        } event: {
            try await $0.buy("map")
        },
        NotificationCase(
            "a customer joins a family that has a non-consumable", [.charge("Ada's map bought by the family")]
        ) {
            try await $0.buy("map")
        } event: {
            try await $0.formFamily()
        },
        NotificationCase(
            "a family member who is no customer shares a non-consumable", [.charge("map bought by the family")]
        ) {
            try await $0.store.share("map")
        },
        NotificationCase("a consumable is not shared by the family", [.charge("coins bought 990")]) {
            try await $0.formFamily()
        } event: {
            try await $0.buy("coins")
        },
    ]

    static let firstSubscriptions = [
        NotificationCase(
            "a customer subscribes",
            [.subscribed("club.silver bought 4990 until day 31", "active, renews to club.silver for 4990")]
        ) { try await $0.buy("club.silver") },
        NotificationCase(
            "a customer subscribes for a year",
            [.subscribed("club.silver.year bought 49990 until day 365", "active, renews to club.silver.year for 49990")]
        ) { try await $0.buy("club.silver.year") },
        NotificationCase(
            "a customer subscribes with a free introductory offer",
            [.subscribed("club.gold bought 0 offer 1 until day 7", "active, renews to club.gold for 9990")]
        ) { try await $0.buy("club.gold") },
        NotificationCase(
            "a customer subscribes with an introductory offer for several periods",
            [
                .subscribed(
                    "club.bronze bought 990 offer 1 until day 31", "active, renews to club.bronze for 990, offer 1")
            ]
        ) { try await $0.buy("club.bronze") },
        NotificationCase(
            "a customer who never subscribed redeems an offer code",
            [.subscribed("club.silver bought 0 offer 3 summer until day 31", "active, renews to club.silver for 4990")]
        ) { try await $0.store.redeem("summer", of: "club.silver") },
        NotificationCase(
            "a subscriber of another group subscribes",
            [.subscribed("news bought 1990 until day 31", "active, renews to news for 1990")]
        ) {
            try await $0.buy("club.silver")
        } event: {
            try await $0.buy("news")
        },
        NotificationCase(
            "a subscription is approved",
            [.subscribed("club.silver bought 4990 until day 31", "active, renews to club.silver for 4990")]
        ) { notified in
            try await notified.store.setAsksToBuy(true)
            #expect(try await notified.store.purchase("club.silver", options: PurchaseOptions()) == .pending)
        } event: { notified in
            try await notified.store.approve(notified.store.pendingPurchases()[0].id)
        },
        NotificationCase(
            "a member of the family subscribes",
            [
                .subscribed("club.silver bought 4990 until day 31", "active, renews to club.silver for 4990"),
                .subscribed("Ada's club.silver bought by the family until day 31", "active, renews to club.silver"),
            ]
        ) {
            try await $0.formFamily()
        } event: {
            try await $0.buy("club.silver")
        },
        NotificationCase(
            "a customer joins the family of a subscriber",
            [.subscribed("Ada's club.silver bought by the family until day 31", "active, renews to club.silver")]
        ) {
            try await $0.buy("club.silver")
        } event: {
            try await $0.formFamily()
        },
        NotificationCase(
            "a subscription without Family Sharing remains the customer's own",
            [.subscribed("club.week bought 990 until day 7", "active, renews to club.week for 990")]
        ) {
            try await $0.formFamily()
        } event: {
            try await $0.buy("club.week")
        },
    ]
}

extension NotificationFacts {
    static func charge(_ subject: String) -> NotificationFacts { NotificationFacts("ONE_TIME_CHARGE", subject) }

    static func subscribed(_ subject: String, _ renewal: String) -> NotificationFacts {
        NotificationFacts("SUBSCRIBED/INITIAL_BUY", subject, renewal)
    }

    static func resubscribed(_ subject: String, _ renewal: String) -> NotificationFacts {
        NotificationFacts("SUBSCRIBED/RESUBSCRIBE", subject, renewal)
    }
}
