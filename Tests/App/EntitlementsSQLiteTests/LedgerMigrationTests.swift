import Foundation
import GRDB
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrineSupport
import VitrineTestSupport

/// Ledgers that earlier versions have written.
@Suite(.timeLimit(.minutes(45))) struct LedgerMigrationTests {
    private let folder: TemporaryFolder
    private let date = Date(timeIntervalSince1970: 1_790_000_000.123)
    private var file: URL { folder["ledger.sqlite"] }

    init() throws { folder = try TemporaryFolder() }

    /// Writes a ledger as a version has kept it, and opens it with this one.
    private func open(version: Int) async throws -> SQLiteLedger {
        let sql = try String(
            contentsOf: Repository.file("Tests/Fixtures/ledger-version\(version).sql"), encoding: .utf8)
        let old = try DatabaseQueue(path: file.path())
        try await old.writeWithoutTransaction { try $0.execute(sql: sql) }
        try old.close()
        return try SQLiteLedger(url: file)
    }

    @Test func `a version 1 ledger is migrated with all entries and sequence numbers`()
        async throws
    {
        let ledger = try await open(version: 1)
        let before = try await ledger.entries(after: 0)

        #expect(
            before.map(\.fact) == [
                .bought("guide", transaction: "1"), .bought("coins", transaction: "2", kind: .consumable, quantity: 3),
                .credited(150, transaction: "2"), .spent(30, token: "map"), .given("pack", token: "raffle"),
            ])
        #expect(before.map(\.sequence) == [1, 2, 3, 4, 5])
        let added = try await ledger.append([.revoked("coins", transaction: "2"), .firstGot(build: "1")], at: date)
        #expect(added.map(\.sequence) == [6, 7])
        #expect(added.first?.fact == .revoked("coins", transaction: "2", units: 120))
        #expect(try await SQLiteLedger(url: file).entries(after: 0) == before + added)
        let raw = try DatabaseQueue(path: file.path())
        #expect(throws: DatabaseError.self) { try raw.write { try $0.execute(sql: "DELETE FROM entry") } }
    }

    @Test func `a version 2 ledger is migrated with all entries, sequence numbers and dates`()
        async throws
    {
        let entries = try await open(version: 2).entries(after: 0)

        #expect(
            entries.map(\.fact) == [
                .bought("guide", transaction: "1"), .bought("coins", transaction: "2", kind: .consumable, quantity: 3),
                .credited(150, transaction: "2"), .spent(30, token: "map"),
                .bought("coins", transaction: "3", kind: .consumable),
                .bought("rubies", transaction: "4", kind: .consumable), .bought("map", transaction: "5"),
                .credited(50, transaction: "3"), .credited(7, to: "rubies", transaction: "4"),
                .revoked("coins", transaction: "3", units: 50), .revoked("map", transaction: "5"),
                .revoked("atlas", transaction: "9"), .given("pack", token: "raffle"), .firstGot(build: "150"),
                .firstGot(build: "1", platform: nil),
            ])
        #expect(entries.map(\.sequence) == Array(1...15))
        #expect(Set(entries.map { $0.recordedAt.timeIntervalSince1970 }) == [1_790_000_000.123, 1_790_100_000.123])
    }

    @Test func `a version 3 ledger is migrated with all entries, and records receipts afterwards`() async throws {
        let ledger = try await open(version: 3)
        let before = try await ledger.entries(after: 0)

        #expect(
            before.map(\.fact) == [
                .bought("guide", transaction: "1"), .bought("coins", transaction: "2", kind: .consumable, quantity: 3),
                .credited(150, transaction: "2", policy: .debt), .spent(30, token: "map"),
                .revoked("coins", transaction: "2", units: 150),
                .bought(
                    "club", transaction: "6", kind: .autoRenewableSubscription,
                    until: Fact.Period(expirationDate: Date(timeIntervalSince1970: 1_790_050_000)),
                    contents: ["guide", "map"]),
                .given("pack", token: "raffle"), .locked("pack", token: "oops"), .firstGot(build: "150"),
            ])
        #expect(before.map(\.sequence) == Array(1...9))
        #expect(try await ledger.summary().balances == ["coins": -30])
        let map = Fact.bought("map", transaction: "7").read(from: "a")
        let added = try await ledger.append([.receipt("a"), map], at: date)
        #expect(added.map(\.fact) == [.receipt("a"), map])
        #expect(try await SQLiteLedger(url: file).entries(after: 0) == before + added)
        let raw = try DatabaseQueue(path: file.path())
        #expect(throws: DatabaseError.self) { try raw.write { try $0.execute(sql: "DELETE FROM entry") } }
    }

    @Test func `a version 4 ledger is migrated with its entries, and stores counters and values afterwards`()
        async throws
    {
        let ledger = try await open(version: 4)
        let before = try await ledger.entries(after: 0)

        #expect(before.map(\.sequence) == Array(1...11))
        #expect(before.last?.fact == .bought("map", transaction: "7").read(from: "a"))
        #expect(try await ledger.summary().balances == ["coins": -30])
        #expect(try await ledger.highest("version") == nil)
        #expect(try await ledger.kept("answer") == nil)
        #expect(try await ledger.advance("version", to: 7) == 7)
        try await ledger.keep(Data("one".utf8), as: "answer")
        let added = try await ledger.append([.given("pack", token: "again")], at: date)
        let reopened = try SQLiteLedger(url: file)
        #expect(try await reopened.entries(after: 0) == before + added)
        #expect(try await reopened.highest("version") == 7)
        #expect(try await reopened.kept("answer") == Data("one".utf8))
        #expect(try await reopened.damage().isEmpty)
        let raw = try DatabaseQueue(path: file.path())
        for statement in [
            "DELETE FROM entry", "DELETE FROM highest", "UPDATE highest SET value = 6",
            "UPDATE highest SET name = 'other'", "INSERT INTO highest (name, value) VALUES ('', 1)",
            "INSERT INTO kept (name, value) VALUES ('', x'00')",
        ] {
            #expect(throws: DatabaseError.self, "\(statement)") { try raw.write { try $0.execute(sql: statement) } }
        }
    }

    @Test func `a version 5 ledger is migrated with its entries, and records installed content afterwards`()
        async throws
    {
        let ledger = try await open(version: 5)
        let before = try await ledger.entries(after: 0)

        #expect(before.map(\.sequence) == Array(1...11))
        #expect(before.last?.fact == .bought("map", transaction: "7").read(from: "a"))
        #expect(try await ledger.summary().balances == ["coins": -30])
        #expect(try await ledger.highest("version") == 7)
        #expect(try await ledger.kept("answer") == Data("one".utf8))
        let added = try await ledger.append([.installed("map")], at: date)
        #expect(added.map(\.sequence) == [12])
        #expect(try await SQLiteLedger(url: file).entries(after: 0) == before + added)
        #expect(try await ledger.damage().isEmpty)
        let raw = try DatabaseQueue(path: file.path())
        for statement in ["DELETE FROM entry", "DELETE FROM highest", "UPDATE highest SET value = 6"] {
            #expect(throws: DatabaseError.self, "\(statement)") { try raw.write { try $0.execute(sql: statement) } }
        }
    }

    @Test func `a version 6 ledger is migrated with valid checksums, and records partial refunds afterwards`()
        async throws
    {
        let ledger = try await open(version: 6)
        let before = try await ledger.entries(after: 0)

        #expect(before.map(\.sequence) == Array(1...12))
        #expect(before.last?.fact == .installed("map"))
        #expect(try await ledger.summary().balances == ["coins": -30])
        #expect(try await ledger.highest("version") == 7)
        #expect(try await ledger.kept("answer") == Data("one".utf8))
        guard case .revocation(var refund) = Fact.revoked("map", transaction: "7") else { return }
        refund.percentage = 50_000
        let added = try await ledger.append([.revocation(refund)], at: date)
        #expect(added.map(\.fact) == [.revocation(refund)])
        #expect(try await SQLiteLedger(url: file).entries(after: 0) == before + added)
        #expect(try await ledger.damage().isEmpty)
    }

    @Test func `a version 7 ledger is migrated with its entries, and records original purchase dates afterwards`()
        async throws
    {
        let ledger = try await open(version: 7)
        let before = try await ledger.entries(after: 0)

        #expect(before.map(\.sequence) == Array(1...12))
        #expect(before.last?.fact == .installed("map"))
        #expect(try await ledger.summary().balances == ["coins": -30])
        #expect(try await ledger.highest("version") == 7)
        #expect(try await ledger.kept("answer") == Data("one".utf8))
        #expect(try await ledger.damage().isEmpty)
        guard case .purchase(var purchase) = Fact.bought("atlas", transaction: "8") else { return }
        purchase.originalPurchaseDate = date
        let added = try await ledger.append([.purchase(purchase)], at: date)
        #expect(added.map(\.fact) == [.purchase(purchase)])
        #expect(try await SQLiteLedger(url: file).entries(after: 0) == before + added)
        #expect(try await ledger.damage().isEmpty)
    }

    @Test func `a version 8 ledger is migrated with its entries, and records renewals afterwards`() async throws {
        let ledger = try await open(version: 8)
        let before = try await ledger.entries(after: 0)

        #expect(before.map(\.sequence) == Array(1...12))
        #expect(before.last?.fact == .installed("map"))
        #expect(try await ledger.summary().balances == ["coins": -30])
        #expect(try await ledger.damage().isEmpty)
        let added = try await ledger.append([.renewed("club", transaction: "8")], at: date)
        #expect(added.map(\.fact) == [.renewed("club", transaction: "8")])
        #expect(try await SQLiteLedger(url: file).entries(after: 0) == before + added)
        #expect(try await ledger.damage().isEmpty)
    }

    @Test func `a version 9 ledger is migrated with its entries, and merges facts of other devices afterwards`()
        async throws
    {
        let ledger = try await open(version: 9)
        let before = try await ledger.entries(after: 0)

        #expect(before.map(\.sequence) == Array(1...12))
        #expect(before.allSatisfy { $0.device == nil && $0.moment == $0.recordedAt })
        #expect(try await ledger.summary().balances == ["coins": -30])
        #expect(try await ledger.damage().isEmpty)
        let facts = [ExchangedFact(fact: .deposited(50, token: "b"), moment: date, device: "phone")]
        let merge = try await ledger.merge(facts, adjusting: [], overdrafts: .forgiven, at: date)
        let added = try await ledger.append([.deposited(5, token: "c")], at: .distantPast + 1)
        #expect(merge.entries.first?.device == "phone")
        #expect(added.map { $0.moment > (before.map(\.moment) + [date]).max() ?? date } == [true])
        #expect(try await SQLiteLedger(url: file).entries(after: 0) == before + merge.entries + added)
        #expect(try await ledger.damage().isEmpty)
    }

    @Test func `an entry that was damaged before a migration is reported as damaged when the ledger is opened`()
        async throws
    {
        let sql = try String(contentsOf: Repository.file("Tests/Fixtures/ledger-version7.sql"), encoding: .utf8)
        let old = try DatabaseQueue(path: file.path())
        try await old.writeWithoutTransaction {
            try $0.execute(sql: sql.replacing("VALUES (3, 150,", with: "VALUES (3, 151,"))
        }
        try old.close()

        let error = #expect(throws: LedgerError.self) { try SQLiteLedger(url: file) }
        #expect(error?.reason == "the ledger is damaged: entry 3 differs from its checksum")
    }

    @Test(arguments: 1...9)
    func `a ledger of any earlier version that eight tasks open concurrently is migrated once`(version: Int)
        async throws
    {
        _ = try await open(version: version)
        let expected = try await SQLiteLedger(url: file).entries(after: 0)
        try FileManager.default.removeItem(at: file)
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(at: folder["ledger.sqlite\(suffix)"])
        }
        let sql = try String(
            contentsOf: Repository.file("Tests/Fixtures/ledger-version\(version).sql"), encoding: .utf8)
        let old = try DatabaseQueue(path: file.path())
        try await old.writeWithoutTransaction { try $0.execute(sql: sql) }
        try old.close()
        let file = file
        let found = try await withThrowingTaskGroup(of: [LedgerEntry].self) { group in
            for index in 1...8 {
                group.addTask {
                    let ledger = try SQLiteLedger(url: file)
                    _ = try await ledger.advance("version", to: Int64(index))
                    return try await ledger.entries(after: 0)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(found.count == 8)
        #expect(found.allSatisfy { $0 == expected })
        #expect(try await SQLiteLedger(url: file).highest("version") == 8)
    }

    @Test func `balances and revocations survive the migration of a version 2 ledger`() async throws {
        let ledger = try await open(version: 2)

        let standing = try await ledger.summary()
        #expect(standing.balances == ["coins": 120, "rubies": 7])
        #expect(standing.lastSequence == 15)
        for (transaction, isRevoked) in [
            ("1", false), ("2", false), ("3", true), ("4", false), ("5", true), ("9", true),
        ] {
            #expect(try await ledger.isRevoked(transaction) == isRevoked, "\(transaction)")
        }
        let raw = try DatabaseQueue(path: file.path())
        let running = try await raw.read {
            try Int.fetchAll($0, sql: "SELECT balance FROM entry WHERE wallet = 'coins' ORDER BY sequence")
        }
        #expect(running == [150, 120, 170, 120])
    }

    @Test func `facts appended after the migration of a version 2 ledger continue its balances and revocations`()
        async throws
    {
        let ledger = try await open(version: 2)
        let later = Date(timeIntervalSince1970: 1_790_150_000)

        await #expect(throws: LedgerError.self) {
            try await ledger.append([.bought("map", transaction: "5"), .spent(1, token: "never")], at: date)
        }
        await #expect(throws: LedgerError.self) { try await ledger.append([.spent(121, token: "all")], at: date) }
        let again = try await ledger.append(
            [.revoked("coins", transaction: "3"), .spent(30, token: "map"), .credited(150, transaction: "2")],
            at: date)
        #expect(again.isEmpty)
        let added = try await ledger.append(
            [.credited("coins", transaction: "3", signed: later), .spent(170, token: "all")], at: later)
        #expect(added.map(\.sequence) == [16, 17])
        #expect(added.first?.fact == .credited("coins", transaction: "3", units: 50, signed: later))
        #expect(try await ledger.summary().balances["coins"] == 0)
        #expect(try await !ledger.isRevoked("3"))
    }
}
