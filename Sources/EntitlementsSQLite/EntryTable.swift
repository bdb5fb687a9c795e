internal import Entitlements
internal import Foundation
internal import GRDB

/// Table of entries, read and written by statements that are compiled once.
struct EntryTable: RecordedFacts {
    let database: Database

    private static let columns = [
        "sequence", "kind", "key", "recordedAt", "purchaseID", "originalTransactionID", "transactionID",
        "productIdentifier", "productKind", "quantity", "purchaseDate", "expirationDate",
        "gracePeriodExpirationDate", "isUpgraded", "isFamilyShared", "accountToken", "contents", "environment",
        "signedDate", "revocationDate", "reason", "author", "wallet", "amount", "refundPolicy", "originalVersion",
        "platform", "receiptDigest",
    ]
    private static let selected = columns.joined(separator: ", ")
    /// Columns of the table that do not affect ownership.
    private static let others = ["signedData", "contentVersion", "contentDigest", "contentPath"]
    private static let selectedWithOthers = (columns + others).joined(separator: ", ")

    // MARK: Writing

    /// Inserts an entry and returns its sequence number.
    ///
    /// - Parameter balance: Balance of the wallet after the entry; `nil` for a fact that changes no wallet.
    func insert(_ fields: EntryFields, balance: Int?) throws -> Int64 {
        let statement = try PositionalStatement(Self.insertion, in: database)
        statement.bind(fields)
        statement.bind(balance, at: Self.columns.count - 1 + Self.others.count)
        try statement.run()
        return database.lastInsertedRowID
    }

    /// Inserts an entry in a transaction that is rolled back.
    ///
    /// - Returns: The sequence number of the last entry.
    func checkWritable() throws -> Int64 {
        var last: Int64 = 0
        let note = Fact.Note(token: "never recorded", reason: "a check whether facts can be recorded")
        try database.inTransaction(.immediate) {
            last = try lastSequence()
            _ = try insert(EntryFields(fact: .note(note), recordedAt: .distantPast), balance: nil)
            return .rollback
        }
        return last
    }

    private static let insertion = """
        INSERT INTO entry (\((columns.dropFirst() + others).joined(separator: ", ")), balance)
        VALUES (\(Array(repeating: "?", count: columns.count + others.count).joined(separator: ", ")))
        """

    // MARK: Reading

    func entries(after sequence: Int64) throws -> [LedgerEntry] {
        let statement = try PositionalStatement(Self.selectionAfter, in: database)
        statement.bind(sequence, at: 0)
        return try statement.all { try EntryFields($0).entry() }
    }

    /// Returns the entries that may affect ownership, without their signed data: an index covers all of their columns.
    func entriesOfOwnership() throws -> [LedgerEntry] {
        try PositionalStatement(Self.selectionOfOwnership, in: database).all { try EntryFields($0).entry() }
    }

    func entry(of kind: Fact.Kind, key: String) throws -> LedgerEntry? {
        let statement = try PositionalStatement(Self.selectionByKey, in: database)
        statement.bind(kind.rawValue, at: 0)
        statement.bind(key, at: 1)
        return try statement.first { try EntryFields($0).entry() }
    }

    func lastSequence() throws -> Int64 {
        try PositionalStatement("SELECT MAX(sequence) FROM entry", in: database).first { $0.integer(at: 0) ?? 0 } ?? 0
    }

    func summary() throws -> LedgerSummary {
        LedgerSummary(
            lastSequence: try lastSequence(), entries: try entriesOfOwnership(), balances: try balances())
    }

    /// Returns the balance of each wallet.
    func balances() throws -> [String: Int] {
        var balances: [String: Int] = [:]
        for wallet in try String.fetchAll(database, sql: Self.wallets) {
            // Swift treats two Unicode spellings of a name (an umlaut as one character or as two) as equal, SQLite does
            // not.
            let (sum, overflows) = try balances[wallet, default: 0].addingReportingOverflow(balance(of: wallet))
            guard !overflows else {
                throw LedgerError(
                    code: .damaged, reason: "the balance of the wallet \"\(wallet)\" exceeds 64 bits")
            }
            balances[wallet] = sum
        }
        return balances
    }

    /// SQL that lists the names of all wallets by stepping from one wallet to the next in the index, so that its cost
    /// does not depend on the number of entries.
    private static let wallets = """
        WITH RECURSIVE known (wallet) AS (
            SELECT MIN(wallet) FROM entry WHERE wallet IS NOT NULL
            UNION ALL
            SELECT (SELECT MIN(wallet) FROM entry WHERE wallet > known.wallet) FROM known WHERE wallet IS NOT NULL
        )
        SELECT wallet FROM known WHERE wallet IS NOT NULL
        """

    private static let selectionAfter =
        "SELECT \(selectedWithOthers) FROM entry WHERE sequence > ? ORDER BY sequence"

    private static let selectionByKey = "SELECT \(selectedWithOthers) FROM entry WHERE kind = ? AND key = ?"

