import Foundation
import Testing
import VitrineEntitlements
import VitrineTestSupport

@testable import VitrineAppServerRecords

/// Cache of customers with a maximum number of entries.
@Suite(.hangLimit) struct KnownCustomerTests {
    private func customer(_ id: String, entries: Int) -> KnownCustomer {
        var customer = KnownCustomer(id: id, app: "app")
        for sequence in 1...entries {
            customer.facts.append(
                LedgerEntry(sequence: Int64(sequence), recordedAt: .sample, fact: .spent(1, token: "\(sequence)")))
        }
        return customer
    }

    @Test func `a cache of customers never keeps more than its maximum, whatever was forgotten after it was full`() {
        let known = KnownCustomers(mostEntries: 100)
        for round in 0..<10 {
            // The second one makes the cache exceed its maximum, and is then alone in it.
            known.remember(customer("first \(round)", entries: 9))
            known.remember(customer("large \(round)", entries: 95))
            #expect(known.customer("first \(round)") == nil)
            known.forget("large \(round)")
        }
        for number in 0..<10 { known.remember(customer("\(number)", entries: 9)) }
        #expect((0..<10).allSatisfy { known.customer("\($0)") != nil })
        known.remember(customer("10", entries: 9))
        #expect((0..<10).allSatisfy { known.customer("\($0)") == nil })
        #expect(known.customer("10") != nil)
    }
}
