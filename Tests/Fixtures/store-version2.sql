-- The state of a simulated store as the second version of its tables kept it, with one transaction taken back.
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

PRAGMA user_version = 2;
