package import Foundation
internal import GRDB
package import VitrineCatalog
package import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

/// StoreKit functions of a device that are not part of `Store`, and changes that StoreKitTest makes.
extension SimulatedStore {
    /// Returns products as a customer of a storefront sees them in a language, even if the device is offline.
    ///
    /// - Parameters:
    ///   - storefront: Country as an ISO 3166-1 alpha-3 code.
    ///   - language: Language as a BCP 47 tag.
    package func products(
        for identifiers: [String], storefront: String, language: String
    ) async throws(StoreError) -> [StoreProduct] {
        try await products(for: identifiers, StoreProductTexts(storefront: storefront, locale: language))
    }

    /// Locale in which the store formats prices and chooses texts.
    package var localeIdentifier: String { language ?? core.configuration.locale }

    /// `true` if the customer's language is set, and need not be the configuration's.
    package var hasLanguageOfItsOwn: Bool { language != nil }

    /// `true` if purchases are allowed on this device.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    package var isPurchasingAllowed: Bool {
        get throws(SimulatedStoreError) {
            try core.database.readNow { try StoreSettings.fetch(from: $0).paymentRestriction == nil }
        }
    }

    /// Returns the transactions in StoreKit's history: all except finished consumables, which are listed only after
    /// they are revoked.
    ///
    /// - Parameter withConsumables: `true` to list finished consumables too.
    /// - Throws: `StoreError` if the store's state cannot be used.
    package func listedTransactions(withConsumables: Bool) async throws(StoreError) -> [StoreTransaction] {
        try await signedTransactions { _, record, isUnfinished in
            withConsumables || isUnfinished || record.kind != .consumable || record.revocationDate != nil
        }
    }

    /// Returns the transactions that currently entitle the customer to a product: non-consumables, non-renewing
    /// subscriptions, and the latest transaction of each auto-renewable subscription that is active or in its grace
    /// period.
    ///
    /// - Throws: `StoreError` if the store's state cannot be used.
    package func entitlingTransactions() async throws(StoreError) -> [StoreTransaction] {
        try await signedTransactions { scope, record, _ in
            guard record.revocationDate == nil, record.kind != .consumable else { return false }
            return try record.groupID == nil || scope.subscription(endingWith: record)?.isRunning == true
        }
    }

    /// Returns `true` if a product has an offer, whether the customer is eligible for it or not.
    package func has(_ offer: RequestedOffer, of product: String) -> Bool {
        let (kind, identifier) = offer.kindAndIdentifier
        guard let subscription = core.subscription(product) else { return core.item(product)?.codeOffer(offer) != nil }
        return subscription.offers.contains { $0.kind == kind && $0.identifier == identifier }
    }

    /// Returns `true` if the customer is eligible for an offer of a product.
    package func isEligible(for offer: RequestedOffer, of product: String) async -> Bool {
        let (customer, subscription, item) = (identity.customer, core.subscription(product), core.item(product))
        let applied = try? await core.read { scope in
            if let subscription { return try scope.offer(offer, of: subscription, for: customer) }
            return try item.map { try scope.codeOffer(offer, of: $0, for: customer) }
        }
        return applied.flatMap(\.self) != nil
    }

    /// Settings of the store that tests read.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    package var behavior: StoreBehavior {
        get async throws(SimulatedStoreError) {
            let (settings, configured) = (try await core.database.settings(), core.configuration.settings)
            return StoreBehavior(
                asksToBuy: settings.asksToBuy, interruptsPurchases: settings.interruptsPurchases,
                hasGracePeriod: settings.hasGracePeriod ?? configured.isGracePeriodEnabled,
                isBillingFailing: settings.isBillingFailing ?? configured.hasBillingIssuesOnRenewal)
        }
    }

    /// Returns the original transaction identifiers of the customer's subscriptions with a price increase that waits
    /// for consent.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    package func subscriptionsAwaitingConsent() async throws(SimulatedStoreError) -> Set<String> {
        try await core.read { [identity] scope in
            Set(try scope.subscriptions(of: identity.customer).filter(\.awaitsConsent).map { String($0.id) })
        }
    }

    // MARK: Changes by a test

    /// Buys a product outside the app, possibly in the past. A subscription is renewed up to now. If the store
    /// interrupts purchases, the returned transaction belongs to the customer only after the issue is resolved.
    ///
    /// - Parameters:
    ///   - offer: Subscription offer that needs no signature; `nil` for no offer.
    ///   - date: Date of the purchase; `nil` for now.
    ///   - isRenewing: `false` to turn the renewal of a subscription off immediately.
    /// - Throws: `StoreError` if the store does not sell the product in this quantity or with this offer, or the date
    ///   is in the future.
    package func purchaseElsewhere(
        _ identifier: String, options: PurchaseOptions, requesting offer: RequestedOffer?, at date: Date?,
        isRenewing: Bool
    ) async throws(StoreError) -> StoreTransaction {
        let request = try await order(identifier, options: options, on: nil, requesting: offer)
        return try await StoreError.converting { () async throws(SimulatedStoreError) in
            let signing = try await core.perform { scope in
                let now = scope.date
                if let date { try scope.goBack(to: date) }
                let order = try scope.order(request)
                let record = try scope.buyElsewhere(order)
                if !isRenewing, var subscription = try scope.subscription(endingWith: record) {
                    subscription.setRenewing(false)
                    try scope.store(subscription)
                }
                try scope.catchUp(with: now)
                try scope.record {
                    .purchaseOutsideApp(
                        order: try $0.order(request), date: date?.milliseconds, isRenewing: isRenewing)
                }
                return try scope.signing(scope.purchase(record.number))
            }
            return try await core.sign([signing], on: identity.device)[0]
        }
    }

    /// Deletes a transaction or a pending purchase, as if it had never been made, also of the family members with whom it is
    /// shared. If it is the first transaction of a subscription, all of its transactions and the subscription are deleted;
    /// if it is the latest one, the transaction before it becomes the latest one.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` if the customer has no such transaction.
    package func delete(_ id: String) async throws(SimulatedStoreError) {
        try await core.perform { [identity] scope in
            guard let number = Int64(id), let record = try PurchaseRecord.fetchOne(scope.database, key: number),
                record.customer == identity.customer
            else { throw SimulatedStoreError(code: .noSuchTransaction, reason: "the store has no transaction \(id)") }
            try scope.delete(record)
            try scope.record { .delete(transaction: $0.number(number)) }
        }
    }

    /// Deletes all purchases of all customers, with their subscriptions, receipts and promotions, and all related
    /// requests and notifications of the store and the app's server.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    package func deleteAll() async throws(SimulatedStoreError) {
        try await core.perform { scope in
            for table in [
                "unfinished", "subscription", "purchase", "event", "promotion", "deviceReceipt", "notificationAttempt",
                "notification", "renewalExtension", "massExtension", "refundRequest", "consumptionReport",
            ] {
                try scope.database.execute(sql: "DELETE FROM \(table)")
            }
            try scope.record { _ in .deleteAll }
        }
    }

    /// Resets the settings to those of the `.storekit` file, and removes all failures and changes of products. The
    /// clock is unchanged.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    package func resetSettings() async throws(SimulatedStoreError) {
        try await core.perform { [core] scope in
            try scope.changeSettings { settings in
                settings.asksToBuy = core.configuration.settings.isAskToBuyEnabled
                (settings.isOffline, settings.offlineDate, settings.paymentRestriction) = (false, nil, nil)
                (settings.storefront, settings.timeRate) = (nil, nil)
                (settings.hasGracePeriod, settings.isBillingFailing) = (nil, nil)
                (settings.interruptsPurchases, settings.sendsConsumablesToAllDevices) = (false, false)
            }
            _ = try ArmedFailure.deleteAll(scope.database)
            _ = try ProductChange.deleteAll(scope.database)
            try scope.record { _ in .resetSettings }
        }
        core.storefrontSignals.send(())
    }

    /// Starts a price increase of the customer's subscription that waits for consent, at the product's current price.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchSubscription` if the customer has no running subscription in the
    ///   product's group.
    package func requestConsentToPriceIncrease(of product: String) async throws(SimulatedStoreError) {
        try await changeSubscription(to: product) { scope, subscription in
            _ = try scope.running(product, of: subscription.customer)
            subscription.consent = .pending
            try scope.log(.consentRequested, subscription)
            let customer = subscription.customer
            try scope.record { _ in .requestConsent(customer: customer, product: product) }
            return subscription.isRenewing ? NotificationKind(.priceIncrease, .pending) : nil
        }
    }
}

