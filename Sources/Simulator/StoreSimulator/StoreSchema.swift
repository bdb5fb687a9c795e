internal import Crypto
internal import Foundation
internal import GRDB
internal import VitrineCatalog

/// Tables of a simulated store.
enum StoreSchema {
    /// Migrations of the store's database file, each from one version to the next. The version of a file is its
    /// `user_version`, which is 0 for a new file and also for a file of the first version.
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
        "ALTER TABLE promotion ADD COLUMN readDate INTEGER;",
        customersAndSubscriptions,
        """
        ALTER TABLE subscription ADD COLUMN signedFrom INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE settings ADD COLUMN offlineDate INTEGER;
        """,
        serverSide,
    ]

    /// Migration that adds what the store tells servers: notifications, extended renewals, and requests for refunds. It
    /// also adds recordings of the store.
    /// Purchases of earlier versions count as last changed in the order of their numbers.
    private static let serverSide = """
        ALTER TABLE purchase ADD COLUMN modification INTEGER NOT NULL DEFAULT 0;
        UPDATE purchase SET modification = id;
        CREATE INDEX modifiedPurchase ON purchase (modification);
        CREATE INDEX modifiedPurchaseOfCustomer ON purchase (customer, modification);
        ALTER TABLE subscription ADD COLUMN accountToken TEXT;

        ALTER TABLE settings ADD COLUMN environment TEXT;
        ALTER TABLE settings ADD COLUMN appIdentifier INTEGER;
        ALTER TABLE settings ADD COLUMN notificationURL TEXT;

        CREATE TABLE serverKey (
            identifier TEXT PRIMARY KEY,
            issuer TEXT NOT NULL,
            publicKey TEXT NOT NULL
        ) STRICT;

        CREATE TABLE notification (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            identifier TEXT NOT NULL UNIQUE,
            date INTEGER NOT NULL,
            type TEXT NOT NULL,
            subtype TEXT,
            customer INTEGER,
            purchase INTEGER,
            testToken TEXT UNIQUE,
            signedPayload TEXT NOT NULL,
            nextAttempt INTEGER
        ) STRICT;
        CREATE INDEX dueNotification ON notification (nextAttempt, id) WHERE nextAttempt IS NOT NULL;
        CREATE INDEX notificationOfCustomer ON notification (customer, id) WHERE customer IS NOT NULL;

        CREATE TABLE notificationAttempt (
            notification INTEGER NOT NULL REFERENCES notification (id),
            number INTEGER NOT NULL CHECK (number > 0),
            date INTEGER NOT NULL,
            result TEXT NOT NULL,
            PRIMARY KEY (notification, number)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE renewalExtension (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            subscription INTEGER NOT NULL,
            date INTEGER NOT NULL,
            request TEXT NOT NULL,
            expiresDate INTEGER NOT NULL,
            UNIQUE (subscription, request)
        ) STRICT;

        CREATE TABLE massExtension (
            request TEXT PRIMARY KEY,
            productIdentifier TEXT NOT NULL,
            days INTEGER NOT NULL,
            storefronts TEXT,
            dueDate INTEGER NOT NULL,
            completeDate INTEGER,
            succeeded INTEGER NOT NULL DEFAULT 0,
            failed INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX dueMassExtension ON massExtension (dueDate) WHERE completeDate IS NULL;

        CREATE TABLE refundRequest (
            purchase INTEGER PRIMARY KEY,
            date INTEGER NOT NULL,
            reason TEXT NOT NULL
        ) STRICT;

        CREATE TABLE consumptionReport (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            purchase INTEGER NOT NULL,
            date INTEGER NOT NULL,
            body TEXT NOT NULL
        ) STRICT;

        ALTER TABLE settings ADD COLUMN isRecording INTEGER NOT NULL DEFAULT 0 CHECK (isRecording IN (0, 1));

        CREATE TABLE recording (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            identifier TEXT NOT NULL,
            salt BLOB NOT NULL
        ) STRICT;

        CREATE TABLE action (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            date INTEGER NOT NULL,
            environment TEXT,
            appIdentifier INTEGER,
            transactions INTEGER NOT NULL,
            body TEXT NOT NULL
        ) STRICT;
        """

    /// Migration that adds customers with devices, subscriptions, and a clock. Rows that an earlier version has stored
    /// are assigned to the first device of the first customer.
    private static let customersAndSubscriptions = """
        CREATE TABLE customer (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE CHECK (name <> ''),
            family TEXT CHECK (family <> '')
        ) STRICT;
        INSERT INTO customer (id, name) VALUES (1, 'default');

        CREATE TABLE device (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            customer INTEGER NOT NULL REFERENCES customer (id),
            name TEXT NOT NULL CHECK (name <> ''),
            UNIQUE (customer, name)
        ) STRICT;
        INSERT INTO device (id, customer, name) VALUES (1, 1, 'default');

        CREATE TABLE unfinished (
            device INTEGER NOT NULL REFERENCES device (id),
            purchase INTEGER NOT NULL,
            PRIMARY KEY (device, purchase)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO unfinished SELECT 1, id FROM purchase WHERE isFinished = 0 AND isPending = 0;
        ALTER TABLE purchase DROP COLUMN isFinished;

        ALTER TABLE purchase ADD COLUMN customer INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE purchase ADD COLUMN device INTEGER;
        ALTER TABLE purchase ADD COLUMN originalID INTEGER;
        ALTER TABLE purchase ADD COLUMN originalDate INTEGER;
        ALTER TABLE purchase ADD COLUMN isRenewal INTEGER NOT NULL DEFAULT 0 CHECK (isRenewal IN (0, 1));
        ALTER TABLE purchase ADD COLUMN isInterrupted INTEGER NOT NULL DEFAULT 0 CHECK (isInterrupted IN (0, 1));
        ALTER TABLE purchase ADD COLUMN isUpgraded INTEGER NOT NULL DEFAULT 0 CHECK (isUpgraded IN (0, 1));
        ALTER TABLE purchase ADD COLUMN groupID TEXT;
        ALTER TABLE purchase ADD COLUMN expiresDate INTEGER;
        ALTER TABLE purchase ADD COLUMN offer TEXT;
        ALTER TABLE purchase ADD COLUMN revocationType TEXT;
        ALTER TABLE purchase ADD COLUMN revocationPercentage INTEGER;
        ALTER TABLE purchase ADD COLUMN sharedFrom INTEGER;
        CREATE INDEX purchaseOfCustomer ON purchase (customer, productIdentifier);
        CREATE INDEX pendingPurchase ON purchase (purchaseDate) WHERE isPending = 1;
        CREATE INDEX sharedPurchase ON purchase (sharedFrom) WHERE sharedFrom IS NOT NULL;
        DROP INDEX purchaseByProduct;

        CREATE TABLE subscription (
            id INTEGER PRIMARY KEY,
            customer INTEGER NOT NULL,
            groupID TEXT NOT NULL,
            productIdentifier TEXT NOT NULL,
            purchase INTEGER NOT NULL,
            expiresDate INTEGER NOT NULL,
            billingDay INTEGER NOT NULL CHECK (billingDay BETWEEN 1 AND 31),
            isRenewing INTEGER NOT NULL CHECK (isRenewing IN (0, 1)),
            renewalProduct TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('active', 'grace', 'retry', 'expired', 'revoked')),
            expirationReason INTEGER,
            graceDate INTEGER,
            retryDate INTEGER,
            consent TEXT,
            price INTEGER NOT NULL,
            offer TEXT,
            nextOffer TEXT,
            startDate INTEGER NOT NULL,
            isBillingFailing INTEGER NOT NULL CHECK (isBillingFailing IN (0, 1)),
            sharedFrom INTEGER,
            nextDate INTEGER,
            CHECK ((state = 'grace') = (graceDate IS NOT NULL)),
            CHECK ((state = 'expired') = (expirationReason IS NOT NULL))
        ) STRICT;
        CREATE INDEX subscriptionOfCustomer ON subscription (customer, groupID);
        CREATE INDEX dueSubscription ON subscription (nextDate, id) WHERE nextDate IS NOT NULL;
        CREATE INDEX sharedSubscription ON subscription (sharedFrom) WHERE sharedFrom IS NOT NULL;

        CREATE TABLE productChange (
            productIdentifier TEXT PRIMARY KEY,
            price INTEGER,
            isWithdrawn INTEGER NOT NULL DEFAULT 0 CHECK (isWithdrawn IN (0, 1))
        ) STRICT;

        CREATE TABLE event (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            date INTEGER NOT NULL,
            customer INTEGER,
            kind TEXT NOT NULL,
            productIdentifier TEXT,
            purchase INTEGER,
            detail TEXT
        ) STRICT;

        ALTER TABLE settings ADD COLUMN clock INTEGER;
        ALTER TABLE settings ADD COLUMN timeRate INTEGER;
        ALTER TABLE settings ADD COLUMN hasGracePeriod INTEGER;
        ALTER TABLE settings ADD COLUMN isBillingFailing INTEGER;
        ALTER TABLE settings ADD COLUMN interruptsPurchases INTEGER NOT NULL DEFAULT 0
            CHECK (interruptsPurchases IN (0, 1));
        ALTER TABLE settings ADD COLUMN sendsConsumablesToAllDevices INTEGER NOT NULL DEFAULT 0
            CHECK (sendsConsumablesToAllDevices IN (0, 1));

        CREATE TABLE receiptOfDevice (
            id INTEGER PRIMARY KEY REFERENCES device (id),
            payload BLOB NOT NULL,
            signed BLOB
        ) STRICT;
        INSERT INTO receiptOfDevice SELECT id, payload, signed FROM deviceReceipt;
        DROP TABLE deviceReceipt;
        ALTER TABLE receiptOfDevice RENAME TO deviceReceipt;

        CREATE TABLE purchaseOfApp (
            id INTEGER PRIMARY KEY REFERENCES customer (id),
            version TEXT NOT NULL,
            date INTEGER NOT NULL,
            platform TEXT
        ) STRICT;
        INSERT INTO purchaseOfApp SELECT id, version, date, platform FROM appPurchase;
        DROP TABLE appPurchase;
        ALTER TABLE purchaseOfApp RENAME TO appPurchase;
        """

    /// Migrates a database file to the current version, in one transaction of the database.
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

    /// Number of the store's first transaction. Each seed has a million numbers, of at most fifteen digits as in the
    /// App Store.
    var firstTransactionID: Int64 { Int64(value % 1_000_000_000) * 1_000_000 + 1 }

    /// Replacement for the vendor identifier of an iPhone: 16 bytes.
    func deviceIdentifier(of device: Int64) -> Data { bytes(for: device == 1 ? "device" : "device \(device)") }

    /// Identifier of a customer's purchase of the app: 18 digits, as in the App Store.
    func appTransactionID(of customer: Int64) -> String {
        let number = bytes(for: "customer \(customer)").prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return String(700_000_000_000_000_000 + number % 100_000_000_000_000_000)
    }

    /// Opaque value in the device hash of every receipt: 16 bytes.
    var opaqueValue: Data { bytes(for: "opaque value") }

    /// Identifier of a subscription period, derived from the number of its transaction.
    func webOrderLineItemID(of transaction: String) -> String { "8\(transaction)" }

    /// Identifier of the customer's devices, to which signed data on a device is bound.
    var deviceVerificationID: UUID { uuid("device verification") }

    /// Number that is used once, for the device verification of what is signed at a date.
    func deviceVerificationNonce(of signed: String, at date: Date) -> UUID { uuid("\(signed) \(date.milliseconds)") }

    /// Returns the value that binds signed data to a device: the SHA-384 hash of the nonce and the device's identifier,
    /// both in lower case, as Apple's
    /// [deviceVerification](https://developer.apple.com/documentation/storekit/transaction/deviceverification) says.
    func deviceVerification(with nonce: UUID) -> Data {
        let text = nonce.uuidString.lowercased() + deviceVerificationID.uuidString.lowercased()
        return Data(SHA384.hash(data: Data(text.utf8)))
    }

    /// Identifier of a notification, or of another object with a number, as a UUID in lower case.
    func numberedIdentifier(_ number: Int64, purpose: String) -> String {
        uuid("\(purpose) \(number)").uuidString.lowercased()
    }

    /// Key of the codes in the tokens by which servers continue a listing: 16 bytes.
    var continuationKey: Data { bytes(for: "continuation") }

    /// Bytes from which the identifier of a key of the app's server is made: 16 bytes.
    func serverKeyBytes(_ number: Int) -> Data { bytes(for: "server key \(number)") }

    private func uuid(_ purpose: String) -> UUID {
        let bytes = Array(bytes(for: purpose))
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }

    private func bytes(for purpose: String) -> Data {
        Data(SHA256.hash(data: Data("\(value) \(purpose)".utf8)).prefix(16))
    }
}
