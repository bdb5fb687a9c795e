public import Foundation
internal import GRDB
internal import VitrineCatalog
public import VitrinePurchasing
public import VitrineReceipts
public import VitrineSupport

/// State of a customer's subscription in the simulated store.
public struct SimulatedSubscription: Sendable, Hashable {
    /// Number of the subscription's first transaction, which identifies the subscription.
    public let id: String
    /// Name of the customer.
    public let customer: String
    /// Identifier of the subscription group.
    public let groupID: String
    public let productIdentifier: String
    /// Number of the subscription's latest transaction.
    public let transaction: String
    public let state: SubscriptionState
    /// End of the subscription's latest period.
    public let expirationDate: Date
    /// `true` if the subscription renews at the end of its period.
    public let isRenewing: Bool
    /// Identifier of the product to which the subscription renews.
    public let renewalProduct: String
    /// Reason why the subscription has ended; `nil` if it has not ended.
    public let expirationReason: ExpirationIntent?
    public let gracePeriodEnd: Date?
    public let billingRetryEnd: Date?
    /// `true` if another member of the family has bought the subscription and shares it with the customer.
    public let isShared: Bool
}

/// Customer of a simulated store, with a store account of their own.
public struct SimulatedCustomer: Sendable, Hashable {
    public let name: String
    /// Identifier by which signed data distinguishes the customers of the app.
    public let appTransactionID: String
    /// Name of the customer's family; `nil` for a customer without a family.
    public let family: String?
    /// Names of the customer's devices.
    public let devices: [String]
}

/// Subscriptions of the customer, and their changes outside the app.
extension SimulatedStore {
    /// Returns the customers of the store, in the order in which they were added.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    public func customers() async throws(SimulatedStoreError) -> [SimulatedCustomer] {
        try await core.read { [core] scope in
            let devices = try DeviceRecord.order { $0.id }.fetchAll(scope.database)
            return try CustomerRecord.order { $0.id }.fetchAll(scope.database).compactMap { record in
                record.id.map { id in
                    SimulatedCustomer(
                        name: record.name, appTransactionID: core.seed.appTransactionID(of: id),
                        family: record.family, devices: devices.filter { $0.customer == id }.map(\.name))
                }
            }
        }
    }

    /// Returns the customer's subscriptions, including those that have ended, in the order of their first transactions.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    public func subscriptions() async throws(SimulatedStoreError) -> [SimulatedSubscription] {
        try await core.read { [identity] scope in
            try scope.subscriptions(of: identity.customer).map { SimulatedSubscription($0, of: identity.customerName) }
        }
    }

    /// Returns the latest transaction, with its renewal information, of each subscription of the customer in a group:
    /// of the customer's own subscription, and of those that family members share.
    ///
    /// - Throws: `StoreError` if the store fails, or its state cannot be used.
    public func subscriptionStatuses(
        inGroup group: String
    ) async throws(StoreError) -> [(state: SubscriptionState, transaction: StoreTransaction)] {
        try await statuses { $0.groupID == group }
    }

    public func subscriptionTransactions() async throws(StoreError) -> [StoreTransaction] {
        try await statuses { _ in true }.map(\.transaction)
    }

    private func statuses(
        where isWanted: @escaping @Sendable (SubscriptionRecord) -> Bool
    ) async throws(StoreError) -> [(state: SubscriptionState, transaction: StoreTransaction)] {
        try await check(.subscriptionStatus)
        return try await StoreError.converting { () async throws(SimulatedStoreError) in
            let (states, requests) = try await core.read { [identity] scope in
                let subscriptions = try scope.subscriptions(of: identity.customer).filter(isWanted)
                return (
                    subscriptions.map(\.state.signedState),
                    try subscriptions.map { try scope.signing(scope.purchase($0.purchase)) }
                )
            }
            return try await zip(states, core.sign(requests, on: identity.device)).map { ($0, $1) }
        }
    }

    /// Returns `true` if the customer is eligible for an introductory offer of a subscription group.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    public func isEligibleForIntroductoryOffer(inGroup group: String) async throws(SimulatedStoreError) -> Bool {
        let customer = identity.customer
        return try await core.read { try $0.isEligibleForIntroductoryOffer(customer, inGroup: group) }
    }

    // MARK: Renewals

    /// Turns the renewal of the customer's subscription off or on. If it is turned off, the subscription ends with its
    /// period. In the grace period and in the billing retry period it ends now, and the store makes no further attempt
    /// to charge for the renewal that has failed.
    ///
    /// - Parameters:
    ///   - isRenewing: `true` if the subscription should renew at the end of its period.
    ///   - product: A product of the subscription's group.
    /// - Throws: ``SimulatedStoreError``: `noSuchSubscription` if the customer has no subscription in the group, or it
    ///   has ended.
    public func setRenewal(_ isRenewing: Bool, of product: String) async throws(SimulatedStoreError) {
        let customer = identity.customer
        try await core.perform { scope in
            var subscription = try scope.subscription(to: product, of: customer)
            guard !subscription.hasEnded else {
                throw SimulatedStoreError(
                    code: .noSuchSubscription, reason: "the subscription to \(product) has ended")
            }
            guard subscription.isRenewing != isRenewing else { return try scope.finish(subscription, nil) }
            subscription.setRenewing(isRenewing)
            try scope.log(isRenewing ? .renewalTurnedOn : .renewalTurnedOff, subscription)
            try scope.finish(
                subscription,
                NotificationKind(.didChangeRenewalStatus, isRenewing ? .autoRenewEnabled : .autoRenewDisabled))
            // The price was increased while the renewal was turned off.
            if subscription.awaitsConsent { try scope.notify(NotificationKind(.priceIncrease, .pending), subscription) }
            try scope.record { _ in .setRenewal(customer: customer, product: product, isRenewing: isRenewing) }
        }
    }

    /// Ends the customer's subscription now, as if its period were over and its renewal turned off.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchSubscription` if the customer has no running subscription in the
    ///   product's group.
    public func expire(_ product: String) async throws(SimulatedStoreError) {
        try await core.perform { [identity] scope in
            var subscription = try scope.running(product, of: identity.customer)
            try scope.shorten(&subscription)
            try scope.expire(subscription, because: .cancelled)
            try scope.record { _ in .expire(customer: identity.customer, product: product) }
        }
    }

    /// Renews the customer's subscription now: its period ends, its renewal is turned on, and a price increase that waits
    /// for consent is removed. If the store is set to fail to charge for renewals, the grace period or the billing retry
    /// period begins. A subscription in its grace period does not change: see ``recoverBilling(_:)``.
    ///
    /// - Returns: The new transaction; `nil` if the store makes none.
    /// - Throws: ``SimulatedStoreError``: `noSuchSubscription` if the customer has no running subscription in the
    ///   product's group; `noSuchProduct` if the product to which it renews is not in the configuration.
    @discardableResult
    public func renew(_ product: String) async throws(SimulatedStoreError) -> SimulatedTransaction? {
        let customer = identity.customer
        return try await core.perform { [core] scope in
            let subscription = try scope.running(product, of: customer)
            guard let plan = core.subscription(subscription.renewalProduct) else {
                throw SimulatedStoreError(
                    code: .noSuchProduct, reason: "the store no longer has the product \(subscription.renewalProduct)")
            }
            let record = try scope.renewEarly(subscription, to: plan)
            try scope.record { _ in .renew(customer: customer, product: product) }
            return record?.transaction(isFinished: false)
        }
    }

    /// Redeems an offer code outside the app. The app receives the transaction as an update; that of a consumable is
    /// received on this device only.
    ///
    /// - Parameters:
    ///   - code: Reference name of the offer code in the `.storekit` file.
    ///   - product: Product that has the offer code.
    /// - Throws: `StoreError`: `invalidOffer` if the product has no such offer code, or the customer is not eligible
    ///   for it, has redeemed it before, or has the non-consumable already.
    @discardableResult
    public func redeem(_ code: String, of product: String) async throws(StoreError) -> SimulatedTransaction {
        let device = core.subscription(product) == nil ? identity.device : nil
        let request = try await order(product, options: PurchaseOptions(), on: device, requesting: .code(name: code))
        return try await StoreError.converting { () async throws(SimulatedStoreError) in
            try await change(recording: { .redeem(order: try $0.order(request)) }) { scope in
                let order = try scope.order(request)
                try scope.log(.redeemed, customer: request.customer, product: product, detail: code)
                return try scope.continueSubscription(order) ?? scope.charge(order)
            }
        }
    }

    /// Changes the customer's subscription in the group of a product.
    ///
    /// - Parameter body: Function that changes the subscription, and returns the notification about the change.
    func changeSubscription(
        to product: String,
        _ body: @escaping @Sendable (inout StoreTransactionScope, inout SubscriptionRecord) throws -> NotificationKind?
    ) async throws(SimulatedStoreError) {
        try await core.perform { [identity] scope in
            var subscription = try scope.subscription(to: product, of: identity.customer)
            let kind = try body(&scope, &subscription)
            try scope.finish(subscription, kind)
        }
    }
}

