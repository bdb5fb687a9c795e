internal import Foundation
internal import GRDB
internal import ProductCatalog
internal import Receipts

/// Row of the table of subscriptions: the subscription of a customer in a group, whose number is that of its first
/// transaction. Dates are in milliseconds since 1970.
struct SubscriptionRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "subscription"

    enum State: String, Codable {
        case active, grace, retry, expired, revoked
    }

    /// Answer of the customer to a price increase.
    enum Consent: String, Codable {
        case pending, agreed, declined
    }

    let id: Int64
    let customer: Int64
    let groupID: String
    var productIdentifier: String
    /// Number of the latest transaction.
    var purchase: Int64
    /// End of the latest period.
    var expiresDate: Int64
    /// Day of the month on which months end, where they have it.
    var billingDay: Int
    private(set) var isRenewing: Bool
    /// Product to which the subscription renews.
    var renewalProduct: String
    var state = State.active
    var expirationReason: ExpirationIntent?
    /// End of the grace period, in that state.
    var graceDate: Int64?
    /// End of the billing retry period, from the failed renewal on.
    var retryDate: Int64?
    var consent: Consent?
    /// Price of the next period without an offer, in thousandths of the currency's unit.
    var price: Int
    /// Offer of the latest period.
    var offer: AppliedOffer?
    /// Offer that begins with the next period.
    var nextOffer: AppliedOffer?
    /// Date at which the customer subscribed after the last pause of 60 days or more.
    var startDate: Int64
    /// `true` if this subscription cannot be charged for.
    var isBillingFailing = false
    /// Number of the family member's subscription that is shared.
    private(set) var sharedFrom: Int64?
    /// Date of the next event; `nil` if none is due.
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

    /// Returns the subscriptions that a subscription is shared as.
    static func fetchAll(sharedFrom id: Int64, from database: Database) throws -> [SubscriptionRecord] {
        let ids = try Int64.fetchAll(
            database.cachedStatement(sql: "SELECT id FROM subscription WHERE sharedFrom = ? ORDER BY id"),
            arguments: [id])
        return try ids.compactMap { try fetch($0, from: database) }
    }

    /// Stores the subscription in place of an earlier state of it.
    func store(in database: Database) throws {
        try database.cachedStatement(sql: Self.storing).execute(arguments: [
            id, customer, groupID, sharedFrom, productIdentifier, purchase, expiresDate, billingDay, isRenewing,
            renewalProduct, state.rawValue, expirationReason?.rawValue, graceDate, retryDate, consent?.rawValue, price,
            offer, nextOffer, startDate, isBillingFailing, nextDate,
        ])
    }

    private static let storing: String = {
        let constant = ["id", "customer", "groupID", "sharedFrom"]
        let variable = [
            "productIdentifier", "purchase", "expiresDate", "billingDay", "isRenewing", "renewalProduct", "state",
            "expirationReason", "graceDate", "retryDate", "consent", "price", "offer", "nextOffer", "startDate",
            "isBillingFailing", "nextDate",
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

    var hasEnded: Bool { state == .expired || state == .revoked }

    /// Rest of the present offer in the next period; `nil` if another plan begins then.
    var remainingOffer: AppliedOffer? { renewalProduct == productIdentifier ? offer?.next : nil }

    /// Offer of the next period: what remains of the present one, or the one that waits.
    var renewalOffer: AppliedOffer? { remainingOffer ?? nextOffer }

    /// Sets the state, and with it the date of the next event. A shared subscription follows the other member's.
    mutating func set(_ state: State, _ reason: ExpirationIntent? = nil) {
        self.state = state
        expirationReason = state == .expired ? reason ?? .other : nil
        if state != .grace { graceDate = nil }
        if state != .grace, state != .retry { retryDate = nil }
        nextDate = sharedFrom == nil ? dueDate : nil
    }

    /// Turns the renewal off or on. A price increase that the customer has declined waits for consent again.
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

    /// Returns the same subscription under another number, as it is shared with a member of the family.
    func shared(with member: Int64, as number: Int64) -> SubscriptionRecord {
        var copy = SubscriptionRecord(
            id: number, customer: member, groupID: groupID, productIdentifier: productIdentifier, purchase: purchase,
            expiresDate: expiresDate, billingDay: billingDay, isRenewing: isRenewing, renewalProduct: renewalProduct,
            price: 0, startDate: startDate, sharedFrom: id)
        copy.follow(self)
        return copy
    }

    /// Copies the state of the family member's subscription that is shared, except its numbers.
    mutating func follow(_ shared: SubscriptionRecord) {
        (productIdentifier, renewalProduct, isRenewing) = (
            shared.productIdentifier, shared.renewalProduct, shared.isRenewing
        )
        (expiresDate, graceDate, retryDate) = (shared.expiresDate, shared.graceDate, shared.retryDate)
        set(shared.state, shared.expirationReason)
    }
}

/// Offer that sets the price of a number of periods.
struct AppliedOffer: Codable, Hashable, DatabaseValueConvertible {
    let type: OfferType
    /// Identifier of the offer; `nil` for an introductory one.
    let identifier: String?
    let mode: StoreConfiguration.Offer.PaymentMode
    /// Length of one period of the offer.
    let period: SubscriptionPeriod
    /// Number of lengths of which a transaction with this offer consists.
    let lengths: Int
    /// Number of transactions with this offer, this one included.
    var remaining: Int
    /// Price of a transaction, in thousandths of the currency's unit.
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
        period = offer.period
        lengths = offer.paymentMode == .payAsYouGo ? 1 : offer.periodCount
        remaining = offer.paymentMode == .payAsYouGo ? offer.periodCount : 1
        price = (offer.price ?? 0).thousandths
    }

    /// Offer of the next period; `nil` after the last one.
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
        }
    }
}

extension Decimal {
    /// Thousandths of a price, without the digits after them.
    var thousandths: Int { NSDecimalNumber(decimal: self * 1_000).intValue }
}
