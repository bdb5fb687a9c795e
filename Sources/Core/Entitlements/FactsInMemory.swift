package import Foundation
internal import VitrineCatalog
internal import VitrineSupport

/// Facts of a ledger in memory, with indexes for the validation of new facts.
package struct FactsInMemory: RecordedFacts {
    package private(set) var entries: [LedgerEntry] = []
    private var indexes: [FactKey: Int] = [:]
    /// Indexes of the entries that belong to each wallet.
    private var walletIndexes: [String: [Int]] = [:]
    package private(set) var balances: [String: Int] = [:]
    private var revocationStates: [String: RevocationState] = [:]
    private var terms: [String: Fact.Term] = [:]
    private var renewals: [String: Fact.Renewal] = [:]
    /// `true` if a period of an auto-renewable subscription is recorded.
    package private(set) var hasSubscriptions = false
    /// Signing dates of store data that was not recorded, because it agreed with the recorded facts, by purchase ID.
    package var statements: [String: Date] = [:]
    /// Latest moment of an entry, in milliseconds since 1970.
    private var latestMoment: Int64?

    package init() {}

    package func balance(of wallet: String) -> Int { balances[wallet, default: 0] }

    package func entry(of kind: Fact.Kind, key: String) -> LedgerEntry? {
        indexes[FactKey(kind: kind, key: key)].map { entries[$0] }
    }

    package func entries(after sequence: Int64) -> [LedgerEntry] { entries.filter { $0.sequence > sequence } }

    package func entries(ofWallet wallet: String) -> [LedgerEntry] {
        (walletIndexes[wallet] ?? []).map { entries[$0] }
    }

    package func leases(ofWallet wallet: String) -> [LedgerEntry] {
        entries(ofWallet: wallet).filter { $0.fact.kind == .lease }
    }

    package func revocationState(of purchaseID: String) -> RevocationState? { revocationStates[purchaseID] }

    package func term(of purchaseID: String) -> Fact.Term? { terms[purchaseID] }

    package func renewal(of subscription: String) -> Fact.Renewal? { renewals[subscription] }

    package func latestStatement(of purchaseID: String) -> Date? { statements[purchaseID] }

    /// Appends the facts that rules have accepted, and adopts the signing dates that the rules have stored.
    ///
    /// - Returns: The new entries.
    package mutating func append(acceptedBy rules: LedgerRules<FactsInMemory>) -> [LedgerEntry] {
        statements.merge(rules.statements) { $1 }
        let first = entries.count
        for accepted in rules.accepted { append(accepted) }
        return Array(entries[first...])
    }

    private mutating func append(_ accepted: AcceptedFact) {
        // In the common order, a new fact of this device follows everything that the ledger contains.
        let earliest = accepted.device == nil ? latestMoment?.addingSaturated(1) : nil
        let moment = max(accepted.date.milliseconds, earliest ?? .min)
        append(
            LedgerEntry(
                sequence: Int64(entries.count + 1), recordedAt: accepted.date, fact: accepted.fact,
                device: accepted.device, moment: Date(milliseconds: moment)), balance: accepted.balance)
    }

    /// Appends the entry that follows the last one.
    ///
    /// - Parameter balance: Balance of the entry's wallet after the entry; `nil` to compute it from the previous
    ///   balance.
    package mutating func append(_ entry: LedgerEntry, balance: Int? = nil) {
        let fact = entry.fact
        indexes[FactKey(kind: fact.kind, key: fact.key)] = entries.count
        switch fact {
        case .revocation(let revocation): setRevocationState(of: revocation.origin.purchaseID, after: fact)
        case .reinstatement(let reinstatement): setRevocationState(of: reinstatement.origin.purchaseID, after: fact)
        case .purchase(let purchase) where purchase.kind == .autoRenewableSubscription: hasSubscriptions = true
        case .term(let term): terms[term.origin.purchaseID] = term
        case .renewal(let renewal): renewals[renewal.origin.purchaseID] = renewal
        default: break
        }
        latestMoment = max(latestMoment ?? .min, entry.moment.milliseconds)
        if let wallet = fact.wallet {
            walletIndexes[wallet, default: []].append(entries.count)
            balances[wallet] =
                balance ?? balances[wallet, default: 0].addingSaturated(fact.walletChange?.amount ?? 0)
        }
        entries.append(entry)
    }

    private mutating func setRevocationState(of purchaseID: String, after fact: Fact) {
        revocationStates[purchaseID] = RevocationState(fact, after: revocationStates[purchaseID])
    }
}
