internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts
internal import VitrineSupport

/// Purchases of subscriptions, and changes between the plans of a subscription group.
extension StoreTransactionScope {
    /// Returns the customer's own subscription in a group; `nil` if there is none.
    func ownSubscription(of customer: Int64, inGroup group: String) throws -> SubscriptionRecord? {
        try SubscriptionRecord.filter {
            $0.customer == customer && $0.groupID == group && $0.sharedFrom == nil
        }.fetchOne(database)
    }

    /// Returns the customer's own subscription in the group of a product.
    ///
    /// - Throws: ``SimulatedStoreError`` `noSuchSubscription` if there is none.
    func subscription(to product: String, of customer: Int64) throws -> SubscriptionRecord {
        guard let group = core.subscription(product)?.groupID else {
            throw SimulatedStoreError(
                code: .noSuchProduct,
                reason: "the store has no auto-renewable subscription \(product)\(core.question(for: product))")
        }
        guard let subscription = try ownSubscription(of: customer, inGroup: group) else {
            throw SimulatedStoreError(
                code: .noSuchSubscription, reason: "the customer has no subscription in the group of \(product)")
        }
        return subscription
    }

    /// Returns the customer's existing transaction for an order that is not charged: an order of the current product,
    /// which turns its renewal on, or of a plan that begins with the next period. Returns `nil` for other orders.
    mutating func continueSubscription(_ order: StoreOrder) throws -> PurchaseRecord? {
        guard let ordered = order.subscription,
            var current = try ownSubscription(of: order.record.customer, inGroup: ordered.groupID),
            current.isRunning, !beginsAtOnce(ordered, in: current)
        else { return nil }
        if current.state == .grace, current.productIdentifier == ordered.item.identifier { return nil }
        let kind = try choose(ordered, as: order, in: &current)
        try store(current)
        if let kind { try notify(kind, current) }
        return try purchase(current.purchase)
    }

    /// Sets the ordered plan as the one to which a subscription renews, and the account for which the app has ordered it.
    ///
    /// - Returns: The notification to send after the change is stored; `nil` if nothing has changed.
    private func choose(
        _ ordered: StoreConfiguration.Subscription, as order: StoreOrder, in subscription: inout SubscriptionRecord
    ) throws -> NotificationKind? {
        let (product, customer) = (ordered.item.identifier, subscription.customer)
        var kind = subscription.isRenewing ? nil : NotificationKind(.didChangeRenewalStatus, .autoRenewEnabled)
        if subscription.renewalProduct != product {
            let isChange = product != subscription.productIdentifier
            try log(
                isChange ? .planChangeRequested : .planChangeCanceled, customer: customer, product: product,
                purchase: subscription.purchase)
            subscription.renewalProduct = product
            (subscription.price, subscription.consent, subscription.nextOffer) = (try price(of: ordered.item), nil, nil)
            kind = NotificationKind(.didChangeRenewalPreference, isChange ? .downgrade : nil)
        }
        if !subscription.isRenewing { try log(.renewalTurnedOn, customer: customer, product: product) }
        subscription.setRenewing(true)
        subscription.accountToken = order.record.accountToken ?? subscription.accountToken
        guard let offer = order.offer else { return kind }
        subscription.nextOffer = offer
        return NotificationKind(.offerRedeemed, product == subscription.productIdentifier ? nil : .downgrade)
    }

    /// Begins a period of a subscription immediately: the first period, a period after the subscription has ended or a
    /// charge has failed, or a period of a better plan.
    mutating func beginSubscription(_ order: StoreOrder, answering device: Int64?) throws -> PurchaseRecord {
        guard let ordered = order.subscription else {
            throw SimulatedStoreError(
                code: .noSuchProduct,
                reason: "the store has no auto-renewable subscription \(order.record.productIdentifier)")
        }
        let earlier = try ownSubscription(of: order.record.customer, inGroup: ordered.groupID)
        if var earlier, earlier.state == .grace, earlier.productIdentifier == ordered.item.identifier {
            _ = try choose(ordered, as: order, in: &earlier)
            return try recover(earlier, answering: device)
        }
        if let earlier, earlier.isRunning {
            // If the new plan cannot be shared, the periods of family members are revoked instead.
            let shared = ordered.item.isFamilyShareable ? try sharedPeriods(of: earlier) : []
            for record in try [purchase(earlier.purchase)] + shared { try markUpgraded(record) }
        }
        let introductory =
            order.offer.map(ordered.mayFollowIntroductoryOffer) ?? true
            ? try introductoryOffer(of: ordered, for: order.record.customer, isAllowed: order.getsIntroductoryOffer)
            : nil
        let offer = introductory ?? order.offer
        var draft = order.record
        draft.originalID = earlier?.id
        draft.originalDate = try earlier.map { try purchase($0.id).purchaseDate }
        draft.accountToken = draft.accountToken ?? earlier?.accountToken
        draft.groupID = ordered.groupID
        draft.offer = offer
        draft.price = try offer?.price ?? price(of: ordered.item)
        let end = try self.end(of: ordered, offer, from: date, billingDay: date.billingDay)
        draft.expiresDate = end.milliseconds
        let number = try draft.id ?? nextPurchaseNumber()
        var subscription = try SubscriptionRecord(
            id: earlier?.id ?? number, customer: draft.customer, groupID: ordered.groupID,
            productIdentifier: draft.productIdentifier, purchase: number, expiresDate: end.milliseconds,
            billingDay: date.billingDay, isRenewing: true, renewalProduct: draft.productIdentifier,
            price: price(of: ordered.item), offer: offer,
            startDate: earlier.flatMap { isRecent($0) ? $0.startDate : nil } ?? date.milliseconds)
        if introductory != nil { subscription.nextOffer = order.offer }
        // A token of the order itself is that of its transaction.
        subscription.accountToken = order.record.accountToken == nil ? earlier?.accountToken : nil
        subscription.set(.active)
        // The subscription is stored first, so that its transaction is signed with renewal information of the new
        // period.
        try store(subscription)
        let record = try add(draft, of: subscription, answering: device)
        let isUpgrade = earlier?.isRunning == true
        try log(isUpgrade ? .upgraded : .purchased, record, offer?.type.description)
        let kind =
            if isUpgrade {
                NotificationKind(offer == nil ? .didChangeRenewalPreference : .offerRedeemed, .upgrade)
            } else {
                NotificationKind(.subscribed, earlier == nil ? .initialBuy : .resubscribe)
            }
        try announce(subscription, record, as: kind)
        return record
    }

