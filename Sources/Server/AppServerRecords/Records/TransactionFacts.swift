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
        return ExchangedFact(fact: fact, moment: moment, device: ServerDeviceIdentifier.store)
    }
}

extension CustomerRecords {
    /// Records the facts of a signed transaction and its renewal information for the owner, and for other customers that
    /// have the purchase.
    ///
    /// - Parameter further: Function that returns statements to run together with the facts of the owner.
    /// - Returns: The outcome for the owner.
    func record(
        _ signed: SignedTransaction, _ renewal: SignedRenewal?, of owner: TransactionOwner, app: String,
        also further: (ChangeCondition, KnownCustomer) -> [SQLStatement] = { _, _ in [] }
    ) async throws(CustomerError) -> RecordedTransaction {
        let transaction = OwnedTransaction(signed: signed, renewal: renewal, owner: owner)
        return try await record([transaction], of: owner.id, app: app, also: further)[0]
    }

    /// Records the facts of transactions of one owner in one change, and for other customers that have their purchases.
    ///
    /// - Parameters:
    ///   - transactions: Transactions with the same owner; at least one.
    ///   - further: Function that returns statements to run together with the facts of the owner.
    ///   - isRepeated: `true` if the owner was determined again, after another request had recorded the purchase.
    /// - Returns: The outcome of each transaction for the owner.
    func record(
        _ transactions: [OwnedTransaction], of owner: String, app: String, repeated isRepeated: Bool = false,
        also further: (ChangeCondition, KnownCustomer) -> [SQLStatement] = { _, _ in [] }
    ) async throws(CustomerError) -> [RecordedTransaction] {
        for transaction in transactions {
            for other in transaction.owner.others {
                var transaction = transaction
                transaction.owner = TransactionOwner(
                    id: other, isNamed: true, missing: [], erased: transaction.owner.erased,
                    revocations: transaction.owner.revocations)
                _ = try await recordTogether([transaction], of: other, app: app)
            }
        }
        do throws(CustomerError) {
            return try await recordTogether(transactions, of: owner, app: app, also: further)
        } catch {
            if transactions.count > 1, error.code != .unavailable {
                // One of the transactions cannot be recorded. Those before it are recorded without it.
                var outcomes: [RecordedTransaction] = []
                for transaction in transactions {
                    outcomes += try await record([transaction], of: owner, app: app, also: further)
                }
                return outcomes
            }
            guard error.code == .conflict, !isRepeated, var transaction = transactions.first else { throw error }
            // Another request has recorded the purchase meanwhile, maybe for another customer, who then keeps it.
            transaction.owner = try await ownerOrNew(of: transaction.signed.payload, app: app)
            let outcomes = try await record(
                [transaction], of: transaction.owner.id, app: app, repeated: true, also: further)
            // The given owner may have been merged meanwhile.
            guard try await resolveMerged(of: owner).id != transaction.owner.id else { return outcomes }
            return outcomes.map { [.new, .known].contains($0) ? .recordedElsewhere : $0 }
        }
    }

    /// Records the facts of transactions for a customer in one change.
    ///
    /// - Parameter further: Function that returns statements to run together with the facts.
    /// - Returns: For each transaction `new` if at least one fact was new, `waiting` with the reason if it cannot be
    ///   delivered with the current catalog, `refused` if it contradicts recorded facts, or is older than the end of the
    ///   purchase of an erased customer.
    private func recordTogether(
        _ transactions: [OwnedTransaction], of owner: String, app: String,
        also further: (ChangeCondition, KnownCustomer) -> [SQLStatement] = { _, _ in [] }
    ) async throws(CustomerError) -> [RecordedTransaction] {
        let missing = Set(transactions.flatMap(\.owner.missing))
        var planned: [[ExchangedFact]?] = []
        var outcomes: [RecordedTransaction] = []
        for transaction in transactions {
            if transaction.owner.erased.hasEnded(after: transaction.signed.payload) {
                planned.append(nil)
                outcomes.append(.refused("the store ended the purchase after it had signed this transaction"))
                continue
            }
            switch try await plannedFacts(of: transaction, for: owner, app: app) {
            case .facts(let facts):
                planned.append(facts + transaction.owner.revocations)
                outcomes.append(.known)
            case .waiting(let reason):
                planned.append(nil)
                outcomes.append(.waiting(reason))
            }
        }
        guard planned.contains(where: { $0 != nil }) else { return outcomes }
        let (policy, date, all) = (options.overdrafts, now, planned)
        do throws(CustomerError) {
            let change = try await change(owner, isForced: true) { condition, customer in
                missing.map { identity in
                    // Copies of a purchase that nobody has may arrive together, and name different customers.
                    self.insertion(
                        of: identity, customer: customer.id, app: app, if: condition,
                        mustBeNew: identity.kind == .purchase)
                } + further(condition, customer)
            } _: { rules in
                try all.map { facts -> RecordedTransaction? in
                    guard let facts else { return nil }
                    let count = rules.accepted.count
                    let problems = try rules.merge(
                        rules.retaining(facts), adjusting: [], overdrafts: policy, at: date)
                    if let problem = problems.values.first { return .refused(problem.reason) }
                    return rules.accepted.count > count ? .new : .known
                }
            }
            return zip(change.value, outcomes).map { $0 ?? $1 }
        } catch {
            for identity in missing where identity.kind == .purchase {
                guard try await customer(identity, of: app) == nil else {
                    throw CustomerError(
                        code: .conflict, reason: "another request has recorded the purchase at the same time")
                }
            }
            throw error
        }
    }

