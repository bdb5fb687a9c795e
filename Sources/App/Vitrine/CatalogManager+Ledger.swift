internal import Foundation
public import VitrineEntitlements

extension CatalogManager {
    /// Access to the ledger, which records the customer's purchases, grants and wallets.
    public nonisolated var ledger: LedgerAccess { LedgerAccess(manager: self) }

    /// Access to the ledger, which records the customer's purchases, grants and wallets.
    public struct LedgerAccess: Sendable {
        let manager: CatalogManager
    }
}

extension CatalogManager.LedgerAccess {
    /// Loss of an earlier ledger that could not be read any more; `nil` if none was lost, or the loss is settled.
    public var loss: Fact.Loss? { manager.state.snapshot.entitlements.loss }

    /// Reason why the ownership of some products is unknown; `nil` if the ownership of all products is known.
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
        try await manager.entitlements.record([.settlement(settlement)], at: manager.now())
        return true
    }

    /// Returns every entry of the ledger, in order.
    ///
    /// - Throws: `LedgerError` if the ledger cannot be read.
    public func history() async throws(LedgerError) -> [LedgerEntry] {
        try await manager.entitlements.ledger.entries(after: 0)
    }

    /// Returns the explanation of a product's ownership: the bundles through which it is owned, and the purchases and
    /// grants that have ended.
    public func explanation(of identifier: String) -> OwnershipExplanation {
        manager.state.snapshot.entitlements.explanation(of: identifier)
    }
}

extension CatalogManager.LedgerAccess {
    /// Returns the whole ledger as one document.
    ///
    /// - Throws: `LedgerError` if the ledger cannot be read.
    public func export() async throws(LedgerError) -> LedgerDocument {
        LedgerDocument(entries: try await history())
    }
}
