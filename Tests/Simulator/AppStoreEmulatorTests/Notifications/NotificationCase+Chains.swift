import Foundation
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator

/// Sequences of events that belong together.
extension NotificationCase {
    private static let bought = "club.silver bought 4990 until day 31"
    private static let active = "active, renews to club.silver for 4990"
    private static let retryEnded = NotificationFacts.expired(
        "BILLING_RETRY", bought, "expired, ends with club.silver, intent 2, not retrying, win-back again")

    static let chains = failureChains + refundChains + subscriptionChains

    private static let failureChains = [
        NotificationCase(
            "chain: a failed payment without a grace period, and a recovery",
            [
                .subscribed(bought, active), .failed(nil, bought, failedRenewal),
                .recovered(renewed(untilDay: 68), active),
            ]
        ) {
            try await failing(withGrace: false, untilDay: 40)($0)
            try await $0.store.recoverBilling("club.silver")
        },
        NotificationCase(
            "chain: a failed payment without a grace period, and no recovery",
            [.subscribed(bought, active), .failed(nil, bought, failedRenewal), retryEnded],
            event: failing(withGrace: false, untilDay: 120)),
        NotificationCase(
            "chain: a failed payment with a grace period, and a recovery in it",
            [
                .subscribed(bought, active), .failed("GRACE_PERIOD", bought, graceRenewal),
                .recovered(renewed(untilDay: 59), active), .renewed(renewed(untilDay: 90), active),
            ]
        ) {
            try await failing(withGrace: true, untilDay: 36)($0)
            try await $0.store.recoverBilling("club.silver")
            try await $0.advance(toDay: 59)
        },
        NotificationCase(
            "chain: a failed payment with a grace period, and a recovery after it",
            [
                .subscribed(bought, active), .failed("GRACE_PERIOD", bought, graceRenewal),
                NotificationFacts("GRACE_PERIOD_EXPIRED", bought, failedRenewal),
                .recovered(renewed(untilDay: 81), active),
            ]
        ) {
            try await failing(withGrace: true, untilDay: 50)($0)
            try await $0.store.recoverBilling("club.silver")
        },
        NotificationCase(
            "chain: a failed payment with a grace period, and no recovery",
            [
                .subscribed(bought, active), .failed("GRACE_PERIOD", bought, graceRenewal),
                NotificationFacts("GRACE_PERIOD_EXPIRED", bought, failedRenewal), retryEnded,
            ], event: failing(withGrace: true, untilDay: 120)),
    ]

    private static let requested: [NotificationFacts] = [
        .subscribed(bought, active), .status("DISABLED", bought, "active, ends with club.silver"),
        .request("\(bought) because UNSATISFIED_WITH_PURCHASE"),
    ]

    private static let requestsRefund: @Sendable (NotifiedStore) async throws -> String = { notified in
        let bought = try await notified.buy("club.silver")
        try await notified.store.requestRefund(bought, because: .unsatisfied)
        return bought
    }

    private static let refundChains = [
        NotificationCase(
            "chain: a refund is requested and granted",
            requested + [.refund("\(bought) revoked day 0 REFUND_FULL 100000")]
        ) { notified in
            try await notified.store.refund(requestsRefund(notified))
        },
        NotificationCase(
            "chain: a refund is requested and declined, and the subscription ends",
            requested + [
                NotificationFacts("REFUND_DECLINED", bought),
                .expired("VOLUNTARY", bought, "expired, ends with club.silver, intent 1, win-back again"),
            ]
        ) { notified in
            try await notified.store.declineRefund(requestsRefund(notified))
            try await notified.advance(toDay: 31)
        },
        NotificationCase(
            "chain: a refund is requested, granted and reversed, and the subscription ends",
            requested + [
                .refund("\(bought) revoked day 0 REFUND_FULL 100000"), NotificationFacts("REFUND_REVERSED", bought),
                .expired("VOLUNTARY", bought, "expired, ends with club.silver, intent 1, win-back again"),
            ]
        ) { notified in
            let bought = try await requestsRefund(notified)
            try await notified.store.refund(bought)
            try await notified.advance(toDay: 3)
            try await notified.store.reverseRefund(bought)
            try await notified.advance(toDay: 31)
        },
    ]

    private static let subscriptionChains = [
        NotificationCase(
            "chain: an upgrade with an offer, and its renewal at the full price",
            [
                .subscribed(bought, active),
                .offer(
                    "UPGRADE", "club.gold bought 19990 offer 2 spring until day 90",
                    "active, renews to club.gold for 9990"),
                .renewed("club.gold renewed 9990 until day 120", "active, renews to club.gold for 9990"),
            ]
        ) {
            try await $0.buy("club.silver")
            try await $0.buy("club.gold", $0.spring())
            try await $0.advance(toDay: 90)
        },
        NotificationCase(
            "chain: a price increase, the consent and the renewal at the new price",
            [
                .subscribed(bought, active), .price("PENDING", bought, "\(active), price pending"),
                .price("ACCEPTED", bought, "active, renews to club.silver for 7000, price agreed"),
                .renewed("club.silver renewed 7000 until day 59", "active, renews to club.silver for 7000"),
            ]
        ) {
            try await $0.buy("club.silver")
            try await $0.store.setPrice(7, of: "club.silver", consentRequired: true)
            try await $0.store.consentToPriceIncrease(true, of: "club.silver")
            try await $0.advance(toDay: 31)
        },
        NotificationCase(
            "chain: a customer subscribes, stays, leaves and comes back",
            [
                .subscribed(bought, active), .renewed(renewed(untilDay: 59), active),
                .status("DISABLED", renewed(untilDay: 59), "active, ends with club.silver"),
                .expired(
                    "VOLUNTARY", renewed(untilDay: 59), "expired, ends with club.silver, intent 1, win-back again"),
                .resubscribed("club.silver bought 4990 until day 90", active),
            ]
        ) {
            try await $0.buy("club.silver")
            try await $0.advance(toDay: 31)
            try await $0.store.setRenewal(false, of: "club.silver")
            try await $0.advance(toDay: 59)
            try await $0.buy("club.silver")
        },
        NotificationCase(
            "chain: an extended subscription renews at its later end",
            [
                .subscribed(bought, active),
                .extended("club.silver bought 4990 until day 41", active),
                .renewed("club.silver renewed 4990 until day 69", active),
            ]
        ) {
            try await $0.buy("club.silver")
            try await $0.extend()
            try await $0.advance(toDay: 41)
        },
    ]

    private static func renewed(untilDay day: Int) -> String { "club.silver renewed 4990 until day \(day)" }
}
