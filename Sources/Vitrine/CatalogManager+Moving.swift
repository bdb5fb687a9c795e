public import Entitlements

extension CatalogManager {
    /// The whole ledger as one document.
    ///
    /// - Throws: `LedgerError` where the ledger cannot be read.
    public func exportLedger() async throws(LedgerError) -> LedgerDocument {
        LedgerDocument(entries: try await history())
    }

    /// Records what a document has and this ledger has not: all of it, or nothing. Doing it twice changes nothing.
    ///
    /// What the store has signed is verified again, and whoever has to agree to it is asked; what the app itself had given, put in and taken out is believed.
    /// What another ledger has lost, what was noted there, and what content was installed beside it, stays there.
    ///
    /// - Returns: The number of entries that are new.
    /// - Throws: ``LedgerImportError`` where something in it is not what it says, or contradicts this ledger.
    @discardableResult
    public func importLedger(_ document: LedgerDocument) async throws(LedgerImportError) -> Int {
        let proof = await FactProof(
            verifier: verifier, receiptVerifier: receiptVerifier, appVerification: hooks.verification,
            entries: document.entries, areMoved: true, now: now())
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
            let new = try await ledger.append(facts)
            await state.refreshOrReport()
            return new.count
        } catch {
            throw LedgerImportError(
                code: error.code == .unavailable ? .storage : .contradiction, reason: error.reason)
        }
    }
}

extension Fact {
    /// It tells of the ledger that it stands in or of the folder beside it, and of nothing that the customer has.
    fileprivate var isAboutItsLedger: Bool {
        switch self {
        case .content, .loss, .settlement, .note: true
        default: false
        }
    }
}

/// Purchases in a document that a ledger knows to be taken back since, with what they had credited: they are nothing new.
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
        // What is given back later in the document could not do without its purchase.
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
