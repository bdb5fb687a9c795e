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
        var large: [String] = []
        for round in 0..<10 {
            known.remember(customer("first \(round)", entries: 9))
            known.remember(customer("large \(round)", entries: 95))
            #expect(known.customer("large \(round)") != nil)
            known.forget("large \(round)")
            large.append("large \(round)")
        }
        #expect(large.allSatisfy { known.customer($0) == nil })
        for number in 0..<1_000 {
            known.remember(customer("\(number)", entries: 9))
            // The cache may exceed its maximum by one customer.
            #expect((0...number).count { known.customer("\($0)") != nil } <= 11)
        }
    }

    @Test func `a full cache of customers keeps those that were read or changed last`() {
        let known = KnownCustomers(mostEntries: 100)
        for number in 0..<100 {
            known.remember(customer("\(number)", entries: 9))
            known.remember(customer("frequent", entries: 9))
            #expect(known.customer("\(number)") != nil)
            #expect(known.customer("frequent") != nil)
        }
    }

    @Test func `a customer with very many entries removes no other customer from the cache, except another such one`() {
        let known = KnownCustomers(mostEntries: 100)
        for number in 0..<4 { known.remember(customer("\(number)", entries: 9)) }
        for entries in 95..<105 { known.remember(customer("large", entries: entries)) }
        known.invalidate(ChangedCustomer("large", sequence: 105))
        #expect(!known.isValid("large"))
        known.remember(customer("large", entries: 105))
        #expect(known.isValid("large"))
        #expect((0..<4).allSatisfy { known.isValid("\($0)") })

        known.remember(customer("larger", entries: 200))
        #expect(known.customer("large") == nil)
        #expect(known.customer("larger")?.sequence == 200)
        #expect((0..<4).allSatisfy { known.isValid("\($0)") })
        known.forget("larger")
        #expect(known.customer("larger") == nil)
    }

    @Test func `an announced change makes a cached customer outdated, unless the cache contains the change`() {
        let known = KnownCustomers()
        known.remember(customer("A", entries: 5))
        for sequence: Int64 in 1...5 { known.invalidate(ChangedCustomer("A", sequence: sequence)) }
        #expect(known.isValid("A"))
        known.invalidate(ChangedCustomer("A", sequence: 6))
        #expect(!known.isValid("A"))
        known.remember(customer("A", entries: 6))
        #expect(known.isValid("A"))
        // The customer was merged into another one, or erased.
        known.invalidate(ChangedCustomer("A", sequence: nil))
        #expect(!known.isValid("A"))
        known.invalidate(ChangedCustomer("B", sequence: 1))
        #expect(!known.isValid("B"))
    }
}
