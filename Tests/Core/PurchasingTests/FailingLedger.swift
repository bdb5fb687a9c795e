import Foundation
import VitrineEntitlements
import VitrineSupport

/// Ledger on a full disk.
struct FailingLedger: Ledger {
    private let error = LedgerError(code: .unavailable, reason: "the disk is full")

    func append(_ facts: [DatedFact]) async throws(LedgerError) -> [LedgerEntry] { throw error }

    func merge(
        _ facts: [ExchangedFact], adjusting wallets: Set<String>, overdrafts policy: OverdraftPolicy?, at date: Date
    ) async throws(LedgerError) -> LedgerMerge {
        throw error
    }

    func entries(after sequence: Int64) async throws(LedgerError) -> [LedgerEntry] { throw error }

    func entry(of kind: Fact.Kind, key: String) async throws(LedgerError) -> LedgerEntry? { nil }

    func checkWritable() async throws(LedgerError) -> Int64 { 0 }

    func isRevoked(_ purchaseID: String) async throws(LedgerError) -> Bool { false }

    func summary() async throws(LedgerError) -> LedgerSummary { throw error }

    func advance(_ name: String, to value: Int64) async throws(LedgerError) -> Int64 { throw error }

    func highest(_ name: String) async throws(LedgerError) -> Int64? { throw error }

    func setValue(_ data: Data, for name: String) async throws(LedgerError) { throw error }

    func value(for name: String) async throws(LedgerError) -> Data? { throw error }
}
