import Foundation
import Purchasing
import Receipts
import StoreSimulator
import TestSupport
import Testing

/// Changes of plan and of price that meet each other, failed renewals and ends.
extension StoreSubscriptionTests {
    @Test func `buying the present plan in the grace period takes back a change of plan that waits`() async throws {
        let club = try await ClubStore()
        try await club.store.setGracePeriod(true)
        try await club.buy("silver")
        try await club.buy("bronze")
        try await club.store.failBilling("silver".club)
        try await club.advance(to: "2026-02-20")
        try await club.store.setRenewal(false, of: "silver".club)
        let recovered = try await club.buy("silver")

        #expect(recovered.productIdentifier == "silver".club)
        #expect((recovered.reason, recovered.price) == (.renewal, 4_990))
        #expect(recovered.purchaseDate == .at("2026-02-15"))
        let (state, _, renewal) = try await club.status()
        #expect(state == .active)
        #expect((renewal.autoRenewStatus, renewal.autoRenewProductIdentifier) == (.on, "silver".club))
    }
}
