import Foundation
import VitrineCatalog
import VitrineEntitlements

/// State of a customer at a date, with everything that an app can read.
struct Possessions: Hashable, Sendable {
    var owned: [String] = []
    var reasons: [String: Set<Ownership.Reason>] = [:]
    var unknown: [String: Ownership.UnknownReason] = [:]
    var subscriptions: [Subscription] = []
    var revocations: [String: [Revocation]] = [:]
    var balances: [String: Int] = [:]
    var nextEnd: Date?

    /// Subscription as an app can read it, without the date of the last statement: of two equal statements, the ledger
    /// records only the one that arrives first.
    struct Subscription: Hashable, Sendable {
        let id: String
        let product: String
        let transaction: String
        let state: CustomerSubscription.State
        let dates: [Date?]
        let isRenewing: Bool?
        let nextProduct: String?
        let endReason: SubscriptionEndReason?
        let priceIncrease: PriceIncreaseConsent?
        let nextPrice: Decimal?
        let nextCurrency: String?
        let offers: [AppliedOffer?]
        let isFamilyShared: Bool

        init(_ subscription: CustomerSubscription) {
            id = subscription.id
            product = subscription.productIdentifier
            transaction = subscription.transactionID
            state = subscription.state
            dates = [
                subscription.originalPurchaseDate, subscription.purchaseDate, subscription.expirationDate,
                subscription.gracePeriodExpirationDate, subscription.unconfirmedUntil,
            ]
            isRenewing = subscription.isRenewing
            nextProduct = subscription.nextProduct
            endReason = subscription.endReason
            priceIncrease = subscription.priceIncrease
            nextPrice = subscription.nextPrice
            nextCurrency = subscription.nextCurrency
            offers = [subscription.offer, subscription.nextOffer]
            isFamilyShared = subscription.isFamilyShared
        }
    }

    struct Revocation: Hashable, Sendable {
        let purchase: String
        let date: Date
        let percentage: Int?
    }

    init(_ snapshot: EntitlementSnapshot) {
        owned = snapshot.owned
        for product in NotifiedServer.catalog.products.map(\.identifier) {
            switch snapshot.ownership(of: product) {
            case .owned(let because): reasons[product] = Set(because)
            case .notOwned: break
            case .unknown(let reason): unknown[product] = reason
            }
            let revoked = snapshot.revocations(of: product).map {
                Revocation(purchase: $0.origin.purchaseID, date: $0.revocationDate, percentage: $0.percentage)
            }
            if !revoked.isEmpty { revocations[product] = revoked }
        }
        subscriptions = snapshot.subscriptions.map(Subscription.init)
        balances = snapshot.balances.filter { $0.value != 0 }
        nextEnd = snapshot.nextEnd
    }

    /// Returns the properties that differ from the expected state.
    func differences(from expected: Possessions) -> [String] {
        zip(Mirror(reflecting: self).children, Mirror(reflecting: expected).children).compactMap { mine, theirs in
            let (found, wanted) = (mine.value as? AnyHashable, theirs.value as? AnyHashable)
            return found == wanted ? nil : "\(mine.label ?? ""): \(mine.value) instead of \(theirs.value)"
        }
    }
}
