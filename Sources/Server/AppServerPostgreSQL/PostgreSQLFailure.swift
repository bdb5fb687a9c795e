#if PostgreSQL
    internal import CVitrinePQ
    internal import VitrineAppServerRecords
    internal import VitrineFileSystem
    internal import VitrineSupport
    internal import Foundation

    /// Failure of a request to PostgreSQL.
    enum PostgreSQLFailure: Error {
        /// The connection is lost; whether the running statements were committed is unknown.
        case lost(DatabaseError)
        /// A statement was refused, and its transaction rolled back.
        case refused(PostgreSQLRefusal)

        /// Error that is reported to the caller.
        var error: DatabaseError {
            switch self {
            case .lost(let error): error
            case .refused(let refusal): refusal.error
            }
        }
    }

    /// Error of a statement, with its SQLSTATE (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
    struct PostgreSQLRefusal: Hashable {
        let state: String
        private let message: String

        /// Reads the error of a statement from its result.
        ///
        /// - Parameter result: Result with the status of an error.
        init(_ result: OpaquePointer?) {
            state = Self.field("C", of: result)
            message = Self.field("M", of: result)
        }

        init(state: String, message: String) { (self.state, self.message) = (state, message) }

        /// Returns a field of an error; empty if the field is missing.
        ///
        /// - Parameter name: Name of an error field in PostgreSQL's protocol.
        private static func field(_ name: Unicode.Scalar, of result: OpaquePointer?) -> String {
            PQresultErrorField(result, CInt(name.value)).map { String(cString: $0) } ?? ""
        }

        /// Error class: the first two characters of the SQLSTATE.
        private var kind: String { String(state.prefix(2)) }

        /// Indicates that a repeated transaction may succeed, because it was rolled back in favor of another one
        /// (serialization failure or deadlock).
        var isPassing: Bool { ["40001", "40P01"].contains(state) }

        /// Indicates that a prepared statement is no longer valid: a table has changed, or another program has removed
        /// it.
        var isStale: Bool { ["0A000", "26000", "42P05"].contains(state) }

        /// Indicates that the statement uses a column that the table does not have.
        var isMissingColumn: Bool { state == "42703" }

        /// Indicates that the connection is closing, or that the server is read-only although another one may accept
        /// writes.
        var endsConnection: Bool { kind == "08" || state.hasPrefix("57P") || state == "25006" || state == "25P03" }

        /// Error that is reported to the caller. PostgreSQL's message is omitted in errors of the class 22 (data
        /// exception), because these messages contain values of parameters.
        var error: DatabaseError {
            switch (kind, state) {
            case ("22", _):
                DatabaseError(code: .conflict, reason: "a value does not fit its column (PostgreSQL's error \(state))")
            case ("23", _): DatabaseError(code: .conflict, reason: "a constraint refuses the change: \(message)")
            case (_, "53100"):
                DatabaseError(code: .unavailable, reason: "the database cannot be used: the disk is full")
            case (_, "55P03"):
                DatabaseError(code: .unavailable, reason: "another transaction has locked what is needed for too long")
            case (_, "57014"):
                DatabaseError(code: .unavailable, reason: "a statement has taken too long")
            case ("42", _):
                DatabaseError(code: .unavailable, reason: "the database refuses a statement: \(message)")
            default:
                DatabaseError(
                    code: .unavailable, reason: "the database cannot be used: \(message) (PostgreSQL's error \(state))")
            }
        }
    }
#endif
