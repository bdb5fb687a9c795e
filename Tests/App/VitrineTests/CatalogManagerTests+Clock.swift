import Foundation
import Testing
import VitrineEntitlements
import VitrineNetworking
import VitrineTestSupport

@testable import Vitrine

/// Device whose clock is changed while the app runs.
extension CatalogManagerTests {
    private static let lisbon = String.voyager("lisbon")

    private func grantLisbon(for seconds: TimeInterval, in manager: CatalogManager) async throws {
        let date = voyager.clock.now
        try await manager.entitlements.record(
            [.given(Self.lisbon, token: "a gift", until: date + seconds)], at: date)
    }

    @Test
    func `a grant that ended because the clock was ahead is owned again after the correction, and this is reported`()
        async throws
    {
        let manager = try await makeManager { _ in }
        await manager.loadProducts()
        try await grantLisbon(for: 100, in: manager)
        let events = try await events(of: manager) {
            voyager.clock.advance(by: 86_400)
            #expect(manager.ownership(of: Self.lisbon) == .notOwned)
            voyager.clock.advance(by: -86_350)
            #expect(manager.ownership(of: Self.lisbon).isOwned)
            #expect(manager.listing(for: Self.lisbon)?.offer == .notOffered(.alreadyOwned))
            voyager.clock.advance(by: 50)
            #expect(manager.ownership(of: Self.lisbon) == .notOwned)
        }

        #expect(events.ownershipChanges == [[Self.lisbon], [Self.lisbon], [Self.lisbon]])
    }

    @Test func `an ownership change is reported after the clock is set forward or back past the end of a grant`()
        async throws
    {
        let sleep = ManualSleep()
        let manager = try await makeManager {
            $0.loading.schedule = RetrySchedule(random: { 0 }, sleep: { try await sleep.sleep($0) })
        }
        let events = manager.events()
        try await grantLisbon(for: 10_000, in: manager)
        for seconds in [20_000, -19_000] as [TimeInterval] {
            #expect(try #require(await sleep.begun()) <= .seconds(900))
            voyager.clock.advance(by: seconds)
            sleep.wake()
            await events.next { if case .entitlements(.ownershipChanged) = $0 { true } else { false } }
        }

        #expect(manager.ownership(of: Self.lisbon).isOwned)
    }

    @Test func `a return to the foreground reads the clock and reports grants that have ended`() async throws {
        let manager = try await makeManager { _ in }
        try await grantLisbon(for: 100, in: manager)
        voyager.clock.advance(by: 100)
        let events = try await events(of: manager) { await manager.enterForeground() }

        #expect(events.ownershipChanges == [[Self.lisbon]])
    }
}
