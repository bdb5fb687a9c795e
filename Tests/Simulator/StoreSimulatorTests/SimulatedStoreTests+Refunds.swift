import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Refunds, and the signed app transaction.
extension SimulatedStoreTests {
    @Test func `a refunded transaction is sent again with its revocation date, until it is finished`() async throws {
        let bought = try await buy("lisbon")
        try await store.finish(bought)
        voyager.clock.advance(by: 60)
        let refunded = try await store.refund(bought.id)
        #expect(refunded.revocationDate == voyager.clock.now)

        let sent = try #require(try await store.unfinishedTransactions().first)
        #expect(try await payload(sent).revocationDate == voyager.clock.now)
        #expect(try await payload(sent).originalTransactionID == bought.id)
        let restored = try #require(try await store.restore().first)
        #expect(try await payload(restored).revocationDate == voyager.clock.now)
        #expect(try await voyager.reopened().unfinishedTransactions().map(\.id) == [bought.id])
        try await store.finish(sent)
        #expect(try await store.unfinishedTransactions().isEmpty)
    }

    @Test func `finishing a transaction as received before its refund does not finish the refund`() async throws {
        let bought = try await buy("lisbon")
        try await store.refund(bought.id)
        try await store.finish(bought)

        #expect(try await store.unfinishedTransactions().map(\.id) == [bought.id])
    }

    @Test func `a repeated refund has the first revocation date and is sent again`() async throws {
        let bought = try await buy("lisbon")
        let first = try await store.refund(bought.id)
        try await store.finish(try await store.unfinishedTransactions()[0])
        voyager.clock.advance(by: 60)

        #expect(try await store.refund(bought.id).revocationDate == first.revocationDate)
        #expect(try await store.unfinishedTransactions().count == 1)
    }

    @Test func `a refund is delivered as an update to every listener`() async throws {
        let bought = try await buy("lisbon")
        let (one, other) = (store.updates(), store.updates())
        try await store.refund(bought.id)

        for listener in [one, other] {
            let update = try #require(await listener.first { _ in true })
            #expect(try await payload(update).revocationDate != nil)
        }
    }

    @Test(arguments: ["99", "", "no number", "99999999999999999999"])
    func `an unknown transaction cannot be refunded`(id: String) async throws {
        _ = try await buy("lisbon")
        let error = await #expect(throws: SimulatedStoreError.self) { try await store.refund(id) }

        #expect(error?.code == .noSuchTransaction)
        #expect(try await store.transactions().allSatisfy { $0.revocationDate == nil })
    }

    @Test func `a refunded product is charged again when it is bought again`() async throws {
        let bought = try await buy("lisbon")
        try await store.refund(bought.id)

        #expect(try await buy("lisbon").id != bought.id)
        #expect(try await store.restore().count == 2)
    }

    @Test func `a reversed refund is sent as a transaction without a revocation date until it is finished`()
        async throws
    {
        let bought = try await buy("lisbon")
        try await store.refund(bought.id)
        try await store.finish(try await store.unfinishedTransactions()[0])
        let updates = store.updates()
        #expect(try await store.reverseRefund(bought.id).revocationDate == nil)

        let update = try #require(await updates.first { _ in true })
        #expect(update.id == bought.id)
        #expect(try await payload(update).revocationDate == nil)
        #expect(try await voyager.reopened().unfinishedTransactions().map(\.id) == [bought.id])
        try await store.finish(update)
        #expect(try await store.unfinishedTransactions().isEmpty)
        #expect(try await buy("lisbon").id == bought.id)
    }

    @Test func `finishing earlier copies of a transaction does not finish a later refund or its reversal`() async throws
    {
        let bought = try await buy("lisbon")
        try await store.refund(bought.id)
        let refunded = try await store.unfinishedTransactions()[0]
        try await store.reverseRefund(bought.id)
        for old in [bought, refunded] { try await store.finish(old) }
        #expect(try await store.unfinishedTransactions().map(\.id) == [bought.id])

        try await store.refund(bought.id)
        try await store.finish(refunded)
        #expect(try await store.unfinishedTransactions().map(\.id) == [bought.id])
    }

