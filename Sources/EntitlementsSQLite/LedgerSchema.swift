internal import Entitlements
internal import GRDB

/// Tables of the ledger, with their constraints.
enum LedgerSchema {
    /// Current version of the tables. A file's version is its `user_version`; 0 for a new file.
    private static let version = 6

    /// Application ID in the file header that identifies a SQLite file as a ledger, since version 3: "VTRN".
    private static let applicationID = 0x5654_524E

    /// Migrates a ledger file to the current version of the tables, in one transaction: if several processes open a
    /// file at the same time, one creates the tables and the others find them. (GRDB's own migrator reads the version
    /// before it locks.)
    static func migrate(_ database: DatabaseQueue) throws {
        guard try database.read(version(of:)) < version else { return }
        try database.write { database in
            let before = try version(of: database)
            guard before < version else { return }
            if before == 0 {
                try database.execute(sql: table)
            } else {
                // The old table has other constraints, which SQLite cannot change in place.
                let triggers = try String.fetchAll(
                    database, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'entry'")
                for trigger in triggers { try database.execute(sql: "DROP TRIGGER \(trigger)") }
                let indexes = try String.fetchAll(
                    database,
                    sql: """
                        SELECT name FROM sqlite_master
                        WHERE type = 'index' AND tbl_name = 'entry' AND sql IS NOT NULL
                        """)
                for index in indexes { try database.execute(sql: "DROP INDEX \(index)") }
                try database.execute(sql: "ALTER TABLE entry RENAME TO oldEntry")
                if before == 1 { try database.execute(sql: LedgerMigrations.columnsOfVersion2) }
                try database.execute(sql: table + LedgerMigrations.entries(of: before) + "DROP TABLE oldEntry;")
            }
            // Triggers are created last: running them for each migrated row would take very long.
            try database.execute(sql: triggers)
            if before < 5 { try database.execute(sql: tablesBesideEntries) }
            try database.execute(
                sql: "PRAGMA user_version = \(version); PRAGMA application_id = \(applicationID)")
        }
    }

    /// Returns `true` if the tables have the current version.
    ///
    /// - Throws: ``LedgerError`` for a file that a later version or other software has written.
    static func isCurrent(_ database: Database) throws -> Bool { try version(of: database) == version }

    /// Returns the version of the tables in a file.
    ///
    /// - Throws: ``LedgerError`` for a file that a later version or other software has written.
    private static func version(of database: Database) throws -> Int {
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let tables = try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        let isEmpty = tables.isEmpty && version == 0 && application == 0
        let isOurs = tables.contains("entry") && version > 0 && application == (version < 3 ? 0 : applicationID)
        guard isEmpty || isOurs else {
            throw LedgerError(code: .damaged, reason: "the file is a database, but not a ledger")
        }
        guard version <= Self.version else {
            throw LedgerError(
                code: .newerVersion, reason: "the ledger was written by a later version of Vitrine")
        }
        return version
    }

    /// Configures each new connection to a ledger. The effective settings are read back: a ledger that is not durable
    /// is refused. A file that is not a ledger is refused before any setting, because the journal mode is written into
    /// the file.
    static func prepare(_ database: Database) throws {
        _ = try version(of: database)
        let journalMode = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
        try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
        let synchronous = try Int.fetchOne(database, sql: "PRAGMA synchronous")
        guard journalMode == "wal", synchronous == 2 else {
            throw LedgerError(
                code: .unavailable,
                reason: "SQLite does not make the ledger durable: journal mode \(journalMode ?? "unknown"), "
                    + "synchronous \(synchronous.map(String.init) ?? "unknown")")
        }
    }

    /// SQL condition for entries that may affect ownership: entries that only change a number of units or describe
    /// content are excluded.
    static let isOfOwnership =
        "kind NOT IN ('credit', 'deposit', 'debit', 'content') AND productKind IS NOT 'consumable'"

    /// SQL that creates the table of entries. Dates are milliseconds since 1970. An entry's key is the value of
    /// ``Fact/key``, so that a fact cannot be written twice. `balance` is the balance of the wallet after the entry.
    private static let table = """
        CREATE TABLE entry (
            sequence INTEGER PRIMARY KEY,
            kind TEXT NOT NULL,
            key TEXT NOT NULL CHECK (key <> ''),
            recordedAt INTEGER NOT NULL,
            purchaseID TEXT,
            originalTransactionID TEXT,
            transactionID TEXT,
            productIdentifier TEXT,
            productKind TEXT,
            quantity INTEGER CHECK (quantity > 0),
            purchaseDate INTEGER,
            expirationDate INTEGER,
            gracePeriodExpirationDate INTEGER,
            isUpgraded INTEGER CHECK (isUpgraded IN (0, 1)),
            isFamilyShared INTEGER CHECK (isFamilyShared IN (0, 1)),
            accountToken TEXT,
            contents TEXT,
            environment TEXT,
            signedDate INTEGER,
            revocationDate INTEGER,
            reason TEXT,
            author TEXT,
            wallet TEXT,
            amount INTEGER CHECK (amount > 0),
            refundPolicy TEXT CHECK (refundPolicy IN ('clawback', 'debt', 'ignore')),
            balance INTEGER,
            originalVersion TEXT,
            platform TEXT,
            receiptDigest TEXT,
            signedData TEXT,
            contentVersion TEXT,
            contentDigest TEXT CHECK (length(contentDigest) = 64 AND contentDigest NOT GLOB '*[^0-9a-f]*'),
            contentPath TEXT,
            UNIQUE (kind, key),
            CHECK (receiptDigest IS NULL OR kind IN ('purchase', 'term', 'revocation', 'reinstatement', 'appPurchase')),
            CHECK (receiptDigest IS NULL OR productKind IS NOT 'consumable'),
            CHECK ((wallet IS NULL) = (amount IS NULL) AND (wallet IS NULL) = (balance IS NULL)),
            CHECK ((contentVersion IS NOT NULL) = (kind = 'content') AND (contentPath IS NOT NULL) = (kind = 'content')),
            CHECK (contentDigest IS NULL OR kind = 'content'),
            CHECK (CASE
                WHEN kind IN ('purchase', 'term', 'revocation', 'reinstatement') THEN
                    purchaseID IS NOT NULL AND originalTransactionID IS NOT NULL AND transactionID IS NOT NULL
                    AND productIdentifier IS NOT NULL AND environment IS NOT NULL AND signedDate IS NOT NULL
                    AND (signedData IS NULL) = (receiptDigest IS NOT NULL) AND CASE kind
                        WHEN 'purchase' THEN key = purchaseID AND productKind IS NOT NULL AND quantity IS NOT NULL
                            AND purchaseDate IS NOT NULL AND isFamilyShared IS NOT NULL AND wallet IS NULL
                        WHEN 'term' THEN expirationDate IS NOT NULL AND isUpgraded IS NOT NULL AND wallet IS NULL
                        WHEN 'revocation' THEN revocationDate IS NOT NULL
                        ELSE TRUE
                    END
                WHEN kind IN ('grant', 'lock') THEN
                    productIdentifier IS NOT NULL AND reason IS NOT NULL AND author IS NOT NULL AND wallet IS NULL
                WHEN kind = 'credit' THEN
                    purchaseID IS NOT NULL AND key = purchaseID AND productIdentifier IS NOT NULL AND wallet IS NOT NULL
                    AND refundPolicy IS NOT NULL
                WHEN kind = 'deposit' THEN productIdentifier IS NULL AND wallet IS NOT NULL AND reason IS NOT NULL
                WHEN kind = 'debit' THEN productIdentifier IS NULL AND wallet IS NOT NULL
                WHEN kind = 'appPurchase' THEN
                    productIdentifier IS NULL AND originalVersion IS NOT NULL AND purchaseDate IS NOT NULL
                    AND environment IS NOT NULL AND signedDate IS NOT NULL
                    AND (signedData IS NULL) = (receiptDigest IS NOT NULL) AND wallet IS NULL
                WHEN kind = 'receipt' THEN
                    productIdentifier IS NULL AND environment IS NOT NULL AND signedDate IS NOT NULL
                    AND signedData IS NOT NULL AND wallet IS NULL
                WHEN kind = 'content' THEN productIdentifier IS NOT NULL AND wallet IS NULL
                WHEN kind IN ('loss', 'settlement', 'note') THEN reason IS NOT NULL AND wallet IS NULL
                ELSE FALSE
            END)
        ) STRICT;

        CREATE INDEX entryByWallet ON entry (wallet, sequence, balance) WHERE wallet IS NOT NULL;

        CREATE INDEX entryOfStanding ON entry (purchaseID, sequence)
        WHERE kind IN ('revocation', 'reinstatement', 'term');

        CREATE INDEX entryOfOwnership ON entry (
            sequence, kind, key, recordedAt, purchaseID, originalTransactionID, transactionID, productIdentifier,
            productKind, quantity, purchaseDate, expirationDate, gracePeriodExpirationDate, isUpgraded,
            isFamilyShared, accountToken, contents, environment, signedDate, revocationDate, reason, author, wallet,
            amount, refundPolicy, originalVersion, platform, receiptDigest
        ) WHERE \(isOfOwnership);

        """

    /// SQL that creates the other tables, since version 5: numbers that only increase, and stored values that newer
    /// ones replace.
    private static let tablesBesideEntries = """
        CREATE TABLE highest (
            name TEXT PRIMARY KEY CHECK (name <> ''), value INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE kept (name TEXT PRIMARY KEY CHECK (name <> ''), value BLOB NOT NULL) STRICT;

        CREATE TRIGGER highestNumbersOnlyGrow BEFORE UPDATE ON highest
        WHEN NEW.value < OLD.value OR NEW.name <> OLD.name
        BEGIN SELECT RAISE(ABORT, 'a highest number only grows'); END;

        CREATE TRIGGER highestNumbersAreNeverRemoved BEFORE DELETE ON highest
        BEGIN SELECT RAISE(ABORT, 'a highest number is never removed'); END;

        """

    /// Returns the SQL for the value of a column in the last revocation or reinstatement of the purchase to which a new
    /// entry refers.
    private static func last(_ column: String) -> String {
        """
        (SELECT \(column) FROM entry WHERE purchaseID = NEW.purchaseID AND kind IN ('revocation', 'reinstatement')
            ORDER BY sequence DESC LIMIT 1)
        """
    }

    private static let lastBalance = """
        IFNULL((SELECT balance FROM entry WHERE wallet = NEW.wallet ORDER BY sequence DESC LIMIT 1), 0)
        """

    private static let triggers = """
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
        WHEN NEW.kind = 'purchase' AND \(last("kind")) = 'revocation'
        BEGIN SELECT RAISE(ABORT, 'the store has taken the purchase back'); END;

        CREATE TRIGGER revocationsAndReinstatementsTakeTurns BEFORE INSERT ON entry
        WHEN NEW.kind IN ('revocation', 'reinstatement') AND (
            IFNULL(\(last("kind")), 'reinstatement') = NEW.kind
            OR IFNULL(\(last("signedDate")), NEW.signedDate - 1) >= NEW.signedDate)
        BEGIN SELECT RAISE(ABORT, 'what the store says about a purchase counts in its order'); END;

        CREATE TRIGGER balancesAreSums BEFORE INSERT ON entry
        WHEN NEW.wallet IS NOT NULL
            AND NEW.balance - \(lastBalance)
                IS NOT CASE WHEN NEW.kind IN ('debit', 'revocation') THEN -NEW.amount ELSE NEW.amount END
        BEGIN SELECT RAISE(ABORT, 'a balance is the sum of what was put in and taken out'); END;

        CREATE TRIGGER debitsAreCovered BEFORE INSERT ON entry
        WHEN NEW.kind = 'debit' AND NEW.balance < 0
        BEGIN SELECT RAISE(ABORT, 'a wallet cannot be overdrawn'); END;

        CREATE TRIGGER aRevocationTakesNoMoreThanItsCredit BEFORE INSERT ON entry
        WHEN NEW.kind = 'revocation' AND NEW.wallet IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM entry WHERE kind = 'credit' AND key = NEW.purchaseID AND wallet = NEW.wallet
                AND NEW.amount <= amount)
        BEGIN SELECT RAISE(ABORT, 'a revocation takes no more than its purchase had credited'); END;

        CREATE TRIGGER aReinstatementGivesBackWhatWasTaken BEFORE INSERT ON entry
        WHEN NEW.kind = 'reinstatement'
            AND (NEW.wallet IS NOT \(last("wallet")) OR NEW.amount IS NOT \(last("amount")))
        BEGIN SELECT RAISE(ABORT, 'a reinstatement gives back what was taken'); END;
        """
}
