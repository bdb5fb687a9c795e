import Foundation
import VitrineStoreSimulator

/// Renewals that cannot be charged, and the ends of subscriptions.
extension NotificationCase {
    static let failedRenewal = "in retry, renews to club.silver for 4990, intent 2, retrying"
    static let graceRenewal = "in grace, renews to club.silver for 4990, intent 2, retrying, grace until day 47"

    /// Returns a function that lets the renewal of `club.silver` on day 31 fail.
    ///
    /// - Parameter day: Day to which the clock is then advanced.
    static func failing(
        withGrace hasGrace: Bool, untilDay day: Int
    ) -> @Sendable (NotifiedStore) async throws -> Void {
        { notified in
            try await notified.store.setGracePeriod(hasGrace)
            try await notified.buy("club.silver")
            try await notified.store.failBilling("club.silver")
            try await notified.advance(toDay: day)
        }
    }

    static let failures = [
        NotificationCase(
            "a renewal fails without a grace period",
            [.failed(nil, "club.silver bought 4990 until day 31", failedRenewal)],
            before: failing(withGrace: false, untilDay: 30)
        ) { try await $0.advance(toDay: 31) },
        NotificationCase(
            "a renewal fails with a grace period",
            [.failed("GRACE_PERIOD", "club.silver bought 4990 until day 31", graceRenewal)],
            before: failing(withGrace: true, untilDay: 30)
        ) { try await $0.advance(toDay: 31) },
        NotificationCase(
            "the renewal of a weekly subscription fails with a grace period",
            [
                .failed(
                    "GRACE_PERIOD", "club.week bought 990 until day 7",
                    "in grace, renews to club.week for 990, intent 2, retrying, grace until day 13")
            ]
        ) {
            try await $0.store.setGracePeriod(true)
            try await $0.buy("club.week")
            try await $0.store.setBillingFailing(true)
        } event: {
            try await $0.advance(toDay: 7)
        },
        NotificationCase(
            "the renewal of a shared subscription fails",
            [
                .failed("GRACE_PERIOD", "club.silver bought 4990 until day 31", graceRenewal),
                .failed(
                    "GRACE_PERIOD", "Ada's club.silver bought by the family until day 31",
                    "in grace, renews to club.silver, intent 2, retrying, grace until day 47"),
            ]
        ) {
            try await $0.formFamily()
            try await failing(withGrace: true, untilDay: 30)($0)
        } event: {
            try await $0.advance(toDay: 31)
        },
        NotificationCase(
            "a grace period ends without a payment",
            [NotificationFacts("GRACE_PERIOD_EXPIRED", "club.silver bought 4990 until day 31", failedRenewal)],
            before: failing(withGrace: true, untilDay: 46)
        ) { try await $0.advance(toDay: 47) },
        NotificationCase(
            "the grace period of a shared subscription ends",
            [
                NotificationFacts("GRACE_PERIOD_EXPIRED", "club.silver bought 4990 until day 31", failedRenewal),
                NotificationFacts(
                    "GRACE_PERIOD_EXPIRED", "Ada's club.silver bought by the family until day 31",
                    "in retry, renews to club.silver, intent 2, retrying"),
            ]
        ) {
            try await $0.formFamily()
            try await failing(withGrace: true, untilDay: 46)($0)
        } event: {
            try await $0.advance(toDay: 47)
        },
    ]

    static let recoveries = [
        NotificationCase(
            "a payment succeeds in the grace period",
            [.recovered("club.silver renewed 4990 until day 59", "active, renews to club.silver for 4990")],
            before: failing(withGrace: true, untilDay: 36)
        ) { try await $0.store.recoverBilling("club.silver") },
        NotificationCase(
            "a customer buys the product in the grace period",
            [.recovered("club.silver renewed 4990 until day 59", "active, renews to club.silver for 4990")],
            before: failing(withGrace: true, untilDay: 36)
        ) { try await $0.buy("club.silver") },
        NotificationCase(
            "a payment succeeds after the grace period",
            [.recovered("club.silver renewed 4990 until day 81", "active, renews to club.silver for 4990")],
            before: failing(withGrace: true, untilDay: 50)
        ) { try await $0.store.recoverBilling("club.silver") },
        NotificationCase(
            "a payment succeeds without a grace period",
            [.recovered("club.silver renewed 4990 until day 68", "active, renews to club.silver for 4990")],
            before: failing(withGrace: false, untilDay: 40)
        ) { try await $0.store.recoverBilling("club.silver") },
        NotificationCase(
            "a payment for a shared subscription succeeds",
            [
                .recovered("club.silver renewed 4990 until day 59", "active, renews to club.silver for 4990"),
                .recovered("Ada's club.silver renewed by the family until day 59", "active, renews to club.silver"),
            ]
        ) {
            try await $0.formFamily()
            try await failing(withGrace: true, untilDay: 36)($0)
        } event: {
            try await $0.store.recoverBilling("club.silver")
        },
    ]

