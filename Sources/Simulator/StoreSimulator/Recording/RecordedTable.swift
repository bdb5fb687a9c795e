internal import Foundation
internal import GRDB
internal import VitrineReceipts

/// Table whose rows open the recording of a store that is not empty.
struct RecordedTable: Sendable {
    let name: String
    let columns: [RecordedColumn]
    /// Columns that a recording does not contain, because the store that replays it has other values in them.
    let omitted: [String]
    private let order: String
    /// Decodes the row that was inserted last.
    ///
    /// - Throws: An error if the row is not valid in a store.
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

    /// Creates the description of a table whose rows have no record type.
    ///
    /// - Parameters:
    ///   - order: Columns by which the rows are sorted.
    ///   - check: Function that checks the row that was inserted last.
    init(
        _ name: String, _ columns: [RecordedColumn], order: String = "rowid",
        check: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) {
        (self.name, self.columns, self.order, omitted, self.check) = (name, columns, order, [], check)
    }

    /// Returns the rows of the table, with pseudonyms for values that identify persons and transactions. Columns
    /// without a value are left out.
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
    /// - Throws: ``StoreRecordingError`` `malformed` for a row that is not valid in a recording.
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
            throw StoreRecordingError(.malformed, "this is not a row of the table \(name)")
        }
    }
}

/// Column of a table whose rows open a recording.
struct RecordedColumn: Sendable {
    let name: String
    let content: RecordedContent

    init(_ name: String, _ content: RecordedContent) { (self.name, self.content) = (name, content) }
}
