import Foundation
import Testing
import VitrineStoreSimulator
import VitrineTestSupport

extension NotificationStory {
    /// History of purchases, with the notifications that it causes.
    struct Life: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Types and subtypes of the expected notifications.
        let names: [String]
        /// Products that the customers own at the end.
        let owned: Set<String>
        let tell: @Sendable (SimulatedStore) async throws -> Void

        init(
            _ description: String, _ names: [String], owned: Set<String>,
            _ tell: @escaping @Sendable (SimulatedStore) async throws -> Void
        ) {
            (testDescription, self.names, self.owned, self.tell) = (description, names, owned, tell)
        }
    }

    private static let day: TimeInterval = 86_400
    private static let silver = "club.silver"

    /// Subscription with seven notifications.
    static let subscription = Life(
        "a subscription",
        [
            "SUBSCRIBED/INITIAL_BUY", "DID_RENEW", "DID_FAIL_TO_RENEW/GRACE_PERIOD", "DID_RENEW/BILLING_RECOVERY",
            "DID_CHANGE_RENEWAL_PREF/UPGRADE", "REFUND", "REFUND_REVERSED",
        ], owned: ["club.gold", "map"]
    ) { store in
        try await store.purchaseElsewhere(silver)
        try await store.advance(by: 32 * day)
        try await store.failBilling(silver)
        try await store.advance(by: 28 * day)
        try await store.recoverBilling(silver)
        try await store.advance(by: 2 * day)
        let gold = try await store.purchaseElsewhere("club.gold")
        try await store.advance(by: 2 * day)
        try await store.refund(gold.id)
        try await store.advance(by: 2 * day)
        try await store.reverseRefund(gold.id)
    }

    /// Purchases of two customers with twelve notifications.
    static let twoCustomers = Life(
        "two customers",
        [
            "SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/INITIAL_BUY", "ONE_TIME_CHARGE", "ONE_TIME_CHARGE",
            "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED",
            "DID_CHANGE_RENEWAL_PREF/UPGRADE", "REFUND", "REFUND_REVERSED", "DID_RENEW", "REFUND", "ONE_TIME_CHARGE",
        ], owned: ["club.gold", "map", "news"]
    ) { ada in
        let bob = try ada.device("phone", of: "bob")
        try await ada.purchaseElsewhere(silver)
        try await ada.advance(by: day)
        try await bob.purchaseElsewhere("news")
        let coins = try await bob.purchaseElsewhere("coins", quantity: 2)
        let map = try await ada.purchaseElsewhere("map")
        try await bob.advance(by: day)
        try await bob.setRenewal(false, of: "news")
        try await bob.advance(by: day)
        try await bob.setRenewal(true, of: "news")
        try await ada.advance(by: day)
        try await ada.purchaseElsewhere("club.gold")
        try await ada.refund(map.id)
        try await ada.advance(by: day)
        try await ada.reverseRefund(map.id)
        try await bob.advance(by: 28 * day)
        try await bob.refund(coins.id)
        try await bob.purchaseElsewhere("coins")
    }

    /// Subscription whose first three periods have the introductory offer.
    static let introductoryOffer = Life(
        "an introductory offer of several periods",
        ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW", "DID_RENEW"], owned: ["club.bronze"]
    ) { store in
        try await store.purchaseElsewhere("club.bronze")
        try await store.advance(by: 65 * day)
    }

    /// Histories in which some notifications have information that later ones do not repeat.
    static let otherLives = [
        Life(
            "a renewal that is turned off and on",
            [
                "SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", "REFUND", "REFUND_REVERSED",
            ], owned: [silver]
        ) { store in
            let bought = try await store.purchaseElsewhere(silver)
            for isRenewing in [false, true] {
                try await store.advance(by: day)
                try await store.setRenewal(isRenewing, of: silver)
            }
            try await store.advance(by: day)
            try await store.refund(bought.id)
            try await store.advance(by: day)
            try await store.reverseRefund(bought.id)
        },
        Life(
            "a subscription whose payment fails",
            [
                "SUBSCRIBED/INITIAL_BUY", "DID_FAIL_TO_RENEW/GRACE_PERIOD", "GRACE_PERIOD_EXPIRED",
                "EXPIRED/BILLING_RETRY",
            ], owned: []
        ) { store in
            try await store.purchaseElsewhere(silver)
            try await store.failBilling(silver)
            try await store.advance(by: 120 * day)
        },
        introductoryOffer,
        Life(
            "another plan, which is taken back",
            ["SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "DID_CHANGE_RENEWAL_PREF", "DID_RENEW"],
            owned: [silver]
        ) { store in
            try await store.purchaseElsewhere(silver)
            for plan in ["club.bronze", silver] {
                try await store.advance(by: day)
                try await store.purchase(plan, quantity: 1)
            }
            try await store.advance(by: 31 * day)
        },
    ]

    /// Refund of a subscription period.
    static let refundedPeriod = Life("a refunded period", ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW", "REFUND"], owned: [])
    { store in
        try await store.purchaseElsewhere(silver)
        try await store.advance(by: 32 * day)
        try await store.refund(store.subscriptions()[0].transaction)
    }

    /// Refund of a subscription period in the following grace period, and the reversal of the refund. The grace period then
    /// counts again, because the notifications have no later renewal data.
    static let refundInGracePeriod = Life(
        "a refund in the grace period that is reversed",
        ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW", "DID_FAIL_TO_RENEW/GRACE_PERIOD", "REFUND", "REFUND_REVERSED"],
        owned: [silver]
    ) { store in
        try await store.purchaseElsewhere(silver)
        try await store.advance(by: 32 * day)
        try await store.failBilling(silver)
        try await store.advance(by: 28 * day)
        let renewed = try await store.subscriptions()[0].transaction
        try await store.refund(renewed)
        try await store.advance(by: day)
        try await store.reverseRefund(renewed)
    }

    /// Purchase of units, its refund, and the reversal of the refund.
    static let refundedUnits = Life("refunded units", ["ONE_TIME_CHARGE", "REFUND", "REFUND_REVERSED"], owned: []) {
        store in
        let coins = try await store.purchaseElsewhere("coins")
        try await store.advance(by: day)
        try await store.refund(coins.id)
        try await store.advance(by: day)
        try await store.reverseRefund(coins.id)
    }
}
