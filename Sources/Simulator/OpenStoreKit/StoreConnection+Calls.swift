internal import VitrineCatalog
package import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineStoreSimulator
internal import VitrineSupport

/// Implementation of StoreKit's static API.
extension StoreConnection {
    func products(for identifiers: [String]) async throws -> [Product] {
        guard !Task.isCancelled else { return [] }
        let attached = try requireStore()
        if let error = errors.loadProducts { throw error }
        do {
            let stored = try await attached.store.products(for: identifiers)
            let storefront = try await attached.store.storefront() ?? ""
            guard !Task.isCancelled else { return [] }
            return stored.map { Product($0, storefront: storefront, locale: attached.store.localeIdentifier, self) }
        } catch {
            throw StoreKitError(error)
        }
    }

    // MARK: Purchases

    func purchase(_ product: Product, _ request: PurchaseRequest) async throws -> Product.PurchaseResult {
        let attached = try requireStore()
        if let error = errors.purchase { throw error }
        if request.isWithUnsupportedPlan || request.testOffer != nil || request.date != nil {
            throw StoreKitError.unsupportedCall
        }
        do throws(StoreKitError) {
            try await attached.confirm(.purchase(product: product.id))
        } catch {
            return .userCancelled
        }
        if let decision = request.storefrontDecision, let storefront = await storefront(),
            storefront.countryCode != product.storefront, !decision.shouldContinue(storefront)
        {
            return .userCancelled
        }
        do throws(StoreError) {
            switch try await buy(product.id, request, in: attached.store) {
            case .purchased(let signed), .alreadyPurchased(let signed):
                noteAnswer(signed.id)
                guard let result = await check(signed) else {
                    throw StoreError(code: .unavailable, reason: "no store is attached any longer")
                }
                if attached.quirks.contains(.announcesOwnPurchases) { updates.send(result) }
                if product.type == .autoRenewable { await announceStatus(ofGroupWith: signed) }
                return .success(result)
            case .pending, .interrupted: return .pending
            case .cancelled: return .userCancelled
            }
        } catch {
            throw await purchaseError(error, product.id, request)
        }
    }

    private func buy(
        _ product: Product.ID, _ request: PurchaseRequest, in store: SimulatedStore
    ) async throws(StoreError) -> StorePurchaseAnswer {
        let (options, asksToBuy) = (request.options, request.asksToBuy)
        let answer = Task { () async -> Result<StorePurchaseAnswer, StoreError> in
            do throws(StoreError) {
                return .success(try await store.purchase(product, options: options, asksToBuy: asksToBuy))
            } catch {
                return .failure(error)
            }
        }
        return try await answer.value.get()
    }

    /// Announces the status of a subscription that the app has just bought, because the store sends the change only to
    /// the other devices.
    private func announceStatus(ofGroupWith signed: StoreTransaction) async {
        guard let attached, let payload = UnverifiedJWS(signed.signedData)?.decode(TransactionPayload.self),
            let group = payload.subscriptionGroupIdentifier,
            let found = try? await attached.store.subscriptionStatuses(inGroup: group)
                .first(where: { $0.transaction.id == signed.id }),
            let status = await status(found.transaction, found.state)
        else { return }
        statuses.send(status)
    }

    /// Returns StoreKit's error for an error of the store.
    package func purchaseError(
        _ error: StoreError, _ product: Product.ID, _ request: PurchaseRequest
    ) async -> any Error {
        switch error.code {
        case .invalidQuantity: return Product.PurchaseError.invalidQuantity
        case .productNotAvailable: return Product.PurchaseError.productUnavailable
        case .notAllowed: return Product.PurchaseError.purchaseNotAllowed
        case .invalidOffer:
            if let offer = request.requestedOffer, attached?.store.has(offer, of: product) != true {
                return Product.PurchaseError.invalidOfferIdentifier
            }
            if let offer = request.requestedOffer, await attached?.store.isEligible(for: offer, of: product) != true {
                return Product.PurchaseError.ineligibleForOffer
            }
            return Product.PurchaseError.invalidOfferSignature
        case .unavailable, .network, .storage, .emptyAnswer, .notSubmitted, .withinHook: return StoreKitError(error)
        }
    }

    func finish(_ transaction: Transaction) async {
        let signed = StoreTransaction(id: String(transaction.id), signedData: transaction.jws.text)
        // StoreKit reports no error: the store sends an unfinished transaction again at the next launch.
        try? await uncancelled { try await self.attached?.store.finish(signed) }
    }

    // MARK: Listings

    func history() async -> [VerificationResult<Transaction>] {
        guard let attached else { return [] }
        return await list { _ in try await attached.history() }
    }

    func history(of product: String) async -> [VerificationResult<Transaction>] {
        await history().filter { $0.unsafePayloadValue.productID == product }
    }

    func entitlements() async -> [VerificationResult<Transaction>] {
        await list { try await $0.entitlingTransactions() }
    }

    func entitlements(to product: String) async -> [VerificationResult<Transaction>] {
        await entitlements().filter { $0.unsafePayloadValue.productID == product }
    }

