public import Entitlements
internal import EntitlementsSQLite
public import Foundation
internal import Purchasing
internal import Receipts

extension CatalogManager {
    /// Every entry of the ledger, in order.
    ///
    /// - Throws: ``LedgerError`` where the ledger cannot be read.
    public func history() async throws(LedgerError) -> [LedgerEntry] { try await ledger.entries(after: 0) }

    /// The purchases and grants of a product that have ended by themselves, with their end, the latest first.
    public nonisolated func ended(of identifier: String) -> [(reason: Ownership.Reason, end: Date)] {
        state.snapshot.entitlements.ended(of: identifier)
    }

    /// What has taken the grants of a product away, the latest first.
    public nonisolated func locks(of identifier: String) -> [(lock: Fact.Lock, date: Date)] {
        state.snapshot.entitlements.locks(of: identifier)
    }

    // MARK: Moving

    /// The whole ledger as one document.
    ///
    /// - Throws: ``LedgerError`` where the ledger cannot be read.
    public func exportLedger() async throws(LedgerError) -> LedgerDocument {
        LedgerDocument(entries: try await history())
    }

    /// Records what a document has and this ledger has not: all of it, or nothing. Doing it twice changes nothing.
    ///
    /// What the store has signed is verified again; what the app itself had given, put in and taken out is believed.
    ///
    /// - Returns: The number of entries that are new.
    /// - Throws: ``LedgerImportError`` where something in it is not what it says, or contradicts this ledger.
    @discardableResult
    public func importLedger(_ document: LedgerDocument) async throws(LedgerImportError) -> Int {
        for entry in document.entries {
            if let problem = await problem(with: entry.fact) {
                throw LedgerImportError(
                    code: .notTrusted, reason: "entry \(entry.sequence) cannot be trusted: \(problem)")
            }
        }
        do {
            let outdated = OutdatedPurchases(try await history(), importing: document)
            let facts = document.entries.filter { !outdated.contains($0.fact) }
                .map { DatedFact(fact: $0.fact, date: $0.recordedAt) }
            let new = try await ledger.append(facts)
            await state.refreshOrReport()
            return new.count
        } catch {
            throw LedgerImportError(
                code: error.code == .unavailable ? .storage : .contradiction, reason: error.reason)
        }
    }

    // MARK: Checking

    /// Looks at the ledger with mistrust: whether the file is whole, what is shown is what its entries come to, and each
    /// signature in it is good.
    ///
    /// - Throws: ``LedgerError`` where the ledger cannot be read.
    public func checkLedger() async throws(LedgerError) -> LedgerCheck {
        var check = LedgerCheck()
        check.damage = try await (ledger as? SQLiteLedger)?.damage() ?? []
        let entries = try await ledger.entries(after: 0)
        check.damage += entries.missing
        await state.refreshOrReport()
        check.entries = entries.count
        let shown = state.snapshot.entitlements
        let rebuilt = try EntitlementSnapshot(catalog: shown.catalog, entries: entries, at: shown.date)
        check.differences = shown.differences(from: rebuilt)
        for entry in entries {
            if let problem = await problem(with: entry.fact) {
                check.untrusted.append(LedgerCheck.Untrusted(sequence: entry.sequence, reason: problem))
            }
        }
        return check
    }

    /// - Returns: Why what a fact says was signed was not; `nil` where it was, and for what nobody signs.
    private func problem(with fact: Fact) async -> String? {
        if case .appPurchase(let purchase) = fact {
            switch await verifier.verify(appTransaction: purchase.signedData) {
            case .verified(let signed):
                let isTheSame =
                    signed.payload.originalApplicationVersion == purchase.original.version
                    && signed.payload.originalPurchaseDate == purchase.original.date
                return isTheSame ? nil : "the signed data says something else"
            case .rejected(let reasons): return reasons.inWords
            case .undetermined(let reason): return reason
            }
        }
        guard let origin = fact.origin else { return nil }
        switch await verifier.verify(transaction: origin.signedData) {
        case .verified(let signed): return fact.isSaid(by: signed) ? nil : "the signed data says something else"
        case .rejected(let reasons): return reasons.inWords
        case .undetermined(let reason): return reason
        }
    }
}

/// Purchases in a document that a ledger knows to be taken back since: they are nothing new.
private struct OutdatedPurchases {
    private var recorded: Set<String> = []
    private var revocations: [String: Fact.Revocation] = [:]
    private let reinstated: Set<String>

    init(_ entries: [LedgerEntry], importing document: LedgerDocument) {
        for entry in entries {
            switch entry.fact {
            case .purchase(let purchase): recorded.insert(purchase.origin.purchaseID)
            case .revocation(let revocation): revocations[revocation.origin.purchaseID] = revocation
            default: break
            }
        }
        reinstated = Set(
            document.entries.compactMap { $0.fact.kind == .reinstatement ? $0.fact.origin?.purchaseID : nil })
    }

    func contains(_ fact: Fact) -> Bool {
        guard case .purchase(let purchase) = fact, let revocation = revocations[purchase.origin.purchaseID],
            revocation.productIdentifier == purchase.productIdentifier,
            revocation.origin.signedDate >= purchase.origin.signedDate
        else { return false }
        // A credit could not do without its purchase, and what is given back later neither.
        return recorded.contains(purchase.origin.purchaseID)
            || purchase.kind != .consumable && !reinstated.contains(purchase.origin.purchaseID)
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
        for entry in self {
            if entry.sequence == next + 1 { problems.append("entry \(next) is missing") }
            if entry.sequence > next + 1 { problems.append("the entries \(next) to \(entry.sequence - 1) are missing") }
            next = entry.sequence + 1
            switch entry.fact {
            case .purchase(let purchase): bought.insert(purchase.origin.purchaseID)
            case .credit(let credit) where !bought.contains(credit.purchaseID):
                problems.append(
                    "entry \(entry.sequence) is the credit of transaction \(credit.purchaseID), which is not recorded")
            default: break
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
