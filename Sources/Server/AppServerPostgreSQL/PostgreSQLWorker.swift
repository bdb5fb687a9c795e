#if PostgreSQL
    internal import VitrineAppServerRecords
    internal import VitrineFileSystem
    internal import VitrineSupport

    /// Worker that runs requests over one connection, on a thread of its own.
    final class PostgreSQLWorker {
        private let queue: PostgreSQLQueue
        private let connection: PostgreSQLReconnection
        /// Requests from the queue that have no result yet.
        private var waiting: [PostgreSQLRequest] = []

        /// Maximum number of attempts at a transaction that is rolled back because of concurrent transactions.
        private static let mostAttempts = 8

        init(_ queue: PostgreSQLQueue, address: PostgreSQLAddress, limits: PostgreSQLLimits) {
            self.queue = queue
            connection = PostgreSQLReconnection(address, limits: limits, pause: queue.pause)
        }

        /// Runs requests until the queue is closed.
        func run() {
            while let taken = queue.next() {
                waiting = taken
                let isRead = taken.first?.kind == .read
                if let error = attempt(), !isRead || attempt() != nil { fail(error) }
            }
        }

        /// Runs the waiting requests.
        ///
        /// - Returns: The error of a missing or lost connection, for the requests that still wait; `nil` if all have a
        ///   result.
        private func attempt() -> DatabaseError? {
            do throws(DatabaseError) {
                let connection = try connection.use()
                do throws(PostgreSQLFailure) {
                    if waiting.first?.kind == .transaction {
                        try transact(on: connection)
                    } else {
                        try answerGroups(on: connection)
                    }
                    return nil
                } catch {
                    throw error.error
                }
            } catch {
                self.connection.drop()
                return error
            }
        }

        private func fail(_ error: DatabaseError) {
            for request in waiting { request.answer(.failure(error)) }
            waiting = []
        }

        /// Reports the result of the first waiting request to its caller.
        private func answer(_ answer: PostgreSQLRequest.Answer) { waiting.removeFirst().answer(answer) }

        // MARK: Groups

        /// Runs the statements of all callers in as few transactions as possible. If a statement of one caller is
        /// refused, the callers before it run first, then this caller alone, then the others.
        private func answerGroups(on connection: PostgreSQLConnection) throws(PostgreSQLFailure) {
            sortByCustomer()
            // Maximum numbers of callers in the next transaction, and in the one after it.
            var (size, sizeAfter) = (Int.max, Int.max)
            var attempts = 0
            while !waiting.isEmpty {
                let group = Array(waiting.prefix(size))
                var statements: [SQLStatement] = []
                for request in group { statements += request.steps.map(\.statement) }
                let result = try connection.run(statements)
                guard let refusal = result.refusal else {
                    answer(group, with: result.answers)
                    (size, sizeAfter, attempts) = (sizeAfter, .max, 0)
                    continue
                }
                attempts += 1
                if try mayRepeat(after: refusal, attempts, on: connection) { continue }
                attempts = 0
                if group.count == 1 {
                    answer(.failure(refusal.error))
                    (size, sizeAfter) = (sizeAfter, .max)
                } else if let place = Self.place(of: result.answers.count, in: group) {
                    (size, sizeAfter) = place > 0 ? (place, 1) : (1, .max)
                } else {
                    // The commit was refused, and any of the callers may be the cause.
                    (size, sizeAfter) = (group.count / 2, .max)
                }
            }
        }

        /// Sorts the requests by the first value of their first statements, which is usually a customer. Servers that
        /// lock customers in the same order cannot deadlock.
        private func sortByCustomer() {
            let sorted = waiting.enumerated().sorted { first, second in
                let (one, other) = (first.element.lockedFirst, second.element.lockedFirst)
                return one == other ? first.offset < second.offset : one < other
            }
            waiting = sorted.map(\.element)
        }

        private func answer(_ group: [PostgreSQLRequest], with answers: [PostgreSQLAnswer]) {
            var rest = answers[...]
            for request in group {
                answer(.success(Array(rest.prefix(request.steps.count))))
                rest = rest.dropFirst(request.steps.count)
            }
        }

        /// Returns the index of the request that contains a statement; `nil` for an index after all statements.
        private static func place(of statement: Int, in group: [PostgreSQLRequest]) -> Int? {
            var end = 0
            for (place, request) in group.enumerated() {
                end += request.steps.count
                if statement < end { return place }
            }
            return nil
        }

        /// Indicates that a rolled back transaction may succeed in another attempt.
        private func mayRepeat(
            after refusal: PostgreSQLRefusal, _ attempts: Int, on connection: PostgreSQLConnection
        ) throws(PostgreSQLFailure) -> Bool {
            if refusal.isStale, attempts == 1 {
                try connection.forgetStatements()
                return true
            }
            guard refusal.isPassing, attempts < Self.mostAttempts else { return false }
            return queue.pause(for: .milliseconds(attempts))
        }

        // MARK: Transactions

        /// Runs all waiting requests in one transaction if each of them changes the required numbers of rows, and
        /// otherwise each request in a transaction of its own.
        private func transact(on connection: PostgreSQLConnection) throws(PostgreSQLFailure) {
            if waiting.count > 1 {
                sortByCustomer()
                let steps = waiting.flatMap(\.steps)
                if case .success(let answers?) = try transaction(steps, attempts: 1, on: connection) {
                    answer(waiting, with: answers)
                }
            }
            while let request = waiting.first {
                answer(try transaction(request.steps, attempts: Self.mostAttempts, on: connection))
            }
        }

        /// Runs steps in a transaction, and rolls it back unless each step has changed the required number of rows.
        private func transaction(
            _ steps: [SQLStep], attempts most: Int, on connection: PostgreSQLConnection
        ) throws(PostgreSQLFailure) -> PostgreSQLRequest.Answer {
            let statements = [SQLStatement("BEGIN")] + steps.map(\.statement)
            var attempts = 0
            while true {
                attempts += 1
                let result = try connection.run(statements)
                let answers = Array(result.answers.dropFirst())
                var refusal = result.refusal
                guard Self.isAsRequired(answers, of: steps) else {
                    _ = try connection.require([SQLStatement("ROLLBACK")])
                    return .success(nil)
                }
                if refusal != nil {
                    _ = try connection.require([SQLStatement("ROLLBACK")])
                } else {
                    refusal = try connection.run([SQLStatement("COMMIT")]).refusal
                }
                guard let refusal else { return .success(answers) }
                guard attempts < most, try mayRepeat(after: refusal, attempts, on: connection) else {
                    return .failure(refusal.error)
                }
            }
        }

        /// Indicates that all steps with a result have changed the required number of rows.
        private static func isAsRequired(_ answers: [PostgreSQLAnswer], of steps: [SQLStep]) -> Bool {
            zip(answers, steps).allSatisfy { answer, step in step.changes == nil || step.changes == answer.changes }
        }
    }

    extension PostgreSQLRequest {
        fileprivate var lockedFirst: String {
            switch steps.first?.statement.values.first {
            case .text(let text): text
            case .integer(let integer): "\(integer)"
            default: ""
            }
        }
    }
#endif
