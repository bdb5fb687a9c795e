#if PostgreSQL
    internal import VitrineAppServerRecords
    internal import VitrineFileSystem
    internal import VitrineSupport

    /// Migrations of a database by several servers that may start at the same time: one server runs them, and the
    /// others wait.
    struct PostgreSQLMigrations {
        private let migrations: [SQLMigration]

        /// Key of the advisory lock of the server that migrates: the bytes of "VTRN-SQL" as a number.
        private static let lock: Int64 = 0x5654_524E_2D53_514C
        /// Maximum time for which a server waits while another one migrates.
        private static let longestWait = Duration.seconds(600)
        /// Maximum duration of a migration's statement, which may rewrite a table.
        private static let longestStatement = Duration.seconds(3_600)

        init(_ migrations: [SQLMigration]) { self.migrations = migrations }

        /// Runs the missing migrations of a database, over a separate connection that holds the lock.
        func run(at address: PostgreSQLAddress, limits: PostgreSQLLimits) throws(DatabaseError) {
            var patient = limits
            patient.statement = Self.longestStatement
            let connection = try PostgreSQLConnection(address, limits: patient)
            do throws(PostgreSQLFailure) {
                try connection.allow(statement: Self.longestWait, lock: Self.longestWait)
                _ = try connection.require([SQLStatement("SELECT pg_advisory_lock($1)", .integer(Self.lock))])
                try connection.allow(statement: Self.longestStatement, lock: limits.lock)
            } catch {
                throw error.error
            }
            for migration in try migrations.missing(after: last(on: connection)) {
                var statements = migration.statements.compactMap(SQLDialect.postgresql.statement).map {
                    SQLStatement($0)
                }
                statements.append(
                    SQLStatement("INSERT INTO migration (number) VALUES ($1)", .integer(Int64(migration.number))))
                try require(statements, on: connection)
            }
        }

        /// Returns the number of the database's last migration; 0 for a new database.
        private func last(on connection: PostgreSQLConnection) throws(DatabaseError) -> Int64 {
            do throws(PostgreSQLFailure) {
                let answers = try connection.require([
                    SQLStatement("CREATE TABLE IF NOT EXISTS migration (number BIGINT PRIMARY KEY)"),
                    SQLStatement("SELECT MAX(number) FROM migration"),
                ])
                return answers.last?.rows.first?.first?.integer ?? 0
            } catch .refused(let refusal) where refusal.isMissingColumn {
                throw DatabaseError(code: .refused, reason: "the database belongs to another program")
            } catch {
                throw error.error
            }
        }

        private func require(
            _ statements: [SQLStatement], on connection: PostgreSQLConnection
        ) throws(DatabaseError) {
            do throws(PostgreSQLFailure) {
                _ = try connection.require(statements)
            } catch {
                throw error.error
            }
        }
    }
#endif
