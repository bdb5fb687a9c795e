internal import Foundation
internal import VitrineDeviceExchange
internal import VitrineEntitlements
internal import VitrineEntitlementsSQLite
internal import VitrineSupport

/// Ledger of a storage directory. While its file cannot be written, reads use a copy of the ledger in memory, and each
/// write tries to open the file again. If another process has moved or removed the file, a write fails with `replaced`,
/// and the next operation opens the ledger that is in the storage directory then.
///
/// If the app keeps App Store accounts apart, each account has a ledger of its own, and facts that the store has signed
/// for another account are refused. The ledger and its account are read together before each operation, so that a fact
/// of one account is never recorded in the ledger of another, whenever the account changes.
final class HomeLedger: Ledger {
    /// Ledger that is open now.
    private struct Opened {
        var ledger: SQLiteLedger
        /// Storage directory of the ledger: that of the app, or the folder of an account in it.
        var place: Home
        /// App Store account of the ledger; `nil` if it is not known, or the app does not keep the accounts apart.
        var account: String?
        /// App Store account of the ledger in the storage directory itself; `nil` if it is not known.
        var first: String?
        /// Number of times that a ledger was opened.
        var number = 1
    }

    /// Functions that are called about the ledger.
    private struct Listeners {
        var onReplacement: (@Sendable (Replacement) -> Void)?
        var onOtherAccount: (@Sendable () async -> Void)?
    }

    /// Ledger that replaces the current one.
    struct Replacement: Sendable {
        let summary: LedgerSummary
        /// Stored values of the ledger if it belongs to another account than the replaced one; otherwise `nil`.
        let values: AccountValues?
    }

    private let home: Home
    private let accounts: AccountPolicy
    private let now: @Sendable () -> Date
    private let opened: Locked<Opened>
    private let listeners = Locked(Listeners())

    /// Opens the ledger of a storage directory: the only one, or that of the App Store account that was present last.
    ///
    /// - Returns: The ledger, and its summary.
    static func open(
        _ home: Home, accounts: AccountPolicy, now: @escaping @Sendable () -> Date
    ) async throws(LedgerError) -> (ledger: HomeLedger, summary: LedgerSummary) {
        let present = try accounts == .separate ? PresentAccount.read(in: home) : nil
        let place = try present?.createPlace(in: home) ?? home
        let (ledger, summary) = try await LedgerOpening(home: place, now: now()).open()
        var (account, first) = (present?.account, present?.first)
        if accounts == .separate, present == nil {
            account = try await LedgerAccount.of(ledger, summary)?.account
            first = account
        }
        let opened = Opened(ledger: ledger, place: place, account: account, first: first)
        return (HomeLedger(home: home, accounts: accounts, now: now, opened: opened), summary)
    }

    private init(home: Home, accounts: AccountPolicy, now: @escaping @Sendable () -> Date, opened: Opened) {
        self.home = home
        self.accounts = accounts
        self.now = now
        self.opened = Locked(opened)
    }

    /// Sets the function that receives each ledger that replaces the current one.
    func onReplacement(_ body: @escaping @Sendable (Replacement) -> Void) {
        listeners.withLock { $0.onReplacement = body }
    }

    /// Sets the function that determines the present account again, before a fact of another account is refused.
    func onOtherAccount(_ body: @escaping @Sendable () async -> Void) {
        listeners.withLock { $0.onOtherAccount = body }
    }

    /// App Store account of the open ledger; `nil` if it is not known, or the app does not keep the accounts apart.
    var account: String? { opened.withLock { $0.account } }

    /// Storage directory of the open ledger: that of the app, or the folder of an account in it.
    var place: Home { opened.withLock { $0.place } }

    /// Checks the whole ledger for damage, and returns the errors.
    func damage() async throws(LedgerError) -> [String] { try await opened.withLock { $0.ledger }.damage() }

    /// Marks the ledger as damaged and opens it again, which repairs it or sets it aside.
    func repair() async throws(LedgerError) {
        let (ledger, number) = opened.withLock { ($0.ledger, $0.number) }
        ledger.markAsDamaged()
        try await reopen(after: number)
    }

