internal import Dispatch
internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import VitrineSupport

/// Group commit of an app's server: what callers write while another commit is in progress is committed together, each
/// within a savepoint of its own, so that no caller fails because of another.
final class SQLiteWriter: Sendable {
    /// Numbers of changed rows; `nil` if another number was required.
    typealias Answer = Result<[Int]?, DatabaseError>

    private struct Request: Sendable {
        let steps: [SQLStep]
        let answer: @Sendable (Answer) -> Void
    }

    private struct Waiting: Sendable {
        var requests: [Request] = []
        var isCommitting = false
        /// Number of waiting requests that ends the pause between two commits; `nil` while there is no pause.
        var enough: Int?
    }

    private let database: DatabaseQueue
    private let waiting = Locked(Waiting())
    /// Signaled once in a pause between two commits, if enough requests wait.
    private let endOfPause = DispatchSemaphore(value: 0)

    /// Maximum number of callers in one database transaction.
    private static let mostRequests = 256

    /// Maximum pause between two commits.
    private static let longestPause = Duration.milliseconds(1)

    init(_ database: DatabaseQueue) { self.database = database }

    /// Runs the steps of a caller, and returns once they are durable.
    func run(_ steps: [SQLStep]) async -> Answer {
        await withCheckedContinuation { (continuation: CheckedContinuation<Answer, Never>) in
            let request = Request(steps: steps) { continuation.resume(returning: $0) }
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
    }

    /// Commits the waiting requests, then those that have arrived in the meantime.
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

    /// Waits for callers that have just received their result and may write again, which makes the next commit larger:
    /// until as many requests wait as there were callers during the last commit, but no longer than a duration.
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

    // MARK: Transactions

    /// Returns the answers to a group of requests. If a deferred constraint refuses their common commit, each request is
    /// committed alone.
    private func answers(to group: [Request], in database: Database) -> [Answer] {
        do {
            return try commit(group, in: database)
        } catch let error as GRDB.DatabaseError where error.resultCode == .SQLITE_CONSTRAINT && group.count > 1 {
            return group.flatMap { answers(to: [$0], in: database) }
        } catch {
            return group.map { _ in .failure(DatabaseError(sqlite: error)) }
        }
    }

    private func commit(_ group: [Request], in database: Database) throws -> [Answer] {
        var answers: [Answer] = []
        try database.committing {
            for request in group { answers.append(try answer(to: request, in: database)) }
        }
        return answers
    }

    /// - Throws: An error that ends the transaction of all callers.
    private func answer(to request: Request, in database: Database) throws -> Answer {
        try database.run("SAVEPOINT caller")
        do {
            var changes: [Int] = []
            for step in request.steps {
                try step.statement.checkTexts()
                changes.append(try SQLiteStatement(step.statement, in: database).changes())
                guard step.changes == nil || step.changes == changes.last else {
                    try database.undoCaller()
                    return .success(nil)
                }
            }
            try database.run("RELEASE caller")
            return .success(changes)
        } catch {
            // A full disk and some other errors end the whole transaction.
            guard database.isInsideTransaction, !Self.concernsAll(error) else { throw error }
            try database.undoCaller()
            return .failure(DatabaseError(sqlite: error))
        }
    }

    private static func concernsAll(_ error: any Error) -> Bool {
        guard let error = error as? GRDB.DatabaseError else { return false }
        return [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CORRUPT, .SQLITE_NOMEM].contains(error.resultCode)
    }
}

extension Database {
    /// Runs a closure in a transaction: commits the changes, or rolls them back if the closure throws.
    func committing(_ body: () throws -> Void) throws {
        try run("BEGIN IMMEDIATE TRANSACTION")
        do {
            try body()
            try run("COMMIT TRANSACTION")
        } catch {
            if isInsideTransaction { try rollback() }
            throw error
        }
        try checkInPlace()
    }

    fileprivate func undoCaller() throws {
        try run("ROLLBACK TO caller")
        try run("RELEASE caller")
    }

    /// Checks that the open file is still the one at its path: what was written to a file that was moved away is lost.
    private func checkInPlace() throws {
        var hasMoved: CInt = 0
        let status = sqlite3_file_control(sqliteConnection, nil, SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        // A database in memory has no file, and answers SQLITE_NOTFOUND.
        guard status != SQLITE_OK || hasMoved == 0 else {
            throw DatabaseError(
                code: .unavailable, reason: "the file of the database was removed or replaced while it was open")
        }
    }
}