    private static let selectionOfOwnership = """
        SELECT \(selected) FROM entry INDEXED BY entryOfOwnership WHERE \(LedgerSchema.isOfOwnership) ORDER BY sequence
        """

    // MARK: RecordedFacts

    func balance(of wallet: String) throws -> Int {
        let statement = try PositionalStatement(Self.selectionOfBalance, in: database)
        statement.bind(wallet, at: 0)
        return try statement.first { Int($0.integer(at: 0) ?? 0) } ?? 0
    }

    func fact(of kind: Fact.Kind, key: String) throws -> Fact? { try entry(of: kind, key: key)?.fact }

    func revocationState(of purchaseID: String) throws -> Fact? {
        try last(Self.selectionOfRevocationState, of: purchaseID)
    }

    func term(of purchaseID: String) throws -> Fact.Term? {
        guard case .term(let term) = try last(Self.selectionOfTerm, of: purchaseID) else { return nil }
        return term
    }

    private func last(_ selection: String, of purchaseID: String) throws -> Fact? {
        let statement = try PositionalStatement(selection, in: database)
        statement.bind(purchaseID, at: 0)
        return try statement.first { try EntryFields($0).entry().fact }
    }

    private static let selectionOfBalance =
        "SELECT balance FROM entry WHERE wallet = ? ORDER BY sequence DESC LIMIT 1"

    private static let selectionOfRevocationState = """
        SELECT \(selected) FROM entry WHERE purchaseID = ? AND kind IN ('revocation', 'reinstatement')
        ORDER BY sequence DESC LIMIT 1
        """

    private static let selectionOfTerm = """
        SELECT \(selected) FROM entry WHERE purchaseID = ? AND kind = 'term' ORDER BY sequence DESC LIMIT 1
        """
}

extension PositionalStatement {
    /// Binds the fields of an entry to the columns of ``EntryTable`` in their order, except the sequence number.
    fileprivate func bind(_ fields: EntryFields) {
        bind(fields.kind, at: 0)
        bind(fields.key, at: 1)
        bind(fields.recordedAt, at: 2)
        bind(fields.purchaseID, at: 3)
        bind(fields.originalTransactionID, at: 4)
        bind(fields.transactionID, at: 5)
        bind(fields.productIdentifier, at: 6)
        bind(fields.productKind, at: 7)
        bind(fields.quantity, at: 8)
        bind(fields.purchaseDate, at: 9)
        bind(fields.expirationDate, at: 10)
        bind(fields.gracePeriodExpirationDate, at: 11)
        bind(fields.isUpgraded, at: 12)
        bind(fields.isFamilyShared, at: 13)
        bind(fields.accountToken, at: 14)
        bind(fields.contents, at: 15)
        bind(fields.environment, at: 16)
        bind(fields.signedDate, at: 17)
        bind(fields.revocationDate, at: 18)
        bind(fields.reason, at: 19)
        bind(fields.author, at: 20)
        bind(fields.wallet, at: 21)
        bind(fields.amount, at: 22)
        bind(fields.refundPolicy, at: 23)
        bind(fields.originalVersion, at: 24)
        bind(fields.platform, at: 25)
        bind(fields.receiptDigest, at: 26)
        bind(fields.signedData, at: 27)
        bind(fields.contentVersion, at: 28)
        bind(fields.contentDigest, at: 29)
        bind(fields.contentPath, at: 30)
    }
}

extension EntryFields {
    /// Reads the fields of an entry from a row of the table.
    ///
    /// - Parameter row: The columns in the order of ``EntryTable``; those that do not affect ownership may be missing.
    fileprivate init(_ row: PositionalStatement) {
        self.init(
            kind: row.text(at: 1) ?? "", key: row.text(at: 2) ?? "", recordedAt: row.integer(at: 3) ?? 0)
        sequence = row.integer(at: 0)
        purchaseID = row.text(at: 4)
        originalTransactionID = row.text(at: 5)
        transactionID = row.text(at: 6)
        productIdentifier = row.text(at: 7)
        productKind = row.text(at: 8)
        quantity = row.integer(at: 9).map(Int.init)
        purchaseDate = row.integer(at: 10)
        expirationDate = row.integer(at: 11)
        gracePeriodExpirationDate = row.integer(at: 12)
        isUpgraded = row.flag(at: 13)
        isFamilyShared = row.flag(at: 14)
        accountToken = row.text(at: 15)
        contents = row.text(at: 16)
        environment = row.text(at: 17)
        signedDate = row.integer(at: 18)
        revocationDate = row.integer(at: 19)
        reason = row.text(at: 20)
        author = row.text(at: 21)
        wallet = row.text(at: 22)
        amount = row.integer(at: 23).map(Int.init)
        refundPolicy = row.text(at: 24)
        originalVersion = row.text(at: 25)
        platform = row.text(at: 26)
        receiptDigest = row.text(at: 27)
        guard row.columnCount > 28 else { return }
        signedData = row.text(at: 28)
        contentVersion = row.text(at: 29)
        contentDigest = row.text(at: 30)
        contentPath = row.text(at: 31)
    }
}
