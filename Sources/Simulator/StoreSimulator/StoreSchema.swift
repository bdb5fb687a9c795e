internal import GRDB
internal import VitrineSupport

/// Tables of a simulated store.
enum StoreSchema {
    /// Version of the tables: the `user_version` of a database file. From the first release on, each change of the SQL
    /// requires a new version.
    private static let version = 1

    /// Application ID in the file header that identifies a SQLite file as the database of a simulated store: "VTSS".
    /// Versions of Vitrine before the first release counted their formats from 1 too, in files without an application ID.
    private static let applicationID = 0x5654_5353

    /// Creates the tables in a new database, in one transaction.
    ///
    /// - Throws: ``SimulatedStoreError`` `damaged` for a database that has other tables than these.
    static func create(in queue: DatabaseQueue) throws {
        guard try !queue.read(isCreated) else { return }
        try queue.write { database in
            guard try !isCreated(in: database) else { return }
            try database.execute(sql: customers + purchases + subscriptions + settings + serverSide + recordings)
            try database.execute(
                sql: "PRAGMA user_version = \(version); PRAGMA application_id = \(applicationID)")
        }
    }

    /// Returns `true` if a database has the tables, `false` if it is new.
    private static func isCreated(in database: Database) throws -> Bool {
        let found = try ["user_version", "application_id"].map { try Int.fetchOne(database, sql: "PRAGMA \($0)") }
        if found == [version, applicationID] { return true }
        let count = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master")
        guard found == [0, 0], count == 0 else {
            throw SimulatedStoreError(
                code: .damaged,
                reason: "the state of the simulated store has a format that this version of Vitrine does not read; "
                    + "delete the store's folder and create the store again")
        }
        return false
    }

    /// SQL of the key with which the store signs, and of customers with their devices.
    private static let customers = """
        CREATE TABLE identity (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            bundleIdentifier TEXT NOT NULL,
            pem TEXT NOT NULL,
            seed INTEGER NOT NULL,
            receiptPEM TEXT
        ) STRICT;

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

        CREATE TABLE deviceReceipt (
            id INTEGER PRIMARY KEY REFERENCES device (id),
            payload BLOB NOT NULL,
            signed BLOB
        ) STRICT;

        CREATE TABLE appPurchase (
            id INTEGER PRIMARY KEY REFERENCES customer (id),
            version TEXT NOT NULL,
            date INTEGER NOT NULL,
            platform TEXT
        ) STRICT;

        """

    private static let purchases = """
        CREATE TABLE purchase (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            customer INTEGER NOT NULL,
            device INTEGER,
            productIdentifier TEXT NOT NULL,
            kind TEXT NOT NULL,
            quantity INTEGER NOT NULL CHECK (quantity > 0),
            purchaseDate INTEGER NOT NULL,
            price INTEGER NOT NULL,
            currency TEXT NOT NULL,
            storefront TEXT NOT NULL,
            ownershipType TEXT NOT NULL CHECK (ownershipType IN ('PURCHASED', 'FAMILY_SHARED')),
            accountToken TEXT,
            isPending INTEGER NOT NULL CHECK (isPending IN (0, 1)),
            isInterrupted INTEGER NOT NULL CHECK (isInterrupted IN (0, 1)),
            originalID INTEGER,
            originalDate INTEGER,
            isRenewal INTEGER NOT NULL CHECK (isRenewal IN (0, 1)),
            isUpgraded INTEGER NOT NULL CHECK (isUpgraded IN (0, 1)),
            groupID TEXT,
            expiresDate INTEGER,
            offer TEXT,
            revocationDate INTEGER,
            revocationType TEXT,
            revocationPercentage INTEGER,
            sharedFrom INTEGER,
            signedFrom INTEGER NOT NULL,
            modification INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX purchaseOfCustomer ON purchase (customer, productIdentifier);
        CREATE INDEX pendingPurchase ON purchase (purchaseDate) WHERE isPending = 1;
        CREATE INDEX sharedPurchase ON purchase (sharedFrom) WHERE sharedFrom IS NOT NULL;
        CREATE INDEX modifiedPurchase ON purchase (modification);
        CREATE INDEX modifiedPurchaseOfCustomer ON purchase (customer, modification);

        CREATE TABLE unfinished (
            device INTEGER NOT NULL REFERENCES device (id),
            purchase INTEGER NOT NULL,
            PRIMARY KEY (device, purchase)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE promotion (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            productIdentifier TEXT NOT NULL,
            readDate INTEGER
        ) STRICT;

        CREATE TABLE productChange (
            productIdentifier TEXT PRIMARY KEY,
            price INTEGER,
            isWithdrawn INTEGER NOT NULL CHECK (isWithdrawn IN (0, 1))
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

        """

    private static let subscriptions = """
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
            accountToken TEXT,
            sharedFrom INTEGER,
            signedFrom INTEGER NOT NULL,
            nextDate INTEGER,
            CHECK ((state = 'grace') = (graceDate IS NOT NULL)),
            CHECK ((state = 'expired') = (expirationReason IS NOT NULL))
        ) STRICT;
        CREATE INDEX subscriptionOfCustomer ON subscription (customer, groupID);
        CREATE INDEX dueSubscription ON subscription (nextDate, id) WHERE nextDate IS NOT NULL;
        CREATE INDEX sharedSubscription ON subscription (sharedFrom) WHERE sharedFrom IS NOT NULL;

        """

    private static let settings = """
        CREATE TABLE settings (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            asksToBuy INTEGER NOT NULL DEFAULT 0 CHECK (asksToBuy IN (0, 1)),
            isOffline INTEGER NOT NULL DEFAULT 0 CHECK (isOffline IN (0, 1)),
            offlineDate INTEGER,
            paymentRestriction TEXT,
            storefront TEXT,
            clock INTEGER,
            timeRate INTEGER,
            hasGracePeriod INTEGER,
            isBillingFailing INTEGER,
            interruptsPurchases INTEGER NOT NULL DEFAULT 0 CHECK (interruptsPurchases IN (0, 1)),
            sendsConsumablesToAllDevices INTEGER NOT NULL DEFAULT 0 CHECK (sendsConsumablesToAllDevices IN (0, 1)),
            environment TEXT,
            appIdentifier INTEGER,
            notificationURL TEXT,
            isRecording INTEGER NOT NULL DEFAULT 0 CHECK (isRecording IN (0, 1))
        ) STRICT;
        INSERT INTO settings (id) VALUES (1);

        CREATE TABLE armedFailure (
            call TEXT PRIMARY KEY,
            failure TEXT NOT NULL,
            remaining INTEGER CHECK (remaining > 0)
        ) STRICT;

        """
}
