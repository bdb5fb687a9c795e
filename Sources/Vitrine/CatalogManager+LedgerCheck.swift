public import Entitlements

extension CatalogManager.LedgerAccess {
    /// Checks the integrity of the ledger: the file is intact, the displayed state matches its entries, and each
    /// signature is valid.
    ///
    /// - Throws: `LedgerError` if the ledger cannot be read.
    public func check() async throws(LedgerError) -> LedgerCheck {
        var check = LedgerCheck()
        check.damage = try await (manager.facts as? HomeLedger)?.damage() ?? []
        await manager.state.refreshOrReport()
        let shown = manager.state.snapshot.entitlements
        let entries = try await manager.facts.entries(after: 0).filter { $0.sequence <= shown.lastSequence }
        check.damage += entries.missing
        check.entries = entries.count
        let rebuilt = try EntitlementSnapshot(catalog: shown.catalog, entries: entries, at: shown.date)
        check.differences = shown.differences(from: rebuilt)
        // The current decision of the app's own server does not affect whether the data was signed.
        let proof = await FactProof(
            verifier: manager.verifier, receiptVerifier: manager.options.purchases.receipts?.verifier,
            appVerification: nil,
            entries: entries,
            areMoved: false, now: manager.now())
        for entry in entries {
            if let problem = await proof.problem(with: entry.fact) {
                check.untrusted.append(LedgerCheck.Untrusted(sequence: entry.sequence, reason: problem))
            }
        }
        return check
    }
}

/// Problems found in a ledger.
public struct LedgerCheck: Sendable, Hashable {
    /// Entry whose signed data is not valid.
    public struct Untrusted: Sendable, Hashable {
        public let sequence: Int64
        /// Description of the problem, as the rest of a sentence.
        public let reason: String
    }

    /// Number of ledger entries that were checked.
    public internal(set) var entries = 0
    /// Descriptions of damage to the ledger's file, as reported by SQLite, and of missing entries.
    public internal(set) var damage: [String] = []
    /// Descriptions of differences between the displayed state and the state that the ledger's entries give.
    public internal(set) var differences: [String] = []
    public internal(set) var untrusted: [Untrusted] = []

    public var isGood: Bool { damage.isEmpty && differences.isEmpty && untrusted.isEmpty }
}

extension [LedgerEntry] {
    /// Descriptions of entries that are missing: the numbers of entries have no gaps, and a credit requires its
    /// purchase.
    fileprivate var missing: [String] {
        var problems: [String] = []
        var next: Int64 = 1
        var bought: Set<String> = []
        var receipts: Set<String> = []
        for entry in self {
            if entry.sequence == next + 1 { problems.append("entry \(next) is missing") }
            if entry.sequence > next + 1 { problems.append("entries \(next) to \(entry.sequence - 1) are missing") }
            next = entry.sequence + 1
            switch entry.fact {
            case .purchase(let purchase): bought.insert(purchase.origin.purchaseID)
            case .receipt(let receipt): receipts.insert(receipt.digest)
            case .credit(let credit) where !bought.contains(credit.purchaseID):
                problems.append(
                    "entry \(entry.sequence) credits transaction \(credit.purchaseID), which is not recorded")
            default: break
            }
            if let digest = entry.fact.receiptDigest, !receipts.contains(digest) {
                problems.append("entry \(entry.sequence) was read from a receipt that is not recorded before it")
            }
        }
        return problems
    }
}

extension EntitlementSnapshot {
    fileprivate func differences(from other: EntitlementSnapshot) -> [String] {
        var differences: [String] = []
        for product in Set(owned).symmetricDifference(other.owned).sorted() {
            differences.append(
                "\(product) is shown as \(isOwned(product) ? "owned" : "not owned"), "
                    + "contrary to the entries of the ledger"
            )
        }
        for wallet in Set(balances.keys).union(other.balances.keys).sorted()
        where balances[wallet, default: 0] != other.balances[wallet, default: 0] {
            differences.append(
                "the wallet \"\(wallet)\" is shown with \(balances[wallet, default: 0]), "
                    + "but the entries of the ledger add up to "
                    + "\(other.balances[wallet, default: 0])")
        }
        return differences
    }
}
