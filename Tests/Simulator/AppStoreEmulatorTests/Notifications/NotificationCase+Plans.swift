import Foundation
import VitrinePurchasing
import VitrineStoreSimulator

/// Changes of plans and renewals, offers for active subscribers, and prices.
extension NotificationCase {
    private static func subscribed(_ product: String) -> @Sendable (NotifiedStore) async throws -> Void {
        { try await $0.buy(product) }
    }

    static let plans = [
        NotificationCase(
            "a subscriber upgrades",
            [.plan("UPGRADE", "club.gold bought 9990 until day 41", "active, renews to club.gold for 9990")]
        ) {
            try await $0.buy("club.silver")
            try await $0.advance(toDay: 10)
        } event: {
            try await $0.buy("club.gold")
        },
        NotificationCase(
            "a subscriber changes to a product of the same level and duration",
            [.plan("UPGRADE", "club.argent bought 5490 until day 31", "active, renews to club.argent for 5490")],
            before: subscribed("club.silver")
        ) { try await $0.buy("club.argent") },
        NotificationCase(
            "a subscriber who shares upgrades",
            [
                .plan("UPGRADE", "club.gold bought 9990 until day 31", "active, renews to club.gold for 9990"),
                .plan("UPGRADE", "Ada's club.gold bought by the family until day 31", "active, renews to club.gold"),
            ]
        ) {
            try await $0.formFamily()
            try await $0.buy("club.silver")
        } event: {
            try await $0.buy("club.gold")
        },
        NotificationCase(
            "a subscription that is shared renews to a plan that cannot be shared",
            [
                .renewed("club.week renewed 990 until day 38", "active, renews to club.week for 990"),
                NotificationFacts(
                    "EXPIRED", "Ada's club.silver bought by the family until day 31",
                    "expired, ends with club.week, intent 5"),
            ]
        ) {
            try await $0.formFamily()
            try await $0.buy("club.silver")
            try await $0.buy("club.week")
        } event: {
            try await $0.advance(toDay: 31)
        },
        NotificationCase(
            "a subscriber downgrades",
            [.plan("DOWNGRADE", "club.silver bought 4990 until day 31", "active, renews to club.bronze for 2990")],
            before: subscribed("club.silver")
        ) { try await $0.buy("club.bronze") },
        NotificationCase(
            "a subscriber changes to a product of the same level and another duration",
            [
                .plan(
                    "DOWNGRADE", "club.silver bought 4990 until day 31", "active, renews to club.silver.year for 49990")
            ],
            before: subscribed("club.silver")
        ) { try await $0.buy("club.silver.year") },
        NotificationCase(
            "a subscriber cancels a downgrade",
            [.plan(nil, "club.silver bought 4990 until day 31", "active, renews to club.silver for 4990")]
        ) {
            try await $0.buy("club.silver")
            try await $0.buy("club.bronze")
        } event: {
            try await $0.buy("club.silver")
        },
        NotificationCase(
            "a subscriber buys the plan that renews anyway", [], before: subscribed("club.silver")
        ) { try await $0.buy("club.silver") },
    ]

    static let renewalStatus = [
        NotificationCase(
            "a subscriber turns the renewal off",
            [.status("DISABLED", "club.silver bought 4990 until day 31", "active, ends with club.silver")],
            before: subscribed("club.silver")
        ) { try await $0.store.setRenewal(false, of: "club.silver") },
        NotificationCase(
            "a subscriber turns the renewal on again",
            [.status("ENABLED", "club.silver bought 4990 until day 31", "active, renews to club.silver for 4990")]
        ) {
            try await $0.buy("club.silver")
            try await $0.store.setRenewal(false, of: "club.silver")
        } event: {
            try await $0.store.setRenewal(true, of: "club.silver")
        },
        NotificationCase(
            "a subscriber whose renewal is off buys the same product",
            [.status("ENABLED", "club.silver bought 4990 until day 31", "active, renews to club.silver for 4990")]
        ) {
            try await $0.buy("club.silver")
            try await $0.store.setRenewal(false, of: "club.silver")
        } event: {
            try await $0.buy("club.silver")
        },
        NotificationCase(
            "a renewal that is on is turned on", [], before: subscribed("club.silver")
        ) { try await $0.store.setRenewal(true, of: "club.silver") },
        NotificationCase(
            "a subscriber declines a price increase",
            [.status("DISABLED", "club.silver bought 4990 until day 31", "active, ends with club.silver")]
        ) {
            try await $0.buy("club.silver")
            try await $0.store.setPrice(7, of: "club.silver", consentRequired: true)
        } event: {
            try await $0.store.consentToPriceIncrease(false, of: "club.silver")
        },
    ]

