internal import GRDB
internal import GRDBSQLite
internal import VitrineSupport

/// Writer of an app's server. Requests that arrive during a commit are committed together, each within a savepoint of
/// its own, so that a failing request does not affect the others.
enum SQLiteWriter {
    /// Numbers of changed rows, one for each step; `nil` if a step changed a different number of rows than required.
    typealias Answer = Result<[Int]?, DatabaseError>

    /// Returns the group commit of a database, which combines the requests of several callers in one transaction.
    static func commits(to database: DatabaseQueue) -> GroupCommit<[SQLStep], Answer> {
        GroupCommit { turn in
            database.asyncWriteWithoutTransaction { database in turn { answers(to: $0, in: database) } }
        }
    }

    /// Runs a group of requests in one transaction, and returns their results. If a deferred constraint refuses the
    /// common commit, each request is committed alone.
    private static func answers(to group: [[SQLStep]], in database: Database) -> [Answer] {
        do {
            return try commit(group, in: database)
        } catch let error as GRDB.DatabaseError where error.resultCode == .SQLITE_CONSTRAINT && group.count > 1 {
            return group.flatMap { answers(to: [$0], in: database) }
        } catch {
            return group.map { _ in .failure(DatabaseError(sqlite: error)) }
        }
    }

    private static func commit(_ group: [[SQLStep]], in database: Database) throws -> [Answer] {
        var answers: [Answer] = []
        try database.committing {
            for steps in group { answers.append(try answer(to: steps, in: database)) }
        }
        return answers
    }

    /// Runs the steps of one request in a savepoint, and returns their result.
    ///
    /// - Throws: An error that ends the transaction of all callers.
    private static func answer(to steps: [SQLStep], in database: Database) throws -> Answer {
        try database.run("SAVEPOINT caller")
        do {
            var changes: [Int] = []
            for step in steps {
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
            guard database.isInsideTransaction, !concernsAll(error) else { throw error }
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

    /// Checks that the open file is still the one at its path: data that is written to a moved or deleted file is lost.
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
