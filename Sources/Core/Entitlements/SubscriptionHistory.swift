internal import Foundation

/// Recorded periods of an auto-renewable subscription, and its last renewal data.
struct SubscriptionHistory: Sendable {
    private(set) var periods: [SubscribedPeriod] = []
    /// Recorded period with the latest start; `nil` if no period is recorded.
    private(set) var latest: SubscribedPeriod?
    private(set) var renewal: Fact.Renewal?

    mutating func add(_ period: SubscribedPeriod) {
        periods.append(period)
        if latest.map({ $0.start <= period.start }) ?? true { latest = period }
    }

    /// Replaces the renewal data of the subscription, unless the current data was signed later.
    ///
    /// - Returns: `false` if the current data was signed later and still applies.
    mutating func add(_ renewal: Fact.Renewal) -> Bool {
        guard self.renewal.map({ $0.origin.signedDate <= renewal.origin.signedDate }) ?? true else { return false }
        self.renewal = renewal
        return true
    }
}

/// Period of an auto-renewable subscription.
struct SubscribedPeriod: Sendable {
    let purchaseID: String
    let product: String
    let start: Date

    init(_ purchase: Fact.Purchase) {
        purchaseID = purchase.origin.purchaseID
        product = purchase.productIdentifier
        start = purchase.purchaseDate
    }

    /// Returns `true` if this period ends another, earlier period, because the subscription changed to another product.
    func supersedes(_ other: SubscribedPeriod) -> Bool { product != other.product && start > other.start }
}
