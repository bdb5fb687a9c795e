internal import Foundation

/// A reason why a product is owned by itself, as long as it counts.
struct Support: Sendable {
    let product: String
    /// What was bought; `nil` for a grant.
    let purchaseID: String?
    /// The number of its entry in the ledger.
    let sequence: Int64
    /// The bundle that was bought, where the product was in it then.
    private(set) var bundle: String?
    /// What a bought bundle contained.
    private(set) var contents: [String] = []
    /// Until when it lasts; `nil` for what lasts for ever.
    var period: Fact.Period?
    /// When another period of the same subscription took its place.
    var supersededDate: Date?
    private let source: Source

    private enum Source: Sendable {
        case purchase(transactionID: String, date: Date, isFamilyShared: Bool)
        case grant(reason: String, author: String, date: Date)
    }

    init(_ purchase: Fact.Purchase, at sequence: Int64) {
        product = purchase.productIdentifier
        purchaseID = purchase.origin.purchaseID
        self.sequence = sequence
        contents = purchase.contents
        period = purchase.period
        source = .purchase(
            transactionID: purchase.origin.transactionID, date: purchase.purchaseDate,
            isFamilyShared: purchase.isFamilyShared)
    }

    init(_ grant: Fact.Grant, at entry: LedgerEntry) {
        product = grant.productIdentifier
        purchaseID = nil
        sequence = entry.sequence
        period = grant.expirationDate.map { Fact.Period(expirationDate: $0) }
        source = .grant(reason: grant.reason, author: grant.author, date: entry.recordedAt)
    }

    /// The same for something that the product contained when it was bought.
    func unlocking(_ child: String) -> Support { Support(child, in: self) }

    private init(_ child: String, in bundle: Support) {
        product = child
        purchaseID = bundle.purchaseID
        sequence = bundle.sequence
        self.bundle = bundle.product
        period = bundle.period
        supersededDate = bundle.supersededDate
        source = bundle.source
    }

    /// Where it stands among others: what a bundle contained comes after the bundle.
    var place: (sequence: Int64, isContained: Int) { (sequence, bundle == nil ? 0 : 1) }

    /// From when on it does not count.
    var end: Date? {
        guard let end = period?.end else { return nil }
        return min(end, supersededDate ?? end)
    }

    /// When something else is told of it than before: at its end, and where its grace period begins.
    var transitions: [Date] {
        guard let period, let end else { return [] }
        return period.expirationDate < end ? [period.expirationDate, end] : [end]
    }

    /// The end as it is told: what was given up for a better subscription ended when that began, as far as is known.
    var toldEnd: Date? {
        guard let period else { return nil }
        let end = period.isUpgraded ? period.expirationDate : period.end
        return min(end, supersededDate ?? end)
    }

    func reason(at now: Date) -> Ownership.Reason {
        switch source {
        case .grant(let reason, let author, let date):
            return .grant(reason: reason, author: author, date: date, expirationDate: period?.expirationDate)
        case .purchase(let transactionID, let date, let isFamilyShared):
            if let bundle {
                return .formerBundle(identifier: bundle, transactionID: transactionID, purchaseDate: date)
            }
            return .transaction(
                Ownership.OwnTransaction(
                    id: transactionID, purchaseDate: date, expirationDate: toldEnd,
                    isInGracePeriod: period.map { $0.expirationDate <= now && $0.end > now } ?? false,
                    isFamilyShared: isFamilyShared))
        }
    }
}

/// A period of an auto-renewable subscription.
struct SubscribedPeriod: Sendable {
    let purchaseID: String
    let product: String
    let start: Date

    init(_ purchase: Fact.Purchase) {
        purchaseID = purchase.origin.purchaseID
        product = purchase.productIdentifier
        start = purchase.purchaseDate
    }

    /// The subscription changed to another product with this period, which ends an earlier one.
    func supersedes(_ other: SubscribedPeriod) -> Bool { product != other.product && start > other.start }
}