    @Test func `reversing the refund of a transaction that is not refunded is refused`() async throws {
        let bought = try await buy("lisbon")
        try await store.refund(bought.id)
        try await store.reverseRefund(bought.id)
        for id in [bought.id, "99", ""] {
            let error = await #expect(throws: SimulatedStoreError.self) { try await store.reverseRefund(id) }
            #expect(error?.code == .noSuchTransaction)
        }
    }

    @Test(arguments: [0, 60, -60] as [TimeInterval])
    func `each state of a transaction is signed later than the state before, even if the clock goes back`(
        step: TimeInterval
    ) async throws {
        let id = try await buy("lisbon").id
        var last = try await payload(store.unfinishedTransactions()[0]).signedDate
        for _ in 0..<3 {
            for change in [{ try await store.refund($0) }, store.reverseRefund] {
                voyager.clock.advance(by: step)
                _ = try await change(id)
                let dates = try await [store, voyager.reopened()].asyncMap { store in
                    try await payload(store.unfinishedTransactions()[0]).signedDate
                }
                #expect(dates.allSatisfy { $0 > last && $0 >= voyager.clock.now })
                #expect(Set(dates).count == 1)
                last = dates[0]
            }
        }
    }

    @Test func `a refund reversed by another process is signed later than the refund that was just sent`() async throws
    {
        let id = try await buy("lisbon").id
        try await store.refund(id)
        voyager.clock.advance(by: 60)
        let refunded = try await payload(store.unfinishedTransactions()[0]).signedDate
        try await voyager.reopened().reverseRefund(id)
        #expect(try await payload(store.unfinishedTransactions()[0]).signedDate > refunded)
    }

    @Test func `a refund after the clock was set back is signed later than the finished transaction`() async throws {
        let bought = try await buy("lisbon")
        try await store.finish(bought)
        voyager.clock.advance(by: -60)
        try await voyager.reopened().refund(bought.id)

        let refunded = try await payload(voyager.reopened().unfinishedTransactions()[0]).signedDate
        #expect(try await refunded > payload(bought).signedDate)
    }

    @Test
    func `finishing a transaction from before its refund leaves the refund unfinished after the clock was set back`()
        async throws
    {
        let bought = try await buy("lisbon")
        voyager.clock.advance(by: -60)
        try await voyager.reopened().refund(bought.id)
        try await store.finish(bought)

        #expect(try await store.unfinishedTransactions().map(\.id) == [bought.id])
    }

    @Test func `an unchanged transaction is signed with the current date`() async throws {
        let bought = try await buy("lisbon")
        for _ in 0..<2 {
            let again = try await store.unfinishedTransactions()[0]
            #expect(try await payload(again).signedDate == payload(bought).signedDate)
        }
        voyager.clock.advance(by: 60)
        #expect(try await payload(store.unfinishedTransactions()[0]).signedDate == voyager.clock.now)
    }

    @Test func `the app transaction is signed once the original purchase of the app is known`() async throws {
        #expect(try await store.appTransaction() == nil)
        let original = OriginalPurchase(
            version: "150", date: Date(timeIntervalSince1970: 1_556_668_800), platform: .iOS)
        try await store.setOriginalPurchase(original)

        let signedData = try #require(try await voyager.reopened().appTransaction())
        guard case .verified(let signed) = try await voyager.verifier().verify(appTransaction: signedData) else {
            Issue.record("it was not verified")
            return
        }
        #expect(signed.payload.originalApplicationVersion == "150")
        #expect(signed.payload.originalPurchaseDate == original.date)
        #expect(signed.payload.originalPlatform == "iOS")
        #expect(signed.payload.bundleIdentifier == VoyagerStore.bundleIdentifier)
    }

    @Test func `the original app version that the store's app transaction states can be replaced`() async throws {
        for version in ["150", "500"] {
            try await store.setOriginalPurchase(OriginalPurchase(version: version, date: .now, platform: .macOS))
        }
        let signedData = try #require(try await store.appTransaction())

        #expect(
            try await voyager.verifier().verify(appTransaction: signedData).value?.payload.originalApplicationVersion
                == "500")
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
