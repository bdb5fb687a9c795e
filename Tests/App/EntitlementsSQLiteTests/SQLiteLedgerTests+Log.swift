import Foundation
import GRDB
import Testing
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrineSupport
import VitrineTestSupport

/// Write-ahead log of a ledger, and copies of the ledger without this log or with the log of another ledger.
extension SQLiteLedgerTests {
    private func logLength(of name: String = "ledger.sqlite") throws -> Int {
        try Data(contentsOf: folder["\(name)-wal"]).count
    }

    /// Copies the file of a ledger without its write-ahead log, and opens the copy.
    private func copyOfFile() throws -> SQLiteLedger {
        let copy = try TemporaryFolder()
        try FileManager.default.copyItem(at: file, to: copy["ledger.sqlite"])
        return try SQLiteLedger(url: copy["ledger.sqlite"])
    }

    @Test func `after an idle period the ledger file is complete without its write-ahead log`() async throws {
        let sleep = ManualSleep()
        let ledger = try SQLiteLedger(url: file) { try await sleep.sleep($0) }
        #expect(await sleep.begun() == .seconds(2))
        let written = try await ledger.append([.bought("guide", transaction: "1")], at: date)
        sleep.wake()
        // Something was written meanwhile: the wait begins again.
        #expect(await sleep.begun() == .seconds(2))
        #expect(try logLength() > 0)
        sleep.wake()
        while try logLength() > 0 { await Task.yield() }

        #expect(try await copyOfFile().entries(after: 0) == written)
        let more = try await ledger.append([.bought("map", transaction: "2")], at: date)
        #expect(await sleep.begun() == .seconds(2))
        #expect(try await SQLiteLedger(url: file).entries(after: 0) == written + more)
    }

    @Test func `a checkpoint makes the ledger file complete without its log, unless another process is reading`()
        async throws
    {
        let ledger = try SQLiteLedger(url: file, sleep: sleepUntilCancelled)
        let first = try await ledger.append([.bought("guide", transaction: "1")], at: date)
        let reader = try openElsewhere()
        try await reader.writeWithoutTransaction { database in
            try database.execute(sql: "BEGIN")
            _ = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM entry")
        }
        let second = try await ledger.append([.bought("map", transaction: "2")], at: date)
        await ledger.checkpoint()
        #expect(try logLength() > 0)
        try await reader.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        await ledger.checkpoint()

        #expect(try logLength() == 0)
        #expect(try await copyOfFile().entries(after: 0) == first + second)
    }

    @Test(arguments: [20, 3_000])
    func `a write-ahead log of another ledger is detected as damage when the ledger is opened`(count: Int) async throws
    {
        let other = try TemporaryFolder()
        for (folder, product) in [(folder, "guide"), (other, "atlas")] {
            let ledger = try SQLiteLedger(url: folder["ledger.sqlite"], sleep: sleepUntilCancelled)
            _ = try await ledger.append((0..<count).map { .given(product, token: "\(product) \($0)") }, at: date)
            await ledger.checkpoint()
        }
        let opened = try SQLiteLedger(url: other["ledger.sqlite"], sleep: sleepUntilCancelled)
        for number in 0..<5 {
            _ = try await opened.append([.deposited(50, token: "\(number)")], at: date)
        }
        try FileManager.default.copyItem(at: other["ledger.sqlite-wal"], to: folder["ledger.sqlite-wal"])

        let error = #expect(throws: LedgerError.self) { try SQLiteLedger(url: file) }
        #expect(error?.code == .damaged)
    }
}