    static let ends = [
        NotificationCase(
            "a subscription ends whose renewal is off",
            [
                .expired(
                    "VOLUNTARY", "club.silver bought 4990 until day 31",
                    "expired, ends with club.silver, intent 1, win-back again")
            ]
        ) {
            try await $0.buy("club.silver")
            try await $0.store.setRenewal(false, of: "club.silver")
        } event: {
            try await $0.advance(toDay: 31)
        },
        NotificationCase(
            "a subscription ends at once",
            [
                .expired(
                    "VOLUNTARY", "club.argent bought 5490 until day 10", "expired, ends with club.argent, intent 1")
            ]
        ) {
            try await $0.buy("club.argent")
            try await $0.advance(toDay: 10)
        } event: {
            try await $0.store.expire("club.argent")
        },
        NotificationCase(
            "a shared subscription ends",
            [
                .expired(
                    "VOLUNTARY", "club.argent bought 5490 until day 31", "expired, ends with club.argent, intent 1"),
                .expired(
                    "VOLUNTARY", "Ada's club.argent bought by the family until day 31",
                    "expired, ends with club.argent, intent 1"),
            ]
        ) {
            try await $0.formFamily()
            try await $0.buy("club.argent")
            try await $0.store.setRenewal(false, of: "club.argent")
        } event: {
            try await $0.advance(toDay: 31)
        },
        NotificationCase(
            "the time ends in which the store tries to charge",
            [
                .expired(
                    "BILLING_RETRY", "club.silver bought 4990 until day 31",
                    "expired, ends with club.silver, intent 2, not retrying, win-back again")
            ], before: failing(withGrace: false, untilDay: 90)
        ) { try await $0.advance(toDay: 91) },
        NotificationCase(
            "a price increase was not answered",
            [
                .expired(
                    "PRICE_INCREASE", "club.silver bought 4990 until day 31",
                    "expired, ends with club.silver, intent 3, win-back again")
            ]
        ) {
            try await $0.buy("club.silver")
            try await $0.store.setPrice(7, of: "club.silver", consentRequired: true)
        } event: {
            try await $0.advance(toDay: 31)
        },
        NotificationCase(
            "a price increase was declined",
            [
                .expired(
                    "PRICE_INCREASE", "club.silver bought 4990 until day 31",
                    "expired, ends with club.silver, intent 3, win-back again")
            ]
        ) {
            try await $0.buy("club.silver")
            try await $0.store.setPrice(7, of: "club.silver", consentRequired: true)
            try await $0.store.consentToPriceIncrease(false, of: "club.silver")
        } event: {
            try await $0.advance(toDay: 31)
        },
        NotificationCase(
            "the product of a subscription is not for sale any more",
            [
                .expired(
                    "PRODUCT_NOT_FOR_SALE", "club.argent bought 5490 until day 31",
                    "expired, ends with club.argent, intent 4")
            ]
        ) {
            try await $0.buy("club.argent")
            try await $0.store.withdraw("club.argent")
        } event: {
            try await $0.advance(toDay: 31)
        },
    ]
}

extension NotificationFacts {
    static func failed(_ subtype: String?, _ subject: String, _ renewal: String) -> NotificationFacts {
        NotificationFacts(NotificationRow.id("DID_FAIL_TO_RENEW", subtype), subject, renewal)
    }

    static func recovered(_ subject: String, _ renewal: String) -> NotificationFacts {
        NotificationFacts("DID_RENEW/BILLING_RECOVERY", subject, renewal)
    }

    static func expired(_ subtype: String, _ subject: String, _ renewal: String) -> NotificationFacts {
        NotificationFacts("EXPIRED/\(subtype)", subject, renewal)
    }
}
