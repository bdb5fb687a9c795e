internal import Foundation
public import ProductCatalog

/// How the store behaves, until it is told otherwise.
extension SimulatedStore {
    /// How the customer first got the app, which the store signs from now on. It is also the version that they have: no app
    /// is updated here. A receipt that lies on the device is issued anew.
    ///
    /// - Throws: ``SimulatedStoreError`` where the store's state cannot be written.
    public func setOriginalPurchase(_ purchase: OriginalPurchase) async throws(SimulatedStoreError) {
        try await database.setAppPurchase(purchase, at: now())
    }

    /// Whether somebody has to approve what the customer buys on this device. What would not be charged for needs no
    /// approval.
    ///
    /// - Throws: ``SimulatedStoreError`` where the store's state cannot be written.
    public func setAsksToBuy(_ asksToBuy: Bool) async throws(SimulatedStoreError) {
        try await database.changeSettings { $0.asksToBuy = asksToBuy }
    }

    /// Whether this device has no connection to the store. Only what the device itself keeps is answered then:
    /// transactions that are known, and that they are finished.
    ///
    /// - Throws: ``SimulatedStoreError`` where the store's state cannot be written.
    public func setOffline(_ isOffline: Bool) async throws(SimulatedStoreError) {
        try await database.changeSettings { $0.isOffline = isOffline }
    }

    /// Why nothing can be bought on this device, as the rest of a sentence; `nil` allows it again.
    ///
    /// - Throws: ``SimulatedStoreError`` where the store's state cannot be written.
    public func setPaymentRestriction(_ reason: String?) async throws(SimulatedStoreError) {
        try await database.changeSettings { $0.paymentRestriction = reason }
    }

    /// Moves the customer to another storefront: what is sold costs its currency from now on, and what was bought stays. The
    /// app is told, in this process; every other finds it out when it asks.
    ///
    /// - Parameter storefront: The country as ISO 3166-1 alpha-3 names it.
    /// - Throws: ``SimulatedStoreError``: `noSuchStorefront` for what is no country with a currency, or where the store's
    ///   state cannot be written.
    public func setStorefront(_ storefront: String) async throws(SimulatedStoreError) {
        try Self.check(storefront: storefront)
        try await database.changeSettings { $0.storefront = storefront }
        storefrontSignals.send(())
    }

    static func check(storefront: String) throws(SimulatedStoreError) {
        guard storefront.count == 3, storefront.allSatisfy({ ("A"..."Z").contains($0) }),
            Locale(identifier: "en_\(storefront)").currency != nil
        else {
            throw SimulatedStoreError(
                code: .noSuchStorefront, reason: "\(storefront.debugDescription) is no country such as USA or DEU")
        }
    }

    /// Has a call fail. A purchase has one failure at a time, and so has each of the other calls: a new one takes the
    /// place of the old one. Counted are purchases that the store would make, and other calls that reach it.
    ///
    /// - Parameters:
    ///   - failure: Which call fails, and how.
    ///   - times: How often, at least once; `nil` for as long as it is not cleared.
    /// - Throws: ``SimulatedStoreError`` where the store's state cannot be written.
    public func fail(_ failure: SimulatedFailure, times: Int? = nil) async throws(SimulatedStoreError) {
        precondition(times.map { $0 > 0 } ?? true, "a failure comes at least once")
        try await database.arm(ArmedFailure(failure, times: times))
    }

    /// Has no call fail any more.
    ///
    /// - Throws: ``SimulatedStoreError`` where the store's state cannot be written.
    public func clearFailures() async throws(SimulatedStoreError) {
        try await database.clearFailures()
    }
}
