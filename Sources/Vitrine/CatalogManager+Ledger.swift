public import Entitlements
internal import Foundation

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

    /// Returns the explanation of a product's ownership: through which bundles it is owned, and what has ended.
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

    /// Records the entries of a document that this ledger does not contain: all of them, or none. Importing a document
    /// twice changes nothing.
    ///
    /// Data that the store has signed is verified again, also by the app's own verification. Grants, deposits and
    /// debits by the app itself are accepted without proof. Losses, settlements, notes and records of installed content
    /// concern the other ledger and are not imported.
    ///
    /// - Returns: Number of new entries.
    /// - Throws: ``LedgerImportError`` if an entry does not match its signed data, or contradicts this ledger.
    @discardableResult
    public func importDocument(_ document: LedgerDocument) async throws(LedgerImportError) -> Int {
        let proof = await FactProof(
            verifier: manager.verifier, receiptVerifier: manager.options.purchases.receipts?.verifier,
            appVerification: manager.options.purchases.hooks.verification,
            entries: document.entries, areMoved: true, now: manager.now())
        for entry in document.entries {
            if let problem = await proof.problem(with: entry.fact) {
                throw LedgerImportError(
                    code: .notTrusted, reason: "entry \(entry.sequence) cannot be trusted: \(problem)")
            }
        }
        do {
            let outdated = OutdatedPurchases(try await history(), importing: document)
            let facts = document.entries.filter { !$0.fact.isAboutItsLedger && !outdated.contains($0.fact) }
                .map { DatedFact(fact: $0.fact, date: $0.recordedAt) }
            let new = try await manager.facts.append(facts)
            await manager.state.refreshOrReport()
            return new.count
        } catch {
            throw LedgerImportError(
                code: error.code == .unavailable ? .storage : .contradiction, reason: error.reason)
        }
    }
}

extension Fact {
    /// `true` for a fact about the ledger itself or about the storage directory, rather than about the customer.
    fileprivate var isAboutItsLedger: Bool {
        switch self {
        case .content, .loss, .settlement, .note: true
        default: false
        }
    }
}

/// Purchases in a document, and their credits, that this ledger knows to have been revoked since: they contain nothing
/// new.
private struct OutdatedPurchases {
    private var recorded: Set<String> = []
    private var revocations: [String: Fact.Revocation] = [:]
    private var leftOut: Set<String> = []

    init(_ entries: [LedgerEntry], importing document: LedgerDocument) {
        for entry in entries {
            switch entry.fact {
            case .purchase(let purchase): recorded.insert(purchase.origin.purchaseID)
            case .revocation(let revocation): revocations[revocation.origin.purchaseID] = revocation
            default: break
            }
        }
        // A reinstatement later in the document requires its purchase.
        let reinstated = Set(
            document.entries.compactMap { $0.fact.kind == .reinstatement ? $0.fact.origin?.purchaseID : nil })
        for case .purchase(let purchase) in document.entries.map(\.fact) {
            let id = purchase.origin.purchaseID
            if isOutdated(purchase), recorded.contains(id) || !reinstated.contains(id) { leftOut.insert(id) }
        }
    }

    private func isOutdated(_ purchase: Fact.Purchase) -> Bool {
        guard let revocation = revocations[purchase.origin.purchaseID] else { return false }
        return revocation.productIdentifier == purchase.productIdentifier
            && revocation.origin.signedDate >= purchase.origin.signedDate
    }

    func contains(_ fact: Fact) -> Bool {
        switch fact {
        case .purchase(let purchase): leftOut.contains(purchase.origin.purchaseID)
        case .credit(let credit): leftOut.contains(credit.purchaseID) && !recorded.contains(credit.purchaseID)
        default: false
        }
    }
}
