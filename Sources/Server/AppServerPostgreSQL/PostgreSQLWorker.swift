#if PostgreSQL
    internal import VitrineAppServerRecords
    internal import VitrineFileSystem
    internal import VitrineSupport

    /// Answers requests over one connection, on a thread of its own.
    final class PostgreSQLWorker {
        private let queue: PostgreSQLQueue
        private let connection: PostgreSQLReconnection
        /// Requests that were taken from the queue and have no answer yet.
        private var waiting: [PostgreSQLRequest] = []

        /// Maximum number of attempts at a transaction that is undone because of others.
        private static let mostAttempts = 8

        init(_ queue: PostgreSQLQueue, address: PostgreSQLAddress, limits: PostgreSQLLimits) {
            self.queue = queue
            connection = PostgreSQLReconnection(address, limits: limits, pause: queue.pause)
        }

        /// Answers requests until the queue ends.
        func run() {
            while let taken = queue.next() {
                waiting = taken
                let isRead = taken.first?.kind == .read
                if let error = attempt(), !isRead || attempt() != nil { fail(error) }
            }
        }

        /// Answers the waiting requests.
        ///
        /// - Returns: The error of a connection that cannot be made or is lost, for those that are left.
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

        /// Answers the first of the waiting requests.
        private func answer(_ answer: PostgreSQLRequest.Answer) { waiting.removeFirst().answer(answer) }

        // MARK: Groups

        /// Runs the statements of all callers in as few transactions as possible. If a statement is refused, the callers
        /// before the one that it belongs to come first, then that one alone, then the others.
        private func answerGroups(on connection: PostgreSQLConnection) throws(PostgreSQLFailure) {
            sortByCustomer()
            // Numbers of callers in the next transaction, and in the one after it.
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
                    // The commit was refused, for any of them.
                    (size, sizeAfter) = (group.count / 2, .max)
                }
            }
        }

        /// Sorts the requests by what their first statements begin with, which is usually a customer: two servers that lock
        /// the same customers in the same order do not wait for each other in a circle.
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

        /// Returns the place of the request that a statement belongs to; `nil` for a place after all statements.
        private static func place(of statement: Int, in group: [PostgreSQLRequest]) -> Int? {
            var end = 0
            for (place, request) in group.enumerated() {
                end += request.steps.count
                if statement < end { return place }
            }
            return nil
        }

        /// Indicates that a transaction was undone for a reason that another attempt can do without.
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

        /// Makes one transaction of all waiting requests, if each of them changes what it requires, and otherwise one of
        /// each.
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

        /// Runs steps in a transaction, and undoes it unless each has changed as many rows as required.
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

        /// `true` unless a step of those that have an answer has changed another number of rows than required.
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
