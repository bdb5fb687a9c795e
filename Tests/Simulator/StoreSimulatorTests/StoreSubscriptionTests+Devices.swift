import Foundation
import Testing
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Devices, families, and the clock of a store.
extension StoreSubscriptionTests {
    @Test(arguments: [("map", true), ("coins", false), ("silver", true)])
    func `a purchase reaches the customer's other devices unless it is a consumable`(
        product: String, reaches: Bool
    ) async throws {
        let club = try await ClubStore()
        let tablet = try club.store.device("tablet")
        let stranger = try club.store.device("phone", of: "Ada")
        try await club.buy(product)

        #expect(try await club.unfinished().count == 1)
        #expect(try await club.unfinished(on: tablet).count == (reaches ? 1 : 0))
        #expect(try await club.unfinished(on: stranger).isEmpty)
        #expect(try await stranger.transactions().isEmpty)
    }

    @Test func `consumables reach all devices of a customer if the store is configured to send them`() async throws {
        let club = try await ClubStore()
        let tablet = try club.store.device("tablet")
        try await club.store.setSendsConsumablesToAllDevices(true)
        try await club.buy("coins")

        #expect(try await club.unfinished(on: tablet).count == 1)
    }

    @Test func `a transaction finished on one device remains unfinished on other devices`() async throws {
        let club = try await ClubStore()
        let tablet = try club.store.device("tablet")
        try await club.buy("map")
        _ = try await club.unfinished()

        #expect(try await tablet.transactions().map(\.isFinished) == [false])
        #expect(try await club.store.transactions().map(\.isFinished) == [true])
    }

    @Test func `each customer has a separate app transaction identifier`() async throws {
        let club = try await ClubStore()
        _ = try club.store.device("phone", of: "Ada")
        let customers = try await club.store.customers()

        #expect(customers.map(\.name) == ["default", "Ada"])
        #expect(customers.map(\.devices) == [["default"], ["phone"]])
        #expect(Set(customers.map(\.appTransactionID)).count == 2)
        #expect(try await club.buy("map").appTransactionID == customers[0].appTransactionID)
    }

    @Test func `family-shared purchases are revoked when the member leaves the family`() async throws {
        let club = try await ClubStore()
        let ada = try club.store.device("phone", of: "Ada")
        for member in [club.store, ada] { try await member.joinFamily("Lovelace") }
        try await club.buy("silver")
        try await club.buy("map")

        let shared = try await club.unfinished(on: ada)
        #expect(shared.map(\.ownershipType) == [.familyShared, .familyShared])
        #expect(shared.map(\.price) == [nil, nil])
        try await club.advance(to: "2026-02-15")
        let (state, transaction, _) = try await club.status(on: ada)
        #expect((state, transaction.reason) == (.active, .renewal))
        #expect(transaction.originalTransactionID == shared[0].transactionID)
        _ = try await club.unfinished(on: ada)

        try await ada.leaveFamily()
        let revoked = try await club.unfinished(on: ada)
        #expect(revoked.allSatisfy { $0.revocationDate != nil && $0.revocationType == .family })
        // The map of the owner, and the running period of the subscription.
        #expect(revoked.count == 2)
        #expect(try await club.status(on: ada).state == .revoked)
        #expect(try await club.status().state == .active)
    }

    @Test func `reversing a refund does not restore the shared product of a member who has left the family`()
        async throws
    {
        let club = try await ClubStore()
        let ada = try club.store.device("phone", of: "Ada")
        let bob = try club.store.device("phone", of: "Bob")
        for member in [club.store, ada, bob] { try await member.joinFamily("Lovelace") }
        try await club.buy("map")
        let map = try await club.store.transactions()[0].id
        try await club.store.refund(map)
        try await ada.leaveFamily()

        try await club.store.reverseRefund(map)
        #expect(try await ada.transactions().map { $0.revocationDate == nil } == [false])
        #expect(try await bob.transactions().map { $0.revocationDate == nil } == [true])
    }

