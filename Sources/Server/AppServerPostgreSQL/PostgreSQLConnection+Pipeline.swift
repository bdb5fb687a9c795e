#if PostgreSQL
    internal import CVitrinePQ
    internal import VitrineAppServerRecords
    internal import VitrineFileSystem
    internal import VitrineSupport
    internal import Foundation

    /// Result of a statement: rows or a number of changed rows.
    struct PostgreSQLAnswer: Sendable {
        var rows: [SQLRow] = []
        /// Number of rows that the statement has changed.
        var changes = 0
    }

    /// Results of statements that were sent together.
    struct PostgreSQLAnswers {
        /// Results of the statements before the first refused one.
        var answers: [PostgreSQLAnswer] = []
        /// Refusal because of which all statements were rolled back; `nil` if they are committed. If all statements
        /// have results, the commit was refused.
        var refusal: PostgreSQLRefusal?
    }

    extension PostgreSQLConnection {
        private enum Command {
            case preparation(PreparedForm)
            case statement
        }

        /// Maximum number of prepared statements per connection.
        private static let mostNames = 512

        /// Runs statements in one round trip. If none of them begins a transaction, they are one transaction, which is
        /// committed or rolled back at the end.
        func run(_ statements: [SQLStatement]) throws(PostgreSQLFailure) -> PostgreSQLAnswers {
            if names.count > Self.mostNames { try forgetStatements() }
            return try send(statements)
        }

        /// Runs statements and returns their results. A refused statement is an error.
        func require(_ statements: [SQLStatement]) throws(PostgreSQLFailure) -> [PostgreSQLAnswer] {
            let answers = try run(statements)
            if let refusal = answers.refusal { throw .refused(refusal) }
            return answers.answers
        }

        /// Removes all prepared statements.
        func forgetStatements() throws(PostgreSQLFailure) {
            names = [:]
            let answers = try send([SQLStatement("DEALLOCATE ALL")])
            // `DEALLOCATE ALL` has also removed the prepared statement that ran it.
            names = [:]
            if let refusal = answers.refusal { throw .refused(refusal) }
        }

        private func send(_ statements: [SQLStatement]) throws(PostgreSQLFailure) -> PostgreSQLAnswers {
            let deadline = deadline
            var commands: [Command] = []
            for statement in statements {
                let form = PreparedForm(statement)
                let name = names[form] ?? "s\(preparations)"
                if names[form] == nil {
                    preparations += 1
                    guard PQsendPrepare(handle, name, form.sql, CInt(form.types.count), form.types) == 1 else {
                        throw lost()
                    }
                    names[form] = name
                    commands.append(.preparation(form))
                }
                guard PostgreSQLValues(statement.values).send(name, to: handle) else { throw lost() }
                commands.append(.statement)
            }
            guard PQpipelineSync(handle) == 1 else { throw lost() }
            try flush(until: deadline)
            return try answers(to: commands, until: deadline)
        }

        private func answers(
            to commands: [Command], until deadline: ContinuousClock.Instant
        ) throws(PostgreSQLFailure) -> PostgreSQLAnswers {
            var answers = PostgreSQLAnswers()
            for command in commands {
                let result = try next(until: deadline)
                defer { PQclear(result) }
                switch PQresultStatus(result) {
                case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
                    if case .statement = command { try read(result, into: &answers) }
                case PGRES_FATAL_ERROR:
                    try note(result, in: &answers)
                    if case .preparation(let form) = command { names[form] = nil }
                case PGRES_PIPELINE_ABORTED:
                    if case .preparation(let form) = command { names[form] = nil }
                default: throw lost()
                }
                guard try next(until: deadline) == nil else { throw lost() }
            }
            try finish(&answers, until: deadline)
            return answers
        }

        /// Reads the results at the end of the pipeline, including a refused commit.
        private func finish(
            _ answers: inout PostgreSQLAnswers, until deadline: ContinuousClock.Instant
        ) throws(PostgreSQLFailure) {
            while true {
                guard let result = try next(until: deadline) else {
                    guard PQstatus(handle) == CONNECTION_OK else { throw lost() }
                    continue
                }
                defer { PQclear(result) }
                switch PQresultStatus(result) {
                case PGRES_PIPELINE_SYNC: return
                case PGRES_FATAL_ERROR: try note(result, in: &answers)
                default: throw lost()
                }
            }
        }

        private func note(
            _ result: OpaquePointer?, in answers: inout PostgreSQLAnswers
        ) throws(PostgreSQLFailure) {
            let refusal = PostgreSQLRefusal(result)
            guard PQstatus(handle) == CONNECTION_OK, !refusal.state.isEmpty else { throw lost() }
            guard !refusal.endsConnection else { throw .lost(refusal.error) }
            answers.refusal = answers.refusal ?? refusal
        }

        private func read(
            _ result: OpaquePointer?, into answers: inout PostgreSQLAnswers
        ) throws(PostgreSQLFailure) {
            var answer = PostgreSQLAnswer()
            answer.changes = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
            let columns = PQnfields(result)
            for row in 0..<PQntuples(result) {
                var values: SQLRow = []
                for column in 0..<columns { values.append(try value(of: result, row, column)) }
                answer.rows.append(values)
            }
            answers.answers.append(answer)
        }

        private func value(
            of result: OpaquePointer?, _ row: CInt, _ column: CInt
        ) throws(PostgreSQLFailure) -> SQLValue {
            guard PQgetisnull(result, row, column) == 0 else { return .null }
            let bytes = UnsafeRawBufferPointer(
                start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
            let type = PQftype(result, column)
            guard let value = PostgreSQLType.value(type, bytes) else {
                throw .lost(
                    DatabaseError(
                        code: .unavailable, reason: "the column \(column) has the type \(type), which is not used"))
            }
            return value
        }
    }
#endif
