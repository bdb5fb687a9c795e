internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements

/// Subscriptions whose periods belong to several customers: a change of the plan may name another customer of the app
/// than the purchase before it. The periods of all of them determine when each one ends, and a customer owns only what
/// the customer's own periods give.
extension CustomerRecords {
    /// Returns the entitlements of a customer at a date.
    func snapshot(
        of customer: KnownCustomer, _ catalog: Catalog?, at date: Date
    ) async throws(CustomerError) -> EntitlementSnapshot {
        Self.snapshot(of: customer, elsewhere: try await factsElsewhere(of: customer), catalog, at: date)
    }

    /// Returns the entitlements of a customer at a date.
    ///
    /// - Parameter elsewhere: The result of ``factsElsewhere(of:)``.
    static func snapshot(
        of customer: KnownCustomer, elsewhere: [Fact], _ catalog: Catalog?, at date: Date
    ) -> EntitlementSnapshot {
        EntitlementSnapshot(
            catalog: catalog,
            summary: LedgerSummary(
                lastSequence: customer.sequence,
                entries: customer.facts.entries.filter { !$0.fact.isNoMatterOfOwnership },
                balances: customer.facts.balances), elsewhere: elsewhere, at: date)
    }

    /// Returns the facts of other customers about the periods of a customer's subscriptions, those of each customer in
    /// their order.
    func factsElsewhere(of customer: KnownCustomer) async throws(CustomerError) -> [Fact] {
        guard customer.facts.hasSubscriptions else { return [] }
        let rows = try await rows(
            """
            SELECT fact.sequence, fact.entry, NULL FROM purchase_fact JOIN fact \
            ON fact.customer = purchase_fact.customer AND fact.sequence = purchase_fact.sequence \
            WHERE purchase_fact.app = $1 AND purchase_fact.customer <> $2 AND purchase_fact.original IN \
            (SELECT original FROM purchase_fact WHERE customer = $2) ORDER BY fact.customer, fact.sequence
            """, .text(customer.app), .text(customer.id))
        var facts: [Fact] = []
        for row in rows { facts.append(try Self.entry(row).fact) }
        return facts.filter { $0.subscription != nil }
    }

    /// Tells other customers that facts of a customer have changed what they own, because they have periods of the same
    /// subscription. A note in their ledgers lets their devices read their states again.
    ///
    /// The states do not depend on the notes. A note is therefore not repeated if it is lost with the process or the
    /// database is not available.
    func noteSubscriptions(changedBy entries: [LedgerEntry], of customer: KnownCustomer) async {
        let changed = Set(entries.map(FactName.init))
        for subscription in Set(entries.compactMap(\.fact.subscription)).sorted() {
            do throws(CustomerError) {
                let rows = try await rows(
                    """
                    SELECT DISTINCT customer FROM purchase_fact WHERE app = $1 AND original = $2 \
                    AND customer <> $3 ORDER BY customer
                    """, .text(customer.app), .text(subscription), .text(customer.id))
                for id in rows.compactMap({ $0.first?.text }) {
                    try await note(subscription, changedBy: changed, of: try await resolveMerged(of: id))
                }
            } catch {
                // The facts are recorded, so that the caller's request has succeeded. The devices of the other customer
                // read the new state at the latest when they ask for it on their own.
            }
        }
    }

    private func note(
        _ subscription: String, changedBy changed: Set<FactName>, of customer: KnownCustomer
    ) async throws(CustomerError) {
        let (catalog, date) = (catalog(of: customer.app), now)
        let elsewhere = try await factsElsewhere(of: customer)
        let before = elsewhere.filter { !changed.contains(FactName($0)) }
        let states = [before, elsewhere].map { Self.snapshot(of: customer, elsewhere: $0, catalog, at: date).owned }
        guard states[0] != states[1] else { return }
        let note = Fact.Note(
            token: "subscription \(subscription) \(makeIdentifier())",
            reason: "what the customer owns by the subscription \(subscription) has changed, because not all of its "
                + "periods belong to this customer")
        _ = try await change(customer.id) { rules in try rules.check(DatedFact(fact: .note(note), date: date)) }
    }

    /// Returns a statement that stores which purchase a fact is about.
    ///
    /// - Parameter original: First transaction of the purchase.
    func insertion(
        ofFact sequence: Int64, about original: String, if condition: ChangeCondition
    ) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO purchase_fact (app, original, customer, sequence) SELECT app, $1, id, $2 \
            \(condition.clause(after: 2))
            """, values: [.text(original), .integer(sequence)] + condition.values)
    }
}

/// Kind and key of a fact.
private struct FactName: Hashable {
    let kind: Fact.Kind
    let key: String

    init(_ entry: LedgerEntry) { self.init(entry.fact) }

    init(_ fact: Fact) { (kind, key) = (fact.kind, fact.key) }
}

extension Fact {
    /// First transaction of the subscription whose periods may begin or end with the fact; `nil` for other facts.
    var subscription: String? {
        switch self {
        case .purchase(let purchase) where purchase.kind == .autoRenewableSubscription:
            purchase.origin.originalTransactionID
        // A revocation does not contain the type of the product, and its purchase need not be recorded.
        case .revocation, .reinstatement: origin?.originalTransactionID
        default: nil
        }
    }

    /// First transaction that finds the fact in the facts of all customers; `nil` if the fact cannot be found so. A consumable
    /// is found by the customer who has received its units.
    var foundBy: String? {
        if case .purchase(let purchase) = self, purchase.kind != .consumable {
            purchase.origin.originalTransactionID
        } else {
            subscription
        }
    }
}
