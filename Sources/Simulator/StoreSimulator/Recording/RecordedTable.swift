internal import Foundation
internal import GRDB
internal import VitrineReceipts

/// Table of a store whose rows a recording begins with, if the store is not empty by then.
struct RecordedTable: Sendable {
    let name: String
    let columns: [RecordedColumn]
    /// Columns that a recording does not contain, because they have another value in the store that replays it.
    let omitted: [String]
    private let order: String
    /// Reads the row that was inserted last as a record.
    ///
    /// - Throws: An error if the row is none that a store has.
    private let check: @Sendable (Database) throws -> Void

    init<Record: FetchableRecord & TableRecord>(
        _ record: Record.Type, _ columns: [RecordedColumn], omitting omitted: [String] = []
    ) {
        let name = record.databaseTableName
        (self.name, self.columns, order, self.omitted) = (name, columns, "rowid", omitted)
        check = { database in
            _ = try record.fetchOne(
                database, sql: "SELECT * FROM \(name) WHERE rowid = ?", arguments: [database.lastInsertedRowID])
        }
    }

    /// Creates the description of a table without a record.
    ///
    /// - Parameters:
    ///   - order: Columns that order the rows.
    ///   - check: Checks the row that was inserted last.
    init(
        _ name: String, _ columns: [RecordedColumn], order: String = "rowid",
        check: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) {
        (self.name, self.columns, self.order, omitted, self.check) = (name, columns, order, [], check)
    }

    /// Returns the rows of the table, with what identifies persons and transactions replaced. Columns without a value
    /// are left out.
    func rows(in database: Database, _ pseudonyms: Pseudonyms) throws -> [[String: JSONValue]] {
        let names = columns.map(\.name).joined(separator: ", ")
        return try Row.fetchAll(database, sql: "SELECT \(names) FROM \(name) ORDER BY \(order)").map { row in
            try Dictionary(
                uniqueKeysWithValues: columns.compactMap { column in
                    let value: DatabaseValue = row[column.name]
                    return try column.content.recorded(value, pseudonyms).map { (column.name, $0) }
                })
        }
    }

    /// Inserts a row of a recording.
    ///
    /// - Throws: ``StoreRecordingError`` `malformed` for a row that no recording has.
    func insert(_ row: [String: JSONValue], into database: Database, _ seed: StoreSeed) throws {
        if let unknown = row.keys.first(where: { name in !columns.contains { $0.name == name } }) {
            throw StoreRecordingError(.malformed, "the table \(name) has no column \(unknown.debugDescription)")
        }
        var arguments: [DatabaseValue] = []
        for column in columns {
            guard let value = row[column.name] else {
                arguments.append(column.content.missing(in: row))
                continue
            }
            guard let stored = column.content.stored(value, seed) else {
                throw StoreRecordingError(.malformed, "the value of \(column.name) is invalid")
            }
            arguments.append(stored)
        }
        let names = columns.map(\.name).joined(separator: ", ")
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        do {
            try database.execute(
                sql: "INSERT INTO \(name) (\(names)) VALUES (\(places))", arguments: StatementArguments(arguments))
            try check(database)
        } catch {
            throw StoreRecordingError(.malformed, "this is no row of the table \(name)")
        }
    }
}

/// Column of a table whose rows a recording begins with.
struct RecordedColumn: Sendable {
    let name: String
    let content: RecordedContent

    init(_ name: String, _ content: RecordedContent) { (self.name, self.content) = (name, content) }
}