extension StoreTransactionScope {
    /// Returns the customer's own subscriptions, and those that members of the family share with the customer.
    func subscriptions(of customer: Int64) throws -> [SubscriptionRecord] {
        try SubscriptionRecord.filter { $0.customer == customer }.order { $0.id }.fetchAll(database)
    }

    /// Returns the customer's own subscription in the group of a product, which must be active or in its grace period.
    func running(_ product: String, of customer: Int64) throws -> SubscriptionRecord {
        let subscription = try subscription(to: product, of: customer)
        guard subscription.isRunning else {
            throw SimulatedStoreError(
                code: .noSuchSubscription,
                reason: "the subscription to \(product) is neither active nor in a grace period")
        }
        return subscription
    }
}

extension SubscriptionRecord.State {
    var signedState: SubscriptionState {
        switch self {
        case .active: .active
        case .grace: .billingGracePeriod
        case .retry: .billingRetry
        case .expired: .expired
        case .revoked: .revoked
        }
    }
}

extension SimulatedSubscription {
    fileprivate init(_ record: SubscriptionRecord, of customer: String) {
        self.init(
            id: String(record.id), customer: customer, groupID: record.groupID,
            productIdentifier: record.productIdentifier, transaction: String(record.purchase),
            state: record.state.signedState, expirationDate: Date(milliseconds: record.expiresDate),
            isRenewing: record.isRenewing && !record.hasEnded, renewalProduct: record.renewalProduct,
            expirationReason: record.expirationReason, gracePeriodEnd: record.graceDate.map(Date.init(milliseconds:)),
            billingRetryEnd: record.retryDate.map(Date.init(milliseconds:)), isShared: record.sharedFrom != nil)
    }
}
