internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

/// Facts that follow from a signed transaction and a catalog. Their moments do not depend on when the transaction is
/// reported, or by which device.
enum TransactionFacts {
    case facts([ExchangedFact])
    /// The transaction cannot be delivered with the catalog, for the given reason.
    case waiting(String)

    init(_ signed: SignedTransaction, _ renewal: SignedRenewal?, catalog: Catalog?) {
        let payload = signed.payload
        if let date = payload.revocationDate {
            let revocation = Fact.Revocation(
                origin: Fact.Origin(signed), revocationDate: date, percentage: payload.revocationPercentage)
            let statement = renewal.flatMap { Fact.Renewal(signed, $0) }
            self = .facts(([.revocation(revocation)] + (statement.map { [.renewal($0)] } ?? [])).map(Self.exchanged))
            return
        }
        let plan = DeliveryPlan(
            purchase: Fact.Purchase(signed), of: payload.productIdentifier, catalog: catalog, hasHandler: false)
        switch plan {
        case .wait(let reason): self = .waiting(reason.description)
        case .record(let facts): self = .facts(facts.completed(by: renewal, of: signed).map(Self.exchanged))
        }
    }

    /// Returns the facts of a transaction whose purchase is recorded, so that the catalog does not matter; `nil` for a
    /// product type that this version of Vitrine does not know.
    static func ofRecorded(_ signed: SignedTransaction, _ renewal: SignedRenewal?) -> [ExchangedFact]? {
        guard let purchase = Fact.Purchase(signed) else { return nil }
        return [.purchase(purchase)].completed(by: renewal, of: signed).map(exchanged)
    }

    private static func exchanged(_ fact: Fact) -> ExchangedFact {
        let moment: Date =
            switch fact {
            case .purchase(let purchase): purchase.purchaseDate
            // A credit gets the moment of its purchase later, when it is recorded.
            default: fact.origin?.signedDate ?? .distantPast
            }
        return ExchangedFact(fact: fact, moment: moment, device: ServerDevice.store)
    }
}

extension CustomerRecords {
    /// Records the facts of a signed transaction and its renewal information for a customer.
    ///
    /// - Parameter further: Function that returns statements to run together with the facts.
    /// - Returns: `new` if at least one fact was new, `waiting` with the reason if the transaction cannot be delivered
    ///   with the current catalog, `refused` if it contradicts recorded facts.
    func record(
        _ signed: SignedTransaction, _ renewal: SignedRenewal?, of owner: TransactionOwner, app: String,
        also further: (ChangeCondition, KnownCustomer) -> [SQLStatement] = { _, _ in [] }
    ) async throws(CustomerError) -> RecordedTransaction {
        let facts: [ExchangedFact]
        switch TransactionFacts(signed, renewal, catalog: catalog(of: app)) {
        case .facts(let planned): facts = planned
        case .waiting(let reason):
            let isRecorded =
                try await resolveMerged(of: owner.id).facts.entry(of: .purchase, key: signed.payload.purchaseID) != nil
            guard isRecorded, let recorded = TransactionFacts.ofRecorded(signed, renewal) else {
                return .waiting(reason)
            }
            facts = recorded
        }
        let (policy, date) = (options.overdrafts, now)
        let dated = facts.map { fact in
            guard case .credit = fact.fact else { return fact }
            return ExchangedFact(fact: fact.fact, moment: signed.payload.purchaseDate, device: fact.device)
        }
        let change = try await change(owner.id, isForced: true) { condition, customer in
            owner.missing.map { self.insertion(of: $0, customer: customer.id, app: app) }
                + further(condition, customer)
        } _: { rules in
            // What the server has recorded of a purchase is retained, whatever a later catalog says: the value of its
            // credit, or that a period was recorded without a credit, and the duration of a pass.
            let new = dated.compactMap { fact -> ExchangedFact? in
                let purchase = rules.recorded.entry(of: .purchase, key: fact.fact.key)
                switch fact.fact {
                case .credit:
                    let recorded = rules.recorded.entry(of: .credit, key: fact.fact.key) ?? purchase
                    return recorded?.device == ServerDevice.store ? nil : fact
                case .purchase(var present) where present.kind == .nonRenewingSubscription:
                    guard purchase?.device == ServerDevice.store, case .purchase(let earlier)? = purchase?.fact
                    else { return fact }
                    present.period = earlier.period
                    return ExchangedFact(fact: .purchase(present), moment: fact.moment, device: fact.device)
                default: return fact
                }
            }
            return try rules.merge(new, adjusting: [], overdrafts: policy, at: date)
        }
        if let problem = change.value.values.first { return .refused(problem.reason) }
        return change.entries.isEmpty ? .known : .new
    }

