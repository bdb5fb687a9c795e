public import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
public import VitrinePurchasing

extension CatalogManager {
    /// Buys a product, and returns once its transaction is complete or cannot proceed now.
    ///
    /// - Parameters:
    ///   - identifier: Identifier of the product.
    ///   - quantity: Number of units to buy: from 1 to 10 for a consumable or a non-renewing subscription, 1 for any
    ///     other product.
    public func purchase(_ identifier: String, quantity: Int = 1) async -> PurchaseAnswer {
        await purchase(identifier, options: PurchaseOptions(quantity: quantity))
    }

    /// Buys a product, and returns once its transaction is complete or cannot proceed now.
    ///
    /// A product that is not offered, or is owned for a reason other than its own transaction, is rejected before the
    /// store is contacted. A product that the customer has bought themselves is passed to the store, which does not
    /// charge for it again. A non-renewing subscription is sold again while it runs: what is bought adds up.
    ///
    /// If the store did not answer the last query about products, the store is queried about this product first. While
    /// the store is unreachable, no purchase is attempted.
    ///
    /// The call waits for the hooks that verify and deliver its own transaction as long as they take. Within a hook it
    /// is refused (`withinHook`).
    public func purchase(_ identifier: String, options: PurchaseOptions) async -> PurchaseAnswer {
        await purchase(identifier, options: options, verification: nil)
    }

    /// Buys a product that the store has returned by ``CatalogAccess/fetchProducts(_:cachesResult:)``, as
    /// ``purchase(_:options:)`` does, even if the products were not loaded. The catalog, which has to contain the
    /// product, is loaded if none is.
    public func purchase(
        product: StoreProduct, options: PurchaseOptions = PurchaseOptions()
    ) async -> PurchaseAnswer {
        await purchase(product: product, options: options, verification: nil)
    }

    func purchase(
        product: StoreProduct, options: PurchaseOptions, verification: TransactionVerification?
    ) async -> PurchaseAnswer {
        if !hookCalls.isInside { await loadCatalogIfMissing() }
        return await purchase(product.identifier, as: product, options: options, verification: verification)
    }

    /// Buys a product with an additional verification of its transaction.
    ///
    /// - Parameters:
    ///   - product: Data of the store about the product; `nil` to use the store's last response about the products of
    ///     the catalog.
    ///   - verification: Verification of the transaction in addition to `AppHooks.verification`.
    func purchase(
        _ identifier: String, as product: StoreProduct? = nil, options: PurchaseOptions,
        verification: TransactionVerification?
    ) async -> PurchaseAnswer {
        state.beginPurchase(of: identifier)
        let answer: PurchaseAnswer
        if let refusal = refusalWithinHook(of: identifier) {
            answer = .failed(refusal)
        } else if let refusal = await refusal(
            of: identifier, as: product, quantity: options.quantity, renewsCatalog: true)
        {
            answer = .failed(refusal)
        } else {
            callVerifications.forgetExpiredRequests()
            let call = callVerifications.beginPurchase(
                of: identifier, verification.map(hookCalls.counting), after: Set(await queue.pending().map(\.id)))
            await ownedContent.allowDownloads(ofContentIn: identifier)
            answer = await queue.purchase(identifier, options: namingCustomer(options))
            callVerifications.endPurchase(call, of: identifier, answeredWith: answer)
        }
        state.send(.purchase(.answered(identifier, answer)))
        return answer
    }

    /// Returns the reason why a product is not bought before the store is asked to sell it.
    ///
    /// - Parameter renewsCatalog: `true` to request a newer catalog if the product's content on the server contradicts the
    ///   current one.
    private func refusal(
        of identifier: String, as product: StoreProduct?, quantity: Int, renewsCatalog: Bool
    ) async -> PurchaseFailure? {
        if let refusal = await refusalOfOffer(of: identifier, as: product, quantity: quantity) { return refusal }
        if !record.isStoreReached {
            if let failure = await askStore(about: identifier) { return PurchaseFailure(unanswered: failure) }
            if let refusal = await refusalOfOffer(of: identifier, as: nil, quantity: quantity) { return refusal }
        }
        do {
            try await ownedContent.checkPresence(ofContentIn: identifier)
            return nil
        } catch {
            if renewsCatalog, error.isContradiction, await renewCatalog() {
                return await refusal(of: identifier, as: product, quantity: quantity, renewsCatalog: false)
            }
            return PurchaseFailure(
                code: .notOffered, reason: "\(identifier) is not offered: its content cannot be used: \(error.reason)")
        }
    }

