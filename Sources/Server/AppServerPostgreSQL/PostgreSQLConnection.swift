internal import VitrineSupport

#if PostgreSQL
    internal import CVitrinePQ
    internal import VitrineAppServerRecords
    internal import VitrineFileSystem
    internal import Foundation

    /// Connection to PostgreSQL in pipeline mode. Only one thread may use it.
    final class PostgreSQLConnection {
        let handle: OpaquePointer
        private let answerTime: Duration
        /// Names of the statements that are prepared on the connection.
        var names: [PreparedForm: String] = [:]
        /// Number of statements that were prepared so far, which gives each a unique name.
        var preparations = 0

        /// Oldest supported version of PostgreSQL, in the number format of libpq.
        private static let oldestVersion: CInt = 140_000

        /// Connects to PostgreSQL, which may take several seconds.
        ///
        /// - Throws: ``DatabaseError``: `refused` if PostgreSQL is too old, `unavailable` if it cannot be reached.
        init(_ address: PostgreSQLAddress, limits: PostgreSQLLimits) throws(DatabaseError) {
            guard let handle = address.connect() else {
                throw DatabaseError(code: .unavailable, reason: "there is not enough memory")
            }
            self.handle = handle
            answerTime = limits.answer
            guard PQstatus(handle) == CONNECTION_OK else { throw address.error(of: handle) }
            let version = PQserverVersion(handle)
            guard version >= Self.oldestVersion else {
                throw DatabaseError(
                    code: .refused, reason: "PostgreSQL \(version / 10_000) is too old; version 14 or later is needed")
            }
            // Notices are dropped, because only interactive users need them.
            PQsetNoticeProcessor(handle, { _, _ in }, nil)
            guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
                throw address.error(of: handle)
            }
            do throws(PostgreSQLFailure) {
                try setUp(limits)
            } catch {
                throw error.error
            }
        }

        deinit { PQfinish(handle) }

        private func setUp(_ limits: PostgreSQLLimits) throws(PostgreSQLFailure) {
            let settings = [
                ("statement_timeout", "\(limits.statement.milliseconds)"),
                ("lock_timeout", "\(limits.lock.milliseconds)"),
                ("idle_in_transaction_session_timeout", "\(limits.answer.milliseconds)"), ("bytea_output", "hex"),
                ("client_min_messages", "warning"), ("default_transaction_isolation", "read committed"),
            ]
            var statements: [SQLStatement] = []
            for (name, value) in settings {
                statements.append(SQLStatement("SELECT set_config($1, $2, FALSE)", .text(name), .text(value)))
            }
            statements.append(
                SQLStatement(
                    """
                    SELECT set_config('synchronous_commit', 'on', FALSE) WHERE current_setting('synchronous_commit') = 'off'
                    """))
            _ = try require(statements)
        }

        /// Changes the time limits of later statements.
        ///
        /// - Parameters:
        ///   - statement: Maximum time for a statement.
        ///   - lock: Maximum time for which a statement waits for a lock.
        func allow(statement: Duration, lock: Duration) throws(PostgreSQLFailure) {
            _ = try require([
                SQLStatement("SELECT set_config('statement_timeout', $1, FALSE)", .text("\(statement.milliseconds)")),
                SQLStatement("SELECT set_config('lock_timeout', $1, FALSE)", .text("\(lock.milliseconds)")),
            ])
        }

        // MARK: Waiting

        /// Indicates that PostgreSQL has not closed the connection while it was idle.
        var isAlive: Bool {
            // An idle connection has nothing to read except a few messages about settings.
            for _ in 0..<8 {
                var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
                guard poll(&descriptor, 1, 0) != 0 else { return PQstatus(handle) == CONNECTION_OK }
                guard PQconsumeInput(handle) == 1 else { return false }
            }
            return false
        }

        /// Time until which a result must arrive if the wait for it begins now.
        var deadline: ContinuousClock.Instant { ContinuousClock().now + answerTime }

        /// Sends the commands in libpq's buffer.
        func flush(until deadline: ContinuousClock.Instant) throws(PostgreSQLFailure) {
            while true {
                switch PQflush(handle) {
                case 0: return
                case 1:
                    // PostgreSQL may block until its earlier results are read.
                    let isReadable = try wait(for: POLLIN | POLLOUT, until: deadline)
                    if isReadable, PQconsumeInput(handle) != 1 { throw lost() }
                default: throw lost()
                }
            }
        }

        /// Returns the next result; `nil` after the last result of a statement.
        func next(until deadline: ContinuousClock.Instant) throws(PostgreSQLFailure) -> OpaquePointer? {
            while PQisBusy(handle) == 1 {
                _ = try wait(for: POLLIN, until: deadline)
                guard PQconsumeInput(handle) == 1 else { throw lost() }
            }
            return PQgetResult(handle)
        }

        /// Waits until the connection is readable or writable.
        ///
        /// - Returns: `true` if the connection is readable.
        private func wait(for events: CInt, until deadline: ContinuousClock.Instant) throws(PostgreSQLFailure) -> Bool {
            var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
            while true {
                let left = max((deadline - ContinuousClock().now).milliseconds, 0)
                let count = poll(&descriptor, 1, CInt(clamping: left))
                if count > 0 { return CInt(descriptor.revents) & ~POLLOUT != 0 }
                guard count == 0 || errno == EINTR else { throw lost() }
                guard count != 0 || left > 0 else {
                    throw .lost(DatabaseError(code: .unavailable, reason: "PostgreSQL has not answered in time"))
                }
            }
        }

        func lost() -> PostgreSQLFailure {
            .lost(DatabaseError(code: .unavailable, reason: "the connection to PostgreSQL was lost"))
        }
    }

    extension Duration {
        /// Duration in whole milliseconds, rounded up.
        var milliseconds: Int64 {
            let (seconds, attoseconds) = components
            return seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        }
    }
#endif
