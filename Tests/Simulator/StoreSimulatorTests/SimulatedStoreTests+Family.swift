import Foundation
import Testing
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Purchases that family members share.
extension SimulatedStoreTests {
    @Test func `a family-shared product arrives as an update with family ownership, and is restored`() async throws {
        let updates = store.updates()
        let shared = try await store.share(.voyager("lisbon"))
        #expect(shared.ownershipType == .familyShared)

        let update = try #require(await updates.first { _ in true })
        let signed = try await payload(update)
        #expect(update.id == shared.id)
        #expect(signed.productIdentifier == .voyager("lisbon"))
        #expect(signed.ownershipType == .familyShared)
        #expect(try await voyager.reopened().unfinishedTransactions().map(\.id) == [shared.id])
        #expect(try await store.restore().map(\.id) == [shared.id])
    }

    @Test func `buying a family-shared product is not charged`() async throws {
        let shared = try await store.share(.voyager("lisbon"))

        #expect(try await buy("lisbon").id == shared.id)
    }

    @Test func `the end of family sharing revokes the shared transaction, but not the customer's own purchase`()
        async throws
    {
        let bought = try await buy("lisbon")
        let shared = try await store.share(.voyager("lisbon"))
        voyager.clock.advance(by: 60)
        let updates = store.updates()
        #expect(try await store.revokeFamily(shared.id).revocationDate == voyager.clock.now)

        let update = try #require(await updates.first { _ in true })
        let signed = try await payload(update)
        #expect(signed.ownershipType == .familyShared)
        #expect(signed.revocationDate == voyager.clock.now)
        try await store.finish(update)
        #expect(try await store.unfinishedTransactions().map(\.id) == [bought.id])
        #expect(try await buy("lisbon").id == bought.id)
    }

    @Test func `family sharing can be ended only for a family-shared transaction`() async throws {
        let bought = try await buy("lisbon")
        for id in [bought.id, "99", ""] {
            let error = await #expect(throws: SimulatedStoreError.self) { try await store.revokeFamily(id) }
            #expect(error?.code == .noSuchTransaction)
        }
        #expect(try await store.transactions().allSatisfy { $0.revocationDate == nil })
    }

    @Test(arguments: ["coins50", "atlantis"])
    func `sharing a consumable or an unknown product with the family is refused`(name: String) async throws {
        let error = await #expect(throws: SimulatedStoreError.self) { try await store.share(.voyager(name)) }

        #expect(error?.code == .noSuchProduct)
        #expect(try await store.transactions().isEmpty)
    }
}
