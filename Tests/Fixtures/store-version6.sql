-- The state of a simulated store as the sixth version of its tables kept it, with one finished and one unfinished transaction.
CREATE TABLE appPurchase (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            version TEXT NOT NULL,
            date INTEGER NOT NULL,
            platform TEXT
        ) STRICT;
INSERT INTO "appPurchase" VALUES(1,'1.0',1500000000000,'iOS');
CREATE TABLE armedFailure (
            call TEXT PRIMARY KEY,
            failure TEXT NOT NULL,
            remaining INTEGER CHECK (remaining > 0)
        ) STRICT;
CREATE TABLE deviceReceipt (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            payload BLOB NOT NULL,
            signed BLOB
        ) STRICT;
CREATE TABLE identity (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            bundleIdentifier TEXT NOT NULL,
            pem TEXT NOT NULL
        , seed INTEGER NOT NULL DEFAULT 0, receiptPEM TEXT) STRICT;
CREATE TABLE promotion (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            productIdentifier TEXT NOT NULL
        ) STRICT;
CREATE TABLE purchase (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            productIdentifier TEXT NOT NULL,
            kind TEXT NOT NULL,
            quantity INTEGER NOT NULL CHECK (quantity > 0),
            purchaseDate INTEGER NOT NULL,
            price INTEGER NOT NULL,
            currency TEXT NOT NULL,
            storefront TEXT NOT NULL,
            isFinished INTEGER NOT NULL DEFAULT 0 CHECK (isFinished IN (0, 1))
        , revocationDate INTEGER, ownershipType TEXT NOT NULL DEFAULT 'PURCHASED'
            CHECK (ownershipType IN ('PURCHASED', 'FAMILY_SHARED')), accountToken TEXT, isPending INTEGER NOT NULL DEFAULT 0 CHECK (isPending IN (0, 1)), signedFrom INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO "purchase" VALUES(1,'com.example.voyager.lisbon','nonConsumable',1,1789000000000,4990,'USD','USA',1,NULL,'PURCHASED',NULL,0,0);
INSERT INTO "purchase" VALUES(2,'com.example.voyager.coins50','consumable',1,1789000000000,990,'USD','USA',0,NULL,'PURCHASED',NULL,0,0);
CREATE TABLE settings (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            asksToBuy INTEGER NOT NULL DEFAULT 0 CHECK (asksToBuy IN (0, 1)),
            isOffline INTEGER NOT NULL DEFAULT 0 CHECK (isOffline IN (0, 1)),
            paymentRestriction TEXT
        , storefront TEXT) STRICT;
INSERT INTO "settings" VALUES(1,0,0,NULL,'USA');
CREATE INDEX purchaseByProduct ON purchase (productIdentifier);
PRAGMA user_version = 6;
