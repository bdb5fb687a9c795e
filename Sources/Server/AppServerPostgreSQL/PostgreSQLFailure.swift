#if PostgreSQL
    internal import CVitrinePQ
    internal import VitrineAppServerRecords
    internal import VitrineFileSystem
    internal import VitrineSupport
    internal import Foundation

    /// Reason why PostgreSQL has not carried out a request.
    enum PostgreSQLFailure: Error {
        /// The connection is lost; whether what was under way is done is unknown.
        case lost(DatabaseError)
        /// A statement was refused, and its transaction undone.
        case refused(PostgreSQLRefusal)

        /// The error for a caller.
        var error: DatabaseError {
            switch self {
            case .lost(let error): error
            case .refused(let refusal): refusal.error
            }
        }
    }

    /// Error of a statement, by its SQLSTATE
    /// (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
    struct PostgreSQLRefusal: Hashable {
        let state: String
        private let message: String

        /// - Parameter result: Result that is an error.
        init(_ result: OpaquePointer?) {
            state = Self.field("C", of: result)
            message = Self.field("M", of: result)
        }

        init(state: String, message: String) { (self.state, self.message) = (state, message) }

        /// - Parameter name: Name of the field in PostgreSQL's protocol.
        private static func field(_ name: Unicode.Scalar, of result: OpaquePointer?) -> String {
            PQresultErrorField(result, CInt(name.value)).map { String(cString: $0) } ?? ""
        }

        /// Code of the kind of error: the first two characters of the SQLSTATE.
        private var kind: String { String(state.prefix(2)) }

        /// `true` if the same transaction may succeed now: it was undone because of another.
        var isPassing: Bool { ["40001", "40P01"].contains(state) }

        /// `true` if a prepared statement no longer fits: a table has changed, or another program has removed it.
        var isStale: Bool { ["0A000", "26000", "42P05"].contains(state) }

        /// `true` if a table has other columns than the statement expects.
        var isMissingColumn: Bool { state == "42703" }

        /// `true` if the server ends the connection, or cannot write although another could.
        var endsConnection: Bool { kind == "08" || state.hasPrefix("57P") || state == "25006" || state == "25P03" }

        /// Error for a caller. The message of the server names tables and columns, and values only in errors of the kind
        /// 22, where it is not used.
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
