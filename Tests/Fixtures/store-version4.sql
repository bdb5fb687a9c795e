-- The state of a simulated store as the fourth version of its tables kept it, with one transaction taken back and a receipt on
-- the device.
CREATE TABLE identity (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    bundleIdentifier TEXT NOT NULL,
    pem TEXT NOT NULL
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
, revocationDate INTEGER) STRICT;

CREATE INDEX purchaseByProduct ON purchase (productIdentifier);

CREATE TABLE appPurchase (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version TEXT NOT NULL,
    date INTEGER NOT NULL,
    platform TEXT
) STRICT;

INSERT INTO purchase VALUES
    (1, 'com.example.voyager.lisbon', 'nonConsumable', 1, 1789000000000, 4990, 'USD', 'USA', 1, NULL),
    (2, 'com.example.voyager.coins50', 'consumable', 3, 1789000000000, 990, 'USD', 'USA', 0, NULL),
    (3, 'com.example.voyager.porto', 'nonConsumable', 1, 1789000000000, 4990, 'USD', 'USA', 1, 1789500000000);

INSERT INTO appPurchase VALUES (1, '150', 1556668800000, 'iOS');

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

ALTER TABLE identity ADD COLUMN seed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE identity ADD COLUMN receiptPEM TEXT;

CREATE TABLE deviceReceipt (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    isExpired INTEGER NOT NULL CHECK (isExpired IN (0, 1)),
    isRevoked INTEGER NOT NULL CHECK (isRevoked IN (0, 1)),
    isVolumePurchase INTEGER NOT NULL CHECK (isVolumePurchase IN (0, 1))
) STRICT;
INSERT INTO deviceReceipt VALUES (1, 0, 0, 0);

PRAGMA user_version = 4;
