internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineSupport

/// Tables of the ledger beside its entries: numbers that only increase, replaceable values, and the date of the latest
/// signed statement about each purchase. Each row has a checksum.
struct StoredValueTables {
    let database: Database

    // MARK: Numbers

    /// Raises a stored number, such as the highest known version of a signed catalog, to a value, and returns the
    /// stored number. A number that is already as high is not written again, which saves time.
    func advance(_ name: String, to value: Int64) throws -> Int64 {
        try advance(name, to: value, in: "highest")
        return try highest(name) ?? value
    }

    func highest(_ name: String) throws -> Int64? { try number(name, in: "highest") }

    // MARK: Latest statements

    /// Stores the date of the store's signed statement about a purchase, unless a later date is stored.
    func note(statementOf purchaseID: String, signed date: Date) throws {
        try advance(purchaseID, to: date.milliseconds, in: "statement")
    }

    func latestStatement(of purchaseID: String) throws -> Date? {
        try number(purchaseID, in: "statement").map(Date.init(milliseconds:))
    }

    // MARK: Values

    func setValue(_ data: Data, for name: String) throws {
        let statement = try PositionalStatement(
            """
            INSERT INTO storedValue (name, value, checksum) VALUES (?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value, checksum = excluded.checksum
            """, in: database)
        statement.bind(name, at: 0)
        statement.bind(data, at: 1)
        statement.bind(Self.checksum(of: name) { $0.add(data) }, at: 2)
        try statement.run()
    }

    func value(for name: String) throws -> Data? {
        // The statement does not read a value that exceeds the size limit.
        let statement = try PositionalStatement(
            "SELECT length(value), CASE WHEN length(value) <= ? THEN value END, checksum FROM storedValue WHERE name = ?",
            in: database)
        statement.bind(StoredValue.largestSize, at: 0)
        statement.bind(name, at: 1)
        return try statement.first {
            try StoredValue.check(size: Int($0.integer(at: 0) ?? 0), name: name)
            let data = $0.data(at: 1)
            guard $0.integer(at: 2) == Self.checksum(of: name, { $0.add(data) }) else { throw Self.damaged(name) }
            return data
        }
    }

    // MARK: Checksums

    /// Returns the names of the rows that differ from their checksums, each after the name of its table.
    func damagedRows() throws -> [String] {
        var damaged: [String] = []
        for table in ["highest", "statement", "storedValue"] {
            try forEachRow(of: table) { name, _, isIntact in if !isIntact { damaged.append("\(table) \"\(name)\"") } }
        }
        return damaged
    }

    /// Writes the rows that agree with their checksums to the tables of another ledger. Rows after an unreadable part
    /// of a table are left out: their values can be requested from the store and read from the catalog's file again.
    func writeIntactRows(to other: StoredValueTables) throws {
        for table in ["highest", "statement", "storedValue"] {
            do {
                try forEachRow(of: table) { name, row, isIntact in
                    guard isIntact else { return }
                    if table == "storedValue" {
                        try other.setValue(row.data(at: 1), for: name)
                    } else {
                        try other.advance(name, to: row.integer(at: 1) ?? 0, in: table)
                    }
                }
            } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_ERROR].contains(error.resultCode) {
                continue
            }
        }
    }

    private func forEachRow(
        of table: String, _ body: (_ name: String, PositionalStatement, _ isIntact: Bool) throws -> Void
    ) throws {
        try PositionalStatement("SELECT name, value, checksum FROM \(table)", in: database).forEach { row in
            let name = row.text(at: 0) ?? ""
            let checksum = Self.checksum(of: name) {
                if table == "storedValue" { $0.add(row.data(at: 1)) } else { $0.add(row.integer(at: 1)) }
            }
            try body(name, row, row.integer(at: 2) == checksum)
        }
    }

    private func advance(_ name: String, to value: Int64, in table: String) throws {
        let statement = try PositionalStatement(
            """
            INSERT INTO \(table) (name, value, checksum) VALUES (?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value, checksum = excluded.checksum
            WHERE excluded.value > \(table).value
            """, in: database)
        statement.bind(name, at: 0)
        statement.bind(value, at: 1)
        statement.bind(Self.checksum(of: name) { $0.add(value) }, at: 2)
        try statement.run()
    }

    private func number(_ name: String, in table: String) throws -> Int64? {
        let statement = try PositionalStatement("SELECT value, checksum FROM \(table) WHERE name = ?", in: database)
        statement.bind(name, at: 0)
        return try statement.first { row -> Int64? in
            let value = row.integer(at: 0)
            guard row.integer(at: 1) == Self.checksum(of: name, { $0.add(value) }) else { throw Self.damaged(name) }
            return value
        } ?? nil
    }

    private static func checksum(of name: String, _ addValue: (inout Checksum) -> Void) -> Int64 {
        var checksum = Checksum()
        checksum.add(PositionalStatement.storedText(name))
        addValue(&checksum)
        return checksum.value
    }

    private static func damaged(_ name: String) -> LedgerError {
        LedgerError(code: .damaged, reason: "the stored value \"\(name)\" of the ledger differs from its checksum")
    }
}
