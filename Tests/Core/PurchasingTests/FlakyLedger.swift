import Foundation
import Synchronization
import VitrineEntitlements
import VitrineSupport

/// Ledger that fails at one call, before the call has any effect.
final class FlakyLedger: Ledger {
    private struct State {
        /// Number of successful calls before the failure; `nil` for no failure.
        var callsBeforeFailure: Int?
        var recorded: Set<String> = []
    }

    let base: any Ledger
    private let state = Mutex(State())

    init(_ base: any Ledger) { self.base = base }

    /// Resets the number of calls and the recorded data.
    ///
    /// - Parameter callsBeforeFailure: Number of successful calls before the failure; `nil` for no failure.
    func begin(callsBeforeFailure: Int?) {
        state.withLock { $0 = State(callsBeforeFailure: callsBeforeFailure) }
    }

    /// Signed data of the facts that the ledger has recorded since ``begin(callsBeforeFailure:)``.
    var recorded: Set<String> { state.withLock(\.recorded) }

    private func check() throws(LedgerError) {
        let fails = state.withLock { state in
            guard let calls = state.callsBeforeFailure else { return false }
            state.callsBeforeFailure = calls == 0 ? nil : calls - 1
            return calls == 0
        }
        if fails { throw LedgerError(code: .unavailable, reason: "the ledger fails once") }
    }

    func append(_ facts: [DatedFact]) async throws(LedgerError) -> [LedgerEntry] {
        try check()
        let entries = try await base.append(facts)
        state.withLock { $0.recorded.formUnion(facts.compactMap(\.fact.origin?.signedData)) }
        return entries
    }

    func merge(
        _ facts: [ExchangedFact], adjusting wallets: Set<String>, overdrafts policy: OverdraftPolicy?, at date: Date
    ) async throws(LedgerError) -> LedgerMerge {
        try check()
        return try await base.merge(facts, adjusting: wallets, overdrafts: policy, at: date)
    }

    func entries(after sequence: Int64) async throws(LedgerError) -> [LedgerEntry] {
        try check()
        return try await base.entries(after: sequence)
    }

    func entry(of kind: Fact.Kind, key: String) async throws(LedgerError) -> LedgerEntry? {
        try check()
        return try await base.entry(of: kind, key: key)
    }

    func checkWritable() async throws(LedgerError) -> Int64 {
        try check()
        return try await base.checkWritable()
    }

    func isRevoked(_ purchaseID: String) async throws(LedgerError) -> Bool {
        try check()
        return try await base.isRevoked(purchaseID)
    }

    func summary() async throws(LedgerError) -> LedgerSummary {
        try check()
        return try await base.summary()
    }

    func advance(_ name: String, to value: Int64) async throws(LedgerError) -> Int64 {
        try check()
        return try await base.advance(name, to: value)
    }

    func highest(_ name: String) async throws(LedgerError) -> Int64? {
        try check()
        return try await base.highest(name)
    }

    func setValue(_ data: Data, for name: String) async throws(LedgerError) {
        try check()
        try await base.setValue(data, for: name)
    }

    func value(for name: String) async throws(LedgerError) -> Data? {
        try check()
        return try await base.value(for: name)
    }
}
