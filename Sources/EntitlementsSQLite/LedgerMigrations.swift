/// SQL that migrates the entries of ledgers written by earlier versions, from a table named `oldEntry`.
enum LedgerMigrations {
    /// Returns the SQL that migrates the entries of a ledger from an earlier version of the tables.
    ///
    /// - Parameter version: The version of the tables to migrate, from 1 to 5.
    static func entries(of version: Int) -> String {
        switch version {
        case ...2: fromVersion2
        case 3: fromVersion3
        default: fromVersion4
        }
    }

    /// SQL of the columns that version 2 of the tables has and version 1 does not.
    static let columnsOfVersion2 = """
        ALTER TABLE oldEntry ADD COLUMN revocationDate INTEGER;
        ALTER TABLE oldEntry ADD COLUMN originalVersion TEXT;
        ALTER TABLE oldEntry ADD COLUMN platform TEXT;
        ALTER TABLE oldEntry ADD COLUMN signedDate INTEGER;

        """

    /// SQL for ledgers of version 2, which did not store when a purchase or a revocation was signed, nor the authors of
    /// grants. The dates of the purchase and the revocation are used as signing dates. The only refund policy was to
    /// remove units down to zero.
    private static let fromVersion2 = """
        INSERT INTO entry (
            sequence, kind, key, recordedAt, purchaseID, originalTransactionID, transactionID, productIdentifier,
            productKind, quantity, purchaseDate, isFamilyShared, environment, signedDate, revocationDate, reason,
            author, wallet, amount, refundPolicy, balance, originalVersion, platform, signedData)
        SELECT
            sequence, kind, CASE kind WHEN 'revocation' THEN key || ' ' || revocationDate ELSE key END, recordedAt,
            CASE WHEN kind IN ('purchase', 'credit', 'revocation') THEN key END,
            CASE WHEN kind IN ('purchase', 'revocation') THEN key END,
            transactionID, productIdentifier, productKind, quantity, purchaseDate,
            CASE kind WHEN 'purchase' THEN 0 END, environment,
            CASE kind WHEN 'purchase' THEN purchaseDate WHEN 'revocation' THEN revocationDate ELSE signedDate END,
            revocationDate, reason, CASE kind WHEN 'grant' THEN '' END, wallet, amount,
            CASE kind WHEN 'credit' THEN 'clawback' END,
            CASE WHEN wallet IS NOT NULL THEN
                SUM(CASE WHEN wallet IS NULL THEN 0 WHEN kind = 'credit' THEN amount ELSE -amount END)
                OVER (PARTITION BY wallet ORDER BY sequence)
            END,
            originalVersion, platform, signedData
        FROM oldEntry ORDER BY sequence;

        """

    /// SQL for ledgers of version 3, which did not support receipts.
    private static let fromVersion3 = """
        INSERT INTO entry (
            sequence, kind, key, recordedAt, purchaseID, originalTransactionID, transactionID, productIdentifier,
            productKind, quantity, purchaseDate, expirationDate, gracePeriodExpirationDate, isUpgraded,
            isFamilyShared, accountToken, contents, environment, signedDate, revocationDate, reason, author, wallet,
            amount, refundPolicy, balance, originalVersion, platform, signedData)
        SELECT
            sequence, kind, key, recordedAt, purchaseID, originalTransactionID, transactionID, productIdentifier,
            productKind, quantity, purchaseDate, expirationDate, gracePeriodExpirationDate, isUpgraded,
            isFamilyShared, accountToken, contents, environment, signedDate, revocationDate, reason, author, wallet,
            amount, refundPolicy, balance, originalVersion, platform, signedData
        FROM oldEntry ORDER BY sequence;

        """

    /// SQL for ledgers of versions 4 and 5, which did not support content.
    private static let fromVersion4 = """
        INSERT INTO entry (
            sequence, kind, key, recordedAt, purchaseID, originalTransactionID, transactionID, productIdentifier,
            productKind, quantity, purchaseDate, expirationDate, gracePeriodExpirationDate, isUpgraded,
            isFamilyShared, accountToken, contents, environment, signedDate, revocationDate, reason, author, wallet,
            amount, refundPolicy, balance, originalVersion, platform, receiptDigest, signedData)
        SELECT
            sequence, kind, key, recordedAt, purchaseID, originalTransactionID, transactionID, productIdentifier,
            productKind, quantity, purchaseDate, expirationDate, gracePeriodExpirationDate, isUpgraded,
            isFamilyShared, accountToken, contents, environment, signedDate, revocationDate, reason, author, wallet,
            amount, refundPolicy, balance, originalVersion, platform, receiptDigest, signedData
        FROM oldEntry ORDER BY sequence;

        """
}
