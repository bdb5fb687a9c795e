import Foundation
import Testing
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrineSupport
import VitrineTestSupport

/// Read-only copy in memory of a ledger that cannot be opened for writing.
extension SQLiteLedgerTests {
    private static let error = LedgerError(code: .unavailable, reason: "the disk is full")

    /// Copies the files of a ledger that is open, so that its latest entries are only in the write-ahead log.
    private func filesOfOpenLedger(_ count: Int = 3) async throws -> (url: URL, entries: [LedgerEntry]) {
        let ledger = try SQLiteLedger(url: file, sleep: sleepUntilCancelled)
        for number in 1...count {
            _ = try await ledger.append([.bought("guide\(number)", transaction: "\(number)")], at: date)
        }
        let copy = folder["copy.sqlite"]
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(at: folder["ledger.sqlite\(suffix)"], to: folder["copy.sqlite\(suffix)"])
        }
        return (copy, try await ledger.entries(after: 0))
    }

    @Test func `an in-memory copy of a ledger includes the write-ahead log and refuses writes`() async throws {
        let (url, entries) = try await filesOfOpenLedger()
        let copy = try SQLiteLedger(readOnlyCopyOf: url, because: Self.error)

        #expect(try await copy.entries(after: 0) == entries)
        #expect(try await copy.summary().lastSequence == 3)
        #expect(try await copy.damage().isEmpty)
        await #expect(throws: Self.error) { try await copy.append([.bought("map", transaction: "9")], at: date) }
        await #expect(throws: Self.error) { try await copy.checkWritable() }
        await #expect(throws: Self.error) { try await copy.advance("version", to: 2) }
        await #expect(throws: Self.error) { try await copy.setValue(Data(), for: "answer") }
        #expect(!FileManager.default.fileExists(atPath: folder["copy.sqlite-shm"].path()))
    }

    @Test func `an in-memory copy reads a truncated write-ahead log up to its last complete commit`() async throws {
        let (url, entries) = try await filesOfOpenLedger()
        let log = folder["copy.sqlite-wal"]
        let bytes = try Data(contentsOf: log)
        var seen: Set<Int> = []
        for length in stride(from: bytes.count, through: 0, by: -1_000) {
            try bytes.prefix(length).write(to: log)
            guard let copy = try? SQLiteLedger(readOnlyCopyOf: url, because: Self.error) else { continue }
            let found = try await copy.entries(after: 0)
            #expect(found == Array(entries.prefix(found.count)))
            seen.insert(found.count)
        }

        #expect(seen.isSuperset(of: [0, 1, 2, 3]))
    }

    @Test func `a commit with a flipped bit in the write-ahead log is left out of an in-memory copy`() async throws {
        let (url, entries) = try await filesOfOpenLedger()
        let log = folder["copy.sqlite-wal"]
        var bytes = try Data(contentsOf: log)
        bytes[bytes.count - 10] ^= 1
        try bytes.write(to: log)
        let copy = try SQLiteLedger(readOnlyCopyOf: url, because: Self.error)

        #expect(try await copy.entries(after: 0) == Array(entries.prefix(2)))
    }

    @Test func `a ledger without a write-ahead log can be copied, and a file that is not a ledger is refused`()
        async throws
    {
        do {
            _ = try await SQLiteLedger(url: file).append([.bought("guide", transaction: "1")], at: date)
        }
        let copy = try SQLiteLedger(readOnlyCopyOf: file, because: Self.error)
        #expect(try await copy.entries(after: 0).count == 1)

        try folder.write(String(repeating: "not a database\n", count: 100), to: "text.sqlite")
        for name in ["text.sqlite", "none.sqlite"] {
            #expect(throws: LedgerError.self) { try SQLiteLedger(readOnlyCopyOf: folder[name], because: Self.error) }
        }
    }
}