/// Settings of a simulated store that tests read.
package struct StoreBehavior: Sendable {
    package let asksToBuy: Bool
    package let interruptsPurchases: Bool
    package let hasGracePeriod: Bool
    package let isBillingFailing: Bool
}

extension StoreTransactionScope {
    /// Sets the date of the following changes to an earlier date.
    fileprivate mutating func goBack(to earlier: Date) throws {
        guard earlier.milliseconds <= date.milliseconds else {
            throw SimulatedStoreError(
                code: .invalidDate, reason: "a purchase cannot be made at a date after that of the store's clock")
        }
        setDate(Date(milliseconds: earlier.milliseconds))
    }

    /// Processes the scheduled changes that are due by a date, and sets this date for all following changes.
    fileprivate mutating func catchUp(with end: Date) throws {
        guard try process(until: end) else {
            throw SimulatedStoreError(
                code: .invalidDate,
                reason: "more than \(core.mostEvents) events would have happened since the date of the purchase")
        }
    }

    fileprivate mutating func buyElsewhere(_ order: StoreOrder) throws -> PurchaseRecord {
        if let held = try continueSubscription(order) { return held }
        return try settings.interruptsPurchases ? wait(order) : charge(order)
    }

    fileprivate func delete(_ record: PurchaseRecord) throws {
        let subscription = try subscription(endingWith: record)
        // https://developer.apple.com/documentation/storekittest/sktestsession/deletetransaction(identifier:)
        let later = try PurchaseRecord.fetchAll(
            database, sql: "SELECT * FROM purchase WHERE originalID = ?", arguments: [record.number])
        for deleted in [record] + later {
            try deleted.delete(database)
            try database.execute(sql: "DELETE FROM unfinished WHERE purchase = ?", arguments: [deleted.number])
            // A copy may be deleted together with an earlier copy of the same family member.
            while let copy = try PurchaseRecord.filter({ $0.sharedFrom == deleted.number }).fetchOne(database) {
                try delete(copy)
            }
        }
        guard later.isEmpty else {
            _ = try SubscriptionRecord.deleteOne(database, key: record.number)
            return
        }
        guard var subscription else { return }
        let earlier = try PurchaseRecord.transactions(of: record.customer)
            .filter { $0.groupID == subscription.groupID }.order { $0.id.desc }.fetchAll(database)
            .first { $0.originalNumber == subscription.id }
        guard let earlier, let end = earlier.expiresDate else {
            _ = try SubscriptionRecord.deleteOne(database, key: subscription.id)
            return
        }
        subscription.purchase = earlier.number
        subscription.productIdentifier = earlier.productIdentifier
        subscription.expiresDate = end
        subscription.set(end > date.milliseconds ? .active : .expired, .cancelled)
        try store(subscription)
    }
}
