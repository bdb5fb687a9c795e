public import Entitlements
public import Foundation

extension CatalogManager {
    /// The ledger in which the customer's purchases, grants and wallets are recorded.
    public nonisolated var ledger: LedgerAccess { LedgerAccess(manager: self) }

    /// The ledger in which the customer's purchases, grants and wallets are recorded.
    public struct LedgerAccess: Sendable {
        let manager: CatalogManager
    }
}

extension CatalogManager.LedgerAccess {
    /// Loss of an earlier ledger that could not be read any more; `nil` if none was lost, or the loss is settled.
    public var loss: Fact.Loss? { manager.state.snapshot.entitlements.loss }

    /// Reason for which the ownership of some products is unknown; `nil` if it is known of all.
    public var ownershipUnknownReason: Ownership.UnknownReason? {
        manager.state.snapshot.entitlements.unknownReason
    }

    /// Settles the loss of an earlier ledger: records that its effects have been reviewed, so that balances are known
    /// from now on.
    ///
    /// - Parameters:
    ///   - reason: Reason as text, for later review.
    ///   - author: Author of the settlement, as text.
    /// - Returns: `true` if there was a loss to settle.
    /// - Throws: `LedgerError` if the storage fails.
    @discardableResult
    public func settleLoss(because reason: String, by author: String = "") async throws(LedgerError) -> Bool {
        guard let loss else { return false }
        let settlement = Fact.Settlement(token: loss.token, reason: reason, author: author)
        _ = try await manager.facts.append([.settlement(settlement)], at: manager.now())
        await manager.state.refreshOrReport()
        return true
    }

    /// Returns every entry of the ledger, in order.
    ///
    /// - Throws: `LedgerError` if the ledger cannot be read.
    public func history() async throws(LedgerError) -> [LedgerEntry] { try await manager.facts.entries(after: 0) }

    /// Returns the expired purchases and grants of a product with their end, latest first.
    public func ended(of identifier: String) -> [(reason: Ownership.Reason, end: Date)] {
        manager.state.snapshot.entitlements.ended(of: identifier)
    }

    /// Returns the locks that have ended grants of a product, latest first.
    public func locks(of identifier: String) -> [(lock: Fact.Lock, date: Date)] {
        manager.state.snapshot.entitlements.locks(of: identifier)
    }
}
