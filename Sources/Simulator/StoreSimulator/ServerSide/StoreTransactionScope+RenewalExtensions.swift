internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts
internal import VitrineSupport

/// Reason why the renewal date of a subscription cannot be extended.
enum ExtensionRefusal: Error {
    /// The subscription is not active, or its period is free.
    case ineligible
    /// The subscription was extended twice within a year.
    case extendedTwice
    /// The subscription belongs to another member of the family.
    case shared
}

/// Extensions of renewal dates by the app's server.
extension StoreTransactionScope {
    /// Maximum number of extensions of a subscription within ``extensionPeriod``.
    private static let mostExtensions = 2
    /// Period with a limited number of extensions: 365 days, in milliseconds.
    private static let extensionPeriod: Int64 = 365 * 86_400_000

    /// Moves the end of a subscription's period to a later date.
    ///
    /// - Parameters:
    ///   - days: Number of days, which the store's rate shortens in the same way as the periods of subscriptions.
    ///   - request: Identifier of the server's request. A repeated request has no effect.
    /// - Returns: The end of the extended period, in milliseconds since 1970.
    /// - Throws: ``ExtensionRefusal`` if the subscription cannot be extended.
    mutating func extend(_ subscription: SubscriptionRecord, by days: Int, request: String) throws -> Int64 {
        if let earlier = try RenewalExtensionRecord.fetch(request, of: subscription.id, in: database) {
            return earlier.expiresDate
        }
        guard subscription.sharedFrom == nil else { throw ExtensionRefusal.shared }
        guard subscription.state == .active, subscription.offer?.mode != .free else {
            throw ExtensionRefusal.ineligible
        }
        let since = date.milliseconds - Self.extensionPeriod
        guard
            try RenewalExtensionRecord.count(of: subscription.id, since: since, in: database) < Self.mostExtensions
        else { throw ExtensionRefusal.extendedTwice }
        let end = Date(milliseconds: subscription.expiresDate) + rate.extent(ofDays: days)
        try extend(subscription, to: end, request: request)
        return end.milliseconds
    }

    /// Moves the end of a subscription's period to a date, without checking any conditions.
    mutating func extend(_ subscription: SubscriptionRecord, to end: Date, request: String) throws {
        var extended = subscription
        (extended.expiresDate, extended.billingDay) = (end.milliseconds, end.billingDay)
        extended.set(.active)
        try store(extended)
        try extendPeriods(of: extended)
        try RenewalExtensionRecord(
            subscription: subscription.id, date: date.milliseconds, request: request, expiresDate: end.milliseconds
        ).insert(database)
        try log(.extended, extended, "until \(end.second)")
        try notify(NotificationKind(.renewalExtended), extended)
    }

    /// Moves the ends of a subscription's latest transaction and of the copies that are shared with family members.
    private mutating func extendPeriods(of subscription: SubscriptionRecord) throws {
        let signature = signature
        for record in try [purchase(subscription.purchase)] + sharedPeriods(of: subscription) {
            _ = try change(record) {
                $0.expiresDate = subscription.expiresDate
                $0.beginState(after: signature)
            }
        }
    }

    /// Completes a request to extend the subscriptions of all customers to a product.
    ///
    /// - Returns: The numbers of the extended subscriptions.
    mutating func complete(_ extensions: MassExtensionRecord) throws -> [Int64] {
        let subscriptions = try SubscriptionRecord.fetchAll(
            database, sql: "SELECT * FROM subscription WHERE productIdentifier = ? AND sharedFrom IS NULL ORDER BY id",
            arguments: [extensions.productIdentifier])
        var completed = extensions
        var extended: [Int64] = []
        for subscription in subscriptions where !subscription.hasEnded {
            let record = try purchase(subscription.purchase)
            if let codes = extensions.storefrontCodes, !codes.contains(record.storefront) { continue }
            do {
                _ = try extend(subscription, by: extensions.days, request: extensions.request)
                completed.succeeded += 1
                extended.append(subscription.id)
            } catch is ExtensionRefusal {
                completed.failed += 1
                try notify(NotificationKind(.renewalExtension, .failure), record)
            }
        }
        completed.completeDate = date.milliseconds
        try completed.update(database)
        try log(
            .massExtensionCompleted, customer: nil, product: extensions.productIdentifier,
            detail: "\(completed.succeeded) extended, \(completed.failed) not")
        try notify(of: completed)
        return extended
    }
}
