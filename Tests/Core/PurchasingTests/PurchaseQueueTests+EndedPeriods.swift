import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineTestSupport

/// Purchases that the store answers with an earlier period.
extension PurchaseQueueTests {
    struct EndedPeriodCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var product = "club"
        /// Days of the period, counted from the purchase call.
        let days: ClosedRange<Double>
        /// Day of the signature.
        var signed = 0.0
        var isCharged = true
        /// `true` if the transaction was delivered before the call.
        var isKnown = false
        let word: String
    }

    private static let ended = "failed: store"

    static let endedPeriods = [
        EndedPeriodCase(testDescription: "an ended period that is new here", days: -60 ... -30, word: ended),
        EndedPeriodCase(
            testDescription: "an ended period that was recorded before", days: -60 ... -30, signed: -60, isKnown: true,
            word: ended),
        EndedPeriodCase(
            testDescription: "an ended period that the customer had", days: -60 ... -30, signed: -60, isCharged: false,
            word: ended),
        EndedPeriodCase(
            testDescription: "an ended pass that the customer had", product: "pass", days: -60 ... -30, signed: -60,
            isCharged: false, word: ended),
        EndedPeriodCase(
            testDescription: "a period that has not ended", days: -10...20, isCharged: false,
            word: "success, not charged again"),
        EndedPeriodCase(
            testDescription: "a new period, bought with a clock that is two months ahead", days: -60 ... -30,
            signed: -60, word: "success, charged"),
        EndedPeriodCase(
            testDescription: "a new pass, bought with a clock that is two months ahead", product: "pass",
            days: -60 ... -30, signed: -60, word: "success, charged"),
    ]

    @Test(arguments: endedPeriods)
    func `a purchase that is answered with an ended period fails, and the period is recorded and finished`(
        _ entry: EndedPeriodCase
    ) async throws {
        let catalog = Catalog(products: [
            CatalogProduct(identifier: .voyager("club"), kind: .autoRenewableSubscription),
            CatalogProduct(
                identifier: .voyager("pass"), kind: .nonRenewingSubscription,
                subscriptionDuration: SubscriptionDuration("P1M")),
        ])
        let (clock, steps, finished) = (voyager.clock, steps, Recorder<String>())
        let now = clock.now
        func day(_ number: Double) -> Date { now + number * 86_400 }
        let signer = try Signer(around: now)
        let isPass = entry.product == "pass"
        let transaction = try signer.transaction(
            "9", of: .voyager(entry.product), isPass ? .nonRenewingSubscription : .autoRenewableSubscription,
            bought: day(entry.days.lowerBound), signed: day(entry.signed),
            until: isPass ? nil : day(entry.days.upperBound))
        var store = InterceptedStore(voyager.store)
        store.onPurchase = { _, _ throws(StoreError) in
            entry.isCharged ? .purchased(transaction) : .alreadyPurchased(transaction)
        }
        store.onFinish = { finished.record($0.id) }
        let entitlements = EntitlementStore(
            ledger, summary: LedgerSummary(lastSequence: 0, entries: [], balances: [:]), at: now)
        entitlements.change {
            $0 = $0.with(catalog: catalog)
        } observing: { _, _ in
        }
        let queue = PurchaseQueue(
            store: store, entitlements: entitlements, verifier: signer.verifier, content: NoContent(),
            catalog: { catalog }, now: { clock.now }, schedule: .never, emit: { steps.record($0.word) })
        if entry.isKnown { #expect(await queue.deliver(transaction).word == "delivered, new") }

        let answer = await queue.purchase(.voyager(entry.product), quantity: 1)
        #expect(answer.word == entry.word)
        if case .failed(let failure) = answer {
            #expect(
                failure.reason == "the store answered with an earlier period of \(String.voyager(entry.product)), "
                    + "which has ended (transaction 9)")
        }
        #expect(finished.values == (entry.isKnown ? ["9", "9"] : ["9"]))
        #expect(await ledger.entries(after: 0).filter { $0.fact.kind == .purchase }.count == 1)
        #expect(await queue.pending().isEmpty)
    }
}
