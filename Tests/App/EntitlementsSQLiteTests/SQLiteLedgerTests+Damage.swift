import Foundation
import GRDB
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrineSupport
import VitrineTestSupport

/// Ledger files with flipped bits.
extension SQLiteLedgerTests {
    private static let facts: [Fact] = [
        .bought("coins", transaction: "1", kind: .consumable), .credited(50, transaction: "1"),
        .spent(20, token: "map"), .deposited(10, in: "hints", token: "start"), .given("pack", token: "raffle"),
        .bought("guide", transaction: "2", contents: ["map", "atlas"]), .revoked("guide", transaction: "2"),
        .bought("map", transaction: "3"), .firstGot(build: "150"), .installed("map"),
        .bought("coins", transaction: "4", kind: .consumable), .credited(500, transaction: "4"),
        .revoked("coins", transaction: "4"), .locked("pack", token: "oops"), .receipt("known"),
        .bought("atlas", transaction: "6").read(from: "known"), .note(.undelivered("9")),
    ]

    /// Everything that can be read from a ledger.
    private struct Contents: Equatable {
        let entries: [LedgerEntry]
        let summary: LedgerSummary
        let version: Int64?
        let answer: Data?

        init(of ledger: SQLiteLedger) async throws {
            entries = try await ledger.entries(after: 0)
            summary = try await ledger.summary()
            version = try await ledger.highest("version")
            answer = try await ledger.value(for: "answer")
        }
    }

    /// Writes a ledger and closes it, so that all of it is in one file.
    ///
    /// - Returns: The bytes of the file, and the content of the ledger.
    private func writeClosedLedger() async throws -> (bytes: Data, contents: Contents) {
        let ledger = try SQLiteLedger(url: file)
        _ = try await ledger.append(Self.facts, at: date)
        let later = Fact.bought("map", transaction: "3", signed: Date(timeIntervalSince1970: 1_790_300_000))
        #expect(try await ledger.append([later], at: date).isEmpty)
        _ = try await ledger.advance("version", to: 7)
        try await ledger.setValue(Data("one".utf8), for: "answer")
        let contents = try await Contents(of: ledger)
        let raw = try DatabaseQueue(path: file.path())
        try await raw.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try raw.close()
        return (try Data(contentsOf: file), contents)
    }

    /// Byte offsets in each page of 4 KiB: the page header, the cell pointers, and samples of the rest.
    private static func places(in file: Data) -> [Int] {
        stride(from: 0, to: file.count, by: 4_096).flatMap { page in
            let header = page == 0 ? 100 : 0
            let cells = stride(from: header + 20 + page / 4_096, to: 4_096, by: 797)
            return (Array(header..<header + 20) + cells).map { page + $0 }
        }
    }

    @Test
    func `a ledger file with a flipped bit is refused or read correctly, and a successful repair is complete`()
        async throws
    {
        let (whole, contents) = try await writeClosedLedger()
        let rows = Self.rows(in: file)
        var (refused, repaired) = (0, 0)
        for place in Self.places(in: whole) {
            let folder = try TemporaryFolder()
            var damaged = whole
            damaged[place] ^= 1 << UInt8(place % 8)
            try damaged.write(to: folder["ledger.sqlite"])
            do {
                let ledger = try SQLiteLedger(url: folder["ledger.sqlite"])
                #expect(try await Contents(of: ledger) == contents, "byte \(place)")
                #expect(try await ledger.append(Array(Self.facts.prefix(2)), at: date).isEmpty, "byte \(place)")
                #expect(try await Contents(of: ledger) == contents, "byte \(place)")
            } catch let error as LedgerError {
                #expect([.damaged, .newerVersion, .unavailable].contains(error.code), "byte \(place): \(error)")
                refused += 1
            }
            try damaged.write(to: folder["damaged.sqlite"])
            let isReadable = Self.rows(in: folder["damaged.sqlite"]) == rows
            guard try await Self.isRepaired(folder["damaged.sqlite"], to: folder["repaired.sqlite"]) else {
                #expect(!isReadable, "byte \(place)")
                continue
            }
            repaired += 1
            let ledger = try SQLiteLedger(url: folder["repaired.sqlite"])
            #expect(try await ledger.entries(after: 0) == contents.entries, "byte \(place)")
            #expect(try await ledger.summary() == contents.summary, "byte \(place)")
        }
        #expect(refused > Self.places(in: whole).count / 5)
        #expect(repaired > refused / 2)
    }

