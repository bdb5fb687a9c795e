internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineSupport

/// Access to the table of entries in one database transaction, with statements that are compiled once. Each row that is
/// read is compared with its checksum.
struct EntryTable: RecordedFacts {
    let database: Database
    private let known: Known

    /// Creates the access to the table in a database transaction.
    ///
    /// - Parameter last: Last entries of the table, if they are known from an earlier transaction.
    init(database: Database, knowing last: LastEntries? = nil) {
        self.database = database
        known = Known(last ?? LastEntries())
    }

    /// Last entry of the table and of each wallet, as far as they were read.
    var lastEntries: LastEntries { known.entries }

    /// Returns the compiled statement for an SQL text. It is cached here, because GRDB's own lookup by a hash of the
    /// whole text is slow compared with a short statement.
    private func statement(_ sql: String) throws -> PositionalStatement {
        if let known = known.statements.first(where: { $0.sql == sql }) { return known.statement }
        let statement = try PositionalStatement(sql, in: database)
        known.statements.append((sql, statement))
        return statement
    }

    // MARK: Writing

    /// Inserts an entry.
    ///
    /// - Parameters:
    ///   - fields: Values of the entry, which receive its sequence number.
    ///   - balance: Balance of the wallet after the entry; `nil` for a fact that changes no wallet.
    ///   - sequence: Sequence number of an entry that is copied from a damaged ledger; by default the next number.
    func insert(_ fields: inout EntryFields, balance: Int?, sequence: Int64? = nil) throws {
        let last = try lastEntry()
        if sequence == nil {
            // A later fact of this device comes after everything that the ledger contains.
            let moment = fields.device == nil ? last.moment?.addingSaturated(1) : last.moment
            fields.moment = max(fields.recordedAt, moment ?? fields.recordedAt)
        }
        let sequence = sequence ?? last.sequence.addingSaturated(1)
        var summary = last.summaryChecksum
        fields.sequence = sequence
        if let wallet = fields.wallet { summary &-= try lastEntry(of: wallet)?.checksum ?? 0 }
        let statement = try statement(Self.insertion)
        let checksum = statement.bind(&fields, balance: balance.map(Int64.init))
        if fields.isOfOwnership { summary &+= checksum }
        if fields.wallet != nil { summary &+= checksum }
        statement.bind(summary, at: 3)
        try statement.run()
        if sequence > last.sequence {
            known.entries.last = (sequence, summary, fields.moment ?? last.moment)
            if let wallet = fields.wallet { known.entries.byWallet[wallet] = (balance.map(Int64.init), checksum) }
        } else {
            known.entries = LastEntries()
        }
    }

    /// Checks that an entry can be written: inserts one in a database transaction that is rolled back.
    ///
    /// - Returns: The sequence number of the last entry.
    func checkWritable() throws -> Int64 {
        var last: Int64 = 0
        let note = Fact.Note(token: "never recorded", reason: "a check whether facts can be recorded")
        try database.inTransaction(.immediate) {
            last = try lastEntry().sequence
            var fields = EntryFields(fact: .note(note), recordedAt: .distantPast)
            try insert(&fields, balance: nil)
            return .rollback
        }
        return last
    }

    private static let insertion = """
        INSERT INTO entry (\(EntryRow.all))
        VALUES (\(Array(repeating: "?", count: EntryRow.computed.count + EntryRow.columns.count)
            .joined(separator: ", ")))
        """

    // MARK: Reading

    func entries(after sequence: Int64) throws -> [LedgerEntry] {
        let statement = try PositionalStatement(Self.selectionAfter, in: database)
        statement.bind(sequence, at: 0)
        return try statement.all { try EntryRow($0).fields.entry() }
    }

    func entry(of kind: Fact.Kind, key: String) throws -> LedgerEntry? {
        let statement = try statement(Self.selectionByKey)
        statement.bind(kind.rawValue, at: 0)
        statement.bind(key, at: 1)
        return try statement.first { row in
            let fields = try EntryRow(row).fields
            guard fields.kind == kind.rawValue, fields.key == key else { throw Self.wrongIndex }
            return try fields.entry()
        }
    }

