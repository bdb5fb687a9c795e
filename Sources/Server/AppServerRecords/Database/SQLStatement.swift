package import Foundation

/// Value of a column or of a parameter of a statement.
package enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case text(String)
    case bytes(Data)

    package init(_ integer: Int64?) { self = integer.map(SQLValue.integer) ?? .null }

    package init(_ text: String?) { self = text.map(SQLValue.text) ?? .null }

    package init(_ bytes: Data?) { self = bytes.map(SQLValue.bytes) ?? .null }

    /// The integer; `nil` for other values.
    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// The text; `nil` for other values.
    package var text: String? { if case .text(let value) = self { value } else { nil } }

    /// The bytes; `nil` for other values.
    package var bytes: Data? { if case .bytes(let value) = self { value } else { nil } }
}

/// SQL statement with its values, in the SQL that SQLite and PostgreSQL share. Parameters are `$1`, `$2` and so on, and
/// each may occur several times.
package struct SQLStatement: Sendable, Hashable {
    package var sql: String
    package var values: [SQLValue]

    package init(_ sql: String, _ values: SQLValue...) { self.init(sql, values: values) }

    package init(_ sql: String, values: [SQLValue]) {
        self.sql = sql
        self.values = values
    }
}

/// Values of a row, in the order of the columns of the statement.
package typealias SQLRow = [SQLValue]

/// Statement of a transaction that requires a number of changed rows.
package struct SQLStep: Sendable, Hashable {
    package var statement: SQLStatement
    /// Number of rows that the statement must change; `nil` for any number.
    package var changes: Int?

    package init(_ statement: SQLStatement, changing changes: Int? = nil) {
        self.statement = statement
        self.changes = changes
    }
}

/// Numbered change of the tables of a database.
package struct SQLMigration: Sendable {
    /// Number of the migration: 1 for the first one, and one more than the number of the migration before it.
    package let number: Int
    /// Statements without parameters, in the order in which they run. `{bytes}` is the type of binary data, `{integer}` that
    /// of integers with 64 bits.
    package let statements: [String]

    package init(number: Int, statements: [String]) {
        self.number = number
        self.statements = statements
    }
}
