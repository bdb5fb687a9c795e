-- A ledger as the second version of its tables kept it.
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
    revocationDate INTEGER,
    originalVersion TEXT,
    platform TEXT,
    signedDate INTEGER,
    UNIQUE (kind, key),
    CHECK (CASE kind
        WHEN 'purchase' THEN productIdentifier IS NOT NULL AND transactionID IS NOT NULL
            AND productKind IS NOT NULL AND quantity IS NOT NULL AND purchaseDate IS NOT NULL
            AND environment IS NOT NULL AND signedData IS NOT NULL AND wallet IS NULL AND amount IS NULL
        WHEN 'grant' THEN productIdentifier IS NOT NULL AND reason IS NOT NULL
            AND wallet IS NULL AND amount IS NULL
        WHEN 'credit' THEN productIdentifier IS NOT NULL AND wallet IS NOT NULL AND amount IS NOT NULL
        WHEN 'debit' THEN productIdentifier IS NULL AND wallet IS NOT NULL AND amount IS NOT NULL
        WHEN 'revocation' THEN productIdentifier IS NOT NULL AND transactionID IS NOT NULL
            AND revocationDate IS NOT NULL AND environment IS NOT NULL AND signedData IS NOT NULL
            AND (wallet IS NULL) = (amount IS NULL)
        WHEN 'appPurchase' THEN productIdentifier IS NULL AND originalVersion IS NOT NULL
            AND purchaseDate IS NOT NULL AND environment IS NOT NULL AND signedDate IS NOT NULL
            AND signedData IS NOT NULL AND wallet IS NULL AND amount IS NULL
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

CREATE TRIGGER whatWasTakenBackIsNotBought BEFORE INSERT ON entry
WHEN NEW.kind = 'purchase'
    AND EXISTS (SELECT 1 FROM entry WHERE kind = 'revocation' AND key = NEW.key)
BEGIN SELECT RAISE(ABORT, 'the store has taken the purchase back'); END;

CREATE TRIGGER walletsFitIn64Bits BEFORE INSERT ON entry
WHEN NEW.kind = 'credit' AND NEW.amount > 9223372036854775807 - (
    SELECT COALESCE(SUM(CASE kind WHEN 'credit' THEN amount ELSE -amount END), 0)
    FROM entry WHERE wallet = NEW.wallet)
BEGIN SELECT RAISE(ABORT, 'a wallet cannot hold more than 64 bits can say'); END;

CREATE TRIGGER debitsAreCovered BEFORE INSERT ON entry
WHEN NEW.kind IN ('debit', 'revocation') AND NEW.amount > (
    SELECT COALESCE(SUM(CASE kind WHEN 'credit' THEN amount ELSE -amount END), 0)
    FROM entry WHERE wallet = NEW.wallet)
BEGIN SELECT RAISE(ABORT, 'a wallet cannot be overdrawn'); END;

INSERT INTO entry (kind, key, recordedAt, productIdentifier, transactionID, productKind, quantity, purchaseDate, environment, signedData)
VALUES ('purchase', '1', 1790000000123, 'guide', '1', 'nonConsumable', 1, 1790000000000, 'Sandbox', 'signed 1'),
    ('purchase', '2', 1790000000123, 'coins', '2', 'consumable', 3, 1790000000000, 'Sandbox', 'signed 2');
INSERT INTO entry (kind, key, recordedAt, productIdentifier, wallet, amount)
VALUES ('credit', '2', 1790000000123, 'pack', 'coins', 150);
INSERT INTO entry (kind, key, recordedAt, wallet, amount)
VALUES ('debit', 'map', 1790000000123, 'coins', 30);
INSERT INTO entry (kind, key, recordedAt, productIdentifier, transactionID, productKind, quantity, purchaseDate, environment, signedData)
VALUES ('purchase', '3', 1790000000123, 'coins', '3', 'consumable', 1, 1790000000000, 'Sandbox', 'signed 3'),
    ('purchase', '4', 1790000000123, 'rubies', '4', 'consumable', 1, 1790000000000, 'Sandbox', 'signed 4'),
    ('purchase', '5', 1790000000123, 'map', '5', 'nonConsumable', 1, 1790000000000, 'Sandbox', 'signed 5');
INSERT INTO entry (kind, key, recordedAt, productIdentifier, wallet, amount)
VALUES ('credit', '3', 1790000000123, 'pack', 'coins', 50), ('credit', '4', 1790000000123, 'pack', 'rubies', 7);
INSERT INTO entry (kind, key, recordedAt, productIdentifier, transactionID, environment, signedData, revocationDate, wallet, amount)
VALUES ('revocation', '3', 1790100000123, 'coins', '3', 'Sandbox', 'signed 3', 1790100000000, 'coins', 50),
    ('revocation', '5', 1790100000123, 'map', '5', 'Sandbox', 'signed 5', 1790100000000, NULL, NULL),
    ('revocation', '9', 1790100000123, 'atlas', '9', 'Sandbox', 'signed 9', 1790100000000, NULL, NULL);
INSERT INTO entry (kind, key, recordedAt, productIdentifier, reason)
VALUES ('grant', 'raffle', 1790000000123, 'pack', 'a gift');
INSERT INTO entry (kind, key, recordedAt, originalVersion, purchaseDate, platform, environment, signedDate, signedData)
VALUES ('appPurchase', 'Sandbox iOS 150 1556668800000 1790000000000', 1790000000123, '150', 1556668800000, 'iOS', 'Sandbox', 1790000000000, 'signed app'),
    ('appPurchase', 'Sandbox - 1 1556668800000 1790000000000', 1790000000123, '1', 1556668800000, NULL, 'Sandbox', 1790000000000, 'signed app');

PRAGMA user_version = 2;
