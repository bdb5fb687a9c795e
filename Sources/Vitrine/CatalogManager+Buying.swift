internal import Entitlements
public import Foundation
internal import ProductCatalog
public import Purchasing

extension CatalogManager {
    /// Buys a product, and answers once its transaction has gone all the way or cannot go further now.
    ///
    /// - Parameters:
    ///   - identifier: The product's identifier.
    ///   - quantity: Units to buy, from 1 to 10; 1 for something that is bought once.
    public func purchase(_ identifier: String, quantity: Int = 1) async -> PurchaseAnswer {
        await purchase(identifier, options: PurchaseOptions(quantity: quantity))
    }

    /// Buys a product, and answers once its transaction has gone all the way or cannot go further now.
    ///
    /// A product that is not on offer, or owned otherwise than by its own transaction, is refused before the store is
    /// asked. One that the customer has bought themselves goes to the store, which charges nothing for it; but not a
    /// subscription that does not renew itself, which the store would sell once more.
    ///
    /// Where the store has not answered when it was asked about products last, it is asked about this one first. While it
    /// cannot be reached, nothing is attempted.
    public func purchase(_ identifier: String, options: PurchaseOptions) async -> PurchaseAnswer {
        await purchase(identifier, options: options, verification: nil)
    }

    /// - Parameter verification: Asked about the transaction beside the manager's hook.
    func purchase(
        _ identifier: String, options: PurchaseOptions, verification: TransactionVerification?
    ) async -> PurchaseAnswer {
        state.beginPurchase(of: identifier)
        let answer: PurchaseAnswer
        if let refusal = await refusal(of: identifier, quantity: options.quantity) {
            answer = .failed(refusal)
        } else {
            answer = await queue.purchase(identifier, options: options, verification: verification)
        }
        state.tell(.purchase(.answered(identifier, answer)))
        return answer
    }

    private func refusal(of identifier: String, quantity: Int) async -> PurchaseFailure? {
        if let refusal = await refusalOfOffer(of: identifier, quantity: quantity) { return refusal }
        guard !record.isStoreReached else { return nil }
        if let failure = await askStore(about: identifier) { return PurchaseFailure(unanswered: failure) }
        return await refusalOfOffer(of: identifier, quantity: quantity)
    }

    private func refusalOfOffer(of identifier: String, quantity: Int) async -> PurchaseFailure? {
        do {
            try await state.refresh()
        } catch {
            return PurchaseFailure(code: .ledger, reason: error.reason)
        }
        let snapshot = state.snapshot
        guard snapshot.catalog != nil else {
            return PurchaseFailure(code: .notOffered, reason: "no catalog is loaded")
        }
        guard let listing = snapshot.listings?[identifier] else {
            return PurchaseFailure(code: .notInCatalog, reason: "\(identifier) is not in the catalog")
        }
        let most = listing.kind == .consumable ? 10 : 1
        guard (1...most).contains(quantity) else {
            return PurchaseFailure(
                code: .invalidQuantity,
                reason: "\(quantity) of \(identifier) cannot be bought at once, but \(most == 1 ? "1" : "1 to \(most)")"
            )
        }
        if listing.isOffered, listing.kind == .consumable, let wallet = listing.product.storageKey {
            let units = snapshot.entitlements.balance(of: wallet).units
            guard let credit = listing.product.credit(forQuantity: quantity),
                !units.addingReportingOverflow(credit.amount).overflow
            else {
                return PurchaseFailure(
                    code: .notOffered,
                    reason:
                        "\(identifier) is not offered: the wallet \"\(wallet)\" would hold more than 64 bits can say")
            }
        }
        switch listing.offer {
        case .offered: return nil
        case .notOffered(.alreadyOwned)
        where listing.kind != .nonRenewingSubscription && listing.ownership.includesOwnPurchase:
            return nil
        // It may be allowed by now: the store is asked again before it sells.
        case .notOffered(.purchasesNotAllowed): return nil
        case .notOffered(.alreadyOwned):
            return PurchaseFailure(code: .alreadyOwned, reason: "\(identifier) is owned already")
        case .notOffered(let reason):
            return PurchaseFailure(
                code: .notOffered, reason: "\(identifier) is not offered: \(reason)")
        }
    }

