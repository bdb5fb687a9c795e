internal import Dispatch
package import Foundation
internal import GRDB
internal import VitrineFileSystem
internal import VitrineSupport

/// Database of an app's server in a SQLite file or in memory.
///
/// SQLite runs in WAL mode with `synchronous=FULL`: a write returns only after the commit is on the disk. One
/// connection writes for all callers; the others read concurrently. The folder of the file is locked for one server,
/// because SQLite sends no messages about changes, and a second server would answer from an outdated cache.
package final class SQLiteCustomerDatabase: CustomerDatabase {
    package let isShared = false
    private let connection: DatabaseQueue
    private let commits: GroupCommit<[SQLStep], SQLiteWriter.Answer>
    private let readers: SQLiteReaders
    private let streams = DatabaseAnnouncement.broadcast()
    private let open: Locked<Open>

    private typealias Migration = Result<Void, DatabaseError>

    private struct Open: Sendable {
        var isClosed = false
        /// Lock on the folder; `nil` for a database in memory.
        var lock: FolderLock?
    }

    /// Opens a database. Creates the file, and its folder within an existing one, if they do not exist.
    ///
    /// - Parameter readers: Number of read-only connections.
    /// - Throws: ``DatabaseError``: `refused` if another server uses the folder or the file was not created by Vitrine,
    ///   `unavailable` if the file cannot be opened or created.
    package convenience init(file: URL, readers: Int = 4) throws(DatabaseError) {
        let lock = try Self.prepare(file)
        do {
            let path = file.path(percentEncoded: false)
            let connection = try DatabaseQueue(path: path, configuration: Self.writing)
            try connection.writeWithoutTransaction(Self.claim)
            let others = try (0..<readers).map { _ in try DatabaseQueue(path: path, configuration: Self.reading) }
            self.init(connection, readers: others, lock: lock)
        } catch {
            let error = DatabaseError(sqlite: error)
            throw DatabaseError(code: error.code, reason: "\(file.relativePath): \(error.reason)")
        }
    }

    /// Creates an empty database in memory, which exists as long as this object.
    package static func inMemory() throws(DatabaseError) -> SQLiteCustomerDatabase {
        do {
            let connection = try DatabaseQueue(configuration: writing)
            return SQLiteCustomerDatabase(connection, readers: [connection], lock: nil)
        } catch {
            throw DatabaseError(sqlite: error)
        }
    }

    private init(_ connection: DatabaseQueue, readers: [DatabaseQueue], lock: FolderLock?) {
        self.connection = connection
        commits = SQLiteWriter.commits(to: connection)
        self.readers = SQLiteReaders(readers)
        open = Locked(Open(lock: lock))
    }

    package func migrate(_ migrations: [SQLMigration]) async throws(DatabaseError) {
        try checkOpen()
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<Migration, Never>) in
            connection.asyncWriteWithoutTransaction { database in
                do {
                    continuation.resume(returning: .success(try Self.migrate(database, migrations)))
                } catch {
                    continuation.resume(returning: .failure(DatabaseError(sqlite: error)))
                }
            }
        }
        try result.get()
    }

    package func rows(_ statement: SQLStatement) async throws(DatabaseError) -> [SQLRow] {
        try checkOpen()
        return try await readers.rows(statement).get()
    }

    package func write(_ statements: [SQLStatement]) async throws(DatabaseError) -> [Int] {
        try checkOpen()
        return try await commits.answer(to: statements.map { SQLStep($0) }).get() ?? []
    }

    package func transact(_ steps: [SQLStep]) async throws(DatabaseError) -> Bool {
        try checkOpen()
        return try await commits.answer(to: steps).get() != nil
    }

    package func announce(_ changes: [ChangedCustomer]) {
        guard !changes.isEmpty else { return }
        streams.send(.changed(changes))
    }

    package func announcements() -> AsyncStream<DatabaseAnnouncement> { streams.stream() }

    package func close() async {
        guard
            open.withLock({ open in
                defer { open.isClosed = true }
                return !open.isClosed
            })
        else { return }
        streams.finish()
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                do {
                    try self.readers.close()
                    try self.connection.close()
                } catch {
                    // SQLite closes a connection that is still in use later, when its use ends.
                }
                continuation.resume()
            }
        }
        open.withLock { $0.lock = nil }
    }

    private func checkOpen() throws(DatabaseError) {
        guard !open.withLock({ $0.isClosed }) else {
            throw DatabaseError(code: .unavailable, reason: "the database is closed")
        }
    }
}
