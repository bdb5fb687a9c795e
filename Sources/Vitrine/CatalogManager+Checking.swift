public import Entitlements
internal import EntitlementsSQLite

extension CatalogManager {
    /// Looks at the ledger with mistrust: whether the file is whole, what is shown is what its entries come to, and each
    /// signature in it is good.
    ///
    /// - Throws: `LedgerError` where the ledger cannot be read.
    public func checkLedger() async throws(LedgerError) -> LedgerCheck {
        var check = LedgerCheck()
        check.damage = try await (ledger as? SQLiteLedger)?.damage() ?? []
        await state.refreshOrReport()
        let shown = state.snapshot.entitlements
        let entries = try await ledger.entries(after: 0).filter { $0.sequence <= shown.lastSequence }
        check.damage += entries.missing
        check.entries = entries.count
        let rebuilt = try EntitlementSnapshot(catalog: shown.catalog, entries: entries, at: shown.date)
        check.differences = shown.differences(from: rebuilt)
        // What the app's own server thinks of it now is another matter than whether it was signed.
        let proof = await FactProof(
            verifier: verifier, receiptVerifier: receiptVerifier, appVerification: nil, entries: entries,
            areMoved: false, now: now())
        for entry in entries {
            if let problem = await proof.problem(with: entry.fact) {
                check.untrusted.append(LedgerCheck.Untrusted(sequence: entry.sequence, reason: problem))
            }
        }
        return check
    }
}

/// What was found wrong with a ledger.
public struct LedgerCheck: Sendable, Hashable {
    /// An entry whose signed data is not good.
    public struct Untrusted: Sendable, Hashable {
        public let sequence: Int64
        /// What is wrong with it, as the rest of a sentence.
        public let reason: String
    }

    /// How many entries were looked at.
    public internal(set) var entries = 0
    /// What SQLite finds wrong with the file, in its words, and which entries are missing.
    public internal(set) var damage: [String] = []
    /// Where what is shown differs from what the entries come to, in words.
    public internal(set) var differences: [String] = []
    public internal(set) var untrusted: [Untrusted] = []

    public var isGood: Bool { damage.isEmpty && differences.isEmpty && untrusted.isEmpty }
}

extension [LedgerEntry] {
    /// What must have been there, in words: entries are numbered from 1 and never removed, and a credit has its purchase.
    fileprivate var missing: [String] {
        var problems: [String] = []
        var next: Int64 = 1
        var bought: Set<String> = []
        var receipts: Set<String> = []
        for entry in self {
            if entry.sequence == next + 1 { problems.append("entry \(next) is missing") }
            if entry.sequence > next + 1 { problems.append("the entries \(next) to \(entry.sequence - 1) are missing") }
            next = entry.sequence + 1
            switch entry.fact {
            case .purchase(let purchase): bought.insert(purchase.origin.purchaseID)
            case .receipt(let receipt): receipts.insert(receipt.digest)
            case .credit(let credit) where !bought.contains(credit.purchaseID):
                problems.append(
                    "entry \(entry.sequence) is the credit of transaction \(credit.purchaseID), which is not recorded")
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
                "\(product) is shown as \(isOwned(product) ? "owned" : "not owned"), against the entries")
        }
        for wallet in Set(balances.keys).union(other.balances.keys).sorted()
        where balances[wallet, default: 0] != other.balances[wallet, default: 0] {
            differences.append(
                "the wallet \"\(wallet)\" is shown with \(balances[wallet, default: 0]), and the entries come to "
                    + "\(other.balances[wallet, default: 0])")
        }
        return differences
    }
}