    static let offers = [
        NotificationCase(
            "a subscriber takes a promotional offer of the running product",
            [
                .offer(
                    nil, "club.gold bought 0 offer 1 until day 7",
                    "active, renews to club.gold for 19990, offer 2 spring")
            ], before: subscribed("club.gold")
        ) { try await $0.buy("club.gold", $0.spring()) },
        NotificationCase(
            "a subscriber redeems an offer code of the running product",
            [
                .offer(
                    nil, "club.silver bought 4990 until day 31", "active, renews to club.silver for 0, offer 3 summer")
            ], hasCodeForSubscribers: true, before: subscribed("club.silver")
        ) { try await $0.store.redeem("summer", of: "club.silver") },
        NotificationCase(
            "a subscriber upgrades with a promotional offer",
            [
                .offer(
                    "UPGRADE", "club.gold bought 19990 offer 2 spring until day 90",
                    "active, renews to club.gold for 9990")
            ],
            before: subscribed("club.silver")
        ) { try await $0.buy("club.gold", $0.spring()) },
        NotificationCase(
            "a subscriber upgrades with an offer code",
            [
                .offer(
                    "UPGRADE", "club.silver bought 0 offer 3 summer until day 31",
                    "active, renews to club.silver for 4990")
            ], hasCodeForSubscribers: true, before: subscribed("club.bronze")
        ) { try await $0.store.redeem("summer", of: "club.silver") },
        NotificationCase(
            "a subscriber downgrades with an offer code",
            [
                .offer(
                    "DOWNGRADE", "club.gold bought 0 offer 1 until day 7",
                    "active, renews to club.silver for 0, offer 3 summer")
            ], hasCodeForSubscribers: true, before: subscribed("club.gold")
        ) { try await $0.store.redeem("summer", of: "club.silver") },
        NotificationCase(
            "a subscriber whose plan waits takes an offer of the running product",
            [
                .offer(
                    nil, "club.gold bought 0 offer 1 until day 7",
                    "active, renews to club.gold for 19990, offer 2 spring")
            ]
        ) {
            try await $0.buy("club.gold")
            try await $0.buy("club.silver")
        } event: {
            try await $0.buy("club.gold", $0.spring())
        },
    ]

    static let prices = [
        NotificationCase(
            "a price increase waits for consent",
            [
                .price(
                    "PENDING", "club.silver bought 4990 until day 31",
                    "active, renews to club.silver for 4990, price pending")
            ], before: subscribed("club.silver")
        ) { try await $0.store.setPrice(7, of: "club.silver", consentRequired: true) },
        NotificationCase(
            "a subscriber consents to a price increase",
            [
                .price(
                    "ACCEPTED", "club.silver bought 4990 until day 31",
                    "active, renews to club.silver for 7000, price agreed")
            ]
        ) {
            try await $0.buy("club.silver")
            try await $0.store.setPrice(7, of: "club.silver", consentRequired: true)
        } event: {
            try await $0.store.consentToPriceIncrease(true, of: "club.silver")
        },
        NotificationCase(
            "a price increase needs no consent",
            [
                .price(
                    "ACCEPTED", "club.silver bought 4990 until day 31",
                    "active, renews to club.silver for 7000, price agreed")
            ], before: subscribed("club.silver")
        ) { try await $0.store.setPrice(7, of: "club.silver") },
        NotificationCase(
            "the price of a subscription increases whose renewal is off, and is turned on then",
            [
                .status(
                    "ENABLED", "club.silver bought 4990 until day 31",
                    "active, renews to club.silver for 4990, price pending"),
                .price(
                    "PENDING", "club.silver bought 4990 until day 31",
                    "active, renews to club.silver for 4990, price pending"),
            ]
        ) {
            try await $0.buy("club.silver")
            try await $0.store.setRenewal(false, of: "club.silver")
        } event: {
            try await $0.store.setPrice(7, of: "club.silver", consentRequired: true)
            try await $0.store.setRenewal(true, of: "club.silver")
        },
        NotificationCase("a lower price causes none", [], before: subscribed("club.silver")) {
            try await $0.store.setPrice(3, of: "club.silver", consentRequired: true)
        },
        NotificationCase(
            "a price increase waits for the consent of each subscriber",
            ["", "Ada's "].map { owner in
                .price(
                    "PENDING", "\(owner)club.silver bought 4990 until day 31",
                    "active, renews to club.silver for 4990, price pending")
            }
        ) {
            try await $0.buy("club.silver")
            try await $0.buy("club.silver", as: "Ada")
        } event: {
            try await $0.store.setPrice(7, of: "club.silver", consentRequired: true)
        },
    ]
}

extension NotificationFacts {
    static func plan(_ subtype: String?, _ subject: String, _ renewal: String) -> NotificationFacts {
        NotificationFacts(NotificationRow.id("DID_CHANGE_RENEWAL_PREF", subtype), subject, renewal)
    }

    /// Returns the facts of a change of the renewal status.
    ///
    /// - Parameter subtype: Subtype without `AUTO_RENEW_`.
    static func status(_ subtype: String, _ subject: String, _ renewal: String) -> NotificationFacts {
        NotificationFacts("DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_\(subtype)", subject, renewal)
    }

    static func offer(_ subtype: String?, _ subject: String, _ renewal: String) -> NotificationFacts {
        NotificationFacts(NotificationRow.id("OFFER_REDEEMED", subtype), subject, renewal)
    }

    static func price(_ subtype: String, _ subject: String, _ renewal: String) -> NotificationFacts {
        NotificationFacts("PRICE_INCREASE/\(subtype)", subject, renewal)
    }
}
