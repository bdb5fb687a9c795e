-- The state of a simulated store as the eighth version of its tables kept it, with one finished and one unfinished transaction.
CREATE TABLE armedFailure (
            call TEXT PRIMARY KEY,
            failure TEXT NOT NULL,
            remaining INTEGER CHECK (remaining > 0)
        ) STRICT;
CREATE TABLE identity (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            bundleIdentifier TEXT NOT NULL,
            pem TEXT NOT NULL
        , seed INTEGER NOT NULL DEFAULT 0, receiptPEM TEXT) STRICT;
CREATE TABLE promotion (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            productIdentifier TEXT NOT NULL
        , readDate INTEGER) STRICT;
CREATE TABLE purchase (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            productIdentifier TEXT NOT NULL,
            kind TEXT NOT NULL,
            quantity INTEGER NOT NULL CHECK (quantity > 0),
            purchaseDate INTEGER NOT NULL,
            price INTEGER NOT NULL,
            currency TEXT NOT NULL,
            storefront TEXT NOT NULL,
            revocationDate INTEGER, ownershipType TEXT NOT NULL DEFAULT 'PURCHASED'
            CHECK (ownershipType IN ('PURCHASED', 'FAMILY_SHARED')), accountToken TEXT, isPending INTEGER NOT NULL DEFAULT 0 CHECK (isPending IN (0, 1)), signedFrom INTEGER NOT NULL DEFAULT 0, customer INTEGER NOT NULL DEFAULT 1, device INTEGER, originalID INTEGER, originalDate INTEGER, isRenewal INTEGER NOT NULL DEFAULT 0 CHECK (isRenewal IN (0, 1)), isInterrupted INTEGER NOT NULL DEFAULT 0 CHECK (isInterrupted IN (0, 1)), isUpgraded INTEGER NOT NULL DEFAULT 0 CHECK (isUpgraded IN (0, 1)), groupID TEXT, expiresDate INTEGER, offer TEXT, revocationType TEXT, revocationPercentage INTEGER, sharedFrom INTEGER) STRICT;
INSERT INTO purchase VALUES(1,'com.example.voyager.lisbon','nonConsumable',1,1789000000000,4990,'USD','USA',NULL,'PURCHASED',NULL,0,0,1,NULL,NULL,NULL,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO purchase VALUES(2,'com.example.voyager.coins50','consumable',1,1789000000000,990,'USD','USA',NULL,'PURCHASED',NULL,0,0,1,NULL,NULL,NULL,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE settings (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            asksToBuy INTEGER NOT NULL DEFAULT 0 CHECK (asksToBuy IN (0, 1)),
            isOffline INTEGER NOT NULL DEFAULT 0 CHECK (isOffline IN (0, 1)),
            paymentRestriction TEXT
        , storefront TEXT, clock INTEGER, timeRate INTEGER, hasGracePeriod INTEGER, isBillingFailing INTEGER, interruptsPurchases INTEGER NOT NULL DEFAULT 0
    CHECK (interruptsPurchases IN (0, 1)), sendsConsumablesToAllDevices INTEGER NOT NULL DEFAULT 0
    CHECK (sendsConsumablesToAllDevices IN (0, 1))) STRICT;
INSERT INTO settings VALUES(1,0,0,NULL,'USA',NULL,NULL,NULL,NULL,0,0);
CREATE TABLE customer (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE CHECK (name <> ''),
    family TEXT CHECK (family <> '')
) STRICT;
INSERT INTO customer VALUES(1,'default',NULL);
CREATE TABLE device (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    customer INTEGER NOT NULL REFERENCES customer (id),
    name TEXT NOT NULL CHECK (name <> ''),
    UNIQUE (customer, name)
) STRICT;
INSERT INTO device VALUES(1,1,'default');
CREATE TABLE unfinished (
    device INTEGER NOT NULL REFERENCES device (id),
    purchase INTEGER NOT NULL,
    PRIMARY KEY (device, purchase)
) STRICT, WITHOUT ROWID;
INSERT INTO unfinished VALUES(1,2);
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
CREATE TABLE IF NOT EXISTS "deviceReceipt" (
    id INTEGER PRIMARY KEY REFERENCES device (id),
    payload BLOB NOT NULL,
    signed BLOB
) STRICT;
CREATE TABLE IF NOT EXISTS "appPurchase" (
    id INTEGER PRIMARY KEY REFERENCES customer (id),
    version TEXT NOT NULL,
    date INTEGER NOT NULL,
    platform TEXT
) STRICT;
INSERT INTO appPurchase VALUES(1,'1.0',1500000000000,'iOS');
CREATE INDEX purchaseOfCustomer ON purchase (customer, productIdentifier);
CREATE INDEX pendingPurchase ON purchase (purchaseDate) WHERE isPending = 1;
CREATE INDEX sharedPurchase ON purchase (sharedFrom) WHERE sharedFrom IS NOT NULL;
CREATE INDEX subscriptionOfCustomer ON subscription (customer, groupID);
CREATE INDEX dueSubscription ON subscription (nextDate, id) WHERE nextDate IS NOT NULL;
CREATE INDEX sharedSubscription ON subscription (sharedFrom) WHERE sharedFrom IS NOT NULL;
PRAGMA user_version = 8;
