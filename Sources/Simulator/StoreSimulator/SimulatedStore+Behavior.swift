internal import Foundation
internal import GRDB
public import VitrineCatalog
public import VitrineSupport

/// Settings for the behavior of the store, which remain until they are changed.
extension SimulatedStore {
    /// Sets the customer's original purchase of the app, which the store includes in the app transaction and in app
    /// receipts from now on. Its version is also the current app version, because the simulated app is never updated.
    /// If the device has an app receipt, the store replaces it.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func setOriginalPurchase(_ purchase: OriginalPurchase) async throws(SimulatedStoreError) {
        try await core.perform { [identity] scope in
            try AppPurchaseRecord(purchase, by: identity.customer).upsert(scope.database)
            try DeviceReceipt.reissue(for: identity.customer, in: scope)
            try scope.record { _ in .originalPurchase(customer: identity.customer, app: StoreAction.App(purchase)) }
        }
    }

    /// Sets whether purchases of all customers of the store require approval. Purchases that would not be charged need
    /// no approval.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func setAsksToBuy(_ asksToBuy: Bool) async throws(SimulatedStoreError) {
        try await changeSettings(.asksToBuy(isOn: asksToBuy)) { $0.asksToBuy = asksToBuy }
    }

    /// Sets whether the devices of all customers have no connection to the store. Offline, only calls that a device
    /// itself can answer work: reading and finishing transactions that the device already knows. Renewals and other
    /// changes arrive when the connection is back.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func setOffline(_ isOffline: Bool) async throws(SimulatedStoreError) {
        try await core.perform { scope in
            let date = scope.settings.offlineDate ?? scope.date.milliseconds
            try scope.changeSettings { ($0.isOffline, $0.offlineDate) = (isOffline, isOffline ? date : nil) }
            try scope.record { _ in .offline(isOn: isOffline) }
        }
    }

    /// Sets the reason why purchases are not allowed on any device of the store, as a sentence without capital letter
    /// and period; `nil` allows them again.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func setPaymentRestriction(_ reason: String?) async throws(SimulatedStoreError) {
        try await changeSettings(.paymentRestriction(isOn: reason != nil)) { $0.paymentRestriction = reason }
    }

    /// Moves all customers to another storefront: products are sold in its currency from now on, and existing purchases
    /// remain. An app in this process receives an update; other processes find the change when they request the
    /// storefront.
    ///
    /// - Parameter storefront: The country as an ISO 3166-1 alpha-3 code.
    /// - Throws: ``SimulatedStoreError``: `noSuchStorefront` for a code that is not a country with a currency, or if
    ///   the store's state cannot be written.
    public func setStorefront(_ storefront: String) async throws(SimulatedStoreError) {
        try Self.check(storefront: storefront)
        try await changeSettings(.storefront(code: storefront)) { $0.storefront = storefront }
        core.storefrontSignals.send(())
    }

    static func check(storefront: String) throws(SimulatedStoreError) {
        guard StoreConfiguration.isCountry(storefront) else {
            throw SimulatedStoreError(
                code: .noSuchStorefront, reason: "\(storefront.debugDescription) is not a country code like USA or DEU")
        }
    }

    /// Sets whether the store sends a consumable to all devices of its customer, not only to the device that bought it.
    /// The App Store does not promise to send consumables to one device only.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func setSendsConsumablesToAllDevices(_ sendsConsumables: Bool) async throws(SimulatedStoreError) {
        try await changeSettings(.consumablesToAllDevices(isOn: sendsConsumables)) {
            $0.sendsConsumablesToAllDevices = sendsConsumables
        }
    }

    /// Changes the settings of the store.
    ///
    /// - Parameter action: Action for the recording of the store.
    func changeSettings(
        _ action: StoreAction, _ body: @escaping @Sendable (inout StoreSettings) -> Void
    ) async throws(SimulatedStoreError) {
        try await core.perform { scope in
            try scope.changeSettings(body)
            try scope.record { _ in action }
        }
    }

    /// Makes calls of the app to the store fail. Each kind of call, such as purchases, has at most one failure at a
    /// time: a new failure replaces the old one. Purchases that the store would refuse anyway, and calls that do
    /// not reach the store, do not count. ``SimulatedFailure/verification`` counts the calls that return
    /// transactions, and the changes that the store sends as updates.
    ///
    /// - Parameters:
    ///   - failure: The failure, which determines the kind of call.
    ///   - times: The number of calls that fail, at least one; `nil` if calls fail until the failure is cleared.
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func fail(_ failure: SimulatedFailure, times: Int? = nil) async throws(SimulatedStoreError) {
        precondition(times.map { $0 > 0 } ?? true, "the number of failures must be at least 1")
        try await core.database.arm(ArmedFailure(failure, times: times))
    }

    /// Removes all failures, so that no call fails any longer.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func clearFailures() async throws(SimulatedStoreError) {
        try await core.database.clearFailures()
    }
}
