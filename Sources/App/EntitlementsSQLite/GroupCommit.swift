internal import Dispatch
internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import VitrineEntitlements
internal import VitrineSupport

/// Group commit: facts that are appended while another commit is in progress are committed together in one database
/// transaction. Each caller receives the result for its own facts, and only once they are on the disk.
final class GroupCommit: Sendable {
    typealias Answer = Result<[LedgerEntry], LedgerError>

    private struct Request: Sendable {
        let facts: [DatedFact]
        let answer: @Sendable (Answer) -> Void
    }

    private struct Waiting: Sendable {
        var requests: [Request] = []
        var isCommitting = false
        /// Number of waiting requests that ends the pause between two commits; `nil` while there is no pause.
        var enough: Int?
    }

    /// Last entries as a commit has left them, with the version of the data after it.
    private struct Remembered: Sendable {
        let entries: LastEntries
        let version: UInt32
    }

    private let database: DatabaseQueue
    private let waiting = Locked(Waiting())
    /// Signaled once in a pause between two commits, if enough requests wait.
    private let endOfPause = DispatchSemaphore(value: 0)
    /// Last entries after the last commit; `nil` before the first one, and after one that has failed.
    private let remembered = Locked<Remembered?>(nil)

    /// Maximum number of append requests in one database transaction, which locks the database for other processes too.
    private static let mostRequests = 256

    /// Maximum pause between two commits.
    private static let longestPause = Duration.milliseconds(1)

    init(_ database: DatabaseQueue) { self.database = database }

    func append(_ facts: [DatedFact]) async throws(LedgerError) -> [LedgerEntry] {
        let answer = await withCheckedContinuation { (continuation: CheckedContinuation<Answer, Never>) in
            let request = Request(facts: facts) { continuation.resume(returning: $0) }
            let (isFirst, endsPause) = waiting.withLock { waiting in
                waiting.requests.append(request)
                let endsPause = waiting.enough.map { waiting.requests.count >= $0 } ?? false
                if endsPause { waiting.enough = nil }
                defer { waiting.isCommitting = true }
                return (!waiting.isCommitting, endsPause)
            }
            if isFirst { commitNext() }
            if endsPause { endOfPause.signal() }
        }
        return try answer.get()
    }

    /// Commits the waiting append requests, then those that have arrived in the meantime. The database can be read
    /// between two commits.
    private func commitNext() {
        database.asyncWriteWithoutTransaction { database in
            var callers = 0
            let duration = ContinuousClock().measure {
                let group = self.waiting.withLock { waiting in
                    let group = Array(waiting.requests.prefix(Self.mostRequests))
                    waiting.requests.removeFirst(group.count)
                    return group
                }
                let answers = self.answers(to: group, in: database)
                callers = group.count + self.waiting.withLock { $0.requests.count }
                for (request, answer) in zip(group, answers) { request.answer(answer) }
            }
            if callers > 1 { self.pause(for: min(duration / 4, Self.longestPause), untilAsMany: callers) }
            let isDone = self.waiting.withLock { waiting in
                waiting.isCommitting = !waiting.requests.isEmpty
                return !waiting.isCommitting
            }
            if !isDone { self.commitNext() }
        }
    }

    /// Waits for callers that have just received their result and may append again, which makes the next commit larger:
    /// until as many requests wait as there were callers during the last commit, but no longer than a duration. A
    /// single caller waits for nothing.
    private func pause(for duration: Duration, untilAsMany callers: Int) {
        let enough = min(callers, Self.mostRequests)
        let isPause = waiting.withLock { waiting in
            guard waiting.requests.count < enough else { return false }
            waiting.enough = enough
            return true
        }
        guard isPause else { return }
        guard endOfPause.wait(timeout: .now() + duration / .seconds(1)) == .timedOut else { return }
        let isSignaled = waiting.withLock { waiting in
            defer { waiting.enough = nil }
            return waiting.enough == nil
        }
        // A signal that has just missed the end of this pause must not end the next one.
        if isSignaled { endOfPause.wait() }
    }

    /// Returns the results of a group of append requests. If the group cannot be committed together, each request is
    /// committed alone, so that no request fails because of another. If another process has locked the file for too
    /// long, all of them fail: each would wait as long again.
    private func answers(to group: [Request], in database: Database) -> [Answer] {
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

    private func commit(_ group: [Request], in database: Database) throws -> [Answer] {
        let remembered = remembered.withLock { $0.take() }
        var (answers, last): ([Answer], LastEntries) = ([], LastEntries())
        do {
            try database.inPlacedTransaction {
                // Another process may have recorded facts since.
                let current = remembered.flatMap { $0.version == database.dataVersion ? $0.entries : nil }
                let table = EntryTable(database: database, knowing: current)
                for request in group { answers.append(try Self.record(request, in: table)) }
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
    private static func record(_ request: Request, in table: EntryTable) throws -> Answer {
        var rules = LedgerRules(table)
        do {
            for fact in request.facts { try rules.check(fact) }
        } catch let error as LedgerError where error.code != .damaged {
            return .failure(error)
        }
        return .success(try table.record(rules))
    }
}

extension EntryTable {
    /// Records the facts that rules have accepted.
    ///
    /// - Returns: Their entries.
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
    /// Number that changes with each commit, and at the beginning of a transaction if another connection has written to
    /// the file since the last one; `nil` if SQLite does not tell.
    fileprivate var dataVersion: UInt32? {
        var version: UInt32 = 0
        let status = sqlite3_file_control(sqliteConnection, nil, SQLITE_FCNTL_DATA_VERSION, &version)
        return status == SQLITE_OK ? version : nil
    }

    /// Checks that the open file of the ledger is still the one at its path. The check follows each commit, because
    /// facts that were recorded in a file that was moved away are lost, and the errors of such a file do not matter.
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
