internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts

/// Row of the table of subscriptions: a customer's subscription in a subscription group. Its number is the number of
/// its first transaction. Dates are in milliseconds since 1970.
struct SubscriptionRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "subscription"

    enum State: String, Codable {
        case active, grace, retry, expired, revoked
    }

    /// Customer's response to a price increase.
    enum Consent: String, Codable {
        case pending, agreed, declined
    }

    let id: Int64
    let customer: Int64
    let groupID: String
    var productIdentifier: String
    /// Number of the subscription's latest transaction.
    var purchase: Int64
    /// End of the subscription's latest period, in milliseconds since 1970.
    var expiresDate: Int64
    /// Day of the month, in UTC, on which monthly and yearly periods end. In a shorter month, they end on its last day.
    var billingDay: Int
    private(set) var isRenewing: Bool
    /// Identifier of the product to which the subscription renews.
    var renewalProduct: String
    var state = State.active
    var expirationReason: ExpirationIntent?
    /// End of the billing grace period, in milliseconds since 1970; `nil` outside it.
    var graceDate: Int64?
    /// End of the billing retry period, in which the store retries a failed charge; `nil` if no renewal has failed.
    var retryDate: Int64?
    var consent: Consent?
    /// Price of the next period without a subscription offer, in thousandths of the currency's unit.
    var price: Int
    /// Subscription offer that applies to the latest period; `nil` without an offer.
    var offer: AppliedOffer?
    /// Subscription offer that begins with the next period; `nil` without an offer.
    var nextOffer: AppliedOffer?
    /// Start of the current series of periods. Only a pause of 60 days or more, which the store's rate shortens, starts
    /// a new series.
    var startDate: Int64
    /// `true` if the store fails to charge for renewals of this subscription.
    var isBillingFailing = false
    /// Account token of later periods, which the app's server has set or the app has ordered the next period with; `nil`
    /// for that of the latest transaction.
    var accountToken: String?
    /// Number of the subscription that a family member shares with the customer in this row; `nil` for the customer's
    /// own subscription.
    private(set) var sharedFrom: Int64?
    /// Earliest signature date of the renewal information in its present state, in milliseconds since 1970. It is later
    /// than every signature of an earlier state, even while the store's clock stands still.
    private(set) var signedFrom: Int64 = 0
    /// Date of the next scheduled change of the subscription, in milliseconds since 1970; `nil` if there is none.
    private(set) var nextDate: Int64?

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let customer = Column(CodingKeys.customer)
        static let groupID = Column(CodingKeys.groupID)
        static let renewalProduct = Column(CodingKeys.renewalProduct)
        static let nextDate = Column(CodingKeys.nextDate)
        static let sharedFrom = Column(CodingKeys.sharedFrom)
    }

    static func fetch(_ id: Int64, from database: Database) throws -> SubscriptionRecord? {
        try fetchOne(
            database.cachedStatement(sql: "SELECT * FROM subscription WHERE id = ?"), arguments: [id])
    }

    /// Returns the rows of the other family members with whom a subscription is shared.
    static func fetchAll(sharedFrom id: Int64, from database: Database) throws -> [SubscriptionRecord] {
        let ids = try Int64.fetchAll(
            database.cachedStatement(sql: "SELECT id FROM subscription WHERE sharedFrom = ? ORDER BY id"),
            arguments: [id])
        return try ids.compactMap { try fetch($0, from: database) }
    }

    /// Stores the subscription. It replaces an earlier state of the subscription.
    func store(in database: Database) throws {
        try database.cachedStatement(sql: Self.storing).execute(arguments: [
            id, customer, groupID, sharedFrom, productIdentifier, purchase, expiresDate, billingDay, isRenewing,
            renewalProduct, state.rawValue, expirationReason?.rawValue, graceDate, retryDate, consent?.rawValue, price,
            offer, nextOffer, startDate, isBillingFailing, accountToken, signedFrom, nextDate,
        ])
    }

    private static let storing: String = {
        let constant = ["id", "customer", "groupID", "sharedFrom"]
        let variable = [
            "productIdentifier", "purchase", "expiresDate", "billingDay", "isRenewing", "renewalProduct", "state",
            "expirationReason", "graceDate", "retryDate", "consent", "price", "offer", "nextOffer", "startDate",
            "isBillingFailing", "accountToken", "signedFrom", "nextDate",
        ]
        let all = constant + variable
        return """
            INSERT INTO subscription (\(all.joined(separator: ", ")))
            VALUES (\(all.map { _ in "?" }.joined(separator: ", "))) ON CONFLICT (id) DO UPDATE SET
            \(variable.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
            """
    }()

    /// `true` if the customer is entitled to the product.
    var isRunning: Bool { state == .active || state == .grace }

    /// `true` if the store tries again to charge for the next period, with or without a grace period.
    var isWaiting: Bool { state == .grace || state == .retry }

    /// Reason for which the subscription ends if its renewal is off.
    var endReason: ExpirationIntent { consent == .declined ? .priceIncrease : .cancelled }

    var hasEnded: Bool { state == .expired || state == .revoked }

    /// `true` if a price increase waits for the customer's consent. Apple no longer calls it pending after the
    /// subscription has ended or its renewal is turned off
    /// ([description](https://developer.apple.com/documentation/storekittest/sktestsession/requestpriceincreaseconsentfortransaction(identifier:))).
    var awaitsConsent: Bool { consent == .pending && isRenewing && !hasEnded }

    /// Offer of the latest period as it continues in the next period; `nil` if the offer ends, or another plan begins.
    var remainingOffer: AppliedOffer? { renewalProduct == productIdentifier ? offer?.next : nil }

    /// Subscription offer of the next period: the current offer if it continues, or else the offer that the customer
    /// has chosen for the next period.
    var renewalOffer: AppliedOffer? { remainingOffer ?? nextOffer }

    /// Begins a new state of the subscription. Its renewal information is signed after a date, in milliseconds since
    /// 1970.
    mutating func beginState(after date: Int64) { signedFrom = max(date, signedFrom) + 1 }

    /// Begins a new state of the subscription. Its renewal information is not signed before a date, in milliseconds
    /// since 1970.
    mutating func beginState(at date: Int64) { signedFrom = max(date, signedFrom) }

    /// Sets the state of the subscription, and the date of its next scheduled change. A shared subscription has no such
    /// date, because it changes with the subscription of the family member who shares it.
    mutating func set(_ state: State, _ reason: ExpirationIntent? = nil) {
        self.state = state
        expirationReason = state == .expired ? reason ?? .other : nil
        if state != .grace { graceDate = nil }
        if state != .grace, state != .retry { retryDate = nil }
        nextDate = sharedFrom == nil ? dueDate : nil
    }

    /// Turns the renewal of the subscription off or on. When it is turned on, a declined price increase waits for
    /// consent again.
    mutating func setRenewing(_ isRenewing: Bool) {
        self.isRenewing = isRenewing
        if isRenewing, consent == .declined { consent = .pending }
    }

    private var dueDate: Int64? {
        switch state {
        case .active: expiresDate
        case .grace: graceDate
        case .retry: retryDate
        case .expired, .revoked: nil
        }
    }

    /// Returns a copy of the subscription, with another number, that is shared with a family member.
    func shared(with member: Int64, as number: Int64) -> SubscriptionRecord {
        var copy = SubscriptionRecord(
            id: number, customer: member, groupID: groupID, productIdentifier: productIdentifier, purchase: purchase,
            expiresDate: expiresDate, billingDay: billingDay, isRenewing: isRenewing, renewalProduct: renewalProduct,
            price: 0, startDate: startDate, sharedFrom: id)
        copy.follow(self)
        return copy
    }

    /// Copies product, dates and state from the subscription that a family member shares. The numbers of this row's
    /// subscription, customer and transaction do not change.
    mutating func follow(_ shared: SubscriptionRecord) {
        (productIdentifier, renewalProduct, isRenewing) = (
            shared.productIdentifier, shared.renewalProduct, shared.isRenewing
        )
        (expiresDate, graceDate, retryDate) = (shared.expiresDate, shared.graceDate, shared.retryDate)
        signedFrom = max(signedFrom, shared.signedFrom)
        set(shared.state, shared.expirationReason)
    }
}

