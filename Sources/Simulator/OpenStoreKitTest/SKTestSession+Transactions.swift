public import OpenStoreKit
internal import VitrineCatalog
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineStoreSimulator
internal import VitrineSupport

/// Control of the customer's purchases.
extension SKTestSession {
    /// Returns all transactions and pending purchases of the customer, newest first.
    public func allTransactions() -> [SKTestTransaction] {
        mustCall { store in
            let subscriptions = Dictionary(
                try await store.subscriptions().map { ($0.transaction, $0) }, uniquingKeysWith: { $1 })
            let consents = try await store.subscriptionsAwaitingConsent()
            return try await (store.transactions() + store.pendingPurchases())
                .sorted { ($0.purchaseDate, UInt64($0.id) ?? 0) > ($1.purchaseDate, UInt64($1.id) ?? 0) }
                .map {
                    SKTestTransaction(
                        $0, subscriptions[$0.id], awaitsConsent: consents.contains($0.originalID))
                }
        }
    }

    /// Deletes a transaction or a pending purchase, as if it had never been made. With the first transaction of a
    /// subscription, its renewals are deleted too.
    ///
    /// - Throws: ``SKTestError``: `noTransactionFound`.
    public func deleteTransaction(identifier: UInt) throws {
        try call { try await $0.delete(String(identifier)) }
    }

    /// Buys a product outside the app, which receives the transaction as an update.
    ///
    /// - Throws: ``SKTestError``: `invalidProductIdentifier` if the store does not sell the product.
    @available(iOS, introduced: 14.0, deprecated: 17.0, renamed: "buyProduct(identifier:options:)")
    @available(macOS, introduced: 11.0, deprecated: 14.0, renamed: "buyProduct(identifier:options:)")
    public func buyProduct(productIdentifier: String) throws {
        _ = try call { store in
            do throws(StoreError) {
                _ = try await store.purchaseElsewhere(
                    productIdentifier, options: PurchaseOptions(), requesting: nil, at: nil, isRenewing: true)
            } catch {
                throw SKTestError(error.code == .productNotAvailable ? .invalidProductIdentifier : .invalidAction)
            }
        }
    }

    /// Buys a product outside the app, which receives the transaction as an update. Test-only options are allowed.
    ///
    /// - Throws: `Product.PurchaseError` if the store refuses the purchase; ``SKTestError`` `invalidAction` for a date
    ///   in the future.
    @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    @discardableResult
    public func buyProduct(
        identifier: Product.ID, options: Set<Product.PurchaseOption> = []
    ) async throws -> Transaction {
        let request = PurchaseRequest(options)
        let store = store
        if let date = request.date, date > store.clock.now { throw SKTestError(.invalidAction) }
        let connection = self.connection
        do throws(StoreError) {
            let signed = try await store.purchaseElsewhere(
                identifier, options: request.options, requesting: request.testOffer, at: request.date,
                isRenewing: request.isRenewing)
            guard let result = await connection.check(signed) else {
                throw StoreError(code: .unavailable, reason: "no store is attached any longer")
            }
            return result.unsafePayloadValue
        } catch {
            throw await connection.purchaseError(error, identifier, request)
        }
    }

    // MARK: Refunds

    /// Refunds a transaction. The app receives the refunded transaction as an update.
    ///
    /// - Throws: ``SKTestError``: `noTransactionFound`.
    public func refundTransaction(identifier: UInt) throws {
        _ = try call { try await $0.refund(String(identifier)) }
    }

    /// Requests a refund as the customer does in the dialog of `Transaction.beginRefundRequest(in:)`, which exists on
    /// Apple's platforms only. The store grants it at once.
    ///
    /// - Parameters:
    ///   - identifier: Identifier of the transaction.
    ///   - isConfirmed: `false` if the customer cancels the dialog.
    ///   - isGranted: `false` if the store declines the request.
    /// - Throws: The simulated error for refund requests; `Transaction.RefundRequestError` `duplicateRequest` after an
    ///   earlier request; ``SKTestError`` `noTransactionFound`.
    public func requestRefund(
        identifier: UInt, isConfirmed: Bool = true, isGranted: Bool = true
    ) async throws -> Transaction.RefundRequestStatus {
        let connection = self.connection
        if let error = connection.errors.refundRequest { throw error }
        guard isConfirmed else { return .userCancelled }
        let store = store
        guard try await store.transactions().contains(where: { $0.id == String(identifier) }) else {
            throw SKTestError(.noTransactionFound)
        }
        guard connection.noteRefundRequest(UInt64(identifier)) else {
            throw Transaction.RefundRequestError.duplicateRequest
        }
        if isGranted { try await store.refund(String(identifier)) }
        return .success
    }

    // MARK: Ask to Buy and interrupted purchases

    /// Indicates that purchases need another person's approval.
    public var askToBuyEnabled: Bool {
        get { mustCall { try await $0.behavior.asksToBuy } }
        set { mustCall { try await $0.setAsksToBuy(newValue) } }
    }

    /// Approves a pending purchase. The app receives its transaction as an update.
    ///
    /// - Throws: ``SKTestError``: `noTransactionFound` if no purchase with this identifier is pending.
    public func approveAskToBuyTransaction(identifier: UInt) throws {
        _ = try call { try await $0.approve(String(identifier)) }
    }

    /// Declines a pending purchase. The app is not informed.
    ///
    /// - Throws: ``SKTestError``: `noTransactionFound` if no purchase with this identifier is pending.
    public func declineAskToBuyTransaction(identifier: UInt) throws {
        _ = try call { try await $0.decline(String(identifier)) }
    }

    /// Indicates that purchases wait until the customer resolves an issue outside the app.
    public var interruptedPurchasesEnabled: Bool {
        get { mustCall { try await $0.behavior.interruptsPurchases } }
        set { mustCall { try await $0.setInterruptsPurchases(newValue) } }
    }

    /// Resolves the issue of an interrupted purchase or of a failed renewal. The app receives the transaction as an
    /// update. The call has no effect on a subscription that has ended.
    ///
    /// - Throws: ``SKTestError``: `noTransactionFound`; `invalidAction` for a transaction without an issue.
    public func resolveIssueForTransaction(identifier: UInt) throws {
        try call { store in
            let id = String(identifier)
            if let pending = try await store.pendingPurchases().first(where: { $0.id == id }) {
                guard pending.isInterrupted else { throw SKTestError(.invalidAction) }
                _ = try await store.resolve(id)
                return
            }
            guard let transaction = try await store.transactions().first(where: { $0.id == id }) else {
                throw SKTestError(.noTransactionFound)
            }
            guard let subscription = try await store.subscriptions().first(where: { $0.id == transaction.originalID })
            else { throw SKTestError(.invalidAction) }
            switch subscription.state {
            case .billingGracePeriod, .billingRetry: _ = try await store.recoverBilling(subscription.productIdentifier)
            case .active: throw SKTestError(.invalidAction)
            default: break
            }
        }
    }
}
