import Foundation
import Testing
import VitrineAppServerRecords
import VitrineSupport
import VitrineTestSupport

#if PostgreSQL
    import VitrineAppServerPostgreSQL
#endif

/// Kind of database that a server can use.
enum DatabaseKind: String, CaseIterable, Sendable {
    case memory, sqlite, postgresql

    /// Reason why PostgreSQL cannot be tested here; `nil` if it can.
    static var obstacle: String? {
        #if PostgreSQL
            return PostgreSQLServer.isInstalled ? nil : "PostgreSQL is not installed"
        #else
            return "the tests are built without the trait PostgreSQL"
        #endif
    }

    /// Kinds of databases that can be tested here.
    static let here = allCases.filter { $0 != .postgresql || obstacle == nil }

    /// Returns a new database without tables.
    ///
    /// - Parameter folder: Folder for the database's file; it stays as long as the database is used.
    func scene(in folder: TemporaryFolder) async throws -> DatabaseScene {
        switch self {
        case .memory:
            let database = try SQLiteCustomerDatabase.inMemory()
            return DatabaseScene(database: database) { database }
        case .sqlite:
            let database = try SQLiteCustomerDatabase(file: folder["data/customers.sqlite"])
            return DatabaseScene(database: database) { database }
        case .postgresql:
            #if PostgreSQL
                let connection = try PostgreSQLServer.shared().makeDatabase()
                return try await DatabaseScene(database: PostgreSQLCustomerDatabase.open(connection)) {
                    try await PostgreSQLCustomerDatabase.open(connection)
                }
            #else
                preconditionFailure(Self.obstacle ?? "")
            #endif
        }
    }
}

/// New database of a test.
struct DatabaseScene: Sendable {
    let database: any CustomerDatabase
    /// Function that returns the same database as a second server uses it. For SQLite, which has only one server, it
    /// returns the same object.
    let another: @Sendable () async throws -> any CustomerDatabase

    /// Creates a table of things, and one of parts that each belong to a thing.
    func makeTables() async throws {
        try await database.migrate([Self.tables])
    }

    static let tables = SQLMigration(
        number: 1,
        statements: [
            """
            CREATE TABLE thing (
                id TEXT PRIMARY KEY, count {integer} NOT NULL CHECK (count >= 0), note TEXT, data {bytes}, mark {integer}
            ) {sqlite: STRICT}
            """,
            """
            CREATE TABLE part (
                thing TEXT NOT NULL REFERENCES thing (id) DEFERRABLE INITIALLY DEFERRED, number {integer} NOT NULL,
                PRIMARY KEY (thing, number)
            ) {sqlite: STRICT}
            """,
        ])
}

extension CustomerDatabase {
    /// Returns the integer in the first column of the only row.
    func integer(_ sql: String, _ values: SQLValue...) async throws -> Int64? {
        try await rows(SQLStatement(sql, values: values)).first?.first?.integer
    }
}

extension SQLStatement {
    static func thing(_ id: String, count: Int64 = 1) -> SQLStatement {
        SQLStatement("INSERT INTO thing (id, count) VALUES ($1, $2)", .text(id), .integer(count))
    }

    static func part(of thing: String, _ number: Int64) -> SQLStatement {
        SQLStatement("INSERT INTO part (thing, number) VALUES ($1, $2)", .text(thing), .integer(number))
    }
}

extension CustomerDatabase {
    /// Runs a statement that changes one row.
    func add(_ statement: SQLStatement) async throws {
        #expect(try await write([statement]) == [1])
    }
}

/// Expects that a database function fails with an error.
@discardableResult
func expect<Value>(
    throwing code: DatabaseErrorCode, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Value
) async -> DatabaseError? {
    let error = await #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) { _ = try await body() }
    #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
    return error
}
