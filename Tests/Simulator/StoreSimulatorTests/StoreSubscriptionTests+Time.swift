import Foundation
import Testing
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Scheduled events, such as renewals, in the order of their dates.
extension StoreSubscriptionTests {
    @Test func `events due in one advance of the clock happen in order of time, for all customers`() async throws {
        let club = try await ClubStore()
        let other = try club.store.device("phone", of: "other")
        try await club.buy("silver")
        try await club.buy("week", on: other)
        try await club.store.setAsksToBuy(true)
        #expect(try await club.store.purchase("map", quantity: 1) == .pending)
        let events = try await club.store.advance(to: .at("2026-03-20"))

        #expect(events.map(\.date) == events.map(\.date).sorted())
        #expect(events.first?.kind == .approvalExpired)
        #expect(
            events.filter { $0.customer == club.store.customer }.dropFirst().map(\.date)
                == ["2026-02-15", "2026-03-15"].map(Date.at))
        #expect(events.count { $0.customer == "other" && $0.kind == .renewed } == 9)
    }

    @Test func `subscriptions renew on time while at least one listener for updates remains`() async throws {
        let (folder, clock, sleep) = (try TemporaryFolder(), TestClock(ClubStore.start), ManualSleep())
        try SimulatedStore.create(
            in: folder.url, configuration: Data(contentsOf: Repository.file("Catalogs/Club.storekit")),
            bundleIdentifier: ClubStore.bundleIdentifier, now: { clock.now })
        let store = try SimulatedStore(
            folder: folder.url, now: { clock.now }, sleep: { try await sleep.sleep(.seconds($0)) })
        var updates = try store.device("tablet").updates().makeAsyncIterator()
        _ = store.updates()
        _ = try await store.purchase("silver".club, quantity: 1)
        let bought = try #require(await updates.next())
        _ = try #require(await sleep.begun())
        clock.advance(by: 31 * .day)
        sleep.wake()
        let renewed = try #require(await updates.next())

        #expect(renewed.id != bought.id)
        #expect(try await store.timeline().map(\.kind) == [.purchased, .renewed])
    }
}
