import Entitlements
import EntitlementsSQLite
import Foundation
import GRDB
import TestSupport
import Testing

/// Numbers and kept things in a file that several have open.
extension SQLiteLedgerTests {
    @Test func `numbers and kept things are there when the file is opened again`() async throws {
        let ledger = try SQLiteLedger(url: file)
        _ = try await ledger.advance("version", to: 7)
        try await ledger.keep(Data("one".utf8), as: "answer")

        let reopened = try SQLiteLedger(url: file)
        #expect(try await reopened.highest("version") == 7)
        #expect(try await reopened.kept("answer") == Data("one".utf8))
        #expect(try await reopened.advance("version", to: 6) == 7)
    }

    @Test func `of two that are open at once each sees what the other has raised and kept`() async throws {
        let ledgers = [try SQLiteLedger(url: file), try SQLiteLedger(url: file)]
        let answers = try await withThrowingTaskGroup(of: (Int64, Int64).self) { group in
            for value in 1...50 as ClosedRange<Int64> {
                group.addTask { (value, try await ledgers[Int(value % 2)].advance("version", to: value)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await ledgers[0].keep(Data("one".utf8), as: "answer")
        try await ledgers[1].keep(Data("two".utf8), as: "answer")

        #expect(answers.allSatisfy { $0.1 >= $0.0 })
        #expect(try await ledgers[0].highest("version") == 50)
        #expect(try await ledgers[0].kept("answer") == Data("two".utf8))
    }

    @Test func `what was raised and kept is on the disk, though nobody has closed the file`() async throws {
        let ledger = try SQLiteLedger(url: file, sleep: sleepUntilCancelled)
        _ = try await ledger.advance("version", to: 7)
        try await ledger.keep(Data("one".utf8), as: "answer")
        let copy = try TemporaryFolder()
        for name in ["ledger.sqlite", "ledger.sqlite-wal"] {
            try FileManager.default.copyItem(at: folder[name], to: copy[name])
        }

        let struck = try SQLiteLedger(url: copy["ledger.sqlite"])
        #expect(try await struck.highest("version") == 7)
        #expect(try await struck.kept("answer") == Data("one".utf8))
    }

    @Test func `a number that is as high already is not written again`() async throws {
        let ledger = try SQLiteLedger(url: file, sleep: sleepUntilCancelled)
        _ = try await ledger.advance("version", to: 7)
        let before = try Data(contentsOf: folder["ledger.sqlite-wal"])
        for value in [7, 6, 7] as [Int64] { #expect(try await ledger.advance("version", to: value) == 7) }

        #expect(try Data(contentsOf: folder["ledger.sqlite-wal"]) == before)
    }

    @Test func `what somebody has put in that is too large is told, and not read`() async throws {
        let ledger = try SQLiteLedger(url: file)
        try await ledger.keep(Data("one".utf8), as: "answer")
        try await DatabaseQueue(path: file.path()).write {
            try $0.execute(sql: "UPDATE kept SET value = zeroblob(16 * 1024 * 1024 + 1)")
        }

        let error = await #expect(throws: LedgerError.self) { try await ledger.kept("answer") }
        #expect(error?.code == .tooLarge)
    }
}
