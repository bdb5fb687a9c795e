import VitrineStoreSimulator

/// Renewals that are turned off after a failed charge.
extension NotificationCase {
    private static let ended = NotificationFacts.expired(
        "VOLUNTARY", "club.silver bought 4990 until day 31", "expired, ends with club.silver, intent 1, win-back again")

    static let cancellations = [
        NotificationCase(
            "a renewal is turned off in the grace period",
            [
                .status(
                    "DISABLED", "club.silver bought 4990 until day 31",
                    "in grace, ends with club.silver, intent 2, not retrying, grace until day 47"),
                ended,
            ], before: failing(withGrace: true, untilDay: 36)
        ) { try await $0.store.setRenewal(false, of: "club.silver") },
        NotificationCase(
            "a renewal is turned off in billing retry",
            [
                .status(
                    "DISABLED", "club.silver bought 4990 until day 31",
                    "in retry, ends with club.silver, intent 2, not retrying"),
                ended,
            ], before: failing(withGrace: false, untilDay: 40)
        ) { try await $0.store.setRenewal(false, of: "club.silver") },
    ]
}
