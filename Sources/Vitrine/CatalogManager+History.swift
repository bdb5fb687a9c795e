public import Entitlements
public import Foundation

extension CatalogManager {
    /// Every entry of the ledger, in order.
    ///
    /// - Throws: `LedgerError` where the ledger cannot be read.
    public func history() async throws(LedgerError) -> [LedgerEntry] { try await ledger.entries(after: 0) }

    /// The purchases and grants of a product that have ended by themselves, with their end, the latest first.
    public nonisolated func ended(of identifier: String) -> [(reason: Ownership.Reason, end: Date)] {
        state.snapshot.entitlements.ended(of: identifier)
    }

    /// What has taken the grants of a product away, the latest first.
    public nonisolated func locks(of identifier: String) -> [(lock: Fact.Lock, date: Date)] {
        state.snapshot.entitlements.locks(of: identifier)
    }
}
