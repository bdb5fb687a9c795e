-- A ledger as the sixth version of its tables kept it.
CREATE TABLE entry (
    sequence INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    key TEXT NOT NULL CHECK (key <> ''),
    recordedAt INTEGER NOT NULL,
    purchaseID TEXT,
    originalTransactionID TEXT,
    transactionID TEXT,
    productIdentifier TEXT,
    productKind TEXT,
    quantity INTEGER CHECK (quantity > 0),
    purchaseDate INTEGER,
    expirationDate INTEGER,
    gracePeriodExpirationDate INTEGER,
    isUpgraded INTEGER CHECK (isUpgraded IN (0, 1)),
    isFamilyShared INTEGER CHECK (isFamilyShared IN (0, 1)),
    accountToken TEXT,
    contents TEXT,
    environment TEXT,
    signedDate INTEGER,
    revocationDate INTEGER,
    reason TEXT,
    author TEXT,
    wallet TEXT,
    amount INTEGER CHECK (amount > 0),
    refundPolicy TEXT CHECK (refundPolicy IN ('clawback', 'debt', 'ignore')),
    balance INTEGER,
    originalVersion TEXT,
    platform TEXT,
    receiptDigest TEXT,
    signedData TEXT,
    contentVersion TEXT,
    contentDigest TEXT CHECK (length(contentDigest) = 64 AND contentDigest NOT GLOB '*[^0-9a-f]*'),
    contentPath TEXT,
    UNIQUE (kind, key),
    CHECK (receiptDigest IS NULL OR kind IN ('purchase', 'term', 'revocation', 'reinstatement', 'appPurchase')),
    CHECK (receiptDigest IS NULL OR productKind IS NOT 'consumable'),
    CHECK ((wallet IS NULL) = (amount IS NULL) AND (wallet IS NULL) = (balance IS NULL)),
    CHECK ((contentVersion IS NOT NULL) = (kind = 'content') AND (contentPath IS NOT NULL) = (kind = 'content')),
    CHECK (contentDigest IS NULL OR kind = 'content'),
    CHECK (CASE
        WHEN kind IN ('purchase', 'term', 'revocation', 'reinstatement') THEN
            purchaseID IS NOT NULL AND originalTransactionID IS NOT NULL AND transactionID IS NOT NULL
            AND productIdentifier IS NOT NULL AND environment IS NOT NULL AND signedDate IS NOT NULL
            AND (signedData IS NULL) = (receiptDigest IS NOT NULL) AND CASE kind
                WHEN 'purchase' THEN key = purchaseID AND productKind IS NOT NULL AND quantity IS NOT NULL
                    AND purchaseDate IS NOT NULL AND isFamilyShared IS NOT NULL AND wallet IS NULL
                WHEN 'term' THEN expirationDate IS NOT NULL AND isUpgraded IS NOT NULL AND wallet IS NULL
                WHEN 'revocation' THEN revocationDate IS NOT NULL
                ELSE TRUE
            END
        WHEN kind IN ('grant', 'lock') THEN
            productIdentifier IS NOT NULL AND reason IS NOT NULL AND author IS NOT NULL AND wallet IS NULL
        WHEN kind = 'credit' THEN
            purchaseID IS NOT NULL AND key = purchaseID AND productIdentifier IS NOT NULL AND wallet IS NOT NULL
            AND refundPolicy IS NOT NULL
        WHEN kind = 'deposit' THEN productIdentifier IS NULL AND wallet IS NOT NULL AND reason IS NOT NULL
        WHEN kind = 'debit' THEN productIdentifier IS NULL AND wallet IS NOT NULL
        WHEN kind = 'appPurchase' THEN
            productIdentifier IS NULL AND originalVersion IS NOT NULL AND purchaseDate IS NOT NULL
            AND environment IS NOT NULL AND signedDate IS NOT NULL
            AND (signedData IS NULL) = (receiptDigest IS NOT NULL) AND wallet IS NULL
        WHEN kind = 'receipt' THEN
            productIdentifier IS NULL AND environment IS NOT NULL AND signedDate IS NOT NULL
            AND signedData IS NOT NULL AND wallet IS NULL
        WHEN kind = 'content' THEN productIdentifier IS NOT NULL AND wallet IS NULL
        WHEN kind IN ('loss', 'settlement', 'note') THEN reason IS NOT NULL AND wallet IS NULL
        ELSE FALSE
    END)
) STRICT;

CREATE INDEX entryByWallet ON entry (wallet, sequence, balance) WHERE wallet IS NOT NULL;

CREATE INDEX entryOfStanding ON entry (purchaseID, sequence)
WHERE kind IN ('revocation', 'reinstatement', 'term');

