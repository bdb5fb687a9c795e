internal import Foundation
internal import VitrineDeviceExchange
internal import VitrineEntitlements
internal import VitrineEntitlementsSQLite
internal import VitrineSupport

/// Ledger of a storage directory. While its file cannot be written, reads use a copy of the ledger in memory, and each
/// write tries to open the file again. If another process has moved or removed the file, a write fails with `replaced`,
/// and the next operation opens the ledger that is in the storage directory then.
final class HomeLedger: Ledger {
    private struct Opened {
        var ledger: SQLiteLedger
        /// Number of times that the ledger was opened.
        var number = 1
        var onReplacement: (@Sendable (LedgerSummary) -> Void)?
    }

    private let home: Home
    private let now: @Sendable () -> Date
    private let opened: Locked<Opened>

    /// Opens the ledger of a storage directory.
    ///
    /// - Returns: The ledger, and its summary.
    static func open(
        _ home: Home, now: @escaping @Sendable () -> Date
    ) async throws(LedgerError) -> (ledger: HomeLedger, summary: LedgerSummary) {
        let (ledger, summary) = try await LedgerOpening(home: home, now: now()).open()
        return (HomeLedger(home: home, now: now, ledger: ledger), summary)
    }

    private init(home: Home, now: @escaping @Sendable () -> Date, ledger: SQLiteLedger) {
        self.home = home
        self.now = now
        opened = Locked(Opened(ledger: ledger))
    }

    /// Sets the function that receives the summary of each ledger that replaces the current one.
    func onReplacement(_ body: @escaping @Sendable (LedgerSummary) -> Void) {
        opened.withLock { $0.onReplacement = body }
    }

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

    private func using<Value>(
        _ body: (SQLiteLedger) async throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        let (ledger, number) = opened.withLock { ($0.ledger, $0.number) }
        do {
            return try await body(ledger)
        } catch {
            guard error.code == .replaced || ledger.isReadOnly else { throw error }
            try await reopen(after: number)
            let present = opened.withLock { $0.ledger }
            // The opened ledger may be writable now.
            guard ledger.isReadOnly, !present.isReadOnly else { throw error }
            return try await body(present)
        }
    }

    /// Opens the ledger that is in the storage directory now, unless another call has opened it already.
    private func reopen(after number: Int) async throws(LedgerError) {
        let (ledger, summary) = try await LedgerOpening(home: home, now: now()).open()
        let onReplacement = opened.withLock { opened -> (@Sendable (LedgerSummary) -> Void)? in
            guard opened.number == number else { return nil }
            opened.number += 1
            opened.ledger = ledger
            return opened.onReplacement
        }
        onReplacement?(summary)
    }

    // MARK: Ledger

    func append(_ facts: [DatedFact]) async throws(LedgerError) -> [LedgerEntry] {
        try await using { (ledger) throws(LedgerError) in try await ledger.append(facts) }
    }

    func merge(
        _ facts: [ExchangedFact], adjusting wallets: Set<String>, overdrafts policy: OverdraftPolicy?, at date: Date
    ) async throws(LedgerError) -> LedgerMerge {
        try await using { (ledger) throws(LedgerError) in
            try await ledger.merge(facts, adjusting: wallets, overdrafts: policy, at: date)
        }
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
