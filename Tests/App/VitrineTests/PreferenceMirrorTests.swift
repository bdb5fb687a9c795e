import Testing
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// Ownership in the app's preferences while the store cannot be reached.
@Suite(.hangLimit) struct PreferenceMirrorTests {
    private static let day = 86_400.0

    @Test func `the end of a subscription is written to preferences, also if its ownership was unknown before`()
        async throws
    {
        let (club, preferences) = (try await ClubScene(), MemoryPreferences())
        let manager = try await club.makeManager(catalog: .catalog(ClubScene.plans)) {
            $0.purchases.renewalLeeway = .seconds(3_600)
            $0.mirror = PreferenceMirror(preferences: preferences, ownershipKey: { "owned \($0)" })
        }
        await manager.loadProducts()
        guard case .success = await manager.purchase("club.silver") else {
            Issue.record("not bought")
            return
        }
        let keys = ["owned club.silver", "owned map"]
        #expect(keys.map { preferences.value(forKey: $0) } == [.boolean(true), .boolean(true)])

        try await club.store.setOffline(true)
        try await club.store.setRenewal(false, of: "club.silver")
        try await club.store.advance(by: 40 * Self.day)
        guard case .unknown = manager.ownership(of: "map") else {
            Issue.record("\(manager.ownership(of: "map"))")
            return
        }
        #expect(keys.map { preferences.value(forKey: $0) } == [.boolean(true), .boolean(true)])

        // Without a load, which would write everything.
        try await club.store.setOffline(false)
        await manager.networkMayBeBack()
        #expect(manager.ownership(of: "map") == .notOwned)
        #expect(keys.map { preferences.value(forKey: $0) } == [.boolean(false), .boolean(false)])
        await manager.stop()
    }
}
