internal import Entitlements
internal import GRDB

/// The tables of the ledger, with what must hold in them.
enum LedgerSchema {
    /// Each makes the next version out of the one before. A file's version is its `user_version`.
    private static let migrations = [version1]

    /// Brings a file up to this version, in one transaction: of several processes that open a new file at once, one
    /// makes the tables and the others find them. (GRDB's own migrator looks before it locks.)
    static func migrate(_ database: DatabaseQueue) throws {
        guard try database.read(version(of:)) < migrations.count else { return }
        try database.write { database in
            for migration in try migrations.dropFirst(version(of: database)) { try database.execute(sql: migration) }
            try database.execute(sql: "PRAGMA user_version = \(migrations.count)")
        }
    }

    /// - Throws: ``LedgerError`` for a file that a later version has written.
    private static func version(of database: Database) throws -> Int {
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard version <= migrations.count else {
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

    /// Dates are milliseconds since 1970. An entry's key is the original transaction's identifier or the caller's
    /// token, so that the same fact cannot be written twice.
    private static let version1 = """
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
            UNIQUE (kind, key),
            CHECK (CASE kind
                WHEN 'purchase' THEN productIdentifier IS NOT NULL AND transactionID IS NOT NULL
                    AND productKind IS NOT NULL AND quantity IS NOT NULL AND purchaseDate IS NOT NULL
                    AND environment IS NOT NULL AND signedData IS NOT NULL AND wallet IS NULL AND amount IS NULL
                WHEN 'grant' THEN productIdentifier IS NOT NULL AND reason IS NOT NULL
                    AND wallet IS NULL AND amount IS NULL
                WHEN 'credit' THEN productIdentifier IS NOT NULL AND wallet IS NOT NULL AND amount IS NOT NULL
                WHEN 'debit' THEN productIdentifier IS NULL AND wallet IS NOT NULL AND amount IS NOT NULL
                ELSE FALSE
            END)
        ) STRICT;

        CREATE INDEX entryByWallet ON entry (wallet) WHERE wallet IS NOT NULL;

        CREATE TRIGGER entriesAreNeverChanged BEFORE UPDATE ON entry
        BEGIN SELECT RAISE(ABORT, 'an entry of the ledger is never changed'); END;

        CREATE TRIGGER entriesAreNeverRemoved BEFORE DELETE ON entry
        BEGIN SELECT RAISE(ABORT, 'an entry of the ledger is never removed'); END;

        CREATE TRIGGER creditsHaveAPurchase BEFORE INSERT ON entry
        WHEN NEW.kind = 'credit'
            AND NOT EXISTS (SELECT 1 FROM entry WHERE kind = 'purchase' AND key = NEW.key)
        BEGIN SELECT RAISE(ABORT, 'a credit is recorded with its purchase'); END;

        CREATE TRIGGER walletsFitIn64Bits BEFORE INSERT ON entry
        WHEN NEW.kind = 'credit' AND NEW.amount > 9223372036854775807 - (
            SELECT COALESCE(SUM(CASE kind WHEN 'credit' THEN amount ELSE -amount END), 0)
            FROM entry WHERE wallet = NEW.wallet)
        BEGIN SELECT RAISE(ABORT, 'a wallet cannot hold more than 64 bits can say'); END;

        CREATE TRIGGER debitsAreCovered BEFORE INSERT ON entry
        WHEN NEW.kind = 'debit' AND NEW.amount > (
            SELECT COALESCE(SUM(CASE kind WHEN 'credit' THEN amount ELSE -amount END), 0)
            FROM entry WHERE wallet = NEW.wallet)
        BEGIN SELECT RAISE(ABORT, 'a wallet cannot be overdrawn'); END;
        """
}
