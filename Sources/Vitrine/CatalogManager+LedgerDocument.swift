public import Entitlements

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
    /// `true` for a fact about the ledger that contains it or about the folder beside it, rather than about the
    /// customer.
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