    /// Writes the ledger's write-ahead log into its file.
    func checkpoint() async { await opened.withLock { $0.ledger }.checkpoint() }

    /// Calls a function with the open ledger.
    ///
    /// - Parameter signed: Accounts for which the facts to be recorded were signed.
    /// - Throws: `otherAccount` if the ledger belongs to another account.
    private func using<Value>(
        signedFor signed: Set<String> = [], _ body: (SQLiteLedger) async throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        let (ledger, number) = try admitting(signed)
        do {
            return try await body(ledger)
        } catch {
            guard error.code == .replaced || ledger.isReadOnly else { throw error }
            try await reopen(after: number)
            let (present, _) = try admitting(signed)
            // The opened ledger may be writable now.
            guard ledger.isReadOnly, !present.isReadOnly else { throw error }
            return try await body(present)
        }
    }

    /// Returns the open ledger if facts that were signed for some accounts may be recorded in it.
    private func admitting(_ signed: Set<String>) throws(LedgerError) -> (ledger: SQLiteLedger, number: Int) {
        try opened.withLock { opened throws(LedgerError) in
            if let other = signed.sorted().first(where: { $0 != opened.account }) {
                throw .otherAccount(other, ledgerOf: opened.account)
            }
            return (opened.ledger, opened.number)
        }
    }

    /// Returns the accounts for which facts were signed; none if the app does not keep the accounts apart. If one of them
    /// is not the account of the open ledger, the present account is determined again.
    private func accounts(of facts: [Fact]) async -> Set<String> {
        guard accounts == .separate else { return [] }
        let signed = Set(facts.compactMap(\.account))
        if let account, signed.contains(where: { $0 != account }) {
            await listeners.withLock { $0.onOtherAccount }?()
        }
        return signed
    }

    /// Opens the ledger that is in its place now, unless another call has opened it already.
    private func reopen(after number: Int) async throws(LedgerError) {
        let (ledger, summary) = try await LedgerOpening(home: place, now: now()).open()
        let isReplaced = opened.withLock { opened in
            guard opened.number == number else { return false }
            opened.number += 1
            opened.ledger = ledger
            return true
        }
        if isReplaced { tell(Replacement(summary: summary, values: nil)) }
    }

    private func tell(_ replacement: Replacement) { listeners.withLock { $0.onReplacement }?(replacement) }

    // MARK: Accounts

    /// Opens the ledger of an App Store account. A ledger whose account is not known becomes that of the account.
    ///
    /// The present account is stored before its ledger is used. A process that ends before that opens the former ledger
    /// again, and determines the account again.
    ///
    /// - Returns: The stored values of the opened ledger; `nil` if the ledger of the account was open already.
    /// - Throws: `LedgerError` if a ledger cannot be opened or written. The open ledger then stays.
    func use(_ account: String) async throws(LedgerError) -> AccountValues? {
        let former = try await owner(otherwise: account)
        guard former != account else { return nil }
        let first = opened.withLock { $0.first } ?? former
        let present = PresentAccount(account: account, first: first, former: former)
        let place = try present.createPlace(in: home)
        let (ledger, summary) = try await LedgerOpening(home: place, now: now()).open()
        if try await StoredJSON.account.value(in: ledger) == nil {
            try await StoredJSON.account.store(LedgerAccount(account: account), in: ledger)
        }
        let values = try await AccountValues(of: ledger, in: home)
        try present.write(in: home)
        opened.withLock { opened in
            opened = Opened(
                ledger: ledger, place: place, account: account, first: first, number: opened.number + 1)
        }
        tell(Replacement(summary: summary, values: values))
        return values
    }

    /// Returns the account of the open ledger. It is stored if only the entries of the ledger name it, because later
    /// entries may not.
    ///
    /// - Parameter account: Account that becomes that of the ledger if the ledger has none.
    private func owner(otherwise account: String) async throws(LedgerError) -> String {
        let stored = try await StoredJSON.account.value(in: self)?.account
        let owner = opened.withLock { opened in
            // Another process may have stored the account of a ledger that was empty when it was opened here.
            let owner = opened.account ?? stored ?? account
            opened.account = owner
            return owner
        }
        if stored == nil { try await StoredJSON.account.store(LedgerAccount(account: owner), in: self) }
        return owner
    }

