import Foundation
import VitrineDeviceExchange
import VitrineEntitlements
import VitrineSupport

/// Ledger that can be read but not written.
struct FullLedger: Ledger {
    private let base = MemoryLedger()

    func append(_ facts: [DatedFact]) async throws(LedgerError) -> [LedgerEntry] {
        throw LedgerError(code: .unavailable, reason: "the disk is full")
    }

    func merge(
        _ facts: [ExchangedFact], adjusting wallets: Set<String>, overdrafts policy: OverdraftPolicy?, at date: Date
    ) async throws(LedgerError) -> LedgerMerge {
        throw LedgerError(code: .unavailable, reason: "the disk is full")
    }

    func entries(after sequence: Int64) async throws(LedgerError) -> [LedgerEntry] {
        await base.entries(after: sequence)
    }

    func checkWritable() async throws(LedgerError) -> Int64 { await base.checkWritable() }

    func entry(of kind: Fact.Kind, key: String) async throws(LedgerError) -> LedgerEntry? {
        await base.entry(of: kind, key: key)
    }

    func isRevoked(_ purchaseID: String) async throws(LedgerError) -> Bool { await base.isRevoked(purchaseID) }

    func summary() async throws(LedgerError) -> LedgerSummary { await base.summary() }

    func advance(_ name: String, to value: Int64) async throws(LedgerError) -> Int64 {
        throw LedgerError(code: .unavailable, reason: "the disk is full")
    }

    func highest(_ name: String) async throws(LedgerError) -> Int64? { try await base.highest(name) }

    func setValue(_ data: Data, for name: String) async throws(LedgerError) {
        throw LedgerError(code: .unavailable, reason: "the disk is full")
    }

    func value(for name: String) async throws(LedgerError) -> Data? { try await base.value(for: name) }
}
