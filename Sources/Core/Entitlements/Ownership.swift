public import Foundation
internal import VitrineCatalog

/// Ownership of a product by a customer, with the reasons.
public enum Ownership: Sendable, Hashable {
    /// The product is owned for at least one reason.
    case owned(because: [Reason])
    /// The product is not owned: no fact and nothing in the complete catalog makes it owned.
    case notOwned
    /// The ownership is undetermined. The product must be treated as neither owned nor not owned.
    case unknown(UnknownReason)

    /// Reason why a product is owned.
    public enum Reason: Sendable, Hashable {
        /// The product itself was purchased.
        case transaction(OwnTransaction)
        /// The product was granted outside the store, on `date` or, by a grandfathering rule, to a customer who has first
        /// installed the app on `date`. `device` identifies the customer's device that has recorded the
        /// grant; it is `nil` for the current device.
        case grant(reason: String, author: String, date: Date, expirationDate: Date?, device: String? = nil)
        /// A bundle that contains the product is owned. The reasons for owning the bundle are in the bundle's own
        /// ownership.
        case bundle(identifier: String)
        /// A purchased bundle contained the product at purchase time and no longer contains it. The customer still owns
        /// all products that the bundle contained at purchase time.
        case formerBundle(identifier: String, transactionID: String, purchaseDate: Date)
    }

    /// Valid purchase of the product itself.
    public struct OwnTransaction: Sendable, Hashable {
        public var id: String
        public var purchaseDate: Date
        /// Date of the first transaction of the purchase: earlier than ``purchaseDate`` for a restored purchase and for
        /// a renewed subscription.
        public var originalPurchaseDate: Date
        /// Expiration date of the purchase, unless it is renewed; `nil` if it never expires.
        public var expirationDate: Date?
        /// `true` if the purchase has expired and access continues while the store tries to charge for the next period.
        public var isInGracePeriod: Bool
        /// End of the ownership without a confirmed renewal: the period of the subscription has ended, and the store
        /// has not yet confirmed the expected renewal. `nil` if the period has not ended.
        public var unconfirmedUntil: Date?
        /// Time that the purchase of a non-renewing subscription adds to the product; `nil` for other products.
        public var pass: Pass?
        /// `true` if a member of the customer's family bought the product and shares it.
        public var isFamilyShared: Bool
        /// Identifier of the customer's device that has recorded the purchase; `nil` for the current device.
        public var device: String?

        /// Time that a purchase of a non-renewing subscription, a *pass*, adds to the product.
        public struct Pass: Sendable, Hashable {
            /// Start of the time: the purchase date, or the end of the earlier purchases if they last longer.
            public var start: Date
            /// Number of purchased units; each has the whole duration of the subscription.
            public var quantity: Int

            public init(start: Date, quantity: Int = 1) {
                self.start = start
                self.quantity = quantity
            }
        }

        public init(
            id: String, purchaseDate: Date, originalPurchaseDate: Date? = nil, expirationDate: Date? = nil,
            isInGracePeriod: Bool = false, unconfirmedUntil: Date? = nil, pass: Pass? = nil,
            isFamilyShared: Bool = false, device: String? = nil
        ) {
            self.id = id
            self.purchaseDate = purchaseDate
            self.originalPurchaseDate = originalPurchaseDate ?? purchaseDate
            self.expirationDate = expirationDate
            self.isInGracePeriod = isInGracePeriod
            self.unconfirmedUntil = unconfirmedUntil
            self.pass = pass
            self.isFamilyShared = isFamilyShared
            self.device = device
        }
    }

    /// Reason why the ownership cannot be determined.
    public enum UnknownReason: Sendable, Hashable {
        /// No catalog could be loaded, so the contents of the owned bundles are unknown.
        case noCatalog
        /// The catalog has errors, and an owned product could not be found in it.
        case incompleteCatalog(owned: String)
        /// A grandfathering rule applies to the product, or to a bundle that contains it, and the original purchase of
        /// the app is unknown or insufficient to evaluate the rule.
        ///
        /// - Parameter product: The product that has the rule.
        case grandfathering(product: String)
        /// The period of a subscription has ended, and the store has not confirmed the expected renewal for longer than
        /// `ManagerOptions.Purchases.renewalLeeway`.
        ///
        /// - Parameters:
        ///   - product: The product of the subscription: the product itself or a bundle that contains it.
        ///   - end: The end of the period.
        case unconfirmedRenewal(product: String, end: Date)
        /// The device's clock was set back after the end of a subscription's period, and the store has not answered
        /// since.
        ///
        /// - Parameters:
        ///   - product: The product of the subscription: the product itself or a bundle that contains it.
        ///   - end: The end of the period.
        case clockSetBack(product: String, end: Date)
        /// The purchases known to the store on this device have not been read into the ledger yet.
        case purchasesNotRead
        /// An earlier ledger was lost, and the purchases known to the store have not been read into the new one yet.
        case ledgerLost(reason: String)
    }

