import VitrineAppServerRecords
import VitrineSupport

/// Database that does not answer the question of readiness until it is released.
final class StuckDatabase: CustomerDatabase {
    private let database: any CustomerDatabase
    private let (turn, isReleased) = AsyncStream<Never>.makeStream()
    private let count = Locked(0)

    init(_ database: any CustomerDatabase) { self.database = database }

    /// Number of questions that were asked.
    var questions: Int { count.withLock { $0 } }

    func release() { isReleased.finish() }

    var isShared: Bool { database.isShared }

    func migrate(_ migrations: [SQLMigration]) async throws(DatabaseError) { try await database.migrate(migrations) }

    func rows(_ statement: SQLStatement) async throws(DatabaseError) -> [SQLRow] {
        if statement.sql == "SELECT 1" {
            count.withLock { $0 += 1 }
            for await _ in turn {}
        }
        return try await database.rows(statement)
    }

    func write(_ statements: [SQLStatement]) async throws(DatabaseError) -> [Int] {
        try await database.write(statements)
    }

    func transact(_ steps: [SQLStep]) async throws(DatabaseError) -> Bool { try await database.transact(steps) }

    func announce(_ changes: [ChangedCustomer]) { database.announce(changes) }

    func announcements() -> AsyncStream<DatabaseAnnouncement> { database.announcements() }

    func close() async { await database.close() }
}