    @Test func `the copy of a member who has left the family cannot be restored as if it had been refunded`()
        async throws
    {
        let club = try await ClubStore()
        let ada = try club.store.device("phone", of: "Ada")
        for member in [club.store, ada] { try await member.joinFamily("Lovelace") }
        try await club.buy("silver")
        try await ada.leaveFamily()

        let copy = try await ada.transactions()[0].id
        await #expect(throws: SimulatedStoreError.self) { try await ada.reverseRefund(copy) }
        #expect(try await club.status(on: ada).state == .revoked)
    }

    @Test func `an upgrade marks the earlier period of each member of the family, too`() async throws {
        let club = try await ClubStore()
        let ada = try club.store.device("phone", of: "Ada")
        for member in [club.store, ada] { try await member.joinFamily("Lovelace") }
        try await club.buy("silver")
        try await club.buy("gold")

        for device in [club.store, ada] {
            let periods = try await device.transactions().filter { $0.expirationDate != nil }
            #expect(periods.map(\.isUpgraded) == [true, false])
        }
    }

    @Test func `a customer who joins a family receives the purchases that its members share`() async throws {
        let club = try await ClubStore()
        try await club.buy("map")
        try await club.buy("gold")
        try await club.buy("news")
        try await club.store.joinFamily("Lovelace")
        let ada = try club.store.device("phone", of: "Ada")
        try await ada.joinFamily("Lovelace")

        #expect(try await club.unfinished(on: ada).map(\.productIdentifier) == ["map", "gold".club, "news"])
        try await club.store.refund(club.store.transactions()[0].id)
        #expect(try await club.unfinished(on: ada).map(\.revocationType) == [.family])
        await #expect(throws: SimulatedStoreError.self) { try await ada.joinFamily("Byron") }
    }

    @Test func `a deleted purchase is deleted for the family members with whom it is shared`() async throws {
        let club = try await ClubStore()
        let ada = try club.store.device("phone", of: "Ada")
        for member in [club.store, ada] { try await member.joinFamily("Lovelace") }
        let (silver, map) = (try await club.buy("silver"), try await club.buy("map"))
        try await club.store.delete(map.transactionID)
        #expect(try await ada.transactions().map(\.productIdentifier) == ["silver".club])

        try await club.advance(to: "2026-03-20")
        let latest = try await club.status().transaction
        try await club.store.delete(latest.transactionID)
        #expect(try await ada.transactions().count == 2)
        #expect(try await club.status(on: ada).transaction.expiresDate == latest.purchaseDate)

        try await club.store.delete(silver.transactionID)
        #expect(try await ada.transactions().isEmpty)
        #expect(try await ada.unfinishedTransactions().isEmpty)
        #expect(try await ada.subscriptionStatuses(inGroup: "club").isEmpty)
    }

    @Test func `a family has at most six members`() async throws {
        let club = try await ClubStore()
        for name in ["Ada", "Bela", "Carl", "Dora", "Emil", "Fina"] {
            try await club.store.device("phone", of: name).joinFamily("Lovelace")
        }
        let error = await #expect(throws: SimulatedStoreError.self) { try await club.store.joinFamily("Lovelace") }
        #expect(error?.code == .invalidFamily)
    }

    @Test func `a family-shared transaction cannot be refunded`() async throws {
        let club = try await ClubStore()
        let shared = try await club.store.share("map")
        let error = await #expect(throws: SimulatedStoreError.self) { try await club.store.refund(shared.id) }

        #expect(error?.reason.contains("revoke-family") == true)
    }

    // MARK: Settings of the file

