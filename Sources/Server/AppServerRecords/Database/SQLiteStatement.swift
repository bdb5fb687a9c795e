internal import Foundation
internal import GRDB
internal import GRDBSQLite

/// Compiled SQLite statement with the values of a ``SQLStatement``. GRDB compiles and caches it.
struct SQLiteStatement {
    private let statement: Statement
    private let values: [SQLValue]

    init(_ statement: SQLStatement, in database: Database) throws {
        self.statement = try database.cachedStatement(sql: statement.sql)
        values = statement.values
    }

    /// Runs the statement and returns its rows.
    func rows() throws -> [SQLRow] {
        try bind()
        defer { reset() }
        var rows: [SQLRow] = []
        while try step() { rows.append((0..<sqlite3_column_count(handle)).map(value)) }
        return rows
    }

    /// Runs the statement and returns the number of rows that it has changed.
    func changes() throws -> Int {
        try bind()
        defer { reset() }
        while try step() {}
        return Int(sqlite3_changes64(sqlite3_db_handle(handle)))
    }

    private func bind() throws {
        for place in 0..<sqlite3_bind_parameter_count(handle) {
            // SQLite treats `$2` as the name of a parameter, and numbers names in the order of their first occurrence.
            let name = sqlite3_bind_parameter_name(handle, place + 1).map { String(cString: $0) } ?? ""
            guard let number = Int(name.dropFirst()), values.indices.contains(number - 1) else {
                throw GRDB.DatabaseError(resultCode: .SQLITE_RANGE, message: "a parameter has no value")
            }
            let code = bind(values[number - 1], at: place + 1)
            guard code == SQLITE_OK else { throw error(code) }
        }
    }

    private func bind(_ value: SQLValue, at place: CInt) -> CInt {
        switch value {
        case .null: return sqlite3_bind_null(handle, place)
        case .integer(let integer): return sqlite3_bind_int64(handle, place, integer)
        case .text(let text):
            // SQLite copies the text, because the pointer is valid only during the call.
            return sqlite3_bind_text(handle, place, text, CInt(text.utf8.count), Self.copied)
        case .bytes(let data):
            // The base address of an empty buffer may be nil, which would be NULL.
            guard !data.isEmpty else { return sqlite3_bind_zeroblob(handle, place, 0) }
            return data.withUnsafeBytes { bytes in
                sqlite3_bind_blob64(handle, place, bytes.baseAddress, UInt64(bytes.count), Self.copied)
            }
        }
    }

    private func value(at column: CInt) -> SQLValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_BLOB:
            guard let bytes = sqlite3_column_blob(handle, column) else { return .bytes(Data()) }
            return .bytes(Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, column))))
        default:
            guard let bytes = sqlite3_column_text(handle, column) else { return .text("") }
            let count = Int(sqlite3_column_bytes(handle, column))
            return .text(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
        }
    }

    /// Advances the statement to the next row of its result.
    ///
    /// - Returns: `false` after the last row.
    private func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw error(code)
        }
    }

    /// Resets the statement, and releases the memory of its values.
    private func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    private func error(_ code: CInt) -> GRDB.DatabaseError {
        GRDB.DatabaseError(
            resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(sqlite3_db_handle(handle))))
    }

    private var handle: OpaquePointer { statement.sqliteStatement }

    /// SQLite's constant `SQLITE_TRANSIENT`, which makes it copy a bound value.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

extension Database {
    /// Runs a statement without values.
    func run(_ sql: String) throws { _ = try SQLiteStatement(SQLStatement(sql), in: self).changes() }
}
