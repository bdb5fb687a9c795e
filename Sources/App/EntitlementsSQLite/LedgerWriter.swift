internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import VitrineEntitlements
internal import VitrineSupport

/// Writer of the ledger: facts that are appended while another commit is in progress are committed together in one
/// database transaction.
final class LedgerWriter: Sendable {
    typealias Answer = Result<[LedgerEntry], LedgerError>

    /// Last entries of the ledger after a commit, with SQLite's data version at that time.
    private struct Remembered: Sendable {
        let entries: LastEntries
        let version: UInt32
    }

    /// Last entries after the latest commit; `nil` before the first commit and after a failed one.
    private let remembered = Locked<Remembered?>(nil)

    /// Returns the group commit of a ledger's database, which combines concurrent append requests in one transaction.
    ///
    /// - Parameter lockTimeout: Maximum time to wait for the lock of another process, in seconds.
    static func commits(to database: DatabaseQueue, lockTimeout: TimeInterval) -> GroupCommit<[DatedFact], Answer> {
        let writer = LedgerWriter()
        let commitInPlace: GroupCommit<[DatedFact], Answer>.CommitInPlace = { request in
            database.writeWithoutTransaction { database in
                database.withoutWaiting(lockTimeout: lockTimeout) { writer.answerAtOnce(to: request, in: database) }
            }
        }
        return GroupCommit(inPlace: commitInPlace) { turn in
            database.asyncWriteWithoutTransaction { database in turn { writer.answers(to: $0, in: database) } }
        }
    }

    /// Returns the result of an append request that is committed alone; `nil` if another process has locked the file.
    private func answerAtOnce(to request: [DatedFact], in database: Database) -> Answer? {
        do {
            return try commit([request], in: database).first
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return nil
        } catch {
            return .failure(LedgerError(storage: error))
        }
    }

    /// Returns the results of a group of append requests. If the group cannot be committed together, each request is
    /// committed alone, so that no request fails because of another. If another process holds the lock on the file for
    /// too long, all requests fail, because each retry would wait as long again.
    private func answers(to group: [[DatedFact]], in database: Database) -> [Answer] {
        do {
            return try commit(group, in: database)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return group.map { _ in .failure(LedgerError(storage: error)) }
        } catch  where group.count > 1 {
            return group.flatMap { answers(to: [$0], in: database) }
        } catch {
            return [.failure(LedgerError(storage: error))]
        }
    }

    private func commit(_ group: [[DatedFact]], in database: Database) throws -> [Answer] {
        let remembered = remembered.withLock { $0.take() }
        var (answers, last): ([Answer], LastEntries) = ([], LastEntries())
        do {
            try database.inPlacedTransaction {
                // Another process may have recorded facts since.
                let current = remembered.flatMap { $0.version == database.dataVersion ? $0.entries : nil }
                let table = EntryTable(database: database, knowing: current)
                for facts in group { answers.append(try Self.record(facts, in: table)) }
                last = table.lastEntries
            }
        } catch {
            try database.checkInPlace()
            throw error
        }
        try database.checkInPlace()
        if let version = database.dataVersion {
            let current = Remembered(entries: last, version: version)
            self.remembered.withLock { $0 = current }
        }
        return answers
    }

    /// Records the facts of one append request.
    ///
    /// - Returns: The entries of the new facts, or the error of a request with a fact that must not be recorded; no
    ///   fact of such a request is written.
    private static func record(_ facts: [DatedFact], in table: EntryTable) throws -> Answer {
        var rules = LedgerRules(table)
        do {
            for fact in facts { try rules.check(fact) }
        } catch let error as LedgerError where error.code != .damaged {
            return .failure(error)
        }
        return .success(try table.record(rules))
    }
}

extension EntryTable {
    /// Records the facts that rules have accepted.
    ///
    /// - Returns: Entries of the recorded facts.
    func record(_ rules: LedgerRules<EntryTable>) throws -> [LedgerEntry] {
        let values = StoredValueTables(database: database)
        for (purchaseID, date) in rules.statements { try values.note(statementOf: purchaseID, signed: date) }
        return try rules.accepted.map { accepted in
            var fields = EntryFields(fact: accepted.fact, recordedAt: accepted.date)
            fields.device = accepted.device
            try insert(&fields, balance: accepted.balance)
            return try fields.entry()
        }
    }
}

extension Database {
    /// SQLite's data version: a number that changes with each commit, and at the beginning of a transaction if another
    /// connection has written to the file since the last one; `nil` if SQLite does not report it.
    fileprivate var dataVersion: UInt32? {
        var version: UInt32 = 0
        let status = sqlite3_file_control(sqliteConnection, nil, SQLITE_FCNTL_DATA_VERSION, &version)
        return status == SQLITE_OK ? version : nil
    }

    /// Calls a function that fails with `SQLITE_BUSY` instead of waiting for the lock of another process.
    ///
    /// - Parameter lockTimeout: Maximum time to wait afterwards, in seconds.
    func withoutWaiting<Value>(lockTimeout: TimeInterval, _ body: () throws -> Value) rethrows -> Value {
        sqlite3_busy_timeout(sqliteConnection, 0)
        defer { sqlite3_busy_timeout(sqliteConnection, CInt(lockTimeout * 1_000)) }
        return try body()
    }

    /// Checks that the open file of the ledger is still the file at the ledger's path. Called after each commit,
    /// successful or not, because facts that are recorded in a moved file are lost.
    ///
    /// - Throws: ``LedgerError`` `replaced` if the file was removed, moved or replaced by another process.
    func checkInPlace() throws {
        var hasMoved: CInt = 0
        let status = sqlite3_file_control(sqliteConnection, nil, SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard status == SQLITE_OK, hasMoved == 0 else {
            throw LedgerError(
                code: .replaced, reason: "the file of the ledger was removed or replaced while it was open")
        }
    }
}