    /// Returns the summary of the ledger. Its entries have no details, because they are read from an index.
    ///
    /// - Throws: `LedgerError` `damaged` if an entry differs from its checksum, or the summary differs from the
    ///   checksum of the summary in the last entry.
    func summary() throws -> LedgerSummary {
        let last = try lastEntry()
        var summary = LedgerSummary(lastSequence: last.sequence, entries: [], balances: [:])
        var checksum: Int64 = 0
        try PositionalStatement(Self.selectionOfOwnership, in: database).forEach { row in
            let row = try EntryRow(covered: row)
            checksum &+= row.checksum
            summary.entries.append(try row.fields.entry())
        }
        for wallet in try String.fetchAll(database, sql: Self.wallets) {
            guard let last = try lastEntry(of: wallet), let balance = last.balance.flatMap(Int.init(exactly:)) else {
                throw Self.wrongIndex
            }
            checksum &+= last.checksum
            // Swift treats two Unicode spellings of a name (an umlaut as one character or as two) as equal, SQLite does
            // not.
            let (sum, overflows) = summary.balances[wallet, default: 0].addingReportingOverflow(balance)
            guard !overflows else {
                throw LedgerError(
                    code: .damaged, reason: "the balance of the wallet \"\(wallet)\" exceeds 64 bits")
            }
            summary.balances[wallet] = sum
        }
        guard checksum == last.summaryChecksum else {
            throw LedgerError(
                code: .damaged,
                reason: "the entries and balances of the ledger differ from the checksum in its last entry")
        }
        return summary
    }

    /// Returns the sequence number of the last entry, the checksum of the ledger's summary in this entry, and the
    /// latest moment in the ledger; the moment is `nil` for an empty ledger. The checksum of the summary is the sum of
    /// the checksums of all entries that may affect ownership and of the last entry of each wallet.
    func lastEntry() throws -> LastEntries.Last {
        if let last = known.entries.last { return last }
        let last: LastEntries.Last =
            try PositionalStatement(Self.selectionOfLast, in: database)
            .first { ($0.integer(at: 0) ?? 0, $0.integer(at: 1) ?? 0, $0.integer(at: 2)) } ?? (0, 0, nil)
        known.entries.last = last
        return last
    }

    /// Returns the balance of a wallet, and the checksum of the last entry that changed the wallet.
    private func lastEntry(of wallet: String) throws -> LastEntries.OfWallet? {
        if let last = known.entries.byWallet[wallet] { return last }
        let statement = try statement(Self.selectionOfWallet)
        statement.bind(wallet, at: 0)
        let last: LastEntries.OfWallet? = try statement.first { row in
            let row = try EntryRow(row)
            guard row.fields.wallet == wallet else { throw Self.wrongIndex }
            return (row.balance, row.checksum)
        }
        known.entries.byWallet.updateValue(last, forKey: wallet)
        return last
    }

    /// Error for an index that does not match the entries.
    private static let wrongIndex = LedgerError(
        code: .damaged, reason: "an index of the ledger does not match the entries")

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

    private static let selectionOfLast =
        "SELECT sequence, summaryChecksum, moment FROM entry ORDER BY sequence DESC LIMIT 1"

    private static let selectionAfter = "SELECT \(EntryRow.all) FROM entry WHERE sequence > ? ORDER BY sequence"

    private static let selectionByKey = "SELECT \(EntryRow.all) FROM entry WHERE kind = ? AND key = ?"

    private static let selectionOfOwnership = """
        SELECT \(EntryRow.covered) FROM entry INDEXED BY entryOfOwnership
        WHERE \(LedgerSchema.isOfOwnership) ORDER BY sequence
        """

    private static let selectionOfWallet =
        "SELECT \(EntryRow.all) FROM entry WHERE wallet = ? ORDER BY sequence DESC LIMIT 1"

    // MARK: RecordedFacts

    func balance(of wallet: String) throws -> Int {
        try lastEntry(of: wallet)?.balance.flatMap(Int.init(exactly:)) ?? 0
    }

