#if PostgreSQL
    internal import CVitrinePQ
    internal import VitrineAppServerRecords
    internal import VitrineFileSystem
    internal import VitrineSupport
    internal import Foundation

    /// Connection string of PostgreSQL, which is never logged because it may contain passwords.
    struct PostgreSQLAddress: Sendable {
        private let connection: String
        private let secrets: [String]
        /// Name of the database and its server, as far as the connection string contains them, without user and password.
        let place: String

        /// Maximum time in seconds to establish a connection.
        private static let connectTimeout = 10

        /// - Parameter connection: Connection string or URL in the format of libpq.
        /// - Throws: ``DatabaseError`` `refused` if the string is not valid.
        init(_ connection: String) throws(DatabaseError) {
            // The error message of libpq is not used, because it quotes the connection string.
            guard !connection.utf8.contains(0), let options = PQconninfoParse(connection, nil) else {
                throw DatabaseError(code: .refused, reason: "the connection string of PostgreSQL cannot be read")
            }
            defer { PQconninfoFree(options) }
            var values: [String: String] = [:]
            var option = options
            while let keyword = option.pointee.keyword {
                if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
                option += 1
            }
            self.connection = connection
            secrets = ["password", "sslpassword"].compactMap { values[$0] }.filter { !$0.isEmpty }
            place =
                "PostgreSQL" + (values["dbname"].map { ", database \($0)" } ?? "")
                + (values["host"].map { " at \($0)" } ?? "")
        }

        /// Connects to PostgreSQL. Settings of the connection string override the defaults of this function.
        ///
        /// - Returns: A connection, whose status can be bad; `nil` if there is not enough memory.
        func connect() -> OpaquePointer? {
            let settings = [
                ("fallback_application_name", "vitrine-server"), ("connect_timeout", "\(Self.connectTimeout)"),
                ("keepalives", "1"), ("keepalives_idle", "20"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
                ("tcp_user_timeout", "20000"), ("dbname", connection), ("client_encoding", "UTF8"),
            ]
            var keywords = settings.map { UnsafePointer(strdup($0.0)) }
            var values = settings.map { UnsafePointer(strdup($0.1)) }
            defer { for text in keywords + values { free(UnsafeMutablePointer(mutating: text)) } }
            keywords.append(nil)
            values.append(nil)
            return PQconnectdbParams(keywords, values, 1)
        }

        /// Returns the error of a failed connection, without passwords.
        func error(of connection: OpaquePointer) -> DatabaseError {
            var message = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
            for secret in secrets { message = message.replacing(secret, with: "…") }
            let line = message.split(whereSeparator: \.isNewline).first ?? "there is not enough memory"
            return DatabaseError(code: .unavailable, reason: "PostgreSQL cannot be reached: \(line)")
        }
    }
#endif
