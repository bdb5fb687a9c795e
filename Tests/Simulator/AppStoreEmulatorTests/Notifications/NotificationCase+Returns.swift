import VitrinePurchasing
import VitrineStoreSimulator

/// Subscriptions of former subscribers, and renewals.
extension NotificationCase {
    /// Function that lets the subscription to `club.silver` end on day 31, and then advances the clock to day 40:
    /// February 24.
    private static let leftOnDay40: @Sendable (NotifiedStore) async throws -> Void = { notified in
        try await notified.buy("club.silver")
        try await notified.store.setRenewal(false, of: "club.silver")
        try await notified.advance(toDay: 40)
    }

    static let laterSubscriptions = [
        NotificationCase(
            "a customer subscribes again",
            [.resubscribed("club.silver bought 4990 until day 68", "active, renews to club.silver for 4990")],
            before: leftOnDay40
        ) { try await $0.buy("club.silver") },
        NotificationCase(
            "a customer subscribes again to another product of the group, with the introductory offer",
            [
                .resubscribed(
                    "club.bronze bought 990 offer 1 until day 68", "active, renews to club.bronze for 990, offer 1")
            ], before: leftOnDay40
        ) { try await $0.buy("club.bronze") },
        NotificationCase(
            "a customer whose subscription has ended redeems an offer code",
            [
                .resubscribed(
                    "club.silver bought 0 offer 3 summer until day 68", "active, renews to club.silver for 4990")
            ],
            before: leftOnDay40
        ) { try await $0.store.redeem("summer", of: "club.silver") },
        NotificationCase(
            "a customer comes back with a win-back offer",
            [
                .resubscribed(
                    "club.silver bought 990 offer 4 again until day 68",
                    "active, renews to club.silver for 990, offer 4 again")
            ], before: leftOnDay40
        ) { try await $0.buy("club.silver", PurchaseOptions(winBackOffer: "again")) },
        NotificationCase(
            "a customer comes back with a promotional offer",
            [
                .resubscribed(
                    "club.gold bought 19990 offer 2 spring until day 129", "active, renews to club.gold for 9990")
            ], before: leftOnDay40
        ) { try await $0.buy("club.gold", $0.spring()) },
        NotificationCase(
            "a customer subscribes again after a refund",
            [.resubscribed("club.silver bought 4990 until day 31", "active, renews to club.silver for 4990")]
        ) { notified in
            try await notified.store.refund(notified.buy("club.silver"))
        } event: {
            try await $0.buy("club.silver")
        },
        NotificationCase(
            "a member of the family subscribes again",
            [
                .resubscribed("club.silver bought 4990 until day 68", "active, renews to club.silver for 4990"),
                .resubscribed("Ada's club.silver bought by the family until day 68", "active, renews to club.silver"),
            ]
        ) {
            try await $0.formFamily()
            try await leftOnDay40($0)
        } event: {
            try await $0.buy("club.silver")
        },
        NotificationCase(
            "a member of the family shares a subscription with a former subscriber",
            [
                .subscribed("club.silver bought 4990 until day 68", "active, renews to club.silver for 4990"),
                .resubscribed("Ada's club.silver bought by the family until day 68", "active, renews to club.silver"),
            ]
        ) { notified in
            try await notified.formFamily()
            try await notified.buy("club.week", as: "Ada")
            try await notified.customer("Ada").setRenewal(false, of: "club.week")
            try await notified.advance(toDay: 40)
        } event: {
            try await $0.buy("club.silver")
        },
        NotificationCase(
            "a customer returns to the family of a subscriber",
            [.resubscribed("Ada's club.silver bought by the family until day 31", "active, renews to club.silver")]
        ) { notified in
            try await notified.formFamily()
            try await notified.buy("club.silver")
            try await notified.customer("Ada").leaveFamily()
        } event: { notified in
            try await notified.customer("Ada").joinFamily("Lovelace")
        },
    ]

    static let renewals = [
        NotificationCase(
            "a subscription renews",
            [.renewed("club.silver renewed 4990 until day 59", "active, renews to club.silver for 4990")]
        ) {
            try await $0.buy("club.silver")
        } event: {
            try await $0.advance(toDay: 31)
        },
        NotificationCase(
            "a subscription renews at once",
            [.renewed("club.silver renewed 4990 until day 31", "active, renews to club.silver for 4990")]
        ) {
            try await $0.buy("club.silver")
        } event: {
            try await $0.store.renew("club.silver")
        },
        NotificationCase(
            "a trial renews at the full price",
            [.renewed("club.gold renewed 9990 until day 38", "active, renews to club.gold for 9990")]
        ) {
            try await $0.buy("club.gold")
        } event: {
            try await $0.advance(toDay: 7)
        },
        NotificationCase(
            "a shared subscription renews",
            [
                .renewed("club.silver renewed 4990 until day 59", "active, renews to club.silver for 4990"),
                .renewed("Ada's club.silver renewed by the family until day 59", "active, renews to club.silver"),
            ]
        ) {
            try await $0.formFamily()
            try await $0.buy("club.silver")
        } event: {
            try await $0.advance(toDay: 31)
        },
        NotificationCase(
            "a subscription renews to the plan that the customer has chosen",
            [.renewed("club.bronze renewed 2990 until day 59", "active, renews to club.bronze for 2990")]
        ) {
            try await $0.buy("club.silver")
            try await $0.buy("club.bronze")
        } event: {
            try await $0.advance(toDay: 31)
        },
        NotificationCase(
            "a subscription renews four times in one advance",
            [14, 21, 28, 35].map { end in
                .renewed("club.week renewed 990 until day \(end)", "active, renews to club.week for 990")
            }
        ) {
            try await $0.buy("club.week")
        } event: {
            try await $0.advance(toDay: 30)
        },
    ]
}

extension NotificationFacts {
    static func renewed(_ subject: String, _ renewal: String) -> NotificationFacts {
        NotificationFacts("DID_RENEW", subject, renewal)
    }
}