    func entries(ofWallet wallet: String) throws -> [LedgerEntry] {
        try entries(Self.selectionOfAllOfWallet, ofWallet: wallet)
    }

    func leases(ofWallet wallet: String) throws -> [LedgerEntry] {
        try entries(Self.selectionOfLeases, ofWallet: wallet)
    }

    private func entries(_ selection: String, ofWallet wallet: String) throws -> [LedgerEntry] {
        let statement = try statement(selection)
        statement.bind(wallet, at: 0)
        return try statement.all { row in
            let fields = try EntryRow(row).fields
            guard fields.wallet == wallet else { throw Self.wrongIndex }
            return try fields.entry()
        }
    }

    private static let selectionOfAllOfWallet =
        "SELECT \(EntryRow.all) FROM entry WHERE wallet = ? ORDER BY sequence"

    private static let selectionOfLeases = """
        SELECT \(EntryRow.all) FROM entry INDEXED BY entryOfLease
        WHERE wallet = ? AND kind = 'lease' ORDER BY sequence
        """

    func revocationState(of purchaseID: String) throws -> RevocationState? {
        let statement = try statement(Self.selectionOfRevocationState)
        statement.bind(purchaseID, at: 0)
        return try statement.all { try Self.fact($0, of: purchaseID) }.reversed()
            .reduce(nil) { RevocationState($1, after: $0) }
    }

    func term(of purchaseID: String) throws -> Fact.Term? {
        guard case .term(let term) = try last(Self.selectionOfTerm, of: purchaseID) else { return nil }
        return term
    }

    func renewal(of subscription: String) throws -> Fact.Renewal? {
        guard case .renewal(let renewal) = try last(Self.selectionOfRenewal, of: subscription) else { return nil }
        return renewal
    }

    func latestStatement(of purchaseID: String) throws -> Date? {
        try StoredValueTables(database: database).latestStatement(of: purchaseID)
    }

    private func last(_ selection: String, of purchaseID: String) throws -> Fact? {
        let statement = try statement(selection)
        statement.bind(purchaseID, at: 0)
        return try statement.first { try Self.fact($0, of: purchaseID) }
    }

    private static func fact(_ row: PositionalStatement, of purchaseID: String) throws -> Fact {
        let fields = try EntryRow(row).fields
        guard fields.purchaseID == purchaseID else { throw wrongIndex }
        return try fields.entry().fact
    }

    private static let selectionOfRevocationState = selection(of: ["revocation", "reinstatement"])
    private static let selectionOfTerm = selection(of: ["term"])
    private static let selectionOfRenewal = selection(of: ["renewal"])

    /// Returns the SQL that selects the entries about a purchase that have one of the given kinds, the last one first.
    ///
    /// The condition of the index is repeated, because SQLite does not infer it from the kinds. Without it, SQLite
    /// reads and sorts all entries of the kinds, for all purchases.
    static func selection(of kinds: [String]) -> String {
        """
        SELECT \(EntryRow.all) FROM entry
        WHERE purchaseID = ? AND \(LedgerSchema.isOfRevocationState)
            AND (\(kinds.map { "kind = '\($0)'" }.joined(separator: " OR ")))
        ORDER BY sequence DESC
        """
    }
}

/// Cached last entry of a ledger and of each wallet. The cache is valid until another connection writes to the ledger.
struct LastEntries: Sendable {
    typealias OfWallet = (balance: Int64?, checksum: Int64)

    typealias Last = (sequence: Int64, summaryChecksum: Int64, moment: Int64?)

    /// Sequence number of the last entry, the checksum of the ledger's summary in this entry, and the latest moment in
    /// the ledger; `nil` if unknown.
    var last: Last?
    /// Last entry of each wallet that was read, by wallet; `nil` for a wallet that no entry has changed.
    var byWallet: [String: OfWallet?] = [:]
}

/// Cache of an ``EntryTable`` for statements and entries that it needs more than once in a database transaction.
private final class Known {
    var entries: LastEntries
    var statements: [(sql: String, statement: PositionalStatement)] = []

    init(_ entries: LastEntries) { self.entries = entries }
}
