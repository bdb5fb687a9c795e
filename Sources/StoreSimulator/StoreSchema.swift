internal import Crypto
internal import Foundation
internal import GRDB

/// Tables of a simulated store.
enum StoreSchema {
    /// Migrations, each from one version to the next. A file's version is its `user_version`, which is 0 for a new file
    /// and also for a file of the first version.
    private static let migrations = [
        """
        CREATE TABLE IF NOT EXISTS identity (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            bundleIdentifier TEXT NOT NULL,
            pem TEXT NOT NULL
        ) STRICT;

        CREATE TABLE IF NOT EXISTS purchase (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            productIdentifier TEXT NOT NULL,
            kind TEXT NOT NULL,
            quantity INTEGER NOT NULL CHECK (quantity > 0),
            purchaseDate INTEGER NOT NULL,
            price INTEGER NOT NULL,
            currency TEXT NOT NULL,
            storefront TEXT NOT NULL,
            isFinished INTEGER NOT NULL DEFAULT 0 CHECK (isFinished IN (0, 1))
        ) STRICT;

        CREATE INDEX IF NOT EXISTS purchaseByProduct ON purchase (productIdentifier);
        """,
        """
        ALTER TABLE purchase ADD COLUMN revocationDate INTEGER;

        CREATE TABLE appPurchase (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            version TEXT NOT NULL,
            date INTEGER NOT NULL,
            platform TEXT
        ) STRICT;
        """,
        """
        ALTER TABLE purchase ADD COLUMN ownershipType TEXT NOT NULL DEFAULT 'PURCHASED'
            CHECK (ownershipType IN ('PURCHASED', 'FAMILY_SHARED'));
        ALTER TABLE purchase ADD COLUMN accountToken TEXT;
        ALTER TABLE purchase ADD COLUMN isPending INTEGER NOT NULL DEFAULT 0 CHECK (isPending IN (0, 1));
        ALTER TABLE purchase ADD COLUMN signedFrom INTEGER NOT NULL DEFAULT 0;

        CREATE TABLE settings (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            asksToBuy INTEGER NOT NULL DEFAULT 0 CHECK (asksToBuy IN (0, 1)),
            isOffline INTEGER NOT NULL DEFAULT 0 CHECK (isOffline IN (0, 1)),
            paymentRestriction TEXT
        ) STRICT;
        INSERT INTO settings (id) VALUES (1);

        CREATE TABLE armedFailure (
            call TEXT PRIMARY KEY,
            failure TEXT NOT NULL,
            remaining INTEGER CHECK (remaining > 0)
        ) STRICT;

        CREATE TABLE promotion (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            productIdentifier TEXT NOT NULL
        ) STRICT;
        """,
        """
        ALTER TABLE identity ADD COLUMN seed INTEGER NOT NULL DEFAULT 0;
        UPDATE identity SET seed = random();
        ALTER TABLE identity ADD COLUMN receiptPEM TEXT;

        CREATE TABLE deviceReceipt (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            isExpired INTEGER NOT NULL CHECK (isExpired IN (0, 1)),
            isRevoked INTEGER NOT NULL CHECK (isRevoked IN (0, 1)),
            isVolumePurchase INTEGER NOT NULL CHECK (isVolumePurchase IN (0, 1))
        ) STRICT;
        """,
        """
        DROP TABLE deviceReceipt;
        CREATE TABLE deviceReceipt (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            payload BLOB NOT NULL,
            signed BLOB
        ) STRICT;
        """,
        "ALTER TABLE settings ADD COLUMN storefront TEXT;",
    ]

    /// Migrates a file to the current version, in one transaction.
    static func migrate(_ queue: DatabaseQueue) throws {
        let read = { try Int.fetchOne($0, sql: "PRAGMA user_version") ?? 0 }
        guard try queue.read(read) < migrations.count else { return }
        try queue.write { database in
            for migration in migrations.dropFirst(try read(database)) { try database.execute(sql: migration) }
            try database.execute(sql: "PRAGMA user_version = \(migrations.count)")
        }
    }
}

/// Seed of all generated values of a store, except its keys: the same seed gives the same values.
struct StoreSeed: Sendable {
    let value: UInt64

    /// Number of the first transaction: a million numbers for each seed, with at most fifteen digits, as many as in the
    /// App Store.
    var firstTransactionID: Int64 { Int64(value % 1_000_000_000) * 1_000_000 + 1 }

    /// Replacement for the vendor identifier of an iPhone: 16 bytes.
    var deviceIdentifier: Data { bytes(for: "device") }

    /// Opaque value in the device hash of every receipt: 16 bytes.
    var opaqueValue: Data { bytes(for: "opaque value") }

    private func bytes(for purpose: String) -> Data {
        Data(SHA256.hash(data: Data("\(value) \(purpose)".utf8)).prefix(16))
    }
}
