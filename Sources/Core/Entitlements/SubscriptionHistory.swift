internal import Foundation

/// Recorded periods of an auto-renewable subscription, and its last renewal data.
///
/// The customer of an app is not always the customer of the store: the periods of one subscription may belong to several
/// customers. The periods of all of them determine which one is the latest, and which ones end others.
struct SubscriptionHistory: Sendable {
    private(set) var periods: [SubscribedPeriod] = []
    /// Recorded period that all others precede; `nil` if no period is recorded.
    private(set) var latest: SubscribedPeriod?
    private(set) var renewal: Fact.Renewal?
    /// End of the grace period that the entitlement source of the latest period has.
    var sourceGraceEnd: Date?
    /// Signing dates of the last revocations and reinstatements, by the periods' purchase IDs. The periods need not be
    /// recorded.
    private var revocations: [String: Date] = [:]
    private var reinstatements: [String: Date] = [:]

    /// Adds the revocation of a period, which need not be recorded.
    mutating func addRevocation(of purchaseID: String, signed date: Date) {
        revocations[purchaseID] = max(date, revocations[purchaseID] ?? date)
    }

    /// Adds the reversal of a revocation.
    mutating func addReinstatement(of purchaseID: String, signed date: Date) {
        reinstatements[purchaseID] = max(date, reinstatements[purchaseID] ?? date)
    }

    mutating func add(_ period: SubscribedPeriod) {
        periods.append(period)
        if latest.map({ period.follows($0) }) ?? true { latest = period }
    }

    /// Replaces the renewal data of the subscription, unless the current data was signed later.
    ///
    /// - Returns: `false` if the current data was signed later and still applies.
    mutating func add(_ renewal: Fact.Renewal) -> Bool {
        guard self.renewal.map({ $0.origin.signedDate <= renewal.origin.signedDate }) ?? true else { return false }
        self.renewal = renewal
        return true
    }

    /// End of the grace period after the latest period, according to the renewal data; `nil` if there is none. A refund
    /// ends a grace period, unless the refund was reversed or the renewal data was signed afterwards.
    var graceEnd: Date? {
        guard let latest, let renewal, let end = renewal.terms.gracePeriodExpirationDate,
            latest.product == renewal.origin.productIdentifier
        else { return nil }
        let signed = renewal.origin.signedDate
        let isRevoked = revocations.contains { purchaseID, date in
            date > signed && date >= reinstatements[purchaseID] ?? .distantPast
                && endsGracePeriod(purchaseID, of: latest)
        }
        return latest.start <= signed && !isRevoked ? end : nil
    }

    /// Returns the start of the first period that ends another one; `nil` if there is none. A revoked period ends
    /// others too: the store does not return to the earlier product.
    func supersededDate(of period: SubscribedPeriod) -> Date? {
        periods.filter { $0.supersedes(period) }.map(\.start).min()
    }

    /// Returns the periods that a recorded period ends.
    func periods(before purchaseID: String) -> [SubscribedPeriod] {
        guard let later = periods.first(where: { $0.purchaseID == purchaseID }) else { return [] }
        return periods.filter { later.supersedes($0) }
    }

    /// Returns `true` if a revoked period is the latest one, or a later one, which is not recorded because it is revoked.
    private func endsGracePeriod(_ revoked: String, of latest: SubscribedPeriod) -> Bool {
        if revoked == latest.purchaseID { return true }
        return revoked.isHigherNumber(than: latest.purchaseID) && !periods.contains { $0.purchaseID == revoked }
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

    /// Returns `true` if this period comes after another one. Of two periods that start at the same time, the one with
    /// the higher transaction number comes later.
    func follows(_ other: SubscribedPeriod) -> Bool {
        start == other.start ? purchaseID.isHigherNumber(than: other.purchaseID) : start > other.start
    }

    /// Returns `true` if this period ends another, earlier period, because the subscription changed to another product.
    func supersedes(_ other: SubscribedPeriod) -> Bool { product != other.product && follows(other) }
}

extension String {
    /// Returns `true` if this transaction number is higher than another one.
    func isHigherNumber(than other: String) -> Bool {
        (utf8.count, self) > (other.utf8.count, other)
    }
}
