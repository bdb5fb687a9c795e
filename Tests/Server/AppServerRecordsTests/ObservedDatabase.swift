import VitrineAppServerRecords
import VitrineSupport
import VitrineTestSupport

/// Database that calls a function before each change of its callers, and counts the facts that they read.
final class ObservedDatabase: CustomerDatabase {
    typealias Observer = @Sendable ([SQLStatement]) async -> Void

    private let database: any CustomerDatabase
    private let observer = Locked<Observer?>(nil)
    private let factsRead = Locked(0)
    private let failing = Locked<String?>(nil)

    /// Folder of the database's file; `nil` if a test keeps it.
    private let folder: TemporaryFolder?

    init(_ database: any CustomerDatabase) { (self.database, folder) = (database, nil) }

    /// Creates a new database.
    init(_ kind: DatabaseKind) async throws {
        let folder = try TemporaryFolder()
        (database, self.folder) = (try await kind.scene(in: folder).database, folder)
    }

    /// Returns the number of facts that callers have read since the last call.
    func takeFactsRead() -> Int {
        factsRead.withLock { count in
            defer { count = 0 }
            return count
        }
    }

    /// Lets reads with a text in their statement fail; `nil` for none.
    func failReads(of text: String?) { failing.withLock { $0 = text } }

    func observe(_ observer: @escaping Observer) { self.observer.withLock { $0 = observer } }

    /// Calls a function before the next change with a statement that contains a text, and before no other one.
    func interrupt(_ text: String, _ body: @escaping @Sendable () async -> Void) {
        observe { [weak self] statements in
            guard statements.contains(where: { $0.sql.contains(text) }) else { return }
            self?.observer.withLock { $0 = nil }
            await body()
        }
    }

    var isShared: Bool { database.isShared }

    func migrate(_ migrations: [SQLMigration]) async throws(DatabaseError) { try await database.migrate(migrations) }

    func rows(_ statement: SQLStatement) async throws(DatabaseError) -> [SQLRow] {
        if let text = failing.withLock(\.self), statement.sql.contains(text) {
            throw DatabaseError(code: .unavailable, reason: "the database does not answer")
        }
        let rows = try await database.rows(statement)
        if statement.sql.contains("FROM fact ") { factsRead.withLock { $0 += rows.count } }
        return rows
    }

    func write(_ statements: [SQLStatement]) async throws(DatabaseError) -> [Int] {
        await observer.withLock(\.self)?(statements)
        return try await database.write(statements)
    }

    func transact(_ steps: [SQLStep]) async throws(DatabaseError) -> Bool {
        await observer.withLock(\.self)?(steps.map(\.statement))
        return try await database.transact(steps)
    }

    func announce(_ changes: [ChangedCustomer]) { database.announce(changes) }

    func announcements() -> AsyncStream<DatabaseAnnouncement> { database.announcements() }

    func close() async { await database.close() }
}
