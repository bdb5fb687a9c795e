internal import Entitlements
internal import GRDB

/// The table of entries, read and written by statements that are compiled once.
struct EntryTable: RecordedFacts {
    let database: Database

    private static let columns = [
        "sequence", "kind", "key", "recordedAt", "purchaseID", "originalTransactionID", "transactionID",
        "productIdentifier", "productKind", "quantity", "purchaseDate", "expirationDate",
        "gracePeriodExpirationDate", "isUpgraded", "isFamilyShared", "accountToken", "contents", "environment",
        "signedDate", "revocationDate", "reason", "author", "wallet", "amount", "refundPolicy", "originalVersion",
        "platform",
    ]
    private static let selected = columns.joined(separator: ", ")
    private static let selectedWithProof = selected + ", signedData"

    // MARK: Writing

    /// - Parameter balance: What the wallet holds afterwards; `nil` for a fact that changes none.
    func insert(_ fields: EntryFields, balance: Int?) throws -> Int64 {
        let statement = try database.cachedStatement(sql: Self.insertion)
        try statement.execute(arguments: [
            fields.kind, fields.key, fields.recordedAt, fields.purchaseID, fields.originalTransactionID,
            fields.transactionID, fields.productIdentifier, fields.productKind, fields.quantity, fields.purchaseDate,
            fields.expirationDate, fields.gracePeriodExpirationDate, fields.isUpgraded, fields.isFamilyShared,
            fields.accountToken, fields.contents, fields.environment, fields.signedDate, fields.revocationDate,
            fields.reason, fields.author, fields.wallet, fields.amount, fields.refundPolicy, fields.originalVersion,
            fields.platform, fields.signedData, balance,
        ])
        return database.lastInsertedRowID
    }

    private static let insertion = """
        INSERT INTO entry (\(columns.dropFirst().joined(separator: ", ")), signedData, balance)
        VALUES (\(Array(repeating: "?", count: columns.count + 1).joined(separator: ", ")))
        """

    // MARK: Reading

    func entries(after sequence: Int64) throws -> [LedgerEntry] {
        try entries("\(Self.selectedWithProof) FROM entry WHERE sequence > ? ORDER BY sequence", [sequence])
    }

    /// The entries that something may be owned because of, without their signed data: an index has all of it.
    func entriesOfOwnership() throws -> [LedgerEntry] {
        try entries(
            "\(Self.selected) FROM entry INDEXED BY entryOfOwnership WHERE \(LedgerSchema.isOfOwnership) ORDER BY sequence",
            [])
    }

    func entry(of kind: Fact.Kind, key: String) throws -> LedgerEntry? {
        try entries("\(Self.selectedWithProof) FROM entry WHERE kind = ? AND key = ?", [kind.rawValue, key]).first
    }

    func lastSequence() throws -> Int64 {
        try Int64.fetchOne(database.cachedStatement(sql: "SELECT MAX(sequence) FROM entry")) ?? 0
    }

    /// The balance of each wallet.
    func balances() throws -> [String: Int] {
        var balances: [String: Int] = [:]
        for wallet in try String.fetchAll(database, sql: Self.wallets) {
            // Swift takes two spellings of one name (an umlaut as one character or as two) for the same, SQLite does not.
            let (sum, overflows) = try balances[wallet, default: 0].addingReportingOverflow(balance(of: wallet))
            guard !overflows else {
                throw LedgerError(
                    code: .damaged, reason: "the wallet \"\(wallet)\" holds more than 64 bits can say")
            }
            balances[wallet] = sum
        }
        return balances
    }

    /// Goes from one wallet to the next in the index, however many entries each has.
    private static let wallets = """
        WITH RECURSIVE known (wallet) AS (
            SELECT MIN(wallet) FROM entry WHERE wallet IS NOT NULL
            UNION ALL
            SELECT (SELECT MIN(wallet) FROM entry WHERE wallet > known.wallet) FROM known WHERE wallet IS NOT NULL
        )
        SELECT wallet FROM known WHERE wallet IS NOT NULL
        """

    private func entries(_ query: String, _ arguments: StatementArguments) throws -> [LedgerEntry] {
        let statement = try database.cachedStatement(sql: "SELECT " + query)
        var entries: [LedgerEntry] = []
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        while let row = try rows.next() { entries.append(try EntryFields(row).entry()) }
        return entries
    }

    // MARK: RecordedFacts

    func balance(of wallet: String) throws -> Int {
        let statement = try database.cachedStatement(
            sql: "SELECT balance FROM entry WHERE wallet = ? ORDER BY sequence DESC LIMIT 1")
        return try Int.fetchOne(statement, arguments: [wallet]) ?? 0
    }

    func fact(of kind: Fact.Kind, key: String) throws -> Fact? { try entry(of: kind, key: key)?.fact }

    func standing(of purchaseID: String) throws -> Fact? {
        try entries(
            "\(Self.selected) FROM entry WHERE purchaseID = ? AND kind IN ('revocation', 'reinstatement') ORDER BY sequence DESC LIMIT 1",
            [purchaseID]
        ).first?.fact
    }

    func term(of purchaseID: String) throws -> Fact.Term? {
        let last = try entries(
            "\(Self.selected) FROM entry WHERE purchaseID = ? AND kind = 'term' ORDER BY sequence DESC LIMIT 1",
            [purchaseID]
        ).first?.fact
        guard case .term(let term) = last else { return nil }
        return term
    }
}

extension EntryFields {
    /// - Parameter row: The columns in the order of ``EntryTable``; the signed data may be missing.
    fileprivate init(_ row: Row) {
        self.init(kind: row[1], key: row[2], recordedAt: row[3])
        sequence = row[0]
        purchaseID = row[4]
        originalTransactionID = row[5]
        transactionID = row[6]
        productIdentifier = row[7]
        productKind = row[8]
        quantity = row[9]
        purchaseDate = row[10]
        expirationDate = row[11]
        gracePeriodExpirationDate = row[12]
        isUpgraded = row[13]
        isFamilyShared = row[14]
        accountToken = row[15]
        contents = row[16]
        environment = row[17]
        signedDate = row[18]
        revocationDate = row[19]
        reason = row[20]
        author = row[21]
        wallet = row[22]
        amount = row[23]
        refundPolicy = row[24]
        originalVersion = row[25]
        platform = row[26]
        if row.count > 27 { signedData = row[27] }
    }
}
