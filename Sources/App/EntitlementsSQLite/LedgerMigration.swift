internal import Foundation
internal import GRDB
internal import VitrineEntitlements
internal import VitrineSupport

/// Migration of a ledger with tables of an earlier version to the current version of the tables.
///
/// Version 1 had no revocation dates, original purchases of the app and signing dates; version 2 no refund policies,
/// terms and authors; version 3 no receipts; version 4 no numbers and values beside the entries; version 5 no content;
/// version 6 no checksums, dates of the latest statements and partial refunds; version 7 no dates of original
/// purchases; version 8 no renewals of subscriptions; version 9 no facts of other devices.
enum LedgerMigration {
    /// Renames the tables of a ledger before they are migrated, because SQLite cannot change their constraints in
    /// place, and removes their indexes and triggers.
    static func setTablesAside(in database: Database, version: Int) throws {
        let objects = try Row.fetchAll(
            database,
            sql: "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'index') AND sql IS NOT NULL")
        for object in objects { try database.execute(sql: "DROP \(object["type"] ?? "") \(object["name"] ?? "")") }
        try database.execute(sql: "ALTER TABLE entry RENAME TO oldEntry")
        if version >= 5 {
            try database.execute(
                sql: "ALTER TABLE highest RENAME TO oldHighest; ALTER TABLE kept RENAME TO oldKept")
        }
        if version >= 7 { try database.execute(sql: "ALTER TABLE statement RENAME TO oldStatement") }
        if version == 1 { try database.execute(sql: columnsOfVersion2) }
    }

    /// Writes the entries, numbers and values of the renamed tables to the new ones.
    static func migrateTables(in database: Database, version: Int) throws {
        guard version < 7 else { return try copyTables(in: database) }
        try migrateEntries(in: database, version: version)
        try database.execute(sql: "DROP TABLE oldEntry")
        guard version >= 5 else { return }
        let values = StoredValueTables(database: database)
        for row in try Row.fetchAll(database, sql: "SELECT name, value FROM oldHighest") {
            _ = try values.advance(row["name"], to: row["value"])
        }
        for row in try Row.fetchAll(database, sql: "SELECT name, value FROM oldKept") {
            try values.keep(row["value"], as: row["name"])
        }
        try database.execute(sql: "DROP TABLE oldHighest; DROP TABLE oldKept")
    }

    /// Copies the rows of tables that have checksums as they are, so that damaged ones are still recognized.
    private static func copyTables(in database: Database) throws {
        for name in ["entry", "highest", "statement", "kept"] {
            let old = "old\(name.prefix(1).uppercased())\(name.dropFirst())"
            let columns = try database.columns(in: old).map(\.name).joined(separator: ", ")
            try database.execute(
                sql: "INSERT INTO \(name) (\(columns)) SELECT \(columns) FROM \(old); DROP TABLE \(old)")
        }
    }

    private static func migrateEntries(in database: Database, version: Int) throws {
        let known = Set(try database.columns(in: "oldEntry").map(\.name))
        let expressions = EntryRow.columns.map(\.column.name).map { name in
            (version <= 2 ? expressionsOfVersion2[name] : nil) ?? (known.contains(name) ? name : "NULL")
        }
        let selection =
            "SELECT sequence, NULL, NULL, NULL, \(expressions.joined(separator: ", ")) "
            + "FROM oldEntry ORDER BY sequence"
        let table = EntryTable(database: database)
        var balances: [String: Int] = [:]
        try PositionalStatement(selection, in: database).forEach { row in
            let entry = try EntryRow(unchecked: row, all: true).fields.entry()
            var balance: Int?
            if let change = entry.fact.walletChange {
                let (sum, overflows) = balances[change.wallet, default: 0].addingReportingOverflow(change.amount)
                guard !overflows else {
                    throw LedgerError(
                        code: .damaged, reason: "the balance of the wallet \"\(change.wallet)\" exceeds 64 bits")
                }
                (balances[change.wallet], balance) = (sum, sum)
            }
            var fields = EntryFields(fact: entry.fact, recordedAt: entry.recordedAt)
            try table.insert(&fields, balance: balance, sequence: entry.sequence)
        }
    }

    /// SQL of the columns that version 2 of the tables has and version 1 does not.
    private static let columnsOfVersion2 = """
        ALTER TABLE oldEntry ADD COLUMN revocationDate INTEGER;
        ALTER TABLE oldEntry ADD COLUMN originalVersion TEXT;
        ALTER TABLE oldEntry ADD COLUMN platform TEXT;
        ALTER TABLE oldEntry ADD COLUMN signedDate INTEGER;
        """

    /// SQL of the columns whose values version 2 of the tables did not store, or stored in another way: when a purchase
    /// or a revocation was signed, and the authors of grants. The dates of the purchase and the revocation are used as
    /// signing dates. The only refund policy was to remove units down to zero.
    private static let expressionsOfVersion2 = [
        "key": "CASE kind WHEN 'revocation' THEN key || ' ' || revocationDate ELSE key END",
        "purchaseID": "CASE WHEN kind IN ('purchase', 'credit', 'revocation') THEN key END",
        "originalTransactionID": "CASE WHEN kind IN ('purchase', 'revocation') THEN key END",
        "isFamilyShared": "CASE kind WHEN 'purchase' THEN 0 END",
        "signedDate": """
        CASE kind WHEN 'purchase' THEN purchaseDate WHEN 'revocation' THEN revocationDate ELSE signedDate END
        """,
        "author": "CASE kind WHEN 'grant' THEN '' END",
        "refundPolicy": "CASE kind WHEN 'credit' THEN 'clawback' END",
    ]
}