    public var isOwned: Bool {
        if case .owned = self { true } else { false }
    }

    /// `true` if the product is owned only by purchases of a non-renewing subscription, so that another purchase extends
    /// the ownership.
    public var isExtendable: Bool {
        guard case .owned(let reasons) = self, !reasons.isEmpty else { return false }
        return reasons.allSatisfy { if case .transaction(let own) = $0 { own.pass != nil } else { false } }
    }
}

/// Number of units in a wallet.
public enum WalletBalance: Sendable, Hashable {
    case known(Int)
    /// An earlier ledger was lost with its deposits and debits. The associated value is the number of units that were
    /// added since the loss and can be spent.
    case unknown(atLeast: Int)

    /// Number of units that can be spent because they are known to be in the wallet.
    public var units: Int {
        switch self {
        case .known(let units), .unknown(let units): units
        }
    }
}

extension WalletBalance {
    /// Balance of the wallet as shown in a table.
    package var description: String {
        switch self {
        case .known(let units): String(units)
        case .unknown(let units): "unknown, at least \(units)"
        }
    }
}

/// Entitlement source: a purchase or grant because of which a product is owned while the source is valid. Owned bundles
/// of the current catalog are not sources.
struct EntitlementSource: Sendable {
    private(set) var product: String
    /// Identifier of the purchase; `nil` for a grant.
    let purchaseID: String?
    /// Sequence number of the ledger entry that records the purchase or grant.
    let sequence: Int64
    /// Purchased bundle that contained the product at purchase time; `nil` for a product that was purchased itself.
    private(set) var bundle: String?
    /// Original transaction of the auto-renewable subscription, if the source is one of its periods; `nil` for other
    /// sources.
    private(set) var subscription: String?
    /// `true` if the subscription is to change to the product of this source when the period of another product ends.
    private(set) var isPlanned = false
    /// Identifiers of the products that a purchased bundle contained at purchase time.
    private(set) var contents: [String] = []
    /// Period in which the entitlement source is valid; `nil` if the source never expires.
    var period: Fact.Period?
    /// Time that a purchase of a non-renewing subscription adds; `nil` for other sources. The period follows from it and
    /// from the product's other passes.
    var pass: Pass?
    /// End of the grace period according to the store's latest renewal data; `nil` if there is none, or if a later
    /// period has begun.
    var statedGraceEnd: Date?
    /// Start of a later period of the same subscription that replaced the period of this source; `nil` if there is
    /// none.
    var supersededDate: Date?
    /// Position of the entry in the common order of the facts of all devices.
    let moment: Date
    /// Identifier of the device that has recorded the purchase or grant; `nil` for the device of the ledger.
    let device: String?
    private let kind: Kind

    private enum Kind: Sendable {
        case purchase(transactionID: String, date: Date, originalDate: Date?, isFamilyShared: Bool)
        case grant(token: String, reason: String, author: String, date: Date)
    }

    /// Token of the grant; `nil` for a purchase.
    var grantToken: String? { if case .grant(let token, _, _, _) = kind { token } else { nil } }

    init(_ purchase: Fact.Purchase, at entry: LedgerEntry) {
        product = purchase.productIdentifier
        purchaseID = purchase.origin.purchaseID
        (sequence, moment, device) = (entry.sequence, entry.moment, entry.device)
        contents = purchase.contents
        period = purchase.period
        if purchase.kind == .autoRenewableSubscription { subscription = purchase.origin.originalTransactionID }
        if purchase.kind == .nonRenewingSubscription { pass = Pass(purchase) }
        kind = .purchase(
            transactionID: purchase.origin.transactionID, date: purchase.purchaseDate,
            originalDate: purchase.originalPurchaseDate, isFamilyShared: purchase.isFamilyShared)
    }

