import Foundation
import Testing
import Vitrine
import VitrineEntitlements
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Renewals that were made while the app was closed, and that one load records.
@Suite(.hangLimit) struct SubscriptionCatchUpTests {
    private let club: ClubScene

    init() async throws { club = try await ClubScene() }

    /// Events of a load after a subscription has renewed several times.
    private func eventsOfLoad(
        after days: Double, choosing choices: (inout ManagerOptions) -> Void = { _ in }
    ) async throws -> [CatalogEvent] {
        let first = try await club.launch()
        guard case .success = await first.purchase("club.silver") else {
            Issue.record("not bought")
            return []
        }
        await first.stop()
        try await club.store.advance(by: days * 86_400)
        let manager = try await club.makeManager(choosing: choices)
        let tally = manager.eventTally()
        await manager.loadProducts()
        let events = tally.drain()
        #expect(manager.subscriptions.map(\.state) == [.subscribed])
        await manager.stop()
        return events
    }

    private func states(in events: [CatalogEvent]) -> [CustomerSubscription.State] {
        events.compactMap {
            if case .entitlements(.subscriptionChanged(let subscription)) = $0 { subscription.state } else { nil }
        }
    }

    @Test(arguments: [(32, 1), (63, 2), (190, 6)] as [(Double, Int)])
    func `renewals that one load records are one change of the subscription`(days: Double, renewals: Int)
        async throws
    {
        let events = try await eventsOfLoad(after: days)

        #expect(states(in: events) == [.subscribed])
        var (recorded, owned) = (0, 0)
        for event in events {
            switch event {
            case .transaction(.recorded(_, isNew: true)): recorded += 1
            case .entitlements(.ownershipChanged(["club.silver"])): owned += 1
            default: break
            }
        }
        #expect(recorded == renewals)
        // Until sixteen days after its end, the known period was owned without a confirmation of the renewal.
        #expect(owned == (days < 48 ? 0 : 1))
    }

    @Test func `the state of a subscription is reported if a later renewal cannot be recorded`() async throws {
        let calls = Recorder<String>()
        let events = try await eventsOfLoad(after: 63) { options in
            options.purchases.hooks.verification = { signed in
                guard signed.payload.reason == .renewal else { return .verified }
                calls.record(signed.payload.transactionID)
                return calls.values.count == 2 ? .undetermined("not now") : .verified
            }
        }

        // The second renewal is recorded when the load asks about subscriptions, and the last one is verified again when it
        // asks after the store's first answer.
        #expect(calls.values.count == 4)
        #expect(states(in: events) == [.unconfirmed, .subscribed])
    }
}