CREATE INDEX entryOfOwnership ON entry (
    sequence, kind, key, recordedAt, purchaseID, originalTransactionID, transactionID, productIdentifier,
    productKind, quantity, purchaseDate, expirationDate, gracePeriodExpirationDate, isUpgraded,
    isFamilyShared, accountToken, contents, environment, signedDate, revocationDate, reason, author, wallet,
    amount, refundPolicy, originalVersion, platform, receiptDigest
) WHERE kind NOT IN ('credit', 'deposit', 'debit', 'content') AND productKind IS NOT 'consumable';

INSERT INTO entry (sequence, kind, key, recordedAt, purchaseID, originalTransactionID, transactionID, productIdentifier, productKind, quantity, purchaseDate, isFamilyShared, environment, signedDate, signedData)
VALUES (1, 'purchase', '1', 1790000000123, '1', '1', '1', 'guide', 'nonConsumable', 1, 1790000000000, 0, 'Sandbox', 1790000000000, 'signed 1');

INSERT INTO entry (sequence, kind, key, recordedAt, purchaseID, originalTransactionID, transactionID, productIdentifier, productKind, quantity, purchaseDate, isFamilyShared, environment, signedDate, signedData)
VALUES (2, 'purchase', '2', 1790000000123, '2', '2', '2', 'coins', 'consumable', 3, 1790000000000, 0, 'Sandbox', 1790000000000, 'signed 2');

INSERT INTO entry (sequence, kind, key, recordedAt, purchaseID, productIdentifier, wallet, amount, refundPolicy, balance)
VALUES (3, 'credit', '2', 1790000000123, '2', 'pack', 'coins', 150, 'debt', 150);

INSERT INTO entry (sequence, kind, key, recordedAt, wallet, amount, balance)
VALUES (4, 'debit', 'map', 1790000000123, 'coins', 30, 120);

INSERT INTO entry (sequence, kind, key, recordedAt, purchaseID, originalTransactionID, transactionID, productIdentifier, environment, signedDate, revocationDate, wallet, amount, balance, signedData)
VALUES (5, 'revocation', '2 1790100000000', 1790000000123, '2', '2', '2', 'coins', 'Sandbox', 1790100000000, 1790100000000, 'coins', 150, -30, 'signed 2');

INSERT INTO entry (sequence, kind, key, recordedAt, purchaseID, originalTransactionID, transactionID, productIdentifier, productKind, quantity, purchaseDate, expirationDate, isUpgraded, isFamilyShared, contents, environment, signedDate, signedData)
VALUES (6, 'purchase', '6', 1790000000123, '6', '6', '6', 'club', 'autoRenewableSubscription', 1, 1790000000000, 1790050000000, 0, 0, 'guide
map', 'Sandbox', 1790000000000, 'signed 6');

INSERT INTO entry (sequence, kind, key, recordedAt, productIdentifier, reason, author)
VALUES (7, 'grant', 'raffle', 1790000000123, 'pack', 'a gift', '');

INSERT INTO entry (sequence, kind, key, recordedAt, productIdentifier, reason, author)
VALUES (8, 'lock', 'oops', 1790000000123, 'pack', 'a mistake', 'support');

INSERT INTO entry (sequence, kind, key, recordedAt, purchaseDate, environment, signedDate, originalVersion, platform, signedData)
VALUES (9, 'appPurchase', 'Sandbox iOS 150 1556668800000 1790000000000', 1790000000123, 1556668800000, 'Sandbox', 1790000000000, '150', 'iOS', 'signed app');

INSERT INTO entry (sequence, kind, key, recordedAt, environment, signedDate, signedData)
VALUES (10, 'receipt', 'a', 1790000000123, 'Sandbox', 1790000000000, 'signed receipt');

INSERT INTO entry (sequence, kind, key, recordedAt, purchaseID, originalTransactionID, transactionID, productIdentifier, productKind, quantity, purchaseDate, isFamilyShared, environment, signedDate, receiptDigest)
VALUES (11, 'purchase', '7', 1790000000123, '7', '7', '7', 'map', 'nonConsumable', 1, 1790000000000, 0, 'Sandbox', 1790000000000, 'a');

INSERT INTO entry (sequence, kind, key, recordedAt, productIdentifier, contentVersion, contentDigest, contentPath)
VALUES (12, 'content', 'map 1.0 0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a', 1790000000123, 'map', '1.0', '0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a', 'guides/map');

CREATE TRIGGER entriesAreNeverChanged BEFORE UPDATE ON entry
BEGIN SELECT RAISE(ABORT, 'an entry of the ledger is never changed'); END;

CREATE TRIGGER entriesAreNeverRemoved BEFORE DELETE ON entry
BEGIN SELECT RAISE(ABORT, 'an entry of the ledger is never removed'); END;

CREATE TRIGGER creditsHaveAPurchase BEFORE INSERT ON entry
WHEN NEW.kind = 'credit'
    AND NOT EXISTS (SELECT 1 FROM entry WHERE kind = 'purchase' AND key = NEW.key)
BEGIN SELECT RAISE(ABORT, 'a credit is recorded with its purchase'); END;

CREATE TRIGGER whatAReceiptSaysHasTheReceipt BEFORE INSERT ON entry
WHEN NEW.receiptDigest IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM entry WHERE kind = 'receipt' AND key = NEW.receiptDigest)
BEGIN SELECT RAISE(ABORT, 'what a receipt says is recorded after the receipt'); END;