    func nextPurchaseNumber() throws -> Int64 {
        let last = try database.cachedStatement(sql: "SELECT seq FROM sqlite_sequence WHERE name = 'purchase'")
        return (try Int64.fetchOne(last) ?? 0) + 1
    }

    /// Returns `true` if an ordered plan replaces the current plan of the group immediately: a plan of a higher level,
    /// or of the same level with the same period.
    private func beginsAtOnce(_ ordered: StoreConfiguration.Subscription, in current: SubscriptionRecord) -> Bool {
        guard ordered.item.identifier != current.productIdentifier else { return false }
        guard let running = core.subscription(current.productIdentifier) else { return true }
        return ordered.level < running.level || ordered.level == running.level && ordered.period == running.period
    }

    /// Returns `true` if a period that begins now continues the subscription's series of periods.
    private func isRecent(_ subscription: SubscriptionRecord) -> Bool {
        date < Date(milliseconds: subscription.expiresDate) + rate.longestLapse
    }

    /// Returns the end of the period that a purchase or renewal of a subscription pays for.
    func end(
        of product: StoreConfiguration.Subscription, _ offer: AppliedOffer?, from start: Date, billingDay: Int
    ) throws -> Date {
        if let periodEnd { return periodEnd }
        guard let offer, let period = offer.period else {
            return rate.end(of: product.period, from: start, billingDay: billingDay)
        }
        return (0..<offer.lengths).reduce(start) { end, _ in
            rate.end(of: period, from: end, billingDay: billingDay)
        }
    }

    /// Stores a subscription, and copies its state to the family members that share it. A member whose access
    /// has ended while the subscription continues gets access again with the next period that is shared.
    func store(_ changed: SubscriptionRecord) throws {
        var subscription = changed
        let before = try SubscriptionRecord.fetch(subscription.id, from: database)
        // Only while a virtual clock stands still can an earlier signature have the same date.
        if settings.clock == date.milliseconds {
            subscription.beginState(after: max(signature, before?.signedFrom ?? 0))
        } else {
            subscription.beginState(at: date.milliseconds)
        }
        try subscription.store(in: database)
        guard core.item(subscription.productIdentifier)?.isFamilyShareable != false else { return }
        let copies = try SubscriptionRecord.fetchAll(sharedFrom: subscription.id, from: database)
            .filter { !$0.hasEnded || before?.hasEnded == true }
        guard !copies.isEmpty else { return }
        // Copies for customers who have left the family remain revoked.
        let members = try others(inFamilyOf: subscription.customer)
        for var shared in copies where members.contains(shared.customer) {
            shared.follow(subscription)
            try shared.update(database)
        }
    }

    /// Sends the latest transaction of a subscription with its renewal information, to the customer and to the family
    /// members with whom it is shared.
    mutating func sendStatus(of subscription: SubscriptionRecord) throws {
        let shared = try SubscriptionRecord.fetchAll(sharedFrom: subscription.id, from: database)
        for subscription in [subscription] + shared {
            // The row is read again, because storing it has set the earliest date of its renewal information.
            try send(
                purchase(subscription.purchase),
                to: DeviceIdentity.devices(of: subscription.customer, in: database), isOfStatusOnly: true)
        }
    }

    // MARK: Prices

    /// Returns the current price of a product, in thousandths of the currency's unit.
    ///
    /// - Throws: ``SimulatedStoreError`` for a product without a price.
    func price(of item: StoreConfiguration.Item) throws -> Int {
        guard let price = try ProductChange.fetch(item.identifier, from: database)?.price ?? item.price?.thousandths
        else {
            throw SimulatedStoreError(
                code: .noSuchProduct, reason: "the store does not sell \(item.identifier): it has no displayPrice")
        }
        return price
    }

    func isWithdrawn(_ product: String) throws -> Bool {
        try ProductChange.fetch(product, from: database)?.isWithdrawn ?? false
    }
}

extension Date {
    /// Day of the month in UTC.
    var billingDay: Int { Calendar.utc.component(.day, from: self) }
}

extension Calendar {
    /// Calendar with which the store counts months.
    static let utc: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()
}

/// Row of the table of changes to products since the `.storekit` file was written: a new price, or a withdrawal.
struct ProductChange: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "productChange"

    let productIdentifier: String
    /// Price in thousandths of the currency's unit; `nil` for the price in the configuration.
    var price: Int?
    var isWithdrawn = false

    static func fetch(_ product: String, from database: Database) throws -> ProductChange? {
        try fetchOne(
            database.cachedStatement(sql: "SELECT * FROM productChange WHERE productIdentifier = ?"),
            arguments: [product])
    }
}