    /// Records again what the store says was bought. Nothing is taken away, and nothing is asked for at launch: only
    /// this call restores. Content is not waited for: that of a purchase that was never finished comes by itself.
    ///
    /// - Parameter accountToken: What the app gave with the purchases of one of its accounts; those that were made with
    ///   another are left alone.
    /// - Throws: `StoreError` where the store cannot be asked, which ``CatalogEvent/restoreFailed(_:)`` tells too.
    public func restore(accountToken: UUID? = nil) async throws(StoreError) -> RestoreResult {
        try await restore(accountToken: accountToken, verification: nil)
    }

    /// - Parameter verification: Asked about each transaction beside the manager's hook.
    func restore(
        accountToken: UUID?, verification: TransactionVerification?
    ) async throws(StoreError) -> RestoreResult {
        do {
            let result = try await queue.restore(accountToken: accountToken, verification: verification)
            state.tell(.restore(.completed(result)))
            return result
        } catch {
            state.tell(.restore(.failed(error)))
            throw error
        }
    }

    // MARK: What was asked for in the store

    /// The products that the customer has asked for in the store itself, and that have not been bought yet.
    public var promotedPurchases: [String] { promotedProducts }

    /// Buys what the customer has asked for in the store. What is owned already is refused; what cannot be bought just
    /// now stays in the list, and so does what has not been begun when the manager is stopped.
    public func buyPromoted() async {
        while !isStopped, !promotedProducts.isEmpty, state.snapshot.sellingObstacle == nil {
            let identifier = promotedProducts.removeFirst()
            guard !state.snapshot.entitlements.isOwned(identifier) else {
                let failure = PurchaseFailure(code: .alreadyOwned, reason: "\(identifier) is owned already")
                state.beginPurchase(of: identifier)
                state.tell(.purchase(.answered(identifier, .failed(failure))))
                continue
            }
            guard case .failed(let failure) = await purchase(identifier), failure.mayPassSoon else { continue }
            promotedProducts.insert(identifier, at: 0)
            return
        }
    }

    func takeIn(promoted identifier: String) async {
        promotedProducts.append(identifier)
        state.tell(.purchase(.promoted(identifier)))
        if buysPromoted, state.snapshot.status == .productsLoaded { await buyPromoted() }
    }

    // MARK: What waits

    /// The transactions that the store holds and that could not be delivered, as they were found when they were looked
    /// at last. One whose content is coming is not among them.
    public func pendingTransactions() async -> [PendingTransaction] { await queue.pending() }

    /// Tries to deliver what waits: now, instead of when it is tried by itself. It waits for content too.
    ///
    /// - Returns: What still waits.
    /// - Throws: `StoreError` where the store cannot be asked.
    @discardableResult
    public func retryPending() async throws(StoreError) -> [PendingTransaction] { try await queue.retry() }

    /// Finishes a transaction that was rejected, without delivering it.
    ///
    /// - Throws: `DiscardError` where there is no such transaction, it was not rejected, or the store cannot be told.
    public func discard(_ transactionID: String) async throws(DiscardError) { try await queue.discard(transactionID) }
}

extension Ownership {
    /// The customer has bought it themselves: the store does not charge for it again.
    fileprivate var includesOwnPurchase: Bool {
        guard case .owned(let reasons) = self else { return false }
        return reasons.contains { if case .transaction(let own) = $0 { !own.isFamilyShared } else { false } }
    }
}

extension PurchaseFailure {
    /// Nothing is wrong with the purchase: something could not be reached.
    fileprivate var mayPassSoon: Bool {
        switch code {
        case .network, .store, .storage, .ledger, .outcomeUnknown: true
        default: false
        }
    }
}
