import VitrineReceipts
import VitrineStoreSimulator

/// Refunds, requests for them, and revocations.
extension NotificationCase {
    static let refunds = [
        NotificationCase(
            "a consumable is refunded", [.refund("coins bought 990 revoked day 0 REFUND_FULL 100000")],
            before: bought("coins")
        ) { try await $0.store.refund($0.latest()) },
        NotificationCase(
            "a non-consumable is refunded", [.refund("map bought 4990 revoked day 0 REFUND_FULL 100000")],
            before: bought("map")
        ) { try await $0.store.refund($0.latest()) },
        NotificationCase(
            "a non-renewing subscription is refunded in part",
            [.refund("pass bought 9990 revoked day 0 REFUND_PRORATED 50000")], before: bought("pass")
        ) { try await $0.store.refund($0.latest(), .percent(50)) },
        NotificationCase(
            "a subscription is refunded",
            [.refund("club.silver bought 4990 until day 31 revoked day 0 REFUND_FULL 100000")],
            before: bought("club.silver")
        ) { try await $0.store.refund($0.latest()) },
        NotificationCase(
            "the rest of a period is refunded",
            [.refund("club.silver bought 4990 until day 31 revoked day 10 REFUND_PRORATED 67741")],
            before: bought("club.silver", day: 10)
        ) { try await $0.store.refund($0.latest(), .prorated) },
        NotificationCase(
            "an earlier period is refunded",
            [.refund("club.silver bought 4990 until day 31 revoked day 31 REFUND_FULL 100000")],
            before: bought("club.silver", day: 31)
        ) { try await $0.store.refund($0.store.transactions()[0].id) },
        NotificationCase("what is refunded is refunded again", [], before: refunded("coins")) {
            try await $0.store.refund($0.latest())
        },
        NotificationCase(
            "the refund of a consumable is reversed", [NotificationFacts("REFUND_REVERSED", "coins bought 990")],
            before: refunded("coins")
        ) { try await $0.store.reverseRefund($0.latest()) },
        NotificationCase(
            "the refund of a subscription is reversed",
            [NotificationFacts("REFUND_REVERSED", "club.silver bought 4990 until day 31")],
            before: refunded("club.silver", day: 5)
        ) { try await $0.store.reverseRefund($0.latest()) },
    ]

    /// Returns a function that buys a product on day 0, and then advances the clock to another day.
    private static func bought(_ product: String, day: Int = 0) -> @Sendable (NotifiedStore) async throws -> Void {
        { notified in
            try await notified.buy(product)
            if day > 0 { try await notified.advance(toDay: day) }
        }
    }

    /// Returns a function that buys and refunds a product on day 0, and then advances the clock to another day.
    private static func refunded(_ product: String, day: Int = 0) -> @Sendable (NotifiedStore) async throws -> Void {
        { notified in
            try await notified.store.refund(notified.buy(product))
            if day > 0 { try await notified.advance(toDay: day) }
        }
    }

    static let refundRequests =
        [
            ConsumptionRequestReason.unintendedPurchase, .fulfillmentIssue, .unsatisfied, .legal, .other,
        ].map { reason in
            NotificationCase(
                "the refund of a consumable is requested: \(reason.rawValue)",
                [.request("coins bought 990 because \(reason.rawValue)")], before: bought("coins")
            ) { try await $0.store.requestRefund($0.latest(), because: reason) }
        } + [
            NotificationCase(
                "the refund of a non-consumable is requested", [.request("map bought 4990 because OTHER")],
                before: bought("map")
            ) { try await $0.store.requestRefund($0.latest()) },
            NotificationCase(
                "the refund of a non-renewing subscription is requested", [.request("pass bought 9990 because LEGAL")],
                before: bought("pass")
            ) { try await $0.store.requestRefund($0.latest(), because: .legal) },
            NotificationCase(
                "the refund of a subscription is requested",
                [
                    .status("DISABLED", "club.silver bought 4990 until day 31", "active, ends with club.silver"),
                    .request("club.silver bought 4990 until day 31 because OTHER"),
                ], before: bought("club.silver")
            ) { try await $0.store.requestRefund($0.latest()) },
            NotificationCase(
                "the refund of a subscription is requested whose renewal is off",
                [.request("club.silver bought 4990 until day 31 because OTHER")]
            ) {
                try await $0.buy("club.silver")
                try await $0.store.setRenewal(false, of: "club.silver")
            } event: {
                try await $0.store.requestRefund($0.latest())
            },
            NotificationCase(
                "a refund is requested twice",
                [.request("coins bought 990 because OTHER"), .request("coins bought 990 because LEGAL")],
                before: bought("coins")
            ) {
                try await $0.store.requestRefund($0.latest())
                try await $0.store.requestRefund($0.latest(), because: .legal)
            },
            NotificationCase(
                "a request for a refund is declined", [NotificationFacts("REFUND_DECLINED", "coins bought 990")]
            ) {
                try await $0.store.requestRefund($0.buy("coins"))
            } event: {
                try await $0.store.declineRefund($0.latest())
            },
        ]

