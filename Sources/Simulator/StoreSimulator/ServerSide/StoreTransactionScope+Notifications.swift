internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrinePurchasing
internal import VitrineReceipts

/// Type and subtype of a notification.
struct NotificationKind {
    let type: NotificationType
    let subtype: NotificationSubtype?

    init(_ type: NotificationType, _ subtype: NotificationSubtype? = nil) {
        (self.type, self.subtype) = (type, subtype)
    }

    /// `true` if the notification contains renewal information and the status of an auto-renewable subscription.
    fileprivate var hasRenewal: Bool {
        ![.oneTimeCharge, .refund, .refundDeclined, .refundReversed, .consumptionRequest, .revoke].contains(type)
    }

    /// `true` if the change also affects the access of family members who share the subscription.
    fileprivate var concernsFamily: Bool {
        [.expired, .didFailToRenew, .gracePeriodExpired, .renewalExtended].contains(type)
    }
}

/// Notifications to the app's server. The store creates them only while it has an address for them.
extension StoreTransactionScope {
    /// Notifies the app's server of a change of a transaction, or of the subscription to which it belongs.
    ///
    /// The change must already be stored, because the notification contains the stored transaction and subscription.
    ///
    /// - Parameter reason: Reason why the customer requests a refund; `nil` for other notifications.
    func notify(
        _ kind: NotificationKind, _ record: PurchaseRecord, because reason: ConsumptionRequestReason? = nil
    ) throws {
        guard settings.notificationURL != nil else { return }
        var subject = subject
        let subscription = kind.hasRenewal ? try subscription(endingWith: record) : nil
        let signed = try core.signOnce(
            SigningRequest(
                transaction: record.transaction(isFinished: false),
                renewal: subscription.map { renewalInformation(of: $0, record) }, date: date), on: nil)
        (subject.signedTransaction, subject.signedRenewal) = (signed.signedData, signed.signedRenewal)
        subject.status = subscription?.state.signedState
        subject.consumptionRequestReason = reason
        try store(kind, subject, customer: record.customer, purchase: record.number)
    }

    /// Notifies the app's server of a change of a subscription. If access to the product depends on the change, the
    /// server is also notified for each family member who shares the subscription.
    func notify(_ kind: NotificationKind, _ subscription: SubscriptionRecord) throws {
        guard settings.notificationURL != nil else { return }
        try notify(kind, purchase(subscription.purchase))
        guard kind.concernsFamily else { return }
        for shared in try sharedPeriods(of: subscription) { try notify(kind, shared) }
    }

    /// Returns the transactions with which family members currently share the latest period of a subscription. Members
    /// who have left, or who shared only an earlier period, have no such transaction.
    func sharedPeriods(of subscription: SubscriptionRecord) throws -> [PurchaseRecord] {
        try SubscriptionRecord.fetchAll(sharedFrom: subscription.id, from: database).map { try purchase($0.purchase) }
            .filter { $0.sharedFrom == subscription.purchase && $0.revocationDate == nil }
    }

    /// Stores a test notification for the app's server.
    ///
    /// - Returns: Token that identifies the notification.
    func notifyOfTest() throws -> String {
        let token = core.seed.numberedIdentifier(try nextNotificationNumber(), purpose: "test token")
        try store(NotificationKind(.test), subject, testToken: token)
        return token
    }

    /// Notifies the app's server that a request to extend the subscriptions of all customers is complete.
    func notify(of extensions: MassExtensionRecord) throws {
        guard settings.notificationURL != nil else { return }
        let identifier = try core.seed.numberedIdentifier(nextNotificationNumber(), purpose: "notification")
        let payload = NotificationPayload(
            id: identifier, signedDate: date,
            summary: NotificationPayload.RenewalExtensionSummary(
                appIdentifier: core.appIdentifier, bundleIdentifier: core.bundleIdentifier,
                environment: core.environment, product: extensions.productIdentifier, request: extensions.request,
                storefronts: extensions.storefrontCodes, succeeded: extensions.succeeded, failed: extensions.failed))
        try store(payload)
    }

    private var subject: NotificationPayload.PurchaseSubject {
        NotificationPayload.PurchaseSubject(
            appIdentifier: core.appIdentifier, bundleIdentifier: core.bundleIdentifier, environment: core.environment)
    }

    private func store(
        _ kind: NotificationKind, _ subject: NotificationPayload.PurchaseSubject, customer: Int64? = nil,
        purchase: Int64? = nil, testToken: String? = nil
    ) throws {
        let identifier = try core.seed.numberedIdentifier(nextNotificationNumber(), purpose: "notification")
        try store(
            NotificationPayload(kind.type, kind.subtype, id: identifier, signedDate: date, data: subject),
            customer: customer, purchase: purchase, testToken: testToken)
    }

    private func store(
        _ payload: NotificationPayload, customer: Int64? = nil, purchase: Int64? = nil, testToken: String? = nil
    ) throws {
        var record = NotificationRecord(
            identifier: payload.notificationID, date: date.milliseconds, machineDate: core.machineNow().milliseconds,
            type: payload.type.rawValue, subtype: payload.subtype?.rawValue, customer: customer, purchase: purchase,
            testToken: testToken, signedPayload: try core.sign(payload), nextAttempt: date.milliseconds)
        try record.insert(database)
    }

    private func nextNotificationNumber() throws -> Int64 {
        let last = try database.cachedStatement(sql: "SELECT seq FROM sqlite_sequence WHERE name = 'notification'")
        return (try Int64.fetchOne(last) ?? 0) + 1
    }
}
