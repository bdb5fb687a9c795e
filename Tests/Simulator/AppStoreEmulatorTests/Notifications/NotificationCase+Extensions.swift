import HTTPTypes
import Testing
import VitrineStoreSimulator

/// Extended renewal dates, and test notifications.
extension NotificationCase {
    static let extensions = [
        NotificationCase(
            "a subscription is extended",
            [.extended("club.silver bought 4990 until day 41", "active, renews to club.silver for 4990")]
        ) {
            try await $0.buy("club.silver")
        } event: {
            try await $0.extend()
        },
        NotificationCase("a request for an extension is repeated", []) {
            try await $0.buy("club.silver")
            try await $0.extend()
        } event: {
            try await $0.extend()
        },
        NotificationCase(
            "a shared subscription is extended",
            [
                .extended("club.silver bought 4990 until day 41", "active, renews to club.silver for 4990"),
                .extended("Ada's club.silver bought by the family until day 41", "active, renews to club.silver"),
            ]
        ) {
            try await $0.formFamily()
            try await $0.buy("club.silver")
        } event: {
            try await $0.extend()
        },
        NotificationCase(
            "a subscription is extended that a member does not share any more",
            [.extended("club.silver bought 4990 until day 41", "active, renews to club.silver for 4990")]
        ) {
            try await $0.formFamily()
            try await $0.buy("club.silver")
            try await $0.customer("Ada").leaveFamily()
        } event: {
            try await $0.extend()
        },
        NotificationCase(
            "the subscriptions of all customers are extended",
            [
                .extended("club.silver bought 4990 until day 41", "active, renews to club.silver for 4990"),
                .extended("Ada's club.silver bought 4990 until day 41", "active, renews to club.silver for 4990"),
                .summary("club.silver 2 extended 0 failed"),
            ]
        ) {
            try await $0.buy("club.silver")
            try await $0.buy("club.silver", as: "Ada")
            try await $0.buy("club.gold", as: "Grace")
        } event: {
            try await $0.extendAll("club.silver")
        },
        NotificationCase(
            "a free trial is not extended",
            [
                .extended("Ada's club.gold renewed 9990 until day 48", "active, renews to club.gold for 9990"),
                NotificationFacts(
                    "RENEWAL_EXTENSION/FAILURE", "club.gold bought 0 offer 1 until day 14",
                    "active, renews to club.gold for 9990"),
                .summary("club.gold 1 extended 1 failed"),
            ]
        ) {
            try await $0.buy("club.gold", as: "Ada")
            try await $0.advance(toDay: 7)
            try await $0.buy("club.gold")
        } event: {
            try await $0.extendAll("club.gold")
        },
        NotificationCase(
            "a subscription in retry is not extended",
            [
                NotificationFacts(
                    "RENEWAL_EXTENSION/FAILURE", "club.silver bought 4990 until day 31", failedRenewal),
                .summary("club.silver 0 extended 1 failed"),
            ], before: failing(withGrace: false, untilDay: 40)
        ) { try await $0.extendAll("club.silver") },
        NotificationCase(
            "the subscriptions of other countries are extended",
            [.summary("club.silver in DEU FRA 0 extended 0 failed")]
        ) {
            try await $0.buy("club.silver")
        } event: {
            try await $0.extendAll("club.silver", in: ["DEU", "FRA"])
        },
    ]

    static let tests = [
        NotificationCase("the app's server requests a test", [NotificationFacts("TEST", "the app")]) {
            try await $0.request(.post, "/inApps/v1/notifications/test")
        },
        NotificationCase("a developer requests a test", [NotificationFacts("TEST", "the app")]) {
            let token = try await $0.store.sendTestNotification()
            #expect(token != nil)
        },
    ]
}

extension NotificationFacts {
    static func extended(_ subject: String, _ renewal: String) -> NotificationFacts {
        NotificationFacts("RENEWAL_EXTENDED", subject, renewal)
    }

    static func summary(_ subject: String) -> NotificationFacts {
        NotificationFacts("RENEWAL_EXTENSION/SUMMARY", subject)
    }
}