    /// Returns the rows of all entries, read without an index; `nil` if they cannot be read.
    private static func rows(in file: URL) -> [GRDB.Row]? {
        let raw = try? DatabaseQueue(path: file.path())
        return try? raw?.read { try GRDB.Row.fetchAll($0, sql: "SELECT * FROM entry NOT INDEXED ORDER BY sequence") }
    }

    private static func isRepaired(_ file: URL, to copy: URL) async throws -> Bool {
        do {
            return try await SQLiteLedger.repair(file, to: copy)
        } catch  where [.unavailable, .newerVersion].contains(error.code) {
            return false
        }
    }

    private func changeFile(_ sql: String) throws {
        let raw = try DatabaseQueue(path: file.path())
        try raw.writeWithoutTransaction { try $0.execute(sql: sql) }
        try raw.close()
    }

    @Test(
        arguments: [
            ("DROP TRIGGER balancesAreSums", "the trigger balancesAreSums is missing"),
            (
                "DROP TRIGGER debitsAreCovered; CREATE TRIGGER debitsAreCovered BEFORE INSERT ON entry BEGIN SELECT 1; END",
                "the trigger debitsAreCovered was changed"
            ),
            ("DROP INDEX entryOfOwnership", "the index entryOfOwnership is missing"),
            (
                "DROP TRIGGER entriesAreNeverChanged; UPDATE entry SET amount = 5000, balance = 5000 WHERE sequence = 2",
                "the trigger entriesAreNeverChanged is missing"
            ),
        ])
    func `removed or changed triggers and indexes are reported as damage, and a repair creates them again`(
        sql: String, error: String
    ) async throws {
        _ = try await writeClosedLedger()
        let ledger = try SQLiteLedger(url: file)
        try changeFile(sql)

        #expect(try await ledger.damage() == [error])
        let isForged = sql.contains("5000")
        #expect(try await SQLiteLedger.repair(file, to: folder["repaired.sqlite"]) == !isForged)
        if !isForged { #expect(try await SQLiteLedger(url: folder["repaired.sqlite"]).damage() == []) }
    }

    @Test func `a ledger with a changed amount is refused because the entry differs from its checksum`() async throws {
        _ = try await writeClosedLedger()
        let trigger = try await DatabaseQueue(path: file.path()).read {
            try String.fetchOne($0, sql: "SELECT sql FROM sqlite_master WHERE name = 'entriesAreNeverChanged'")
        }
        try changeFile(
            "DROP TRIGGER entriesAreNeverChanged; UPDATE entry SET amount = 5000 WHERE sequence = 2; \(trigger ?? "")")

        let error = #expect(throws: LedgerError.self) { try SQLiteLedger(url: file) }
        #expect(error?.reason == "the ledger is damaged: entry 2 differs from its checksum")
        #expect(try await !SQLiteLedger.repair(file, to: folder["repaired.sqlite"]))
    }

    @Test func `a ledger entry with a damaged row is repaired from the ownership index`() async throws {
        let (_, contents) = try await writeClosedLedger()
        let page = try #require(try Data(contentsOf: file).ranges(of: Data("a gift".utf8)).first).lowerBound
        for place in try Data(contentsOf: file).ranges(of: Data("a gift".utf8)) where place.lowerBound >= page {
            var damaged = try Data(contentsOf: file)
            damaged[place.lowerBound] ^= 4
            let folder = try TemporaryFolder()
            try damaged.write(to: folder["ledger.sqlite"])
            #expect(throws: LedgerError.self) { try SQLiteLedger(url: folder["ledger.sqlite"]) }
            #expect(try await SQLiteLedger.repair(folder["ledger.sqlite"], to: folder["repaired.sqlite"]))
            #expect(try await Contents(of: SQLiteLedger(url: folder["repaired.sqlite"])) == contents)
        }
    }
}
