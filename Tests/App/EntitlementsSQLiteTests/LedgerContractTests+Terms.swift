import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineSupport
import VitrineTestSupport

/// End dates of subscriptions: the store's latest statement counts.
extension LedgerContractTests {
    private var end: Date { date + 1_000 }

    private func month(signed: Date? = nil, until end: Date? = nil, isUpgraded: Bool = false) -> Fact {
        .bought(
            "month", transaction: "1", kind: .autoRenewableSubscription, signed: signed ?? date,
            until: .init(expirationDate: end ?? self.end, isUpgraded: isUpgraded), at: date)
    }

    private func term(_ period: Fact.Period, signed: Date) -> Fact {
        .termed("month", transaction: "1", signed: signed, until: period)
    }

    @Test(arguments: Implementation.allCases)
    func `a changed period in a later copy of a subscription transaction is recorded in a new ledger entry`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append([month()], at: date)
        let longer = try await ledger.append([month(signed: date + 1, until: end + 500)], at: date)
        let upgraded = try await ledger.append(
            [month(signed: date + 2, until: end + 500, isUpgraded: true)], at: date)

        #expect(longer.map(\.fact) == [term(.init(expirationDate: end + 500), signed: date + 1)])
        #expect(
            upgraded.map(\.fact) == [term(.init(expirationDate: end + 500, isUpgraded: true), signed: date + 2)])
        #expect(try await ledger.entries(after: 0).count == 3)
    }

    @Test(arguments: Implementation.allCases)
    func `a copy of a subscription transaction that is unchanged or signed earlier is skipped`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append([month(), month(signed: date + 5, until: end + 500)], at: date)

        for (signed, until) in [(date + 9, end + 500), (date + 3, end + 900), (date + 5, end + 900), (date, end)] {
            #expect(try await ledger.append([month(signed: signed, until: until)], at: date).isEmpty)
        }
        let older = term(.init(expirationDate: end + 900), signed: date + 3)
        #expect(try await ledger.append([older], at: date).isEmpty)
    }

    @Test(arguments: Implementation.allCases)
    func `changes of a subscription period that are appended together are recorded in order and without duplicates`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        let entries = try await ledger.append(
            [
                month(), month(signed: date + 1, until: end + 1), month(signed: date + 1, until: end + 1),
                month(signed: date + 2, until: end + 2), month(signed: date + 1, until: end + 3),
            ], at: date)

        #expect(entries.map(\.fact.kind) == [.purchase, .term, .term])
    }

    @Test(arguments: Implementation.allCases)
    func `a grace period is part of the renewal data, and applies until renewal data without one is signed`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        func renewal(grace: Date?, signed: Date) -> Fact {
            .renewed(
                "month", transaction: "1", signed: signed,
                terms: .init(isPeriodOver: true, gracePeriodExpirationDate: grace, isInBillingRetry: true))
        }
        let (grace, none) = (renewal(grace: end + 500, signed: end), renewal(grace: nil, signed: end + 2))

        #expect(try await ledger.append([month(), grace], at: date).map(\.fact) == [month(), grace])
        #expect(try await ledger.append([month(signed: end + 1), grace], at: date).isEmpty)
        #expect(try await ledger.append([none], at: date).map(\.fact) == [none])
        #expect(try await ledger.append([renewal(grace: end + 900, signed: end + 1)], at: date).isEmpty)
        #expect(try await ledger.entry(of: .renewal, key: grace.key)?.fact == grace)
    }

    @Test(arguments: Implementation.allCases)
    func `a change of a subscription period is refused if its transaction belongs to another product`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append([month()], at: date)
        let other = Fact.termed("year", transaction: "1", signed: date + 1, until: .init(expirationDate: end))

        let error = await #expect(throws: LedgerError.self) { try await ledger.append([other], at: date) }
        #expect(error?.code == .conflict)
    }

    @Test(arguments: Implementation.allCases)
    func `a revoked subscription period that is reinstated has the end date of the latest signed copy`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(
            [month(), .revoked("month", transaction: "1", signed: date + 1)], at: date)

        let entries = try await ledger.append([month(signed: date + 2, until: end + 500)], at: date)
        #expect(entries.map(\.fact.kind) == [.reinstatement, .term])
    }
}
