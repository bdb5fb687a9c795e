import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

/// Changes of the database by a report with several signed data.
@Suite(.hangLimit) struct ReportChangeTests {
    @Test(arguments: DatabaseKind.here)
    func `the transactions of a report are recorded in one change, and answered in their order`(_ kind: DatabaseKind)
        async throws
    {
        let database = try await ObservedDatabase(kind)
        let fixture = try await CustomersFixture(database: database)
        let phone = try await fixture.enroll(.init(), "A").device
        var signed = try (1...20).map {
            try fixture.app.transaction("coins50", id: "\($0)", account: "A", kind: .consumable)
        }
        // A repeated transaction, a refund, a product that the catalog lacks, and data of nobody.
        signed += [
            signed[0],
            try fixture.app.transaction(
                "coins50", id: "2", account: "A", kind: .consumable, signed: .sample + 60
            ) { $0.revocationDate = .sample + 50 },
            try fixture.app.transaction("london", id: "90", account: "A"), "a.b.c",
        ]
        let changes = Locked(0)
        database.observe { _ in changes.withLock { $0 += 1 } }

        let answers = try await fixture.records.record(signed: signed, from: phone)

        #expect(changes.withLock(\.self) == 1)
        let results = answers.map(\.result)
        #expect(results.prefix(20).allSatisfy { $0 == .accepted })
        #expect(Array(results.dropFirst(20)) == [.known, .accepted, .undetermined, .rejected])
        #expect(try await fixture.possessions(of: phone.customer).wallets == ["coins": 950])
        #expect(
            try await fixture.records.record(signed: signed, from: phone).map(\.result)
                == Array(repeating: .known, count: 22) + [.undetermined, .rejected])
    }

    @Test(arguments: DatabaseKind.here)
    func `a report with transactions of two customers delivers each to its owner`(_ kind: DatabaseKind) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let fixture = try await CustomersFixture(database: try await kind.scene(in: folder).database)
        let phone = try await fixture.enroll(.init(), "A").device
        let other = try await fixture.enroll(.init(), "B").device
        let signed = try (1...6).map { number in
            try fixture.app.transaction(
                "coins50", id: "\(number)", account: number.isMultiple(of: 3) ? "B" : "A", kind: .consumable)
        }
        let answers = try await fixture.records.record(signed: signed, from: phone)
        #expect(
            answers.map(\.result) == [.accepted, .accepted, .elsewhere, .accepted, .accepted, .elsewhere])
        #expect(try await fixture.possessions(of: phone.customer).wallets == ["coins": 200])
        #expect(try await fixture.possessions(of: other.customer).wallets == ["coins": 100])
    }
}