    private static let sharesMapAndSilver: @Sendable (NotifiedStore) async throws -> Void = {
        try await $0.formFamily()
        try await $0.buy("map")
        try await $0.buy("club.silver")
    }

    private static let adasMapAndSilver: [NotificationFacts] = [
        .revoke("Ada's map bought by the family revoked day 0 FAMILY_REVOKE"),
        .revoke("Ada's club.silver bought by the family until day 31 revoked day 0 FAMILY_REVOKE"),
    ]

    static let revocations = [
        NotificationCase(
            "a purchase is refunded that the family shares",
            [.refund("map bought 4990 revoked day 0 REFUND_FULL 100000"), adasMapAndSilver[0]],
            before: sharesMapAndSilver
        ) { try await $0.store.refund($0.store.transactions()[0].id) },
        NotificationCase(
            "a subscription is refunded that the family shares",
            [.refund("club.silver bought 4990 until day 31 revoked day 0 REFUND_FULL 100000"), adasMapAndSilver[1]],
            before: sharesMapAndSilver
        ) { try await $0.store.refund($0.store.transactions()[1].id) },
        NotificationCase(
            "the refunds of purchases are reversed that the family shares",
            [
                NotificationFacts("REFUND_REVERSED", "map bought 4990"), .charge("Ada's map bought by the family"),
                NotificationFacts("REFUND_REVERSED", "club.silver bought 4990 until day 31"),
                .resubscribed("Ada's club.silver bought by the family until day 31", "active, renews to club.silver"),
            ]
        ) { notified in
            try await sharesMapAndSilver(notified)
            for purchase in try await notified.store.transactions() { try await notified.store.refund(purchase.id) }
        } event: { notified in
            for purchase in try await notified.store.transactions() {
                try await notified.store.reverseRefund(purchase.id)
            }
        },
        NotificationCase("a member leaves the family", adasMapAndSilver, before: sharesMapAndSilver) {
            try await $0.customer("Ada").leaveFamily()
        },
        NotificationCase("the purchaser leaves the family", adasMapAndSilver, before: sharesMapAndSilver) {
            try await $0.store.leaveFamily()
        },
        NotificationCase(
            "a subscription changes that a member does not share any more",
            [
                .status("DISABLED", "club.silver bought 4990 until day 31", "active, ends with club.silver"),
                .expired(
                    "VOLUNTARY", "club.silver bought 4990 until day 31",
                    "expired, ends with club.silver, intent 1, win-back again"),
            ]
        ) {
            try await sharesMapAndSilver($0)
            try await $0.customer("Ada").leaveFamily()
        } event: {
            try await $0.store.setRenewal(false, of: "club.silver")
            try await $0.advance(toDay: 31)
        },
        NotificationCase(
            "sharing of one purchase ends", [adasMapAndSilver[0]], before: sharesMapAndSilver
        ) { notified in
            let ada = try notified.customer("Ada")
            try await ada.revokeFamily(ada.transactions()[0].id)
        },
        NotificationCase(
            "a family member who is no customer ends sharing",
            [.revoke("map bought by the family revoked day 0 FAMILY_REVOKE")]
        ) {
            try await $0.store.share("map")
        } event: {
            try await $0.store.revokeFamily($0.latest())
        },
    ]
}

extension NotificationFacts {
    static func refund(_ subject: String) -> NotificationFacts { NotificationFacts("REFUND", subject) }

    static func request(_ subject: String) -> NotificationFacts { NotificationFacts("CONSUMPTION_REQUEST", subject) }

    static func revoke(_ subject: String) -> NotificationFacts { NotificationFacts("REVOKE", subject) }
}
