import Foundation
import GRDB
import Testing
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrineSupport
import VitrineTestSupport

/// Counters and stored values in a file that several connections have open.
extension SQLiteLedgerTests {
    @Test func `counters and stored values persist when the ledger file is reopened`() async throws {
        let ledger = try SQLiteLedger(url: file)
        _ = try await ledger.advance("version", to: 7)
        try await ledger.setValue(Data("one".utf8), for: "answer")

        let reopened = try SQLiteLedger(url: file)
        #expect(try await reopened.highest("version") == 7)
        #expect(try await reopened.value(for: "answer") == Data("one".utf8))
        #expect(try await reopened.advance("version", to: 6) == 7)
    }

    @Test func `two ledger instances on the same file see each other's counters and stored values`() async throws {
        let ledgers = [try SQLiteLedger(url: file), try SQLiteLedger(url: file)]
        let answers = try await withThrowingTaskGroup(of: (Int64, Int64).self) { group in
            for value in 1...50 as ClosedRange<Int64> {
                group.addTask { (value, try await ledgers[Int(value % 2)].advance("version", to: value)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await ledgers[0].setValue(Data("one".utf8), for: "answer")
        try await ledgers[1].setValue(Data("two".utf8), for: "answer")

        #expect(answers.allSatisfy { $0.1 >= $0.0 })
        #expect(try await ledgers[0].highest("version") == 50)
        #expect(try await ledgers[0].value(for: "answer") == Data("two".utf8))
    }

    @Test func `counters and stored values are on disk before the ledger file is closed`() async throws {
        let ledger = try SQLiteLedger(url: file, sleep: sleepUntilCancelled)
        _ = try await ledger.advance("version", to: 7)
        try await ledger.setValue(Data("one".utf8), for: "answer")
        let copy = try TemporaryFolder()
        for name in ["ledger.sqlite", "ledger.sqlite-wal"] {
            try FileManager.default.copyItem(at: folder[name], to: copy[name])
        }

        let struck = try SQLiteLedger(url: copy["ledger.sqlite"])
        #expect(try await struck.highest("version") == 7)
        #expect(try await struck.value(for: "answer") == Data("one".utf8))
    }

    @Test func `a counter is not written again if its new value is not higher`() async throws {
        let ledger = try SQLiteLedger(url: file, sleep: sleepUntilCancelled)
        _ = try await ledger.advance("version", to: 7)
        let before = try Data(contentsOf: folder["ledger.sqlite-wal"])
        for value in [7, 6, 7] as [Int64] { #expect(try await ledger.advance("version", to: value) == 7) }

        #expect(try Data(contentsOf: folder["ledger.sqlite-wal"]) == before)
    }

    @Test func `a stored value that exceeds the size limit is reported and not read`() async throws {
        let ledger = try SQLiteLedger(url: file)
        try await ledger.setValue(Data("one".utf8), for: "answer")
        try await DatabaseQueue(path: file.path()).write {
            try $0.execute(sql: "UPDATE storedValue SET value = zeroblob(16 * 1024 * 1024 + 1)")
        }

        let error = await #expect(throws: LedgerError.self) { try await ledger.value(for: "answer") }
        #expect(error?.code == .tooLarge)
    }
}