    /// Records the customer's original purchase of the app, and the facts that depend on it.
    func record(_ signed: SignedAppTransaction, of customer: String) async throws(CustomerError) {
        guard let purchase = Fact.AppPurchase(signed) else { return }
        let date = now
        _ = try await change(customer) { rules in
            guard !rules.recorded.originalPurchases.contains(purchase.original) else { return }
            try rules.check(DatedFact(fact: .appPurchase(purchase), date: date))
        }
        try await grantOpeningBalances(to: customer)
    }

    /// Records facts that follow from the catalog instead of a purchase: products that grandfathering rules grant, and
    /// starting balances of wallets, which each customer with a store account gets once.
    func grantOpeningBalances(to id: String) async throws(CustomerError) {
        let customer = try await resolveMerged(of: id)
        guard let catalog = catalog(of: customer.app) else { return }
        var given: [ExchangedFact] = []
        func give(_ fact: Fact, at moment: Date) {
            guard customer.facts.entry(of: fact.kind, key: fact.key) == nil else { return }
            given.append(ExchangedFact(fact: fact, moment: moment, device: ServerDevice.store))
        }
        for original in customer.facts.originalPurchases {
            for grant in catalog.products.compactMap({ $0.grandfatheringGrant(for: original) }) {
                give(.grant(grant), at: original.date)
            }
        }
        let balances = catalog.wallets.filter { $0.value.startingBalance > 0 }.map { wallet, declared in
            Fact.deposit(Fact.Deposit(startingBalance: declared.startingBalance, of: wallet))
        }
        if balances.contains(where: { customer.facts.entry(of: .deposit, key: $0.key) == nil }),
            try await identities(of: customer.id).contains(where: { $0.kind == .appTransaction })
        {
            for balance in balances { give(balance, at: .beginning) }
        }
        guard !given.isEmpty else { return }
        let (policy, date, facts) = (options.overdrafts, now, given)
        _ = try await change(customer.id) { rules in
            try rules.merge(facts, adjusting: [], overdrafts: policy, at: date)
        }
    }
}

extension FactsInMemory {
    /// All recorded original purchases of the app. There are several if customers with different store accounts were
    /// merged.
    fileprivate var originalPurchases: Set<OriginalPurchase> {
        Set(entries.compactMap { if case .appPurchase(let purchase) = $0.fact { purchase.original } else { nil } })
    }
}

extension Fact.AppPurchase {
    /// Creates the original purchase of the app from an app transaction.
    ///
    /// - Returns: `nil` if the app transaction does not determine it: in the sandbox the version is the same for all
    ///   customers, and data from Xcode has no date.
    fileprivate init?(_ signed: SignedAppTransaction) {
        let payload = signed.payload
        guard payload.originalPurchaseDate.timeIntervalSince1970 >= 0,
            payload.environment != .sandbox || payload.originalApplicationVersion != "1.0"
        else { return nil }
        self.init(
            original: OriginalPurchase(
                version: payload.originalApplicationVersion, date: payload.originalPurchaseDate,
                platform: payload.originalPlatform.map(AppPlatform.init)),
            environment: payload.environment.rawValue, signedDate: payload.signedDate, signedData: signed.signedData)
    }
}

/// Outcome of recording a signed transaction.
enum RecordedTransaction: Sendable, Hashable {
    case new, known
    case waiting(String)
    /// The transaction contradicts recorded facts, for the given reason.
    case refused(String)
}

extension Date {
    /// Moment of facts that apply to a customer from the beginning.
    fileprivate static let beginning = Date(timeIntervalSince1970: 0)
}