    @Test func `a new store has the simulated failures that its configuration file enables`() async throws {
        let names = ["Verification", "Subscription Status"]
        let errors = names.map { #"{"name": "\#($0)", "enabled": true}"# }.joined(separator: ", ")
        let club = try await ClubStore {
            $0.replacing(#""settings": {"#, with: #""settings": {"_storeKitErrors": [\#(errors)],"#)
        }
        await #expect(throws: StoreError.self) { try await club.buy("silver") }
        let bought = try await club.store.unfinishedTransactions()
        let error = await #expect(throws: StoreError.self) { try await club.status() }

        #expect(error?.code == .unavailable)
        #expect(error?.reason == "the store failed without a reason")
        await #expect(throws: StoreError.self) { try await club.renewal(bought[0]) }
        try await club.store.clearFailures()
        #expect(try await club.status().state == .active)
    }

    // MARK: Clock

    @Test(arguments: [ClubStore.start, ClubStore.start - 1, .at("2090-01-01")])
    func `the store's clock cannot be set back, or advanced past the expiration of its certificates`(date: Date)
        async throws
    {
        let club = try await ClubStore()
        try await club.buy("silver")
        let error = await #expect(throws: SimulatedStoreError.self) { try await club.store.advance(to: date) }

        #expect(error?.code == .invalidDate)
        #expect(club.store.clock.now == ClubStore.start)
        #expect(try await club.store.transactions().count == 1)
    }

    @Test func `the store's certificates are valid for at least twenty years`() async throws {
        let club = try await ClubStore()
        try await club.buy("silver.year")
        try await club.advance(to: "2046-02-01")

        let (state, transaction, _) = try await club.status()
        #expect(state == .active)
        #expect(transaction.signedDate == .at("2046-02-01"))
        #expect(try await club.store.transactions().count == 21)
    }

    @Test func `a request for approval expires after 24 hours`() async throws {
        let club = try await ClubStore()
        try await club.store.setAsksToBuy(true)
        #expect(try await club.store.purchase("map", quantity: 1) == .pending)
        #expect(try await club.store.nextEvent() == ClubStore.start + 86_400)
        try await club.store.advance(by: 86_400)

        #expect(try await club.store.pendingPurchases().isEmpty)
        #expect(try await club.store.timeline().map(\.kind) == [.approvalRequested, .approvalExpired])
    }

    @Test func `an approved subscription begins on the date of its approval`() async throws {
        let club = try await ClubStore()
        try await club.store.setAsksToBuy(true)
        #expect(try await club.store.purchase("gold".club, quantity: 1) == .pending)
        let pending = try await club.store.pendingPurchases()[0]
        try await club.advance(to: "2026-01-15T12:00:00Z")
        try await club.store.approve(pending.id)

        let (_, transaction, _) = try await club.status()
        #expect(transaction.transactionID == pending.id)
        #expect(transaction.purchaseDate == .at("2026-01-15T12:00:00Z"))
        #expect(transaction.offerType == .introductory)
    }

    @Test func `an interrupted purchase is pending until the customer resolves its issue`() async throws {
        let club = try await ClubStore()
        try await club.store.setInterruptsPurchases(true)
        #expect(try await club.store.purchase("map", quantity: 1) == .interrupted)
        let pending = try await club.store.pendingPurchases()[0]
        #expect(pending.isInterrupted)
        await #expect(throws: SimulatedStoreError.self) { try await club.store.approve(pending.id) }
        try await club.advance(to: "2026-03-01")
        try await club.store.resolve(pending.id)

        #expect(try await club.unfinished().map(\.transactionID) == [pending.id])
    }

    @Test func `a forecast of future events does not change the store`() async throws {
        let club = try await ClubStore()
        try await club.buy("gold")
        try await club.store.setRenewal(false, of: "gold".club)
        let before = try await club.store.timeline()
        let forecast = try await club.store.forecast(10, until: .at("2030-01-01"))

        #expect(forecast.map(\.kind) == [.expired])
        #expect(forecast.map(\.date) == [.at("2026-01-22")])
        #expect(try await club.store.timeline() == before)
        #expect(try await club.status().state == .active)
    }
}
