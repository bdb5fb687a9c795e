public import Entitlements
public import Foundation

extension CatalogManager {
    /// Returns every entry of the ledger, in order.
    ///
    /// - Throws: `LedgerError` if the ledger cannot be read.
    public func history() async throws(LedgerError) -> [LedgerEntry] { try await ledger.entries(after: 0) }

    /// Returns the expired purchases and grants of a product with their end, latest first.
    public nonisolated func ended(of identifier: String) -> [(reason: Ownership.Reason, end: Date)] {
        state.snapshot.entitlements.ended(of: identifier)
    }

    /// Returns the locks that have ended grants of a product, latest first.
    public nonisolated func locks(of identifier: String) -> [(lock: Fact.Lock, date: Date)] {
        state.snapshot.entitlements.locks(of: identifier)
    }
}