    /// Returns the reason why the present offer of a product is not bought.
    ///
    /// - Parameter readsPurchases: `true` to read the purchases that the store knows first if the product may be one of them.
    private func refusalOfOffer(
        of identifier: String, as product: StoreProduct?, quantity: Int, readsPurchases: Bool = true
    ) async -> PurchaseFailure? {
        do {
            try await state.refresh()
        } catch {
            return PurchaseFailure(code: .ledger, reason: error.reason)
        }
        let snapshot = state.snapshot
        guard snapshot.catalog != nil else {
            return PurchaseFailure(code: .notOffered, reason: "no catalog is loaded")
        }
        guard let listing = snapshot.listing(of: identifier, as: product) else {
            return PurchaseFailure(code: .notInCatalog, reason: "\(identifier) is not in the catalog")
        }
        let most = listing.kind.mostUnits
        guard (1...most).contains(quantity) else {
            return PurchaseFailure(
                code: .invalidQuantity,
                reason: "\(identifier): quantity must be \(most == 1 ? "1" : "from 1 to \(most)"), not \(quantity)"
            )
        }
        if listing.isOffered, let wallet = listing.product.wallet(as: listing.kind) {
            let units = snapshot.entitlements.balance(of: wallet).units
            guard let credit = listing.product.credit(forQuantity: quantity),
                !units.addingReportingOverflow(credit.amount).overflow
            else {
                return PurchaseFailure(
                    code: .notOffered,
                    reason:
                        "\(identifier) is not offered: the wallet \"\(wallet)\" would exceed the maximum of 64 bits")
            }
        }
        switch listing.offer {
        case .offered: return nil
        case .notOffered(.alreadyOwned)
        where listing.kind != .nonRenewingSubscription && listing.ownership.includesOwnPurchase:
            return nil
        // Purchases may be allowed by now: the store checks again before it sells.
        case .notOffered(.purchasesNotAllowed): return nil
        case .notOffered(.alreadyOwned):
            return PurchaseFailure(code: .alreadyOwned, reason: "\(identifier) is already owned")
        case .notOffered(.purchasesNotRead) where readsPurchases:
            if let failure = await readKnownPurchases(beforeBuying: identifier) {
                return PurchaseFailure(unanswered: failure)
            }
            return await refusalOfOffer(of: identifier, as: product, quantity: quantity, readsPurchases: false)
        case .notOffered(let reason):
            return PurchaseFailure(
                code: .notOffered, reason: "\(identifier) is not offered: \(reason)")
        }
    }

    /// Restores purchases: records the purchases that the store reports. No ownership is removed. The store may ask the
    /// customer to sign in; ``loadProducts()`` records in a new installation what the store knows without asking. The
    /// call does not wait for content: the content of an unfinished purchase is downloaded automatically. A hook of the
    /// app is waited for only within ``ManagerOptions/Purchases/hookLimit``: its transaction is then in
    /// `RestoreResult.failed`.
    ///
    /// - Parameter accountToken: Token that the app passed with the purchases of one of its accounts; purchases with
    ///   another token are ignored.
    /// - Throws: `StoreError` if the store cannot be queried, and `withinHook` within a hook of the app, which
    ///   ``CatalogEvent/Restore/failed(_:)`` reports too.
    public func restore(accountToken: UUID? = nil) async throws(StoreError) -> RestoreResult {
        try await restore(accountToken: accountToken, verification: nil)
    }