/// Offer that sets the price of a purchase: of one or more periods of a subscription, or of a product that is bought
/// once.
struct AppliedOffer: Codable, Hashable, DatabaseValueConvertible {
    let type: OfferType
    /// Identifier of the subscription offer; `nil` for an introductory offer.
    let identifier: String?
    /// Payment mode of the subscription offer; `nil` for an offer of a product that is bought once.
    let mode: StoreConfiguration.Offer.PaymentMode?
    /// Length of one period of the subscription offer; `nil` for an offer of a product that is bought once.
    let period: RenewalPeriod?
    /// Length of the whole subscription offer, which the store signs; `nil` for an offer of a product that is bought once.
    let duration: RenewalPeriod?
    /// Number of offer periods that one transaction pays for.
    let lengths: Int
    /// Number of transactions to which the subscription offer still applies, including the present one.
    var remaining: Int
    /// Price of a transaction with the subscription offer, in thousandths of the currency's unit.
    let price: Int

    init(_ offer: StoreConfiguration.Offer) {
        type =
            switch offer.kind {
            case .introductory: .introductory
            case .promotional: .promotional
            case .winBack: .winBack
            case .code: .offerCode
            }
        identifier = offer.kind == .introductory ? nil : offer.identifier
        mode = offer.paymentMode
        (period, duration) = (offer.period, offer.duration)
        lengths = offer.paymentMode == .payAsYouGo ? 1 : offer.periodCount
        remaining = offer.paymentMode == .payAsYouGo ? offer.periodCount : 1
        price = (offer.price ?? 0).thousandths
    }

    init(_ offer: StoreConfiguration.CodeOffer) {
        (type, identifier, mode, period, duration) = (.offerCode, offer.identifier, nil, nil, nil)
        (lengths, remaining, price) = (1, 1, (offer.price ?? 0).thousandths)
    }

    /// Subscription offer as it applies to the next transaction; `nil` after the last one.
    var next: AppliedOffer? {
        guard remaining > 1 else { return nil }
        var next = self
        next.remaining -= 1
        return next
    }

    var discountType: OfferDiscountType {
        switch mode {
        case .free: .freeTrial
        case .payAsYouGo: .payAsYouGo
        case .payUpFront: .payUpFront
        case nil: .oneTime
        }
    }
}

extension Decimal {
    /// Price in whole thousandths of the currency's unit.
    var thousandths: Int { NSDecimalNumber(decimal: self * 1_000).intValue }
}