    // MARK: Ledger

    func append(_ facts: [DatedFact]) async throws(LedgerError) -> [LedgerEntry] {
        let signed = await accounts(of: facts.map(\.fact))
        // The first signed facts determine the account of a ledger whose account is not known.
        if account == nil, signed.count == 1, let first = signed.first { _ = try await owner(otherwise: first) }
        return try await using(signedFor: signed) { (ledger) throws(LedgerError) in try await ledger.append(facts) }
    }

    func merge(
        _ facts: [ExchangedFact], adjusting wallets: Set<String>, overdrafts policy: OverdraftPolicy?, at date: Date
    ) async throws(LedgerError) -> LedgerMerge {
        let signed = await accounts(of: facts.map(\.fact))
        let own = account
        let others = own.map { signed.subtracting([$0]) } ?? []
        let refused = others.isEmpty ? [] : Self.indices(in: facts.map(\.fact), of: others)
        let admitted = facts.indices.filter { !refused.contains($0) }
        // The account may change before the facts are recorded.
        let merge = try await using(signedFor: own.map { [$0] } ?? []) { (ledger) throws(LedgerError) in
            try await ledger.merge(admitted.map { facts[$0] }, adjusting: wallets, overdrafts: policy, at: date)
        }
        guard !refused.isEmpty else { return merge }
        var complete = merge
        complete.problems = Dictionary(uniqueKeysWithValues: merge.problems.map { (admitted[$0.key], $0.value) })
        for index in refused {
            complete.problems[index] = .invalid("it was signed for another App Store account than that of this ledger")
        }
        return complete
    }

    /// Returns the indices of facts that the store has signed for some accounts, and of the credits of such purchases.
    private static func indices(in facts: [Fact], of accounts: Set<String>) -> Set<Int> {
        let signed = facts.indices.filter { facts[$0].account.map(accounts.contains) ?? false }
        let purchases = Set(signed.compactMap { facts[$0].origin?.purchaseID })
        let credits = facts.indices.filter { index in
            if case .credit(let credit) = facts[index] { purchases.contains(credit.purchaseID) } else { false }
        }
        return Set(signed).union(credits)
    }

    func entries(after sequence: Int64) async throws(LedgerError) -> [LedgerEntry] {
        try await using { (ledger) throws(LedgerError) in try await ledger.entries(after: sequence) }
    }

    func checkWritable() async throws(LedgerError) -> Int64 {
        try await using { (ledger) throws(LedgerError) in try await ledger.checkWritable() }
    }

    func entry(of kind: Fact.Kind, key: String) async throws(LedgerError) -> LedgerEntry? {
        try await using { (ledger) throws(LedgerError) in try await ledger.entry(of: kind, key: key) }
    }

    func isRevoked(_ purchaseID: String) async throws(LedgerError) -> Bool {
        try await using { (ledger) throws(LedgerError) in try await ledger.isRevoked(purchaseID) }
    }

    func summary() async throws(LedgerError) -> LedgerSummary {
        try await using { (ledger) throws(LedgerError) in try await ledger.summary() }
    }

    func advance(_ name: String, to value: Int64) async throws(LedgerError) -> Int64 {
        try await using { (ledger) throws(LedgerError) in try await ledger.advance(name, to: value) }
    }

    func highest(_ name: String) async throws(LedgerError) -> Int64? {
        try await using { (ledger) throws(LedgerError) in try await ledger.highest(name) }
    }

    func setValue(_ data: Data, for name: String) async throws(LedgerError) {
        try await using { (ledger) throws(LedgerError) in try await ledger.setValue(data, for: name) }
    }

    func value(for name: String) async throws(LedgerError) -> Data? {
        try await using { (ledger) throws(LedgerError) in try await ledger.value(for: name) }
    }
}
