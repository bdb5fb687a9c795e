internal import Entitlements
internal import GRDB

/// The tables of the ledger, with what must hold in them.
enum LedgerSchema {
    /// A file's version is its `user_version`; 0 for a new one.
    private static let version = 2

    /// Brings a file up to this version, in one transaction: of several processes that open a file at once, one makes
    /// the tables and the others find them. (GRDB's own migrator looks before it locks.)
    static func migrate(_ database: DatabaseQueue) throws {
        guard try database.read(version(of:)) < version else { return }
        try database.write { database in
            switch try version(of: database) {
            case 0: try database.execute(sql: table)
            case 1:
                // Its table has other constraints, which SQLite cannot change in place.
                let columns = try database.columns(in: "entry").map(\.name).joined(separator: ", ")
                let triggers = try String.fetchAll(
                    database, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger'")
                for trigger in triggers { try database.execute(sql: "DROP TRIGGER \(trigger)") }
                try database.execute(sql: "DROP INDEX entryByWallet; ALTER TABLE entry RENAME TO oldEntry")
                try database.execute(sql: table)
                try database.execute(
                    sql: """
                        INSERT INTO entry (\(columns)) SELECT \(columns) FROM oldEntry ORDER BY sequence;
                        DROP TABLE oldEntry;
                        """)
            default: return
            }
            // Only now: checked again for each row that is taken over, they would take very long.
            try database.execute(sql: triggers)
            try database.execute(sql: "PRAGMA user_version = \(version)")
        }
    }

    /// - Throws: ``LedgerError`` for a file that a later version has written.
    private static func version(of database: Database) throws -> Int {
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard version <= Self.version else {
            throw LedgerError(code: .damaged, reason: "the ledger was written by a later version of Vitrine")
        }
        return version
    }

    /// Runs on each new connection. What was asked for is read back: a ledger that is not durable is refused.
    static func prepare(_ database: Database) throws {
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

    /// Dates are milliseconds since 1970. An entry's key is what ``Fact/key`` says, so that the same fact cannot be
    /// written twice.
    private static let table = """
        CREATE TABLE entry (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL,
            key TEXT NOT NULL CHECK (key <> ''),
            recordedAt INTEGER NOT NULL,
            productIdentifier TEXT,
            transactionID TEXT,
            productKind TEXT,
            quantity INTEGER CHECK (quantity > 0),
            purchaseDate INTEGER,
            environment TEXT,
            signedData TEXT,
            reason TEXT,
            wallet TEXT,
            amount INTEGER CHECK (amount > 0),
            revocationDate INTEGER,
            originalVersion TEXT,
            platform TEXT,
            signedDate INTEGER,
            UNIQUE (kind, key),
            CHECK (CASE kind
                WHEN 'purchase' THEN productIdentifier IS NOT NULL AND transactionID IS NOT NULL
                    AND productKind IS NOT NULL AND quantity IS NOT NULL AND purchaseDate IS NOT NULL
                    AND environment IS NOT NULL AND signedData IS NOT NULL AND wallet IS NULL AND amount IS NULL
                WHEN 'grant' THEN productIdentifier IS NOT NULL AND reason IS NOT NULL
                    AND wallet IS NULL AND amount IS NULL
                WHEN 'credit' THEN productIdentifier IS NOT NULL AND wallet IS NOT NULL AND amount IS NOT NULL
                WHEN 'debit' THEN productIdentifier IS NULL AND wallet IS NOT NULL AND amount IS NOT NULL
                WHEN 'revocation' THEN productIdentifier IS NOT NULL AND transactionID IS NOT NULL
                    AND revocationDate IS NOT NULL AND environment IS NOT NULL AND signedData IS NOT NULL
                    AND (wallet IS NULL) = (amount IS NULL)
                WHEN 'appPurchase' THEN productIdentifier IS NULL AND originalVersion IS NOT NULL
                    AND purchaseDate IS NOT NULL AND environment IS NOT NULL AND signedDate IS NOT NULL
                    AND signedData IS NOT NULL AND wallet IS NULL AND amount IS NULL
                ELSE FALSE
            END)
        ) STRICT;

        CREATE INDEX entryByWallet ON entry (wallet) WHERE wallet IS NOT NULL;
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

        CREATE TRIGGER whatWasTakenBackIsNotBought BEFORE INSERT ON entry
        WHEN NEW.kind = 'purchase'
            AND EXISTS (SELECT 1 FROM entry WHERE kind = 'revocation' AND key = NEW.key)
        BEGIN SELECT RAISE(ABORT, 'the store has taken the purchase back'); END;

        CREATE TRIGGER walletsFitIn64Bits BEFORE INSERT ON entry
        WHEN NEW.kind = 'credit' AND NEW.amount > 9223372036854775807 - (
            SELECT COALESCE(SUM(CASE kind WHEN 'credit' THEN amount ELSE -amount END), 0)
            FROM entry WHERE wallet = NEW.wallet)
        BEGIN SELECT RAISE(ABORT, 'a wallet cannot hold more than 64 bits can say'); END;

        CREATE TRIGGER debitsAreCovered BEFORE INSERT ON entry
        WHEN NEW.kind IN ('debit', 'revocation') AND NEW.amount > (
            SELECT COALESCE(SUM(CASE kind WHEN 'credit' THEN amount ELSE -amount END), 0)
            FROM entry WHERE wallet = NEW.wallet)
        BEGIN SELECT RAISE(ABORT, 'a wallet cannot be overdrawn'); END;
        """
}
