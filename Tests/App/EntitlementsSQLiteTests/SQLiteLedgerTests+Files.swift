import Foundation
import GRDB
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineSupport
import VitrineTestSupport

@testable import VitrineEntitlementsSQLite

/// Group commits, and files that are not complete ledgers.
extension SQLiteLedgerTests {
    @Test func `a fact that the database refuses does not fail other facts that are committed with it`()
        async throws
    {
        let ledger = try SQLiteLedger(url: file)
        let date = date
        let ids = (0..<100).map(String.init)
        _ = try await ledger.append(ids.map { .revoked("guide", transaction: $0) }, at: date)
        // So little later that it counts as later, and is the same millisecond in the file.
        let tooSoon = Date(timeIntervalSince1970: 1_790_100_000.0002)
        let failed = await withTaskGroup(of: String?.self) { group in
            for (index, id) in ids.enumerated() {
                let isRefused = index % 10 == 3
                group.addTask {
                    do throws(LedgerError) {
                        let signed = isRefused ? tooSoon : tooSoon + 60
                        _ = try await ledger.append([.bought("guide", transaction: id, signed: signed)], at: date)
                        return nil
                    } catch {
                        return error.code == .unavailable ? id : "\(error.code)"
                    }
                }
            }
            return await group.reduce(into: Set()) { if let id = $1 { $0.insert(id) } }
        }

        #expect(failed == Set(ids.filter { $0.hasSuffix("3") }))
        let entries = try await SQLiteLedger(url: file).entries(after: 100)
        #expect(entries.count == 180)
        #expect(entries.map(\.sequence) == Array(101...280))
    }

    @Test func `appends that wait for a lock held by another process all fail after one lock timeout`()
        async throws
    {
        let ledger = try SQLiteLedger(url: file, lockTimeout: 5)
        let (other, date) = (try openElsewhere(), date)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let beginning = ContinuousClock.now
        let reasons = await withTaskGroup(of: String?.self) { group in
            for id in 0..<200 {
                group.addTask {
                    do throws(LedgerError) {
                        _ = try await ledger.append([.bought("guide", transaction: "\(id)")], at: date)
                        return nil
                    } catch {
                        return error.reason
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }

        #expect(reasons == ["the ledger cannot be used: another process has locked it for too long": 200])
        // One timeout after the other would take 1,000 seconds.
        #expect(ContinuousClock.now - beginning < .seconds(500))
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        #expect(try await ledger.append([.bought("guide", transaction: "1")], at: date).count == 1)
    }

    @Test func `an append during the commit of another process waits for it, and its facts are recorded`() async throws
    {
        let ledger = try SQLiteLedger(url: file)
        let (other, date) = (try openElsewhere(), date)
        for number in 0..<20 {
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            async let entries = ledger.append([.bought("guide", transaction: "\(number)")], at: date)
            await Task.yield()
            try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
            #expect(try await entries.count == 1)
        }
        #expect(try await ledger.entries(after: 0).map(\.sequence) == Array(1...20))
    }

    @Test func `appended facts are on disk before the ledger file is closed`() async throws {
        let ledger = try SQLiteLedger(url: file, sleep: sleepUntilCancelled)
        let date = date
        try await withThrowingTaskGroup { group in
            for index in 0..<100 {
                group.addTask {
                    _ = try await ledger.append(
                        [
                            .bought("coins", transaction: "\(index)", kind: .consumable),
                            .credited(1, transaction: "\(index)"),
                        ], at: date)
                }
            }
            try await group.waitForAll()
        }
        let copy = try TemporaryFolder()
        for name in ["ledger.sqlite", "ledger.sqlite-wal"] {
            try FileManager.default.copyItem(at: folder[name], to: copy[name])
        }

        let reopened = try SQLiteLedger(url: copy["ledger.sqlite"])
        #expect(try await reopened.entries(after: 0) == ledger.entries(after: 0))
        #expect(try await reopened.summary().balances == ["coins": 100])
    }

    @Test(
        arguments: [
            "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('buy milk')",
            "CREATE TABLE entry (text TEXT); INSERT INTO entry VALUES ('buy milk')",
            "CREATE TABLE entry (text TEXT); PRAGMA user_version = 3",
            "CREATE TABLE entry (text TEXT); PRAGMA user_version = 3; PRAGMA application_id = 252006675",
            "CREATE TABLE entry (text TEXT); PRAGMA user_version = 2; PRAGMA application_id = 252006675",
            "CREATE TABLE note (text TEXT); PRAGMA user_version = 1",
            "CREATE TABLE note (text TEXT); PRAGMA user_version = 99",
            "PRAGMA application_id = 252006675",
            "PRAGMA user_version = 3",
        ]
    )
    func `a SQLite database that is not a ledger is refused as damaged and left unchanged`(statements: String) throws {
        let raw = try DatabaseQueue(path: file.path())
        try raw.writeWithoutTransaction { try $0.execute(sql: statements) }
        try raw.close()
        let before = try Data(contentsOf: file)

        let error = #expect(throws: LedgerError.self) { try SQLiteLedger(url: file) }
        #expect(error?.code == .damaged)
        #expect(error?.reason == "the file is a database, but not a ledger")
        #expect(try Data(contentsOf: file) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path()) == ["ledger.sqlite"])
    }

    @Test(arguments: [1, 2, 3, 9, 10] as [UInt8])
    func `a ledger of a version before the first release is refused as damaged, not repaired and left unchanged`(
        version: UInt8
    ) async throws {
        let ledger = try SQLiteLedger(url: file)
        _ = try await ledger.append([.bought("guide", transaction: "1")], at: date)
        await ledger.checkpoint()
        let older = folder["older.sqlite"]
        let bytes = try Data(contentsOf: file).markedAsUnreleased(version: version)
        try bytes.write(to: older)

        let reason = "the ledger was written by an unreleased version of Vitrine, whose format is no longer read"
        let error = #expect(throws: LedgerError.self) { try SQLiteLedger(url: older) }
        #expect((error?.code, error?.reason) == (.damaged, reason))
        #expect(try await SQLiteLedger.damage(of: older) == reason)
        #expect(try await !SQLiteLedger.repair(older, to: folder["copy.sqlite"]))
        #expect(try Data(contentsOf: older) == bytes)
    }

    @Test func `a new ledger whose tables another process creates meanwhile is not taken for another database`()
        throws
    {
        let other = try DatabaseQueue(path: file.path())
        #expect(try other.inDatabase { try String.fetchOne($0, sql: "PRAGMA journal_mode = WAL") } == "wal")

        try DatabaseQueue(path: file.path()).inDatabase { database in
            database.trace(options: .statement) { statement in
                guard statement.description.contains("application_id") else { return }
                #expect(throws: Never.self) { try LedgerSchema.create(in: other) }
            }
            try LedgerSchema.prepare(database)
        }
        #expect(try other.read(LedgerSchema.isCreated))
    }

    @Test func `a ledger that eight tasks create concurrently is created once`() async throws {
        let file = file
        try await withThrowingTaskGroup { group in
            for index in 1...8 {
                group.addTask {
                    let ledger = try SQLiteLedger(url: file)
                    _ = try await ledger.advance("version", to: Int64(index))
                }
            }
            try await group.waitForAll()
        }

        let ledger = try SQLiteLedger(url: file)
        #expect(try await ledger.highest("version") == 8)
        #expect(try await ledger.damage() == [])
    }
}
