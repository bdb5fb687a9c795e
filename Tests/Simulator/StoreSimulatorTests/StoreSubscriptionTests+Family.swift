import Foundation
import Testing
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Subscriptions that a member of the family shares.
extension StoreSubscriptionTests {
    /// Returns a store in which `club.gold` cannot be shared by the family.
    private func storeWithOwnGold() async throws -> ClubStore {
        try await ClubStore { configuration in
            var (text, shareable) = (configuration, #""familyShareable": true"#)
            guard let gold = text.range(of: #""productID": "club.gold""#),
                let range = text.range(of: shareable, range: gold.upperBound..<text.endIndex)
            else { return text }
            shareable.replace("true", with: "false")
            text.replaceSubrange(range, with: shareable)
            return text
        }
    }

    @Test func `a change to a plan that cannot be shared revokes the member's period until the next plan`() async throws
    {
        let club = try await storeWithOwnGold()
        let ada = try club.store.device("phone", of: "Ada")
        for member in [club.store, ada] { try await member.joinFamily("Lovelace") }
        try await club.store.setNotificationURL(URL(string: "http://127.0.0.1:1/notifications"))
        func notifications(after count: Int) async throws -> [String] {
            try await club.store.notifications().dropFirst(count).map { notification in
                "\(notification.type)\(notification.subtype.map { "/\($0)" } ?? "")"
            }
        }
        try await club.buy("silver")
        #expect(try await notifications(after: 0) == ["SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/INITIAL_BUY"])
        try await club.advance(to: "2026-01-20")
        try await club.buy("gold")
        #expect(try await notifications(after: 2) == ["DID_CHANGE_RENEWAL_PREF/UPGRADE", "REVOKE"])

        // Changes of the plan that is not shared do not concern the member.
        try await club.store.setRenewal(false, of: "gold".club)
        let (state, transaction, _) = try await club.status(on: ada)
        #expect((state, transaction.productIdentifier) == (.revoked, "silver".club))
        #expect((transaction.revocationType, transaction.revocationDate) == (.family, .at("2026-01-20")))
        try await club.buy("silver")
        #expect(try await club.status(on: ada).state == .revoked)
        try await club.advance(to: "2026-02-20")

        #expect(try await notifications(after: 6) == ["DID_RENEW", "SUBSCRIBED/RESUBSCRIBE"])
        let (shared, period, _) = try await club.status(on: ada)
        #expect((shared, period.productIdentifier, period.revocationDate) == (.active, "silver".club, nil))
    }
}