CREATE TRIGGER whatWasTakenBackIsNotBought BEFORE INSERT ON entry
WHEN NEW.kind = 'purchase' AND (SELECT kind FROM entry WHERE purchaseID = NEW.purchaseID AND kind IN ('revocation', 'reinstatement')
    ORDER BY sequence DESC LIMIT 1) = 'revocation'
BEGIN SELECT RAISE(ABORT, 'the store has taken the purchase back'); END;

CREATE TRIGGER revocationsAndReinstatementsTakeTurns BEFORE INSERT ON entry
WHEN NEW.kind IN ('revocation', 'reinstatement') AND (
    IFNULL((SELECT kind FROM entry WHERE purchaseID = NEW.purchaseID AND kind IN ('revocation', 'reinstatement')
    ORDER BY sequence DESC LIMIT 1), 'reinstatement') = NEW.kind
    OR IFNULL((SELECT signedDate FROM entry WHERE purchaseID = NEW.purchaseID AND kind IN ('revocation', 'reinstatement')
    ORDER BY sequence DESC LIMIT 1), NEW.signedDate - 1) >= NEW.signedDate)
BEGIN SELECT RAISE(ABORT, 'what the store says about a purchase counts in its order'); END;

CREATE TRIGGER balancesAreSums BEFORE INSERT ON entry
WHEN NEW.wallet IS NOT NULL
    AND NEW.balance - IFNULL((SELECT balance FROM entry WHERE wallet = NEW.wallet ORDER BY sequence DESC LIMIT 1), 0)
        IS NOT CASE WHEN NEW.kind IN ('debit', 'revocation') THEN -NEW.amount ELSE NEW.amount END
BEGIN SELECT RAISE(ABORT, 'a balance is the sum of what was put in and taken out'); END;

CREATE TRIGGER debitsAreCovered BEFORE INSERT ON entry
WHEN NEW.kind = 'debit' AND NEW.balance < 0
BEGIN SELECT RAISE(ABORT, 'a wallet cannot be overdrawn'); END;

CREATE TRIGGER aRevocationTakesNoMoreThanItsCredit BEFORE INSERT ON entry
WHEN NEW.kind = 'revocation' AND NEW.wallet IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM entry WHERE kind = 'credit' AND key = NEW.purchaseID AND wallet = NEW.wallet
        AND NEW.amount <= amount)
BEGIN SELECT RAISE(ABORT, 'a revocation takes no more than its purchase had credited'); END;

CREATE TRIGGER aReinstatementGivesBackWhatWasTaken BEFORE INSERT ON entry
WHEN NEW.kind = 'reinstatement'
    AND (NEW.wallet IS NOT (SELECT wallet FROM entry WHERE purchaseID = NEW.purchaseID AND kind IN ('revocation', 'reinstatement')
    ORDER BY sequence DESC LIMIT 1) OR NEW.amount IS NOT (SELECT amount FROM entry WHERE purchaseID = NEW.purchaseID AND kind IN ('revocation', 'reinstatement')
    ORDER BY sequence DESC LIMIT 1))
BEGIN SELECT RAISE(ABORT, 'a reinstatement gives back what was taken'); END;

CREATE TABLE highest (
    name TEXT PRIMARY KEY CHECK (name <> ''), value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE kept (name TEXT PRIMARY KEY CHECK (name <> ''), value BLOB NOT NULL) STRICT;

INSERT INTO highest (name, value) VALUES ('version', 7);

INSERT INTO kept (name, value) VALUES ('answer', x'6f6e65');

CREATE TRIGGER highestNumbersOnlyGrow BEFORE UPDATE ON highest
WHEN NEW.value < OLD.value OR NEW.name <> OLD.name
BEGIN SELECT RAISE(ABORT, 'a highest number only grows'); END;

CREATE TRIGGER highestNumbersAreNeverRemoved BEFORE DELETE ON highest
BEGIN SELECT RAISE(ABORT, 'a highest number is never removed'); END;

PRAGMA user_version = 6;
PRAGMA application_id = 1448366670;
