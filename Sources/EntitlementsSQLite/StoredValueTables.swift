internal import Entitlements
internal import Foundation
internal import GRDB

/// Tables of the numbers that only increase, and of the stored values that newer ones replace.
struct StoredValueTables {
    let database: Database

    /// Raises a number to a value. A number that is at least as high already is not written, which saves a sync.
    func advance(_ name: String, to value: Int64) throws -> Int64 {
        let statement = try PositionalStatement(
            """
            INSERT INTO highest (name, value) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE excluded.value > highest.value
            """, in: database)
        statement.bind(name, at: 0)
        statement.bind(value, at: 1)
        try statement.run()
        return try highest(name) ?? value
    }

    func highest(_ name: String) throws -> Int64? {
        let statement = try PositionalStatement("SELECT value FROM highest WHERE name = ?", in: database)
        statement.bind(name, at: 0)
        return try statement.first { $0.integer(at: 0) } ?? nil
    }

    func keep(_ data: Data, as name: String) throws {
        let statement = try PositionalStatement(
            """
            INSERT INTO kept (name, value) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """, in: database)
        statement.bind(name, at: 0)
        statement.bind(data, at: 1)
        try statement.run()
    }

    func kept(_ name: String) throws -> Data? {
        // The statement does not read a value that exceeds the size limit.
        let statement = try PositionalStatement(
            "SELECT length(value), CASE WHEN length(value) <= ? THEN value END FROM kept WHERE name = ?", in: database)
        statement.bind(StoredValue.largestSize, at: 0)
        statement.bind(name, at: 1)
        return try statement.first {
            try StoredValue.check(size: Int($0.integer(at: 0) ?? 0), name: name)
            return $0.data(at: 1)
        }
    }
}
