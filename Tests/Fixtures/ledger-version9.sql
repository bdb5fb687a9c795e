-- A ledger as the ninth version of its tables kept it.
CREATE TABLE entry (
    sequence INTEGER PRIMARY KEY,
    balance INTEGER,
    checksum INTEGER NOT NULL,
    summaryChecksum INTEGER NOT NULL,
    kind TEXT NOT NULL,
    key TEXT NOT NULL CHECK (key <> ''),
    recordedAt INTEGER NOT NULL,
    purchaseID TEXT ,
    originalTransactionID TEXT ,
    transactionID TEXT ,
    productIdentifier TEXT ,
    productKind TEXT ,
    quantity INTEGER CHECK (quantity > 0),
    purchaseDate INTEGER ,
    originalPurchaseDate INTEGER ,
    expirationDate INTEGER ,
    gracePeriodExpirationDate INTEGER ,
    isUpgraded INTEGER CHECK (isUpgraded IN (0, 1)) ,
    isFamilyShared INTEGER CHECK (isFamilyShared IN (0, 1)) ,
    accountToken TEXT ,
    contents TEXT ,
    environment TEXT ,
    signedDate INTEGER ,
    revocationDate INTEGER ,
    revocationPercentage INTEGER ,
    reason TEXT ,
    author TEXT ,
    wallet TEXT ,
    amount INTEGER CHECK (amount > 0),
    refundPolicy TEXT CHECK (refundPolicy IN ('clawback', 'debt', 'ignore')),
    originalVersion TEXT ,
    platform TEXT ,
    receiptDigest TEXT ,
    isRenewing INTEGER CHECK (isRenewing IN (0, 1)) ,
    renewalTerms TEXT ,
    contentVersion TEXT ,
    contentDigest TEXT CHECK (length(contentDigest) = 64 AND contentDigest NOT GLOB '*[^0-9a-f]*'),
    contentPath TEXT ,
    signedData TEXT ,
    UNIQUE (kind, key),
    CHECK (kind NOT IN ('purchase', 'credit') OR key = purchaseID),
    CHECK (receiptDigest IS NULL OR productKind IS NOT 'consumable'),
    CHECK (kind NOT IN ('purchase', 'term', 'renewal', 'revocation', 'reinstatement',
            'appPurchase')
        OR (signedData IS NULL) = (receiptDigest IS NOT NULL)),
    CHECK ((wallet IS NULL) = (amount IS NULL) AND (wallet IS NULL) = (balance IS NULL)),
    CHECK (CASE kind
        WHEN 'purchase' THEN purchaseID IS NOT NULL AND originalTransactionID IS NOT NULL AND transactionID IS NOT NULL AND productIdentifier IS NOT NULL AND environment IS NOT NULL AND signedDate IS NOT NULL AND productKind IS NOT NULL AND quantity IS NOT NULL AND purchaseDate IS NOT NULL AND isFamilyShared IS NOT NULL AND revocationDate IS NULL AND revocationPercentage IS NULL AND reason IS NULL AND author IS NULL AND wallet IS NULL AND amount IS NULL AND refundPolicy IS NULL AND originalVersion IS NULL AND platform IS NULL AND isRenewing IS NULL AND renewalTerms IS NULL AND contentVersion IS NULL AND contentDigest IS NULL AND contentPath IS NULL
        WHEN 'term' THEN purchaseID IS NOT NULL AND originalTransactionID IS NOT NULL AND transactionID IS NOT NULL AND productIdentifier IS NOT NULL AND environment IS NOT NULL AND signedDate IS NOT NULL AND expirationDate IS NOT NULL AND isUpgraded IS NOT NULL AND productKind IS NULL AND quantity IS NULL AND purchaseDate IS NULL AND originalPurchaseDate IS NULL AND isFamilyShared IS NULL AND accountToken IS NULL AND contents IS NULL AND revocationDate IS NULL AND revocationPercentage IS NULL AND reason IS NULL AND author IS NULL AND wallet IS NULL AND amount IS NULL AND refundPolicy IS NULL AND originalVersion IS NULL AND platform IS NULL AND isRenewing IS NULL AND renewalTerms IS NULL AND contentVersion IS NULL AND contentDigest IS NULL AND contentPath IS NULL
        WHEN 'renewal' THEN purchaseID IS NOT NULL AND originalTransactionID IS NOT NULL AND transactionID IS NOT NULL AND productIdentifier IS NOT NULL AND environment IS NOT NULL AND signedDate IS NOT NULL AND isRenewing IS NOT NULL AND renewalTerms IS NOT NULL AND productKind IS NULL AND quantity IS NULL AND purchaseDate IS NULL AND originalPurchaseDate IS NULL AND expirationDate IS NULL AND gracePeriodExpirationDate IS NULL AND isUpgraded IS NULL AND isFamilyShared IS NULL AND accountToken IS NULL AND contents IS NULL AND revocationDate IS NULL AND revocationPercentage IS NULL AND reason IS NULL AND author IS NULL AND wallet IS NULL AND amount IS NULL AND refundPolicy IS NULL AND originalVersion IS NULL AND platform IS NULL AND contentVersion IS NULL AND contentDigest IS NULL AND contentPath IS NULL
        WHEN 'revocation' THEN purchaseID IS NOT NULL AND originalTransactionID IS NOT NULL AND transactionID IS NOT NULL AND productIdentifier IS NOT NULL AND environment IS NOT NULL AND signedDate IS NOT NULL AND revocationDate IS NOT NULL AND productKind IS NULL AND quantity IS NULL AND purchaseDate IS NULL AND originalPurchaseDate IS NULL AND expirationDate IS NULL AND gracePeriodExpirationDate IS NULL AND isUpgraded IS NULL AND isFamilyShared IS NULL AND accountToken IS NULL AND contents IS NULL AND reason IS NULL AND author IS NULL AND refundPolicy IS NULL AND originalVersion IS NULL AND platform IS NULL AND isRenewing IS NULL AND renewalTerms IS NULL AND contentVersion IS NULL AND contentDigest IS NULL AND contentPath IS NULL
        WHEN 'reinstatement' THEN purchaseID IS NOT NULL AND originalTransactionID IS NOT NULL AND transactionID IS NOT NULL AND productIdentifier IS NOT NULL AND environment IS NOT NULL AND signedDate IS NOT NULL AND productKind IS NULL AND quantity IS NULL AND purchaseDate IS NULL AND originalPurchaseDate IS NULL AND expirationDate IS NULL AND gracePeriodExpirationDate IS NULL AND isUpgraded IS NULL AND isFamilyShared IS NULL AND accountToken IS NULL AND contents IS NULL AND revocationDate IS NULL AND revocationPercentage IS NULL AND reason IS NULL AND author IS NULL AND refundPolicy IS NULL AND originalVersion IS NULL AND platform IS NULL AND isRenewing IS NULL AND renewalTerms IS NULL AND contentVersion IS NULL AND contentDigest IS NULL AND contentPath IS NULL
        WHEN 'grant' THEN productIdentifier IS NOT NULL AND reason IS NOT NULL AND author IS NOT NULL AND purchaseID IS NULL AND originalTransactionID IS NULL AND transactionID IS NULL AND productKind IS NULL AND quantity IS NULL AND purchaseDate IS NULL AND originalPurchaseDate IS NULL AND gracePeriodExpirationDate IS NULL AND isUpgraded IS NULL AND isFamilyShared IS NULL AND accountToken IS NULL AND contents IS NULL AND environment IS NULL AND signedDate IS NULL AND revocationDate IS NULL AND revocationPercentage IS NULL AND wallet IS NULL AND amount IS NULL AND refundPolicy IS NULL AND originalVersion IS NULL AND platform IS NULL AND receiptDigest IS NULL AND isRenewing IS NULL AND renewalTerms IS NULL AND contentVersion IS NULL AND contentDigest IS NULL AND contentPath IS NULL AND signedData IS NULL
        WHEN 'lock' THEN productIdentifier IS NOT NULL AND reason IS NOT NULL AND author IS NOT NULL AND purchaseID IS NULL AND originalTransactionID IS NULL AND transactionID IS NULL AND productKind IS NULL AND quantity IS NULL AND purchaseDate IS NULL AND originalPurchaseDate IS NULL AND expirationDate IS NULL AND gracePeriodExpirationDate IS NULL AND isUpgraded IS NULL AND isFamilyShared IS NULL AND accountToken IS NULL AND contents IS NULL AND environment IS NULL AND signedDate IS NULL AND revocationDate IS NULL AND revocationPercentage IS NULL AND wallet IS NULL AND amount IS NULL AND refundPolicy IS NULL AND originalVersion IS NULL AND platform IS NULL AND receiptDigest IS NULL AND isRenewing IS NULL AND renewalTerms IS NULL AND contentVersion IS NULL AND contentDigest IS NULL AND contentPath IS NULL AND signedData IS NULL
        WHEN 'credit' THEN wallet IS NOT NULL AND amount IS NOT NULL AND purchaseID IS NOT NULL AND productIdentifier IS NOT NULL AND refundPolicy IS NOT NULL AND originalTransactionID IS NULL AND transactionID IS NULL AND productKind IS NULL AND quantity IS NULL AND purchaseDate IS NULL AND originalPurchaseDate IS NULL AND expirationDate IS NULL AND gracePeriodExpirationDate IS NULL AND isUpgraded IS NULL AND isFamilyShared IS NULL AND accountToken IS NULL AND contents IS NULL AND environment IS NULL AND signedDate IS NULL AND revocationDate IS NULL AND revocationPercentage IS NULL AND reason IS NULL AND author IS NULL AND originalVersion IS NULL AND platform IS NULL AND receiptDigest IS NULL AND isRenewing IS NULL AND renewalTerms IS NULL AND contentVersion IS NULL AND contentDigest IS NULL AND contentPath IS NULL AND signedData IS NULL
        WHEN 'deposit' THEN wallet IS NOT NULL AND amount IS NOT NULL AND reason IS NOT NULL AND purchaseID IS NULL AND originalTransactionID IS NULL AND transactionID IS NULL AND productIdentifier IS NULL AND productKind IS NULL AND quantity IS NULL AND purchaseDate IS NULL AND originalPurchaseDate IS NULL AND expirationDate IS NULL AND gracePeriodExpirationDate IS NULL AND isUpgraded IS NULL AND isFamilyShared IS NULL AND accountToken IS NULL AND contents IS NULL AND environment IS NULL AND signedDate IS NULL AND revocationDate IS NULL AND revocationPercentage IS NULL AND author IS NULL AND refundPolicy IS NULL AND originalVersion IS NULL AND platform IS NULL AND receiptDigest IS NULL AND isRenewing IS NULL AND renewalTerms IS NULL AND contentVersion IS NULL AND contentDigest IS NULL AND contentPath IS NULL AND signedData IS NULL
        WHEN 'debit' THEN wallet IS NOT NULL AND amount IS NOT NULL AND purchaseID IS NULL AND originalTransactionID IS NULL AND transactionID IS NULL AND productIdentifier IS NULL AND productKind IS NULL AND quantity IS NULL AND purchaseDate IS NULL AND originalPurchaseDate IS NULL AND expirationDate IS NULL AND gracePeriodExpirationDate IS NULL AND isUpgraded IS NULL AND isFamilyShared IS NULL AND accountToken IS NULL AND contents IS NULL AND environment IS NULL AND signedDate IS NULL AND revocationDate IS NULL AND revocationPercentage IS NULL AND reason IS NULL AND author IS NULL AND refundPolicy IS NULL AND originalVersion IS NULL AND platform IS NULL AND receiptDigest IS NULL AND isRenewing IS NULL AND renewalTerms IS NULL AND contentVersion IS NULL AND contentDigest IS NULL AND contentPath IS NULL AND signedData IS NULL
        WHEN 'appPurchase' THEN originalVersion IS NOT NULL AND purchaseDate IS NOT NULL AND environment IS NOT NULL AND signedDate IS NOT NULL AND purchaseID IS NULL AND originalTransactionID IS NULL AND transactionID IS NULL AND productIdentifier IS NULL AND productKind IS NULL AND quantity IS NULL AND originalPurchaseDate IS NULL AND expirationDate IS NULL AND gracePeriodExpirationDate IS NULL AND isUpgraded IS NULL AND isFamilyShared IS NULL AND accountToken IS NULL AND contents IS NULL AND revocationDate IS NULL AND revocationPercentage IS NULL AND reason IS NULL AND author IS NULL AND wallet IS NULL AND amount IS NULL AND refundPolicy IS NULL AND isRenewing IS NULL AND renewalTerms IS NULL AND contentVersion IS NULL AND contentDigest IS NULL AND contentPath IS NULL
        WHEN 'receipt' THEN environment IS NOT NULL AND signedDate IS NOT NULL AND signedData IS NOT NULL AND purchaseID IS NULL AND originalTransactionID IS NULL AND transactionID IS NULL AND productIdentifier IS NULL AND productKind IS NULL AND quantity IS NULL AND purchaseDate IS NULL AND originalPurchaseDate IS NULL AND expirationDate IS NULL AND gracePeriodExpirationDate IS NULL AND isUpgraded IS NULL AND isFamilyShared IS NULL AND accountToken IS NULL AND contents IS NULL AND revocationDate IS NULL AND revocationPercentage IS NULL AND reason IS NULL AND author IS NULL AND wallet IS NULL AND amount IS NULL AND refundPolicy IS NULL AND originalVersion IS NULL AND platform IS NULL AND receiptDigest IS NULL AND isRenewing IS NULL AND renewalTerms IS NULL AND contentVersion IS NULL AND contentDigest IS NULL AND contentPath IS NULL
        WHEN 'content' THEN productIdentifier IS NOT NULL AND contentVersion IS NOT NULL AND contentPath IS NOT NULL AND purchaseID IS NULL AND originalTransactionID IS NULL AND transactionID IS NULL AND productKind IS NULL AND quantity IS NULL AND purchaseDate IS NULL AND originalPurchaseDate IS NULL AND expirationDate IS NULL AND gracePeriodExpirationDate IS NULL AND isUpgraded IS NULL AND isFamilyShared IS NULL AND accountToken IS NULL AND contents IS NULL AND environment IS NULL AND signedDate IS NULL AND revocationDate IS NULL AND revocationPercentage IS NULL AND reason IS NULL AND author IS NULL AND wallet IS NULL AND amount IS NULL AND refundPolicy IS NULL AND originalVersion IS NULL AND platform IS NULL AND receiptDigest IS NULL AND isRenewing IS NULL AND renewalTerms IS NULL AND signedData IS NULL
        WHEN 'loss' THEN reason IS NOT NULL AND purchaseID IS NULL AND originalTransactionID IS NULL AND transactionID IS NULL AND productIdentifier IS NULL AND productKind IS NULL AND quantity IS NULL AND purchaseDate IS NULL AND originalPurchaseDate IS NULL AND expirationDate IS NULL AND gracePeriodExpirationDate IS NULL AND isUpgraded IS NULL AND isFamilyShared IS NULL AND accountToken IS NULL AND contents IS NULL AND environment IS NULL AND signedDate IS NULL AND revocationDate IS NULL AND revocationPercentage IS NULL AND author IS NULL AND wallet IS NULL AND amount IS NULL AND refundPolicy IS NULL AND originalVersion IS NULL AND platform IS NULL AND receiptDigest IS NULL AND isRenewing IS NULL AND renewalTerms IS NULL AND contentVersion IS NULL AND contentDigest IS NULL AND contentPath IS NULL AND signedData IS NULL
        WHEN 'settlement' THEN reason IS NOT NULL AND purchaseID IS NULL AND originalTransactionID IS NULL AND transactionID IS NULL AND productIdentifier IS NULL AND productKind IS NULL AND quantity IS NULL AND purchaseDate IS NULL AND originalPurchaseDate IS NULL AND expirationDate IS NULL AND gracePeriodExpirationDate IS NULL AND isUpgraded IS NULL AND isFamilyShared IS NULL AND accountToken IS NULL AND contents IS NULL AND environment IS NULL AND signedDate IS NULL AND revocationDate IS NULL AND revocationPercentage IS NULL AND wallet IS NULL AND amount IS NULL AND refundPolicy IS NULL AND originalVersion IS NULL AND platform IS NULL AND receiptDigest IS NULL AND isRenewing IS NULL AND renewalTerms IS NULL AND contentVersion IS NULL AND contentDigest IS NULL AND contentPath IS NULL AND signedData IS NULL
        WHEN 'note' THEN reason IS NOT NULL AND purchaseID IS NULL AND originalTransactionID IS NULL AND transactionID IS NULL AND productIdentifier IS NULL AND productKind IS NULL AND quantity IS NULL AND purchaseDate IS NULL AND originalPurchaseDate IS NULL AND expirationDate IS NULL AND gracePeriodExpirationDate IS NULL AND isUpgraded IS NULL AND isFamilyShared IS NULL AND accountToken IS NULL AND contents IS NULL AND environment IS NULL AND signedDate IS NULL AND revocationDate IS NULL AND revocationPercentage IS NULL AND author IS NULL AND wallet IS NULL AND amount IS NULL AND refundPolicy IS NULL AND originalVersion IS NULL AND platform IS NULL AND receiptDigest IS NULL AND isRenewing IS NULL AND renewalTerms IS NULL AND contentVersion IS NULL AND contentDigest IS NULL AND contentPath IS NULL AND signedData IS NULL
        ELSE FALSE
    END)
) STRICT;
INSERT INTO entry VALUES(1,NULL,584954343447803678,584954343447803678,'purchase','1',1790000000123,'1','1','1','guide','nonConsumable',1,1790000000000,NULL,NULL,NULL,NULL,0,NULL,NULL,'Sandbox',1790000000000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'signed 1');
INSERT INTO entry VALUES(2,NULL,6289405075301433963,584954343447803678,'purchase','2',1790000000123,'2','2','2','coins','consumable',3,1790000000000,NULL,NULL,NULL,NULL,0,NULL,NULL,'Sandbox',1790000000000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'signed 2');
INSERT INTO entry VALUES(3,150,-1376042173221531142,-791087829773727464,'credit','2',1790000000123,'2',NULL,NULL,'pack',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'coins',150,'debt',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO entry VALUES(4,120,-3604547229071024395,-3019592885623220717,'debit','map',1790000000123,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'coins',30,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO entry VALUES(5,-30,6054432153689895415,-5752925422881957108,'revocation','2 1790100000000',1790000000123,'2','2','2','coins',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'Sandbox',1790100000000,1790100000000,NULL,NULL,NULL,'coins',150,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'signed 2');
INSERT INTO entry VALUES(6,NULL,-166484071919379816,-5919409494801336924,'purchase','6',1790000000123,'6','6','6','club','autoRenewableSubscription',1,1790000000000,NULL,1790050000000,NULL,0,0,NULL,replace('guide\nmap','\n',char(10)),'Sandbox',1790000000000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'signed 6');
INSERT INTO entry VALUES(7,NULL,-6267390978170849834,6259943600737364858,'grant','raffle',1790000000123,NULL,NULL,NULL,'pack',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'a gift','',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO entry VALUES(8,NULL,-2073858259963970983,4186085340773393875,'lock','oops',1790000000123,NULL,NULL,NULL,'pack',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'a mistake','support',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO entry VALUES(9,NULL,-8663556747577276346,-4477471406803882471,'appPurchase','Sandbox iOS 150 1556668800000 1790000000000',1790000000123,NULL,NULL,NULL,NULL,NULL,NULL,1556668800000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'Sandbox',1790000000000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'150','iOS',NULL,NULL,NULL,NULL,NULL,NULL,'signed app');
INSERT INTO entry VALUES(10,NULL,-2267796078393765077,-6745267485197647548,'receipt','a',1790000000123,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'Sandbox',1790000000000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'signed receipt');
INSERT INTO entry VALUES(11,NULL,1313567244167972081,-5431700241029675467,'purchase','7',1790000000123,'7','7','7','map','nonConsumable',1,1790000000000,NULL,NULL,NULL,NULL,0,NULL,NULL,'Sandbox',1790000000000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'a',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO entry VALUES(12,NULL,-9120914393300519005,-5431700241029675467,'content','map 1.0 0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a',1790000000123,NULL,NULL,NULL,'map',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1.0','0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a','guides/map',NULL);
CREATE TABLE highest (
    name TEXT PRIMARY KEY CHECK (name <> ''), value INTEGER NOT NULL, checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO highest VALUES('version',7,-2967689572193775605);
CREATE TABLE statement (
    name TEXT PRIMARY KEY CHECK (name <> ''), value INTEGER NOT NULL, checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO statement VALUES('2',1790100000000,8944737629256652132);
CREATE TABLE kept (
    name TEXT PRIMARY KEY CHECK (name <> ''), value BLOB NOT NULL, checksum INTEGER NOT NULL
) STRICT;
INSERT INTO kept VALUES('answer',X'6f6e65',-7196783129596773974);
CREATE INDEX entryByWallet ON entry (wallet, sequence) WHERE wallet IS NOT NULL;
CREATE INDEX entryOfRevocationState ON entry (purchaseID, sequence)
WHERE kind IN ('revocation', 'reinstatement', 'term', 'renewal');
CREATE INDEX entryOfOwnership ON entry (sequence, balance, checksum, summaryChecksum, kind, key, recordedAt, purchaseID, originalTransactionID, transactionID, productIdentifier, productKind, quantity, purchaseDate, originalPurchaseDate, expirationDate, gracePeriodExpirationDate, isUpgraded, isFamilyShared, accountToken, contents, environment, signedDate, revocationDate, revocationPercentage, reason, author, wallet, amount, refundPolicy, originalVersion, platform, receiptDigest, isRenewing, renewalTerms) WHERE kind NOT IN ('credit', 'deposit', 'debit', 'content') AND productKind IS NOT 'consumable';
CREATE TRIGGER highestOnlyGrows BEFORE UPDATE ON highest
WHEN NEW.value < OLD.value OR NEW.name <> OLD.name
BEGIN SELECT RAISE(ABORT, 'the number only grows'); END;
CREATE TRIGGER highestIsNeverRemoved BEFORE DELETE ON highest
BEGIN SELECT RAISE(ABORT, 'the number is never removed'); END;
CREATE TRIGGER statementOnlyGrows BEFORE UPDATE ON statement
WHEN NEW.value < OLD.value OR NEW.name <> OLD.name
BEGIN SELECT RAISE(ABORT, 'the number only grows'); END;
CREATE TRIGGER statementIsNeverRemoved BEFORE DELETE ON statement
BEGIN SELECT RAISE(ABORT, 'the number is never removed'); END;
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

PRAGMA user_version = 9;
PRAGMA application_id = 1448366670;
