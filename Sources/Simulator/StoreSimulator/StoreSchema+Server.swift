extension StoreSchema {
    /// SQL of the data for the app's server: notifications, extended renewals, and refund requests.
    static let serverSide = """
        CREATE TABLE serverKey (
            identifier TEXT PRIMARY KEY,
            issuer TEXT NOT NULL,
            publicKey TEXT NOT NULL
        ) STRICT;

        CREATE TABLE notification (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            identifier TEXT NOT NULL UNIQUE,
            date INTEGER NOT NULL,
            machineDate INTEGER NOT NULL,
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
            succeeded INTEGER NOT NULL,
            failed INTEGER NOT NULL
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

        """

    /// SQL of the recorded actions and of the recording in progress.
    static let recordings = """
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
}
