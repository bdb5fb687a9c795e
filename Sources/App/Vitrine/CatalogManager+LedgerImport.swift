internal import Foundation
public import VitrineDeviceExchange
public import VitrineEntitlements

extension CatalogManager.LedgerAccess {
    /// Records the entries of a document that this ledger does not contain: all of them, or none. Importing a document
    /// twice changes nothing.
    ///
    /// Data that the store has signed is verified again, also by the app's own verification. The loaded catalog has to
    /// confirm the unsigned consequences of a signed purchase: its credit, its contents, and the end of a non-renewing
    /// subscription. Entries that are not proved in this way, and all new grants and deposits, are imported only if the
    /// document is sealed with the app's key, or if the app allows each of them. Debits and locks need no proof,
    /// because they only take from the customer. The units that revocations and reinstatements move are computed again.
    /// A grant that is not later than a lock of its product in this ledger is left out, because the lock has ended it.
    /// Losses, settlements, notes, leases, adjustments and records of installed content concern the other ledger or its
    /// device and are not imported. Entries that other devices have recorded are not imported either, because the
    /// devices exchange them.
    ///
    /// - Parameters:
    ///   - document: Document that was exported from another ledger, or from this one.
    ///   - key: Key with which the app seals its documents; `nil` to treat each document as one without a seal.
    ///   - isAllowed: Closure that returns `true` to import an entry that has no proof. The closure is called for each
    ///     such entry, in order, unless the document is sealed. By default, all such entries are refused. Only the import
    ///     waits for the closure, so that it may call the manager.
    /// - Returns: Number of new entries.
    /// - Throws: ``LedgerImportError``: `notTrusted` if the seal does not match, if an entry does not match its signed
    ///   data, or if an entry without a proof is not allowed; `contradiction` if an entry contradicts this ledger;
    ///   `storage` if the ledger cannot be read or written. In each case nothing is recorded.
    @discardableResult
    public func importDocument(
        _ document: LedgerDocument, sealedWith key: LedgerSealKey? = nil,
        allowing isAllowed: @Sendable (LedgerEntry) async -> Bool = { _ in false }
    ) async throws(LedgerImportError) -> Int {
        let isSealed = try document.isSealed(with: key)
        // The seal depends on the order; the facts are recorded in the order in which they happened.
        let document = LedgerDocument(entries: document.entries.sorted { $0.sequence < $1.sequence })
        try await checkSignedData(of: document)
        let recorded = try await recordedEntries()
        let (outdated, ended) = (OutdatedPurchases(recorded, importing: document), EndedGrants(recorded))
        let proof = CatalogProof(
            catalog: manager.state.snapshot.catalog, recorded: recorded, importing: document.entries)
        var facts: [DatedFact] = []
        for entry in document.entries
        where entry.device == nil && !entry.fact.isAboutItsLedger && !outdated.contains(entry.fact)
            && !ended.contains(entry)
        {
            if case .credit(let credit) = entry.fact, let reason = proof.contradiction(of: credit) {
                throw LedgerImportError(
                    code: .contradiction, reason: "entry \(entry.sequence) contradicts this ledger: \(reason)")
            }
            if !isSealed, let doubt = proof.doubt(about: entry.fact), await !isAllowed(entry) {
                throw LedgerImportError(notTrusting: entry, because: doubt)
            }
            facts.append(DatedFact(fact: entry.fact, date: entry.recordedAt))
            if case .deposit(let deposit) = entry.fact, let note = OpeningFacts.note(ofImported: deposit) {
                facts.append(DatedFact(fact: note, date: entry.recordedAt))
            }
            if let longer = Fact.Counterpart(entry, of: recorded) {
                facts.append(DatedFact(fact: .counterpart(longer), date: entry.recordedAt))
            }
        }
        return try await record(facts)
    }

    private func checkSignedData(of document: LedgerDocument) async throws(LedgerImportError) {
        let proof = await FactProof(
            verifier: manager.verifier, receiptVerifier: manager.options.purchases.receipts?.verifier,
            appVerification: manager.options.purchases.hooks.verification,
            entries: document.entries, areMoved: true)
        for entry in document.entries {
            guard let problem = await proof.problem(with: entry.fact) else { continue }
            throw LedgerImportError(notTrusting: entry, because: problem)
        }
    }

    private func recordedEntries() async throws(LedgerImportError) -> [LedgerEntry] {
        do {
            return try await history()
        } catch {
            throw LedgerImportError(error)
        }
    }

    private func record(_ facts: [DatedFact]) async throws(LedgerImportError) -> Int {
        do {
            return try await manager.entitlements.record(facts).count { $0.fact.kind != .note }
        } catch {
            throw LedgerImportError(error)
        }
    }
}

extension LedgerImportError {
    fileprivate init(notTrusting entry: LedgerEntry, because reason: String) {
        self.init(code: .notTrusted, reason: "entry \(entry.sequence) cannot be trusted: \(reason)")
    }

    fileprivate init(_ error: LedgerError) {
        switch error.code {
        case .unavailable, .replaced, .damaged, .newerVersion: self.init(code: .storage, reason: error.reason)
        default: self.init(code: .contradiction, reason: error.reason)
        }
    }
}

extension Fact {
    /// `true` for a fact about a single ledger, its storage directory or its device, which is not imported into another
    /// ledger.
    fileprivate var isAboutItsLedger: Bool {
        switch self {
        case .content, .loss, .settlement, .note, .counterpart, .adjustment, .lease, .release: true
        default: false
        }
    }
}

extension Fact.Counterpart {
    /// Creates the record of a non-renewing subscription that is recorded with an earlier end.
    ///
    /// - Returns: `nil` for an entry about anything else.
    fileprivate init?(_ entry: LedgerEntry, of recorded: [LedgerEntry]) {
        guard case .purchase(let longer) = entry.fact, longer.kind == .nonRenewingSubscription,
            let end = longer.period?.expirationDate
        else { return nil }
        let isShorter = recorded.contains { earlier in
            guard case .purchase(let purchase) = earlier.fact, let known = purchase.period?.expirationDate else {
                return false
            }
            return purchase.origin.purchaseID == longer.origin.purchaseID && known < end
        }
        guard isShorter else { return nil }
        self.init(
            kind: .purchase, subject: longer.origin.purchaseID, expirationDate: end, device: "imported ledger",
            moment: entry.moment)
    }
}

/// Purchases in an imported document, and their credits, that are left out because the ledger records a later
/// revocation by the store.
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

/// Grants in an imported document that are left out because the ledger records a later lock of their product. Imported
/// facts come after everything that the ledger contains, so that such a grant would undo the lock.
private struct EndedGrants {
    /// Recording dates of the last locks, by product.
    private let locks: [String: Date]

    init(_ entries: [LedgerEntry]) {
        let dates = entries.compactMap { entry in
            if case .lock(let lock) = entry.fact { (lock.productIdentifier, entry.recordedAt) } else { nil }
        }
        locks = Dictionary(dates, uniquingKeysWith: max)
    }

    func contains(_ entry: LedgerEntry) -> Bool {
        guard case .grant(let grant) = entry.fact, let lock = locks[grant.productIdentifier] else { return false }
        return entry.recordedAt <= lock
    }
}
