internal import Foundation
internal import GRDB
internal import GRDBSQLite

/// Compiled SQL statement whose parameters and columns are accessed by position, starting at 0.
///
/// GRDB compiles and caches the statement. GRDB's rows are not used, because their lookup of columns by name would take
/// longer than the ledger's statements themselves.
struct PositionalStatement {
    private let statement: Statement

    init(_ sql: String, in database: Database) throws { statement = try database.cachedStatement(sql: sql) }

    // MARK: Binding

    /// Returns the form in which a text is stored. Swift treats two Unicode spellings of a text (an umlaut as one
    /// character or as two) as equal, and SQLite does not: the precomposed form is stored.
    static func storedText(_ text: String) -> String {
        // Without an early exit the loop handles several bytes at a time.
        let isASCII = text.utf8.withContiguousStorageIfAvailable { $0.reduce(0, |) < 0x80 } ?? false
        return isASCII ? text : text.precomposedStringWithCanonicalMapping
    }

    /// Binds a text to a parameter of the statement, in the precomposed Unicode form in which the ledger stores texts.
    func bind(_ text: String?, at place: Int) { bind(stored: text.map(Self.storedText), at: place) }

    /// Binds a text that ``storedText(_:)`` has already normalized.
    func bind(stored text: String?, at place: Int) {
        guard var text else { return bindNothing(at: place) }
        text.withUTF8 { bytes in
            // The base address of an empty buffer may be nil, which would be NULL.
            check(
                bytes.isEmpty
                    ? sqlite3_bind_text(handle, Int32(place + 1), "", 0, nil)
                    : sqlite3_bind_text(
                        handle, Int32(place + 1),
                        UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(
                            to: CChar.self), Int32(bytes.count), copied))
        }
    }

    func bind(_ integer: Int64?, at place: Int) {
        guard let integer else { return bindNothing(at: place) }
        check(sqlite3_bind_int64(handle, Int32(place + 1), integer))
    }

    func bind(_ data: Data, at place: Int) {
        data.withUnsafeBytes { bytes in
            // The base address of an empty buffer may be nil, which would be NULL.
            check(
                bytes.isEmpty
                    ? sqlite3_bind_zeroblob(handle, Int32(place + 1), 0)
                    : sqlite3_bind_blob64(handle, Int32(place + 1), bytes.baseAddress, UInt64(bytes.count), copied))
        }
    }

    func bind(_ integer: Int?, at place: Int) { bind(integer.map(Int64.init), at: place) }

    func bind(_ flag: Bool?, at place: Int) { bind(flag.map { $0 ? 1 : 0 } as Int64?, at: place) }

    /// Removes the values of all parameters.
    func bindNothing() { check(sqlite3_clear_bindings(handle)) }

    private func bindNothing(at place: Int) { check(sqlite3_bind_null(handle, Int32(place + 1))) }

    // MARK: Running

    /// Runs a statement that returns no rows.
    func run() throws { while try step() {} }

    /// Runs the statement and reads the first row of its result.
    ///
    /// - Returns: The value read from the first row; `nil` if there is no row.
    func first<Value>(_ read: (PositionalStatement) throws -> Value) throws -> Value? {
        defer { sqlite3_reset(handle) }
        return try step() ? read(self) : nil
    }

    /// Runs the statement and reads all rows of its result.
    ///
    /// - Returns: The values read from the rows.
    func all<Value>(_ read: (PositionalStatement) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        try forEach { values.append(try read($0)) }
        return values
    }

    /// Runs the statement and reads each row of its result.
    func forEach(_ read: (PositionalStatement) throws -> Void) throws {
        defer { sqlite3_reset(handle) }
        while try step() { try read(self) }
    }

    /// Advances the statement to the next row of its result.
    ///
    /// - Returns: `true` if there is a row.
    private func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        sqlite3_reset(handle)
        guard code != SQLITE_DONE else { return false }
        throw DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: String(cString: sqlite3_errmsg(sqlite3_db_handle(handle))))
    }

    // MARK: Reading

    func text(at place: Int) -> String? {
        withText(at: place) { $0.map { String(decoding: $0, as: UTF8.self) } }
    }

    /// Calls a closure with the bytes of a column's text, which are valid only during the call; with `nil` if the
    /// column has no value.
    func withText<Value>(at place: Int, _ body: (UnsafeBufferPointer<UInt8>?) -> Value) -> Value {
        guard let bytes = sqlite3_column_text(handle, Int32(place)) else { return body(nil) }
        return body(UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, Int32(place)))))
    }

    func data(at place: Int) -> Data {
        guard let bytes = sqlite3_column_blob(handle, Int32(place)) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, Int32(place))))
    }

    func integer(at place: Int) -> Int64? {
        guard sqlite3_column_type(handle, Int32(place)) != SQLITE_NULL else { return nil }
        return sqlite3_column_int64(handle, Int32(place))
    }

    private var handle: SQLiteStatement { statement.sqliteStatement }

    /// Destructor constant that makes SQLite copy a bound value, because the value may be released before the statement
    /// runs.
    private var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    /// Stops the process if a value was not bound, because the position does not exist or no memory is left.
    private func check(_ code: Int32) { precondition(code == SQLITE_OK, "SQLite cannot bind a value: \(code)") }
}

extension Database {
    /// Runs a closure in a database transaction that locks the database for writing: commits the changes, or rolls them
    /// back if the closure throws.
    func inPlacedTransaction(_ body: () throws -> Void) throws {
        try PositionalStatement("BEGIN IMMEDIATE TRANSACTION", in: self).run()
        do {
            try body()
            try PositionalStatement("COMMIT TRANSACTION", in: self).run()
        } catch {
            try? rollback()
            throw error
        }
    }
}