    /// Restores purchases with an additional verification of their transactions.
    ///
    /// - Parameter verification: Verification of each transaction in addition to `AppHooks.verification`.
    func restore(
        accountToken: UUID?, verification: TransactionVerification?
    ) async throws(StoreError) -> RestoreResult {
        do {
            try checkOutsideHooks("a restore")
            await followAccount()
            let (loss, place) = (entitlements.snapshot.loss, accountPlace)
            let counted = verification.map(hookCalls.counting)
            let result = try await callVerifications.restoring(counted) { () throws(StoreError) in
                try await queue.restore(accountToken: accountToken)
            }
            // The customer may have signed in to another account meanwhile.
            await askForAccount()
            if accountToken == nil, arePurchasesUnread {
                await noteRead(result, after: loss, in: place, of: state.account)
            }
            await noteMissing(result.failed.compactMap(\.missingProduct))
            await grandfathering.decide(nil)
            state.send(.restore(.completed(result)))
            return result
        } catch {
            state.send(.restore(.failed(error)))
            throw error
        }
    }

    // MARK: Promoted purchases

    /// Buys the promoted products at the end of a load, which waits for hooks of the app only within the limit.
    func buyPromotedWithinLimit() async {
        _ = await hookCalls.value(of: Task { await buyPromoted() }) { hook in
            if case .transaction = hook { true } else { false }
        }
    }

    func buyPromoted() async {
        while !isStopped, let promoted = promotedPurchases.first {
            let (identifier, snapshot) = (promoted.productIdentifier, state.snapshot)
            guard snapshot.sellingObstacle == nil, !snapshot.awaitsProduct(identifier) else { return }
            promotedPurchases.removeFirst()
            let ownership = snapshot.entitlements.ownership(of: identifier)
            guard !ownership.isOwned || ownership.isExtendable else {
                let failure = PurchaseFailure(code: .alreadyOwned, reason: "\(identifier) is already owned")
                state.beginPurchase(of: identifier)
                state.send(.purchase(.answered(identifier, .failed(failure))))
                await store.promotedPurchaseAnswered(identifier)
                continue
            }
            switch await purchase(identifier, options: PurchaseOptions(winBackOffer: promoted.winBackOffer)) {
            case .failed(let failure) where failure.mayPassSoon:
                promotedPurchases.insert(promoted, at: 0)
                return
            case .failed, .cancelled, .success(_, notChargedAgain: true):
                await store.promotedPurchaseAnswered(identifier)
            // The store knows that the purchase was made, or the promoted purchase is repeated at the next launch.
            case .success, .pending: break
            }
        }
    }

    func purchasePromoted(_ promoted: PromotedPurchase) async {
        promotedPurchases.append(promoted)
        state.send(.purchase(.promoted(promoted.productIdentifier)))
        if buysPromoted, state.snapshot.status == .productsLoaded { await buyPromoted() }
    }
}

extension ManagerState.Snapshot {
    /// Returns the listing of a product.
    ///
    /// - Parameter product: Data of the store in place of those in the current response; `nil` for the current ones.
    fileprivate func listing(of identifier: String, as product: StoreProduct?) -> ProductListing? {
        product.map { listing(of: $0) } ?? shown[identifier]
    }

    /// Returns `true` if a load has yet to say whether a product can be bought: no catalog is loaded, or the store has
    /// not answered about the product, such as after a change of the storefront.
    fileprivate func awaitsProduct(_ identifier: String) -> Bool {
        catalog == nil || shown[identifier]?.offer == .notOffered(.productsNotLoaded)
    }
}

extension Ownership {
    /// `true` if the customer owns the product by their own purchase, so that the store does not charge for it again.
    fileprivate var includesOwnPurchase: Bool {
        guard case .owned(let reasons) = self else { return false }
        return reasons.contains { if case .transaction(let own) = $0 { !own.isFamilyShared } else { false } }
    }
}

extension PurchaseFailure {
    /// `true` if the purchase may succeed later without an action of the customer: a service or the storage could not
    /// be used, or a hook of the app was running.
    fileprivate var mayPassSoon: Bool {
        switch code {
        case .network, .store, .storage, .ledger, .outcomeUnknown, .withinHook: true
        default: false
        }
    }
}
