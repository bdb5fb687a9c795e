#if PostgreSQL
    package import VitrineAppServerRecords
    internal import VitrineSupport
    internal import Foundation

    /// Database of an app's servers in PostgreSQL 14 or later, shared by any number of servers.
    ///
    /// Each connection has a thread of its own, which sends waiting requests together, with one commit for the writes
    /// of several callers.
    package final class PostgreSQLCustomerDatabase: CustomerDatabase {
        package let isShared = true
        private let address: PostgreSQLAddress
        private let limits: PostgreSQLLimits
        private let queue: PostgreSQLQueue
        private let listener: PostgreSQLListener
        private let streams: Broadcast<DatabaseAnnouncement>
        private let threads: ThreadGroup

        /// Connects to a database.
        ///
        /// - Parameters:
        ///   - connection: Connection string or URL in the format of libpq.
        ///   - connections: Number of connections that run requests. One more connection listens for messages of other
        ///     servers.
        /// - Throws: ``DatabaseError``: `refused` if PostgreSQL is too old or the connection string is not valid,
        ///   `unavailable` if PostgreSQL cannot be reached.
        package static func open(
            _ connection: String, connections: Int = 4, limits: PostgreSQLLimits = PostgreSQLLimits()
        ) async throws(DatabaseError) -> PostgreSQLCustomerDatabase {
            let database = try PostgreSQLCustomerDatabase(PostgreSQLAddress(connection), limits)
            try await database.start(connections)
            return database
        }

        /// Returns the name of the database of a connection string, without passwords, for messages. A string that is not
        /// valid is reported when it is opened.
        package static func place(of connection: String) -> String {
            (try? PostgreSQLAddress(connection))?.place ?? "PostgreSQL"
        }

        private init(_ address: PostgreSQLAddress, _ limits: PostgreSQLLimits) throws(DatabaseError) {
            (self.address, self.limits) = (address, limits)
            queue = PostgreSQLQueue(most: limits.waiting)
            streams = DatabaseAnnouncement.broadcast()
            listener = try PostgreSQLListener(address, limits: limits, streams: streams)
            threads = ThreadGroup()
        }

        private func start(_ connections: Int) async throws(DatabaseError) {
            let opening = await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<Void, DatabaseError>, Never>) in
                threads.run("listener") { [listener] in
                    listener.run { continuation.resume(returning: $0) }
                }
            }
            try opening.get()
            for number in 0..<connections {
                threads.run("connection \(number)") { [queue, address, limits] in
                    PostgreSQLWorker(queue, address: address, limits: limits).run()
                }
            }
        }

        deinit {
            queue.close()
            listener.close()
            streams.finish()
        }

        package func migrate(_ migrations: [SQLMigration]) async throws(DatabaseError) {
            guard !queue.isClosed else { throw PostgreSQLQueue.closed }
            let result = await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<Void, DatabaseError>, Never>) in
                threads.run("migration") { [address, limits] in
                    do throws(DatabaseError) {
                        try PostgreSQLMigrations(migrations).run(at: address, limits: limits)
                        continuation.resume(returning: .success(()))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
            }
            try result.get()
        }

        package func rows(_ statement: SQLStatement) async throws(DatabaseError) -> [SQLRow] {
            try statement.checkTexts()
            return try await queue.answer(.read, [SQLStep(statement)]).get()?.first?.rows ?? []
        }

        package func write(_ statements: [SQLStatement]) async throws(DatabaseError) -> [Int] {
            for statement in statements { try statement.checkTexts() }
            let answers = try await queue.answer(.write, statements.map { SQLStep($0) }).get() ?? []
            return answers.map(\.changes)
        }

        package func transact(_ steps: [SQLStep]) async throws(DatabaseError) -> Bool {
            for step in steps { try step.statement.checkTexts() }
            return try await queue.answer(.transaction, steps).get() != nil
        }

        package func announce(_ changes: [ChangedCustomer]) { listener.announce(changes) }

        package func announcements() -> AsyncStream<DatabaseAnnouncement> { streams.stream() }

        package func close() async {
            queue.close()
            listener.close()
            streams.finish()
            await threads.end()
        }
    }

    /// Limits of a server's use of PostgreSQL.
    package struct PostgreSQLLimits: Sendable {
        /// Maximum duration of a statement.
        package var statement = Duration.seconds(15)
        /// Maximum time for which a statement waits for a lock.
        package var lock = Duration.seconds(5)
        /// Maximum time for which a request waits for PostgreSQL to be reachable again. In a longer outage requests
        /// fail immediately.
        package var patience = Duration.seconds(5)
        /// Time to collect changed customers before they are announced to the other servers in one message.
        package var gathering = Duration.milliseconds(50)
        /// Maximum number of requests that wait for a connection.
        package var waiting = 16_384

        package init() {}

        /// Maximum time to wait for a result before the connection counts as lost. It exceeds the limit of statements,
        /// because PostgreSQL normally ends a slow statement itself.
        var answer: Duration { statement + .seconds(5) }
    }

    /// Threads of a database, with a function that waits for their end.
    private final class ThreadGroup: Sendable {
        private struct State: Sendable {
            var count = 0
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Locked(State())

        private static let stackSize = 512 << 10

        func run(_ name: String, _ body: @escaping @Sendable () -> Void) {
            state.withLock { $0.count += 1 }
            let thread = Thread { [self] in
                body()
                leave()
            }
            thread.name = "PostgreSQL \(name)"
            thread.stackSize = Self.stackSize
            thread.start()
        }

        private func leave() {
            let waiting = state.withLock { state in
                state.count -= 1
                guard state.count == 0 else { return [CheckedContinuation<Void, Never>]() }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        /// Waits until all threads have ended.
        func end() async {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.count > 0 { state.waiting.append(continuation) }
                    return state.count == 0
                }
                if isOver { continuation.resume() }
            }
        }
    }
#endif
