import VitrineAppServerRecords
import VitrineSupport

/// Database that does not answer the question of readiness until it is released, and knows what was asked.
final class StuckDatabase: CustomerDatabase {
    private let database: any CustomerDatabase
    private let (turn, isReleased) = AsyncStream<Never>.makeStream()
    private let asked = Locked<[String]>([])

    init(_ database: any CustomerDatabase) { self.database = database }

    /// Statements whose rows were requested.
    var statements: [String] { asked.withLock { $0 } }

    /// Number of questions of readiness.
    var questions: Int { statements.count { $0 == Self.question } }

    private static let question = "SELECT 1"

    func release() { isReleased.finish() }

    var isShared: Bool { database.isShared }

    func migrate(_ migrations: [SQLMigration]) async throws(DatabaseError) { try await database.migrate(migrations) }

    func rows(_ statement: SQLStatement) async throws(DatabaseError) -> [SQLRow] {
        asked.withLock { $0.append(statement.sql) }
        if statement.sql == Self.question { for await _ in turn {} }
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
