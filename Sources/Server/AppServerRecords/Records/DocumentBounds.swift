internal import Foundation
internal import VitrineCatalog
internal import VitrineDeviceExchange
internal import VitrineEntitlements
internal import VitrineSupport

/// Bounds of what a device's document may state about the wallets of its customer. A document outside of them is
/// refused as a whole, so that its device can publish the same facts again once they are within the bounds.
///
/// An amount has no narrower bound than ``WalletAmount/largest``: a debit takes at most what the wallet contains at the
/// debit's place in the order, and a device may have spent units that the server does not know, such as gifts.
struct DocumentBounds {
    private let facts: FactsInMemory
    private let catalog: Catalog?
    private let date: Date
    /// Date before which no device of the customer can have recorded anything: a day before the first of what the store
    /// has signed, because the clock of a device may have been behind.
    private let earliest: Date
    /// Last date that an entry keeps: the receipt of the document, or a day after the last of what the store has signed
    /// if the clock of the store is ahead, as it can be in the sandbox.
    private let latest: Date

    /// Maximum time in seconds that the clock of a device may be behind.
    private static let tolerance: TimeInterval = 86_400
    /// Maximum length of a token in bytes of UTF-8. PostgreSQL's index of facts takes up to 2,700 bytes, which a merge
    /// with other customers must not exceed either.
    private static let longestToken = 400
    /// Kinds of the facts that the server records from documents.
    private static let recorded: Set<Fact.Kind> = [.debit, .lease, .release]

    /// - Parameters:
    ///   - facts: Recorded facts of the customer.
    ///   - catalog: Published catalog of the app; `nil` if there is none.
    ///   - date: Date at which the server has received the document.
    init(_ facts: FactsInMemory, _ catalog: Catalog?, at date: Date) {
        (self.facts, self.catalog, self.date) = (facts, catalog, date)
        earliest = facts.entries.compactMap(\.firstPossibleDate).min().map { $0 - Self.tolerance } ?? .distantPast
        let lastSigned = facts.entries.compactMap(\.lastSignedDate).max() ?? .distantPast
        latest = lastSigned > date ? lastSigned + Self.tolerance : date
    }

    /// Returns the facts of a document that the server records: debits, leases, and releases of leases. The last
    /// possible date takes the place of a later one: a device whose clock was once ahead goes on from there.
    ///
    /// - Throws: ``CustomerError`` `rejected`.
    func facts(of document: DeviceDocument) throws(CustomerError) -> [ExchangedFact] {
        var exchanged: [ExchangedFact] = []
        for entry in document.entries {
            if let problem = problem(with: entry) {
                throw CustomerError(
                    code: .rejected,
                    reason: "entry \(entry.sequence) of the document, a \(entry.fact.kind.rawValue), is refused: "
                        + problem)
            }
            guard Self.recorded.contains(entry.fact.kind) else { continue }
            exchanged.append(
                ExchangedFact(fact: entry.fact, moment: min(entry.moment, latest), device: document.device))
        }
        return exchanged
    }

    /// Checks the number of facts that documents have added to a customer. Facts that are recorded already add none, so
    /// that a device can always publish its entries again.
    ///
    /// - Parameters:
    ///   - rules: Rules that have accepted the facts of a document.
    ///   - most: Maximum number of facts.
    /// - Throws: ``CustomerError`` `tooLarge`.
    static func check(_ rules: LedgerRules<FactsInMemory>, most: Int) throws(CustomerError) {
        let new = rules.accepted.count { $0.device.map(ServerDeviceIdentifier.contains) == false }
        guard new == 0 || rules.recorded.entries.count(where: { !$0.isOfServer }) <= most - new else {
            throw CustomerError(
                code: .tooLarge,
                reason: "the documents of the customer's devices have more than \(most) debits, leases and releases, "
                    + "which are as many as the server records")
        }
    }

    private func problem(with entry: LedgerEntry) -> String? {
        guard entry.moment <= date + DeviceExchange.longestLead else {
            return "it is dated \(entry.moment.second), more than 400 days after the clock of the server"
        }
        if let amount = entry.fact.positiveAmount, !(1...WalletAmount.largest).contains(amount) {
            return "its amount is \(amount), but must be from 1 to \(WalletAmount.largest)"
        }
        guard !Self.recorded.contains(entry.fact.kind) || (1...Self.longestToken).contains(entry.fact.key.utf8.count)
        else { return "its token is empty, or longer than \(Self.longestToken) bytes" }
        switch entry.fact {
        case .debit(let debit):
            return isKnown(entry) ? nil : problem(with: debit.wallet) ?? problem(with: entry.moment)
        case .lease(let lease):
            return problem(withLease: lease.token) ?? problem(with: lease, since: entry.moment)
                ?? (isKnown(entry) ? nil : problem(with: lease.wallet) ?? problem(with: entry.moment))
        case .release(let release):
            return problem(withLease: release.token) ?? (isKnown(entry) ? nil : problem(with: entry.moment))
        default: return nil
        }
    }

    /// Indicates that the recorded fact of the same token comes first, so that the entry changes nothing. A device
    /// publishes its entries again, also if what was recorded since would not have permitted them.
    private func isKnown(_ entry: LedgerEntry) -> Bool {
        guard let known = facts.entry(of: entry.fact.kind, key: entry.fact.key) else { return false }
        return known.isOfServer || known.moment <= entry.moment
    }

    private func problem(with wallet: String) -> String? {
        let isKnown =
            catalog?.wallets[wallet] != nil || catalog?.products.contains { $0.wallet == wallet } == true
            || facts.balances[wallet] != nil
        return isKnown
            ? nil : "neither the published catalog nor a fact of the customer has the wallet \"\(wallet.prefix(100))\""
    }

    private func problem(with moment: Date) -> String? {
        moment >= earliest
            ? nil : "it is dated \(moment.second), more than a day before the customer's first fact"
    }

    private func problem(withLease token: String) -> String? {
        token.hasPrefix(ServerDeviceIdentifier.enrolled)
            ? "the lease \"\(token.prefix(100))\" is one of the server" : nil
    }

    private func problem(with lease: Fact.Lease, since moment: Date) -> String? {
        let isPossible = lease.expirationDate > moment && lease.expirationDate <= date + DeviceExchange.longestLead
        return isPossible ? nil : "it must end after it begins, and at most 400 days after the clock of the server"
    }
}

extension LedgerEntry {
    /// Date at which the customer had the app, as the store has signed it; `nil` for facts that do not say so.
    fileprivate var firstPossibleDate: Date? {
        switch fact {
        case .appPurchase(let purchase): purchase.original.date
        case .purchase(let purchase) where device == ServerDeviceIdentifier.store:
            min(purchase.purchaseDate, purchase.originalPurchaseDate ?? purchase.purchaseDate)
        default: nil
        }
    }

    /// Date of a purchase, as the store has signed it; `nil` for facts that do not say so.
    fileprivate var lastSignedDate: Date? {
        if case .purchase(let purchase) = fact, device == ServerDeviceIdentifier.store {
            purchase.purchaseDate
        } else {
            nil
        }
    }
}
