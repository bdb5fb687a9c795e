internal import Foundation
internal import GRDB
internal import VitrineEntitlements
internal import VitrineSupport

/// Tables of the ledger, with their constraints.
enum LedgerSchema {
    /// Version of the ledger's tables, stored as the `user_version` of a file; 0 for a new file. From the first release
    /// on, each change of the SQL that creates the tables, indexes and triggers requires a new version, because the
    /// check for damage compares the schema of a file with this SQL.
    private static let version = 1

    /// Checksum of the SQL of all tables, indexes and triggers. In a debug build, an assertion fails if a new ledger
    /// has another checksum.
    private static let fingerprint: Int64 = 7_656_042_208_791_228_567

    /// Application ID in the file header that identifies a SQLite file as a ledger: "VTRL".
    private static let applicationID = 0x5654_524C

    /// Creates the tables in a new file, in one database transaction: if several processes open a file at the same
    /// time, one creates the tables and the others find them. (GRDB's migrator reads the version before it locks.)
    ///
    /// - Throws: ``LedgerError`` for a file that is not a ledger of this version.
    static func create(in database: DatabaseQueue) throws {
        guard try !database.read(isCreated) else { return }
        try database.write { database in
            guard try !isCreated(in: database) else { return }
            try database.execute(sql: sql)
            try database.execute(
                sql: "PRAGMA user_version = \(version); PRAGMA application_id = \(applicationID)")
            let created = checksum(of: try objects(of: database))
            assert(created == fingerprint, "the fingerprint of the ledger's tables is \(created)")
        }
    }

    /// Returns descriptions of the tables, indexes and triggers of a file that are missing or differ from the schema of
    /// this version of Vitrine; empty if there are none.
    static func errors(in database: Database) throws -> [String] {
        let found = try objects(of: database)
        // Nearly all ledgers are intact, and creating the tables for a comparison takes longer than all other checks.
        guard checksum(of: found) != fingerprint else { return [] }
        let expected = try expectedObjects.get()
        return expected.filter { found[$0.key] != $0.value }.map(\.key).sorted().map {
            "the \($0) \(found[$0] == nil ? "is missing" : "was changed")"
        }
    }

    private static let expectedObjects = Result {
        try DatabaseQueue().write { database in
            try database.execute(sql: sql)
            return try objects(of: database)
        }
    }

    private static func checksum(of objects: [String: String]) -> Int64 {
        var checksum = Checksum()
        for (name, sql) in objects.sorted(by: { $0.key < $1.key }) {
            checksum.add(name)
            checksum.add(sql)
        }
        return checksum.value
    }

