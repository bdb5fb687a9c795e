internal import Foundation
internal import VitrineSupport

/// SQL dialect: the differences of SQLite and PostgreSQL in statements that create tables.
package enum SQLDialect: String, Sendable, CaseIterable {
    case sqlite, postgresql

    /// Translates a migration's statement to this dialect: `{bytes}` and `{integer}` become types; `{sqlite: …}` and
    /// `{postgresql: …}` become the text after the colon in the named dialect, and nothing in the other one.
    ///
    /// - Returns: `nil` if the statement is empty in this dialect.
    package func statement(_ template: String) -> String? {
        var (sql, rest) = ("", template[...])
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            sql += rest[..<start] + text(for: rest[rest.index(after: start)..<end])
            rest = rest[rest.index(after: end)...]
        }
        sql = (sql + rest).trimmingCharacters(in: .whitespacesAndNewlines)
        return sql.isEmpty ? nil : sql
    }

    private func text(for place: Substring) -> String {
        switch place {
        case "bytes": return self == .sqlite ? "BLOB" : "BYTEA"
        case "integer": return self == .sqlite ? "INTEGER" : "BIGINT"
        default:
            let parts = place.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let dialect = SQLDialect(rawValue: String(parts[0])) else {
                preconditionFailure("{\(place)} is not a part of a statement of a migration")
            }
            return dialect == self ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
    }
}

extension SQLStatement {
    /// Rejects texts with U+0000 in all databases, because PostgreSQL cannot store them.
    ///
    /// - Throws: ``DatabaseError`` `conflict`.
    package func checkTexts() throws(DatabaseError) {
        // An array is searched several times as fast as a string, and signed data has kilobytes.
        for case .text(let text) in values where Array(text.utf8).contains(0) {
            throw DatabaseError(code: .conflict, reason: "a text to be stored contains the character U+0000")
        }
    }
}

extension [SQLMigration] {
    /// Returns the migrations that a database lacks.
    ///
    /// - Parameter last: Number of the database's last migration; 0 for a new database.
    /// - Throws: ``DatabaseError`` `newerVersion`.
    package func missing(after last: Int64) throws(DatabaseError) -> [SQLMigration] {
        precondition(map(\.number) == (0..<count).map { $0 + 1 }, "the numbers of migrations have gaps")
        guard last <= count else {
            throw DatabaseError(
                code: .newerVersion,
                reason: "the tables of the database have version \(last), and this server knows those up to \(count)")
        }
        return Array(dropFirst(Int(last)))
    }
}
