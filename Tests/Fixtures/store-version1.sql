-- The state of a simulated store as the first version of its tables kept it, without a version number.
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
) STRICT;

CREATE INDEX purchaseByProduct ON purchase (productIdentifier);

INSERT INTO purchase VALUES
    (1, 'com.example.voyager.lisbon', 'nonConsumable', 1, 1790000000000, 4990, 'USD', 'USA', 1),
    (2, 'com.example.voyager.coins50', 'consumable', 3, 1790000000000, 990, 'USD', 'USA', 0);
