import Foundation
import GRDB
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineSupport
import VitrineTestSupport

@testable import VitrineEntitlementsSQLite

@Suite(.hangLimit) struct SQLiteLedgerTests {
    let folder: TemporaryFolder
    let date = Date(timeIntervalSince1970: 1_790_000_000.123)
    var file: URL { folder["ledger.sqlite"] }

    init() throws { folder = try TemporaryFolder() }

    /// Opens the file a second time, as another process would, for example to leave a transaction open.
    func openElsewhere() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: file.path(), configuration: configuration)
    }

    @Test func `recorded facts persist when the ledger file is reopened`() async throws {
        let facts: [Fact] = [
            .bought("coins", transaction: "1", kind: .consumable), .credited(50, transaction: "1"),
            .spent(20, token: "map"), .given("pack", token: "raffle"), .revoked("coins", transaction: "1"),
            .revoked("guide", transaction: "9"), .firstGot(build: "150"), .firstGot(build: "1", platform: nil),
        ]
        let written = try await SQLiteLedger(url: file).append(facts, at: date)

        #expect(try await SQLiteLedger(url: file).entries(after: 0) == written)
    }

    @Test func `two ledger instances on the same file see each other's entries`() async throws {
        let (one, other) = (try SQLiteLedger(url: file), try SQLiteLedger(url: file))
        _ = try await one.append([.bought("guide", transaction: "1")], at: date)
        _ = try await other.append([.bought("map", transaction: "2")], at: date)

        #expect(try await one.entries(after: 0) == other.entries(after: 0))
        #expect(try await one.entries(after: 0).count == 2)
    }

    @Test func `two ledger instances on the same file append alternately with correct balances and sequence numbers`()
        async throws
    {
        let ledgers = [try SQLiteLedger(url: file), try SQLiteLedger(url: file)]
        for index in 0..<20 {
            // Each ledger records twice in turn: what it remembers of the last time is right once, and old once.
            let ledger = ledgers[index / 2 % 2]
            _ = try await ledger.append(
                [
                    .bought("coins", transaction: "\(index)", kind: .consumable),
                    .credited(50, transaction: "\(index)"),
                ], at: date)
        }
        _ = try await ledgers[0].append([.spent(1_000, token: "all")], at: date)

        #expect(try await ledgers[1].summary().balances == ["coins": 0])
        #expect(try await ledgers[1].summary().lastSequence == 41)
        #expect(try await ledgers[1].damage() == [])
    }

    @Test func `a file that is not a database is refused as damaged and left unchanged`() throws {
        let text = String(repeating: "not a database\n", count: 100)
        try folder.write(text, to: "ledger.sqlite")

        let error = #expect(throws: LedgerError.self) { try SQLiteLedger(url: file) }
        #expect(error?.code == .damaged)
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test func `a ledger of a later version is refused and left unchanged`() async throws {
        _ = try await SQLiteLedger(url: file).append([.bought("guide", transaction: "1")], at: date)
        let raw = try DatabaseQueue(path: file.path())
        try await raw.write { try $0.execute(sql: "PRAGMA user_version = 99") }

        let error = #expect(throws: LedgerError.self) { try SQLiteLedger(url: file) }
        #expect(error?.code == .newerVersion)
        #expect(try await raw.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM entry") } == 1)
    }

    @Test func `a ledger path that cannot be written is reported as unavailable`() throws {
        let error = #expect(throws: LedgerError.self) { try SQLiteLedger(url: folder["no/such/ledger.sqlite"]) }
        #expect(error?.code == .unavailable)
    }

    @Test func `an entry of an unknown kind from a later version is an error and is not skipped`() async throws {
        let ledger = try SQLiteLedger(url: file)
        _ = try await ledger.append([.bought("guide", transaction: "1")], at: date)
        let raw = try DatabaseQueue(path: file.path())
        try await raw.write { database in
            try database.execute(
                sql: """
                    PRAGMA ignore_check_constraints = 1;
                    INSERT INTO entry (kind, key, recordedAt, moment, checksum, summaryChecksum)
                    VALUES ('future', 'x', 0, 0, 0, 0);
                    """)
        }

        await #expect(throws: LedgerError.self) { try await ledger.entries(after: 0) }
    }

    @Test func `the database queries for the state of a purchase use an index`() async throws {
        _ = try await SQLiteLedger(url: file).append([.bought("guide", transaction: "1")], at: date)
        for kinds in [["revocation", "reinstatement"], ["term"], ["renewal"]] {
            let selection = EntryTable.selection(of: kinds)
            let plan = try openElsewhere().read { database in
                try GRDB.Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(selection)", arguments: ["1"])
            }.map { $0["detail"] as String }

            #expect(plan == ["SEARCH entry USING INDEX entryOfRevocationState (purchaseID=?)"])
        }
    }
}
