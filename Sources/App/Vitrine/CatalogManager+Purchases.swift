public import VitrineCatalog
public import VitrineEntitlements
public import VitrinePurchasing
public import VitrineReceipts

extension CatalogManager {
    /// The customer's purchases: unfinished and promoted ones, revocations, and the original purchase of the app.
    public nonisolated var purchases: Purchases { Purchases(manager: self) }

    /// The customer's purchases: unfinished and promoted ones, revocations, and the original purchase of the app.
    public struct Purchases: Sendable {
        let manager: CatalogManager
    }
}

extension CatalogManager.Purchases {
    // MARK: Unfinished purchases

    /// Returns the unfinished transactions of the store that could not be delivered at the last attempt. A transaction
    /// whose content is being installed is not included.
    public func pending() async -> [PendingTransaction] { await manager.queue.pending() }

    /// Retries the delivery of pending transactions now, instead of at the next automatic attempt, and waits for their
    /// content, and for hooks of the app within ``ManagerOptions/Purchases/hookLimit``.
    ///
    /// - Returns: The transactions that are still pending.
    /// - Throws: `StoreError` if the store cannot be queried, `withinHook` within a hook of the app.
    @discardableResult
    public func retryPending() async throws(StoreError) -> [PendingTransaction] {
        try manager.checkOutsideHooks("the delivery of pending transactions")
        return try await manager.queue.retry()
    }

    /// Delivers all unfinished transactions of the store, and applies facts that other processes have recorded. Events
    /// report failures, which are retried at the next delivery.
    ///
    /// The call waits for the content that the transactions need, which may take long.
    /// ``CatalogManager/loadProducts()`` and ``CatalogManager/enterForeground()`` deliver transactions too, but do not
    /// wait for content. Hooks of the app are waited for only within ``ManagerOptions/Purchases/hookLimit``, and a call
    /// within a hook is only begun.
    public func deliverUnfinished() async {
        await manager.unlessWithinHook { await $0.deliver(awaitingContent: true) }
    }

    /// Finishes a rejected transaction without delivering it.
    ///
    /// - Throws: `DiscardError` if there is no such transaction, it was not rejected, or the store cannot be reached;
    ///   `notRejected` also while a hook of the app verifies or delivers the transaction.
    public func discard(_ transactionID: String) async throws(DiscardError) {
        try await manager.queue.discard(transactionID)
    }

    // MARK: Promoted purchases

    /// Identifiers of products that the customer requested in the store itself and that have not been bought yet.
    public var promoted: [String] {
        get async { await manager.promotedPurchases.map(\.productIdentifier) }
    }

    /// Buys the products that the customer requested in the store. An owned product is refused. A product that cannot
    /// be bought at the moment stays in ``promoted``, as do all remaining products if the manager is stopped. A call
    /// within a hook of the app is only begun.
    public func buyPromoted() async { await manager.unlessWithinHook { await $0.buyPromoted() } }

    // MARK: Purchases of the past

    /// Returns the purchases of a product that the store revoked, the latest first.
    public func revocations(of identifier: String) -> [Fact.Revocation] {
        manager.state.snapshot.entitlements.revocations(of: identifier)
    }

    /// Version of the app that the customer installed first, as the store signed it: the build number, or on macOS the
    /// version number. `nil` while it is unknown.
    ///
    /// The store is asked for it when products are loaded, if the catalog has a grandfathering rule, and after a restore.
    public var originalPurchasedVersion: String? { originalPurchase?.version }

    /// The customer's original purchase of the app, as the store signed it; `nil` while it is unknown.
    public var originalPurchase: OriginalPurchase? { manager.state.snapshot.entitlements.appPurchase?.original }

    /// Returns the result of the catalog's grandfathering rule for a product: whether the customer's original purchase
    /// of the app includes the product. `nil` for a product without such a rule, or one that is not in the catalog.
    public func isGrandfathered(for identifier: String) -> GrandfatheringRule.Answer? {
        let entitlements = manager.state.snapshot.entitlements
        guard let product = entitlements.catalog?[identifier], product.isGrandfathered else { return nil }
        return entitlements.appPurchase.map { product.grandfathered.answer(for: $0.original) } ?? .unknown
    }

    /// Requests a new app receipt from the store, for a button of the app: the store may ask the customer for a
    /// password. The purchases in a valid receipt are recorded, and events report them, as when products are loaded. If
    /// no catalog is loaded yet, products are loaded first, because no purchase can be recorded without a catalog.
    ///
    /// - Parameter request: Type of receipt that a test store issues.
    /// - Throws: ``ReceiptFailure``, with `undetermined` also if ``ManagerOptions/Purchases/receipts`` is `nil`, and
    ///   for a call within the receipt verifier, or within another hook of the app before a catalog is loaded.
    @discardableResult
    public func refreshReceipt(
        _ request: ReceiptRequest = ReceiptRequest()
    ) async throws(ReceiptFailure) -> SignedAppReceipt { try await manager.refreshReceipt(request) }
}