    /// Returns the SQL that has created each table, index and trigger, by its type and name.
    private static func objects(of database: Database) throws -> [String: String] {
        let rows = try Row.fetchAll(database, sql: "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        return Dictionary(rows.map { ("\($0["type"] ?? "") \($0["name"] ?? "")", $0["sql"] ?? "") }) { $1 }
    }

    /// Returns `true` if a file has the tables, `false` if it is empty.
    ///
    /// - Throws: ``LedgerError`` for a file that another version of Vitrine or other software has written.
    static func isCreated(in database: Database) throws -> Bool {
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let tables = try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        if tables.isEmpty, version == 0, application == 0 { return false }
        guard tables.contains("entry"), version > 0, application == applicationID else {
            let isUnreleased = tables.contains("entry") && isUnreleased(version, application)
            throw LedgerError(
                code: .damaged,
                reason: isUnreleased
                    ? "the ledger was written by an unreleased version of Vitrine, whose format is no longer read"
                    : "the file is a database, but not a ledger")
        }
        guard version <= Self.version else {
            throw LedgerError(
                code: .newerVersion, reason: "the ledger was written by a later version of Vitrine")
        }
        return true
    }

    /// Returns `true` if the version and application ID in a file's header identify a ledger from before the first
    /// release of Vitrine: versions 1 and 2 had no application ID, later ones "VTRN".
    private static func isUnreleased(_ version: Int, _ application: Int) -> Bool {
        version > 0 && application == (version < 3 ? 0 : 0x5654_524E)
    }

    /// Configures each new connection to a ledger. The effective settings are read back: if SQLite would not make facts
    /// durable, the ledger is refused. A file that is not a ledger is refused before any setting, because the journal
    /// mode is written into the file.
    static func prepare(_ database: Database) throws {
        // In one transaction, because another process may create the tables between two of the statements.
        try database.inTransaction(.deferred) {
            _ = try isCreated(in: database)
            return .commit
        }
        let journalMode = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
        try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
        // Each insertion makes small temporary tables, for the lists in conditions of the schema. SQLite allocates much
        // less for them if they need not be written to a file.
        try database.execute(sql: "PRAGMA temp_store = MEMORY")
        let synchronous = try Int.fetchOne(database, sql: "PRAGMA synchronous")
        guard journalMode == "wal", synchronous == 2 else {
            throw LedgerError(
                code: .unavailable,
                reason: "SQLite does not make the ledger durable: journal mode \(journalMode ?? "unknown"), "
                    + "synchronous \(synchronous.map(String.init) ?? "unknown")")
        }
    }

    /// SQL condition for entries that may affect ownership.
    static let isOfOwnership =
        "kind NOT IN (\(list(Fact.Kind.allCases.filter(\.isNoMatterOfOwnership)))) AND productKind IS NOT 'consumable'"

    /// SQL condition for the entries in the index `entryOfRevocationState`.
    static let isOfRevocationState = "kind IN ('revocation', 'reinstatement', 'term', 'renewal')"

    private static func list(_ kinds: [Fact.Kind]) -> String {
        kinds.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    }

    /// SQL that creates the tables, indexes and triggers.
    private static let sql = table + indexes + tablesBesideEntries + triggers

    /// SQL that creates the table of entries. Dates are milliseconds since 1970. An entry's key is the value of
    /// ``Fact/key``, so that a fact cannot be written twice. `balance` is the balance of the wallet after the entry,
    /// `checksum` is ``EntryRow/checksum``, and `summaryChecksum` is the checksum that ``EntryTable/lastEntry()``
    /// returns.
    private static let table = """
        CREATE TABLE entry (
            sequence INTEGER PRIMARY KEY,
            balance INTEGER,
            checksum INTEGER NOT NULL,
            summaryChecksum INTEGER NOT NULL,
            \(EntryRow.columns.map { "\($0.column.name) \($0.type) \($0.column.constraint)" }
                .joined(separator: ",\n    ")),
            UNIQUE (kind, key),
            CHECK (kind NOT IN ('purchase', 'credit') OR key = purchaseID),
            CHECK (receiptDigest IS NULL OR productKind IS NOT 'consumable'),
            CHECK (kind NOT IN ('purchase', 'term', 'renewal', 'revocation', 'reinstatement',
                    'appPurchase')
                OR (signedData IS NULL) = (receiptDigest IS NOT NULL)),
            CHECK ((wallet IS NULL) = (amount IS NULL) AND (wallet IS NULL) = (balance IS NULL)),
            CHECK (CASE kind
                \(Fact.Kind.allCases.map { "WHEN '\($0.rawValue)' THEN \(condition(of: $0))" }
                    .joined(separator: "\n        "))
                ELSE FALSE
            END)
        ) STRICT;

        """

    /// SQL that creates the indexes. The index `entryOfOwnership` contains all columns from which ownership is
    /// computed.
    private static let indexes = """
        CREATE INDEX entryByWallet ON entry (wallet, sequence) WHERE wallet IS NOT NULL;

        CREATE INDEX entryOfLease ON entry (wallet, sequence) WHERE kind = 'lease';

        CREATE INDEX entryOfRevocationState ON entry (purchaseID, sequence)
        WHERE \(isOfRevocationState);

        CREATE INDEX entryOfOwnership ON entry (\(EntryRow.covered)) WHERE \(isOfOwnership);

        """

    /// Returns the SQL condition that an entry of a kind has values in all required columns of the kind, and none in
    /// the columns of other kinds.
    private static func condition(of kind: Fact.Kind) -> String {
        let (required, optional) = kind.columns
        let empty = EntryRow.columns.map(\.column.name)
            .filter { !(required + optional + EntryFields.commonColumns).contains($0) }
        return (required.map { "\($0) IS NOT NULL" } + empty.map { "\($0) IS NULL" }).joined(separator: " AND ")
    }

    /// SQL that creates the other tables: for numbers that only increase, for the date of the latest signed statement
    /// about each purchase, and for stored values that can be replaced.
    private static let tablesBesideEntries = """
        CREATE TABLE highest (
            name TEXT PRIMARY KEY CHECK (name <> ''), value INTEGER NOT NULL, checksum INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE statement (
            name TEXT PRIMARY KEY CHECK (name <> ''), value INTEGER NOT NULL, checksum INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE storedValue (
            name TEXT PRIMARY KEY CHECK (name <> ''), value BLOB NOT NULL, checksum INTEGER NOT NULL
        ) STRICT;

        """

    private static let triggersOfNumbers = ["highest", "statement"].map { table in
        """
        CREATE TRIGGER \(table)OnlyGrows BEFORE UPDATE ON \(table)
        WHEN NEW.value < OLD.value OR NEW.name <> OLD.name
        BEGIN SELECT RAISE(ABORT, 'the number only grows'); END;

        CREATE TRIGGER \(table)IsNeverRemoved BEFORE DELETE ON \(table)
        BEGIN SELECT RAISE(ABORT, 'the number is never removed'); END;

        """
    }.joined()

    /// Returns an SQL expression for a column of the last revocation or reinstatement of the purchase that a new entry
    /// refers to.
    private static func last(_ column: String) -> String {
        """
        (SELECT \(column) FROM entry WHERE purchaseID = NEW.purchaseID AND kind IN ('revocation', 'reinstatement')
            ORDER BY sequence DESC LIMIT 1)
        """
    }

    /// SQL expression for the units that revocations of the purchase that a new entry refers to have removed from its
    /// wallet, and reinstatements have not returned.
    private static let debited = """
        (SELECT IFNULL(SUM(CASE kind WHEN 'revocation' THEN amount ELSE -amount END), 0) FROM entry
            WHERE purchaseID = NEW.purchaseID AND kind IN ('revocation', 'reinstatement'))
        """

    private static let lastBalance = """
        IFNULL((SELECT balance FROM entry WHERE wallet = NEW.wallet ORDER BY sequence DESC LIMIT 1), 0)
        """

    private static let triggers =
        triggersOfNumbers + """
            CREATE TRIGGER entriesAreNeverChanged BEFORE UPDATE ON entry
            BEGIN SELECT RAISE(ABORT, 'an entry of the ledger is never changed'); END;

            CREATE TRIGGER entriesAreNeverRemoved BEFORE DELETE ON entry
            BEGIN SELECT RAISE(ABORT, 'an entry of the ledger is never removed'); END;

            CREATE TRIGGER creditsHaveAPurchase BEFORE INSERT ON entry
            WHEN NEW.kind = 'credit'
                AND NOT EXISTS (SELECT 1 FROM entry WHERE kind = 'purchase' AND key = NEW.key)
            BEGIN SELECT RAISE(ABORT, 'a credit is recorded with its purchase'); END;

            CREATE TRIGGER whatAReceiptSaysHasTheReceipt BEFORE INSERT ON entry
            WHEN NEW.receiptDigest IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM entry WHERE kind = 'receipt' AND key = NEW.receiptDigest)
            BEGIN SELECT RAISE(ABORT, 'what a receipt says is recorded after the receipt'); END;

            CREATE TRIGGER whatWasTakenBackIsNotBought BEFORE INSERT ON entry
            WHEN NEW.kind = 'purchase' AND NEW.device IS NULL AND \(last("kind")) = 'revocation'
            BEGIN SELECT RAISE(ABORT, 'the store has taken the purchase back'); END;

            CREATE TRIGGER revocationsAreInTheOrderOfSigning BEFORE INSERT ON entry
            WHEN NEW.kind = 'revocation' AND \(last("signedDate")) > NEW.signedDate
            BEGIN SELECT RAISE(ABORT, 'what the store says about a purchase counts in its order'); END;

            CREATE TRIGGER reinstatementsFollowRevocations BEFORE INSERT ON entry
            WHEN NEW.kind = 'reinstatement' AND (
                \(last("kind")) IS NOT 'revocation' OR \(last("signedDate")) >= NEW.signedDate)
            BEGIN SELECT RAISE(ABORT, 'what the store says about a purchase counts in its order'); END;

            CREATE TRIGGER balancesAreSums BEFORE INSERT ON entry
            WHEN NEW.wallet IS NOT NULL
                AND NEW.balance - \(lastBalance)
                    IS NOT CASE
                        WHEN NEW.kind IN ('debit', 'revocation') THEN -NEW.amount
                        WHEN NEW.kind IN ('counterpart', 'lease') THEN 0
                        ELSE NEW.amount
                    END
            BEGIN SELECT RAISE(ABORT, 'a balance is the sum of what was put in and taken out'); END;

            CREATE TRIGGER debitsAreCovered BEFORE INSERT ON entry
            WHEN NEW.kind = 'debit' AND NEW.device IS NULL AND NEW.balance < 0
            BEGIN SELECT RAISE(ABORT, 'a wallet cannot be overdrawn'); END;

            CREATE TRIGGER aRevocationTakesNoMoreThanItsCredit BEFORE INSERT ON entry
            WHEN NEW.kind = 'revocation' AND NEW.wallet IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM entry WHERE kind = 'credit' AND key = NEW.purchaseID AND wallet = NEW.wallet
                    AND NEW.amount + \(debited) BETWEEN 0 AND amount)
            BEGIN SELECT RAISE(ABORT, 'a revocation takes no more than its purchase had credited'); END;

            CREATE TRIGGER aReinstatementGivesBackWhatWasTaken BEFORE INSERT ON entry
            WHEN NEW.kind = 'reinstatement'
                AND (NEW.amount IS NOT NULLIF(\(debited), 0) OR NEW.wallet IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM entry WHERE kind = 'credit' AND key = NEW.purchaseID AND wallet = NEW.wallet))
            BEGIN SELECT RAISE(ABORT, 'a reinstatement gives back what was taken'); END;
            """
}
