package import Foundation
package import VitrineEntitlements

/// Ledger that records each call, and runs a test's closure before it.
package struct InterceptedLedger: Ledger {
    package let base: any Ledger
    /// Names of the calls, in order.
    package let calls = Recorder<String>()
    /// Called with the name of each call before it is made. An error that it throws is that of the call.
    package var before: @Sendable (_ call: String) async throws(LedgerError) -> Void = { _ in }

    package init(_ base: any Ledger) { self.base = base }

    private func begin(_ call: String) async throws(LedgerError) {
        calls.record(call)
        try await before(call)
    }

    package func append(_ facts: [DatedFact]) async throws(LedgerError) -> [LedgerEntry] {
        try await begin("append")
        return try await base.append(facts)
    }

    package func merge(
        _ facts: [ExchangedFact], adjusting wallets: Set<String>, overdrafts policy: OverdraftPolicy?, at date: Date
    ) async throws(LedgerError) -> LedgerMerge {
        try await begin("merge")
        return try await base.merge(facts, adjusting: wallets, overdrafts: policy, at: date)
    }

    package func entries(after sequence: Int64) async throws(LedgerError) -> [LedgerEntry] {
        try await begin("entries")
        return try await base.entries(after: sequence)
    }

    package func checkWritable() async throws(LedgerError) -> Int64 {
        try await begin("checkWritable")
        return try await base.checkWritable()
    }

    package func entry(of kind: Fact.Kind, key: String) async throws(LedgerError) -> LedgerEntry? {
        try await begin("entry")
        return try await base.entry(of: kind, key: key)
    }

    package func isRevoked(_ purchaseID: String) async throws(LedgerError) -> Bool {
        try await begin("isRevoked")
        return try await base.isRevoked(purchaseID)
    }

    package func summary() async throws(LedgerError) -> LedgerSummary {
        try await begin("summary")
        return try await base.summary()
    }

    package func advance(_ name: String, to value: Int64) async throws(LedgerError) -> Int64 {
        try await begin("advance")
        return try await base.advance(name, to: value)
    }

    package func highest(_ name: String) async throws(LedgerError) -> Int64? {
        try await begin("highest")
        return try await base.highest(name)
    }

    package func setValue(_ data: Data, for name: String) async throws(LedgerError) {
        try await begin("setValue")
        try await base.setValue(data, for: name)
    }

    package func value(for name: String) async throws(LedgerError) -> Data? {
        try await begin("value")
        return try await base.value(for: name)
    }
}