    func unfinished() async -> [VerificationResult<Transaction>] {
        await list { try await $0.unfinishedTransactions() }
    }

    func latestTransaction(of product: String) async -> VerificationResult<Transaction>? {
        await history(of: product).max {
            let (left, right) = ($0.unsafePayloadValue, $1.unsafePayloadValue)
            return (left.purchaseDate, left.id) < (right.purchaseDate, right.id)
        }
    }

    // MARK: Subscriptions

    func statuses(inGroup group: String) async throws -> [Product.SubscriptionInfo.Status] {
        guard !Task.isCancelled else { return [] }
        let attached = try requireStore()
        if let error = errors.subscriptionStatus {
            guard attached.quirks.contains(.hidesStatusErrors) else { throw error }
            return []
        }
        do {
            var statuses: [Product.SubscriptionInfo.Status] = []
            for (state, signed) in try await attached.store.subscriptionStatuses(inGroup: group) {
                guard let status = await status(signed, state) else { continue }
                statuses.append(isLapsing(status) ? status.expired : status)
            }
            let (own, shared) = (statuses.filter { !$0.isShared }, statuses.filter(\.isShared))
            return Task.isCancelled ? [] : own + shared
        } catch {
            throw StoreKitError(error)
        }
    }

    func status(ofTransaction id: UInt64) async throws -> Product.SubscriptionInfo.Status? {
        let transactions = await history()
        guard let transaction = transactions.first(where: { $0.unsafePayloadValue.id == id })?.unsafePayloadValue,
            let group = transaction.subscriptionGroupID
        else { return nil }
        return try await statuses(inGroup: group).first {
            $0.transaction.unsafePayloadValue.originalID == transaction.originalID
        }
    }

    func statusesByGroup() async -> [(groupID: String, statuses: [Product.SubscriptionInfo.Status])] {
        guard let store = attached?.store, let subscriptions = try? await store.subscriptions() else { return [] }
        var groups: [(groupID: String, statuses: [Product.SubscriptionInfo.Status])] = []
        for group in subscriptions.map(\.groupID) where !groups.contains(where: { $0.groupID == group }) {
            if let statuses = try? await statuses(inGroup: group), !statuses.isEmpty {
                groups.append((group, statuses))
            }
        }
        return groups
    }

    func isEligibleForIntroductoryOffer(inGroup group: String) async -> Bool {
        // If the store does not answer, the customer counts as not eligible.
        (try? await uncancelled { try await self.attached?.store.isEligibleForIntroductoryOffer(inGroup: group) })
            ?? false
    }

    // MARK: Account

    func storefront() async -> Storefront? {
        guard let code = try? await attached?.store.storefront() else { return nil }
        return Storefront(countryCode: code, id: code)
    }

    func announceStorefront() async {
        if let storefront = await storefront() { storefronts.send(storefront) }
    }

    func announceIntent(_ promoted: PromotedPurchase) async {
        guard let product = try? await products(for: [promoted.productIdentifier]).first else { return }
        let offer = product.subscription?.winBackOffers.first { $0.id == promoted.winBackOffer }
        intents.send(PurchaseIntent(product: product, offer: offer))
    }

    /// Asks the customer for a password, and synchronizes the transactions of this device with the store.
    func sync() async throws {
        let attached = try requireStore()
        if let error = errors.appStoreSync { throw error }
        do {
            try await attached.confirm(.signIn)
            _ = try await attached.store.restore()
        } catch let error as StoreKitError {
            throw error
        } catch {
            throw StoreKitError(error)
        }
    }

    func appTransaction(refreshing: Bool) async throws -> VerificationResult<AppTransaction> {
        let attached = try requireStore()
        if let error = errors.appTransaction { throw error }
        if refreshing { try await attached.confirm(.signIn) }
        let signed: String?
        do {
            signed = try await attached.store.appTransaction()
        } catch {
            throw StoreKitError(error)
        }
        guard let signed, let jws = UnverifiedJWS(signed), let payload = jws.decode(AppTransactionPayload.self) else {
            throw StoreKitError.unknown
        }
        let value = AppTransaction(payload: payload, jws: jws)
        let verification = errors.verification == nil ? await attached.verifier.verify(appTransaction: signed) : nil
        if case .verified = verification { return .verified(value) }
        return .unverified(value, error(of: verification))
    }
}

/// Runs a function to its end even if the calling task is canceled, because the store refuses calls from a canceled
/// task.
private func uncancelled<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    try await Task { try await body() }.value
}

extension Product.SubscriptionInfo.Status {
    fileprivate var isShared: Bool { transaction.unsafePayloadValue.ownershipType != .purchased }
}

extension StoreKitError {
    init(_ error: any Error) {
        self =
            switch error {
            case let error as StoreKitError: error
            case let error as StoreError where error.code == .network:
                .networkError(URLError(.notConnectedToInternet))
            case let error as StoreError where error.code == .unavailable: .unknown
            default: .systemError(error)
            }
    }
}
