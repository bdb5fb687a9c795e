internal import Foundation
internal import GRDB
internal import VitrineEntitlements
internal import VitrineSupport

/// Check of a whole ledger for damage, and repair of a damaged ledger by writing an intact copy.
struct LedgerExamination {
    let database: Database

    /// Returns descriptions of the damage in the ledger: errors of SQLite's integrity check, missing or changed tables
    /// and triggers, and rows that differ from their checksums. Empty for an intact ledger.
    ///
    /// - Throws: Error of SQLite for a part that cannot be read.
    func errors() throws -> [String] {
        let lines = try String.fetchAll(database, sql: "PRAGMA integrity_check(10)").filter { $0 != "ok" }
        let errors = Set(lines.map(Self.reason)).sorted()
        guard errors.isEmpty, try LedgerSchema.isCreated(in: database) else { return errors }
        let changed = try LedgerSchema.errors(in: database)
        guard changed.isEmpty else { return changed }
        let rows = try damagedEntries().map { "entry \($0) differs from its checksum" }
        let values = try StoredValueTables(database: database).damagedRows().map {
            "the stored value \($0) differs from its checksum"
        }
        guard (rows + values).isEmpty else { return rows + values }
        do {
            _ = try EntryTable(database: database).summary()
            return []
        } catch let error as LedgerError {
            return [error.reason]
        }
    }

    /// Translates an error line of SQLite's integrity check into a description for users.
    private static func reason(_ line: String) -> String {
        if let index = line.firstMatch(of: /index ([A-Za-z0-9_]+)/)?.1 {
            return "the index \(index) differs from its table"
        }
        return line.contains("constraint") || line.contains("NULL value")
            ? "a row contradicts the rules of its table" : "a page of the file is damaged"
    }

    private func damagedEntries() throws -> [Int64] {
        var damaged: [Int64] = []
        try PositionalStatement(Self.selectionOfAll, in: database).forEach { row in
            let entry = EntryRow(unchecked: row, all: true)
            if entry.checksum != row.integer(at: 2) { damaged.append(entry.fields.sequence ?? 0) }
        }
        return damaged
    }

    private static let selectionOfAll = "SELECT \(EntryRow.all) FROM entry NOT INDEXED ORDER BY sequence"

    // MARK: Repair

    /// Writes a repaired copy of the ledger, with new indexes and triggers. An entry that differs from its checksum is
    /// replaced by its copy in the index `entryOfOwnership`, and stored values that differ from their checksums are
    /// left out.
    ///
    /// - Returns: `true` if the copy is intact and complete: the damaged ledger's index of all facts has no entry with
    ///   a higher sequence number than the last entry of the copy.
    func writeRepairedCopy(to url: URL) throws -> Bool {
        let copy = try DatabaseQueue(path: url.path(percentEncoded: false))
        try LedgerSchema.create(in: copy)
        return try copy.write { copy in
            let table = EntryTable(database: copy)
            var (count, isComplete): (Int64, Bool) = (0, true)
            try PositionalStatement(Self.selectionOfAll, in: database).forEach { row in
                guard isComplete else { return }
                guard var entry = try intactEntry(row) else {
                    isComplete = false
                    return
                }
                count += 1
                let sequence = entry.fields.sequence
                try table.insert(&entry.fields, balance: entry.balance.map(Int.init), sequence: sequence)
            }
            guard isComplete, try table.lastEntry().sequence == count, !indexHasEntry(after: count) else {
                return false
            }
            try StoredValueTables(database: database).writeIntactRows(to: StoredValueTables(database: copy))
            return try LedgerExamination(database: copy).errors().isEmpty
        }
    }

    /// Returns the entry of a row or, if the row differs from its checksum, the entry in the index `entryOfOwnership`
    /// with the signed data of the row.
    private func intactEntry(_ row: PositionalStatement) throws -> EntryRow? {
        let entry = EntryRow(unchecked: row, all: true)
        guard entry.checksum != row.integer(at: 2) else { return entry }
        let statement = try PositionalStatement(
            """
            SELECT \(EntryRow.covered) FROM entry INDEXED BY entryOfOwnership
            WHERE \(LedgerSchema.isOfOwnership) AND sequence = ?
            """, in: database)
        statement.bind(row.integer(at: 0), at: 0)
        guard var copy = try statement.first({ try? EntryRow(covered: $0) }) ?? nil else { return nil }
        copy.fields.signedData = entry.fields.signedData
        return copy
    }

    /// Returns `true` if the index of all facts has an entry with a higher sequence number. A damaged index may have
    /// rows that are not entries, and is read as far as possible.
    private func indexHasEntry(after sequence: Int64) -> Bool {
        var isFound = false
        let selection = "SELECT sequence, kind, key FROM entry INDEXED BY sqlite_autoindex_entry_1 WHERE kind >= ''"
        try? PositionalStatement(selection, in: database).forEach { row in
            let isEntry = row.text(at: 1).flatMap(Fact.Kind.init) != nil && row.text(at: 2)?.isEmpty == false
            if isEntry, row.integer(at: 0) ?? 0 > sequence { isFound = true }
        }
        return isFound
    }
}