    init(_ grant: Fact.Grant, at entry: LedgerEntry) {
        product = grant.productIdentifier
        purchaseID = nil
        (sequence, moment, device) = (entry.sequence, entry.moment, entry.device)
        period = grant.expirationDate.map { Fact.Period(expirationDate: $0) }
        kind = .grant(
            token: grant.token, reason: grant.reason, author: grant.author, date: entry.recordedAt)
    }

    /// Returns the entitlement source of a product that the purchased bundle contained at purchase time.
    func unlocking(_ child: String) -> EntitlementSource {
        var source = self
        (source.product, source.bundle, source.contents, source.isPlanned) = (child, product, [], false)
        return source
    }

    /// Returns the entitlement source of the product that the subscription changes to when the period of this source
    /// ends.
    func continued(as product: String) -> EntitlementSource {
        var source = self
        (source.product, source.bundle, source.contents, source.isPlanned) = (product, nil, [], true)
        return source
    }

    /// Returns `true` if the customer (not a family member) bought the product at a date or later.
    func isOwnPurchase(after date: Date) -> Bool {
        guard case .purchase(_, let purchaseDate, _, isFamilyShared: false) = kind, bundle == nil else { return false }
        return purchaseDate >= date
    }

    /// Sort key of the entitlement source: a product that a bundle contained at purchase time sorts after the bundle.
    var place: (sequence: Int64, isContained: Int) { (sequence, bundle == nil ? 0 : 1) }

    /// End of the grace period, in which access continues after the period; `nil` if there is none. The App Store grants
    /// at most 28 days: a later end belongs to a later period that is not recorded.
    var graceEnd: Date? {
        guard let period, !period.isUpgraded, let statedGraceEnd, statedGraceEnd > period.expirationDate,
            statedGraceEnd <= period.expirationDate.addingTimeInterval(28 * 86_400)
        else { return nil }
        return statedGraceEnd
    }

    /// End of the source's validity; `nil` if it never expires.
    var end: Date? {
        guard let end = graceEnd ?? period?.end else { return nil }
        return min(end, supersededDate ?? end)
    }

    /// Dates at which the reported state of the entitlement source changes: the start of its grace period, and its end.
    var transitions: [Date] {
        guard let period, let end else { return [] }
        return period.expirationDate < end ? [period.expirationDate, end] : [end]
    }

    /// End of the entitlement source for display. For an upgraded subscription, this is the start of the better
    /// subscription, or the expiration date if that start is unknown.
    var reportedEnd: Date? {
        guard let period else { return nil }
        let end = graceEnd ?? period.expirationDate
        return min(end, supersededDate ?? end)
    }

    private func isInGracePeriod(at now: Date) -> Bool {
        guard let period, let graceEnd else { return false }
        return period.expirationDate <= now && graceEnd > now
    }

    /// Returns the reason why the product is owned.
    ///
    /// - Parameter firstInstallation: Date at which the customer first installed the app. A grandfathering grant has this
    ///   date, because each device and the app's server may decide it at another time.
    func reason(at now: Date, _ validity: Validity, firstInstallation: Date?) -> Ownership.Reason {
        let unconfirmedUntil: Date? = if case .unconfirmed(let limit) = validity { limit } else { nil }
        switch kind {
        case .grant(let token, let reason, let author, let date):
            let original = Fact.Grant.isGrandfathering(token) ? firstInstallation : nil
            return .grant(
                reason: reason, author: author, date: original ?? date, expirationDate: period?.expirationDate,
                device: device)
        case .purchase(let transactionID, let date, let originalDate, let isFamilyShared):
            if let bundle {
                return .formerBundle(identifier: bundle, transactionID: transactionID, purchaseDate: date)
            }
            return .transaction(
                Ownership.OwnTransaction(
                    id: transactionID, purchaseDate: date, originalPurchaseDate: originalDate,
                    expirationDate: reportedEnd,
                    isInGracePeriod: isInGracePeriod(at: now),
                    unconfirmedUntil: unconfirmedUntil,
                    pass: pass.map { Ownership.OwnTransaction.Pass(start: $0.start, quantity: $0.quantity) },
                    isFamilyShared: isFamilyShared, device: device))
        }
    }
}
