internal import OpenStoreKitShim
public import VitrinePurchasing
public import VitrineSupport

extension StoreKitStore {
    public func purchase(
        _ identifier: String, options: PurchaseOptions
    ) async throws(StoreError) -> StorePurchaseAnswer {
        let product: Product
        do {
            product = try await self.product(identifier)
        } catch {
            guard !error.isOutcomeKnown else { throw error }
            throw StoreError(code: .notSubmitted, reason: error.reason)
        }
        let requested = try product.options(options)
        let held = await heldTransactions(of: product)
        let result: Product.PurchaseResult
        let call = Self.callOfPurchase ?? call
        switch await uncancelled({ try await call(product, requested) }) {
        case .success(let answer): result = answer
        case .failure(StoreKitError.userCancelled): return .cancelled
        case .failure(let error):
            let error = StoreError(purchase: error, of: identifier)
            if !error.isOutcomeKnown { noteUnknownOutcome(of: identifier) }
            throw error
        }
        switch result {
        case .success(let bought):
            let payload = bought.unsafePayloadValue
            // The answer to the order of a plan that begins later is the transaction of the present plan.
            guard payload.productID == identifier else {
                return .alreadyPurchased(await receive(bought, renewingAs: identifier))
            }
            let transaction = await receive(bought)
            return held.contains(payload.id) ? .alreadyPurchased(transaction) : .purchased(transaction)
        case .userCancelled: return .cancelled
        // StoreKit does not say whether another person has to approve, or the customer has to resolve an issue.
        case .pending: return .pending
        #if canImport(Darwin)
            @unknown default:
                throw StoreError(
                    code: .unavailable, reason: "StoreKit answered to the purchase of \(identifier) in an unknown way")
        #endif
        }
    }

    /// Returns the identifiers of the customer's existing transactions of a product; for a consumable, only of
    /// unfinished ones. A purchase call that returns one of them has not bought anything.
    private func heldTransactions(of product: Product) async -> Set<UInt64> {
        let (id, unfinished) = (product.id, unfinishedTransactions(of: product.id))
        guard product.type != .consumable else { return unfinished }
        return await uncancelled {
            var held = unfinished
            for await transaction in Transaction.all where transaction.unsafePayloadValue.productID == id {
                held.insert(transaction.unsafePayloadValue.id)
            }
            return held
        }
    }
}

extension Product {
    /// Converts the options of a purchase to StoreKit's options.
    ///
    /// - Throws: `StoreError` if the product has no such win-back offer.
    fileprivate func options(_ options: PurchaseOptions) throws(StoreError) -> Set<PurchaseOption> {
        var requested: Set<PurchaseOption> = []
        // StoreKit documents a quantity only for consumables and non-renewing subscriptions.
        if options.quantity != 1 { requested.insert(.quantity(options.quantity)) }
        if let token = options.accountToken { requested.insert(.appAccountToken(token)) }
        switch options.promotionalOffer?.proof {
        case .signature(let keyID, let nonce, let signature, let timestamp):
            requested.insert(
                .promotionalOffer(
                    offerID: options.promotionalOffer?.offerID ?? "", keyID: keyID, nonce: nonce, signature: signature,
                    timestamp: timestamp))
        case .token(let jws):
            requested.formUnion(
                PurchaseOption.promotionalOffer(options.promotionalOffer?.offerID ?? "", compactJWS: jws))
        case nil: break
        }
        if let jws = options.introductoryOfferEligibility {
            requested.insert(.introductoryOfferEligibility(compactJWS: jws))
        }
        if let wanted = options.winBackOffer {
            guard #available(iOS 18.0, macOS 15.0, tvOS 18.0, visionOS 2.0, *),
                let offer = subscription?.winBackOffers.first(where: { $0.id == wanted })
            else {
                throw StoreError(code: .invalidOffer, reason: "\(id) has no win-back offer \(wanted)")
            }
            requested.insert(.winBackOffer(offer))
        }
        return requested
    }
}

#if !os(tvOS) && !os(visionOS)
    extension PromotedPurchase {
        /// Creates a promoted purchase from StoreKit's purchase intent. Offers other than win-back offers are omitted,
        /// because they need a signature from the app's server.
        @available(macOS 14.4, *)
        init(_ intent: PurchaseIntent) {
            var winBackOffer: String?
            if #available(iOS 18.0, macOS 15.0, *), let offer = intent.offer, offer.type == .winBack {
                winBackOffer = offer.id
            }
            self.init(productIdentifier: intent.product.id, winBackOffer: winBackOffer)
        }
    }
#endif