    /// Returns the facts of a transaction under the published catalog; those that do not depend on it if the purchase is
    /// recorded.
    ///
    /// A credit that an erased customer has received is left out. A purchase that is recorded without its credit is not
    /// credited later either.
    private func plannedFacts(
        of transaction: OwnedTransaction, for owner: String, app: String
    ) async throws(CustomerError) -> TransactionFacts {
        let (signed, renewal) = (transaction.signed, transaction.renewal)
        let planned = TransactionFacts(signed, renewal, catalog: catalog(of: app))
        switch planned {
        case .facts(let facts):
            return .facts(
                facts.compactMap { fact in
                    guard case .credit = fact.fact else { return fact }
                    guard !transaction.owner.erased.hasUnits else { return nil }
                    return ExchangedFact(fact: fact.fact, moment: signed.payload.purchaseDate, device: fact.device)
                })
        case .waiting:
            let isRecorded =
                try await resolveMerged(of: owner).facts.entry(of: .purchase, key: signed.payload.purchaseID) != nil
            guard isRecorded, let recorded = TransactionFacts.ofRecorded(signed, renewal) else { return planned }
            return .facts(recorded)
        }
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
            given.append(ExchangedFact(fact: fact, moment: moment, device: ServerDeviceIdentifier.store))
        }
        var names = GrandfatheringNames(customer.facts)
        for original in customer.facts.originalPurchases.sorted(by: { $0.date < $1.date }) {
            for grant in catalog.products.compactMap({ $0.grandfatheringGrant(for: original) }) {
                give(names.name(.grant(grant), at: original.date), at: original.date)
            }
        }
        let balances = catalog.wallets.filter { $0.value.startingBalance > 0 }.map { wallet, declared in
            Fact.Deposit(startingBalance: declared.startingBalance, of: wallet)
        }
        if balances.contains(where: { customer.facts.entry(of: .deposit, key: $0.token) == nil }) {
            let accounts = try await storeAccounts(of: customer.id)
            let units = balances.map { balance in accounts.map { ReceivedUnits(balance, storeAccount: $0) } }
            let erased = try await erased(units.flatMap(\.self), app: customer.app)
            for (balance, units) in zip(balances, units) where !units.isEmpty && erased.isDisjoint(with: units) {
                give(.deposit(balance), at: .beginning)
            }
        }
        guard !given.isEmpty else { return }
        let (policy, date, facts) = (options.overdrafts, now, given)
        _ = try await change(customer.id) { rules in
            try rules.merge(facts, adjusting: [], overdrafts: policy, at: date)
        }
    }
}

extension LedgerRules<FactsInMemory> {
    /// Returns those facts of a transaction that may be merged. What the server has recorded of a purchase is retained,
    /// whatever a later catalog says: the value of its credit, or that a period was recorded without a credit, and the
    /// duration of a pass.
    fileprivate func retaining(_ facts: [ExchangedFact]) -> [ExchangedFact] {
        facts.compactMap { fact -> ExchangedFact? in
            let purchase = recorded.entry(of: .purchase, key: fact.fact.key)
            switch fact.fact {
            case .credit:
                let known = recorded.entry(of: .credit, key: fact.fact.key) ?? purchase
                return known?.device == ServerDeviceIdentifier.store ? nil : fact
            case .purchase(var present) where present.kind == .nonRenewingSubscription:
                guard purchase?.device == ServerDeviceIdentifier.store, case .purchase(let earlier)? = purchase?.fact
                else { return fact }
                present.period = earlier.period
                return ExchangedFact(fact: .purchase(present), moment: fact.moment, device: fact.device)
            default: return fact
            }
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

/// Signed transaction with the customer that owns it.
struct OwnedTransaction: Sendable {
    let signed: SignedTransaction
    let renewal: SignedRenewal?
    var owner: TransactionOwner
}

/// Outcome of recording a signed transaction.
enum RecordedTransaction: Sendable, Hashable {
    case new, known
    /// The transaction is recorded for another customer than the given one, because another request has recorded its purchase
    /// meanwhile.
    case recordedElsewhere
    case waiting(String)
    /// The transaction contradicts what the store has signed later or the facts that are recorded, for the given reason.
    case refused(String)
}

extension Date {
    /// Moment of facts that apply to a customer from the beginning.
    fileprivate static let beginning = Date(timeIntervalSince1970: 0)
}
