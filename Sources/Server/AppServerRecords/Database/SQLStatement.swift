package import Foundation

/// Value of a column or of a statement's parameter.
package enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case text(String)
    case bytes(Data)

    package init(_ integer: Int64?) { self = integer.map(SQLValue.integer) ?? .null }

    package init(_ text: String?) { self = text.map(SQLValue.text) ?? .null }

    package init(_ bytes: Data?) { self = bytes.map(SQLValue.bytes) ?? .null }

    /// Value as integer; `nil` for other values.
    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// Value as text; `nil` for other values.
    package var text: String? { if case .text(let value) = self { value } else { nil } }

    /// Value as bytes; `nil` for other values.
    package var bytes: Data? { if case .bytes(let value) = self { value } else { nil } }
}

/// SQL statement with its values, in the SQL that SQLite and PostgreSQL share. Parameters are `$1`, `$2` and so on;
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

/// Values of a result row, in the order of the statement's columns.
package typealias SQLRow = [SQLValue]

/// Statement of a transaction, with the number of rows that it must change.
package struct SQLStep: Sendable, Hashable {
    package var statement: SQLStatement
    /// Number of rows that the statement must change; `nil` for any number.
    package var changes: Int?

    package init(_ statement: SQLStatement, changing changes: Int? = nil) {
        self.statement = statement
        self.changes = changes
    }
}

/// Numbered change of a database's tables.
package struct SQLMigration: Sendable {
    /// Number of the migration; migrations are numbered from 1 without gaps.
    package let number: Int
    /// Statements without parameters, in the order of execution. `{bytes}` stands for the type of binary data,
    /// `{integer}` for the type of 64-bit integers.
    package let statements: [String]

    package init(number: Int, statements: [String]) {
        self.number = number
        self.statements = statements
    }
}
