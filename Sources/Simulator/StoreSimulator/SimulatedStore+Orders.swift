internal import Crypto
internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

/// Customer's request to buy a product. The store has not checked yet whether it sells the product.
struct OrderRequest: Sendable {
    let identifier: String
    let options: PurchaseOptions
    let customer: Int64
    /// Number of the buying device; `nil` if the store does not know the device.
    let device: Int64?
    let storefront: String
    let currency: String
    /// Subscription offer that the customer requests. If the offer needs a signature, the signature was verified.
    let offer: RequestedOffer?
    /// Identifier of a transaction of the customer, or of the customer's app transaction, for whom the app's server has
    /// signed the promotional offer; `nil` if it is signed for no certain customer.
    var offerTransaction: String?
    /// `true` if the purchase requires approval, regardless of the store's settings.
    var asksToBuy = false
    /// Decision of the app's server about the introductory offer, with a verified signature; `nil` without a decision.
    let introductoryOffer: IntroductoryOfferDecision?
}

/// Decision of the app's server whether a customer is eligible for an introductory offer.
struct IntroductoryOfferDecision: Sendable {
    let isAllowed: Bool
    /// Identifier of a transaction of the customer, or of the customer's app transaction.
    let transaction: String
}

extension SimulatedStore {
    /// Creates the request for a purchase.
    ///
    /// - Parameters:
    ///   - device: Number of the buying device; `nil` if the store does not know the device.
    ///   - offer: Subscription offer that needs no signature; `nil` for the offer in the options.
    /// - Throws: `StoreError` if the store does not sell the product in this quantity, or the signature of a
    ///   promotional offer or of a decision about an introductory offer is invalid.
    func order(
        _ identifier: String, options: PurchaseOptions, on device: Int64?, requesting offer: RequestedOffer? = nil
    ) async throws(StoreError) -> OrderRequest {
        let storefront = try await storefrontNow()
        guard let item = core.item(identifier) else { throw StoreError(notSold: identifier) }
        guard (1...item.kind.mostUnits).contains(options.quantity) else {
            throw StoreError(
                code: .invalidQuantity,
                reason: "the store does not sell \(identifier) in a quantity of \(options.quantity)")
        }
        let signed = offer == nil ? try signedOffer(identifier, options) : nil
        return OrderRequest(
            identifier: identifier, options: options, customer: identity.customer, device: device,
            storefront: storefront, currency: texts(in: storefront).currency,
            offer: offer ?? signed?.offer, offerTransaction: signed?.transaction,
            introductoryOffer: try options.introductoryOfferEligibility.map { jws throws(StoreError) in
                try introductoryOfferDecision(jws, for: identifier)
            })
    }

    private func introductoryOfferDecision(
        _ jws: String, for identifier: String
    ) throws(StoreError) -> IntroductoryOfferDecision {
        let verification = try offerVerifier().verify(request: jws)
        guard case .verified(let request) = verification else {
            let reasons = verification.reasons.map(\.reason).joined(separator: "; ")
            throw StoreError(
                code: .invalidOffer, reason: "the decision about the introductory offer is invalid: \(reasons)")
        }
        guard case .introductoryOffer(identifier, let isAllowed, let transaction) = request.purpose else {
            throw StoreError(
                code: .invalidOffer,
                reason: "the signed request is not about the introductory offer of \(identifier)")
        }
        return IntroductoryOfferDecision(isAllowed: isAllowed, transaction: transaction)
    }

    /// Returns the verifier for the signatures of the app's server on subscription offers.
    ///
    /// - Throws: `StoreError` if the `.storekit` file has no readable key pair for these signatures.
    private func offerVerifier() throws(StoreError) -> OfferVerifier {
        if let verifier = core.offerVerifier { return verifier }
        throw StoreError(
            code: .invalidOffer,
            reason: "signed offers cannot be checked: the .storekit file has no readable subscriptionOffersKeyPair")
    }

    /// Returns the offer in the options of a purchase, and the customer's transaction that its signature names.
    private func signedOffer(
        _ identifier: String, _ options: PurchaseOptions
    ) throws(StoreError) -> (offer: RequestedOffer, transaction: String?)? {
        if let winBack = options.winBackOffer { return (.winBack(identifier: winBack), nil) }
        guard let offer = options.promotionalOffer else { return nil }
        let verifier = try offerVerifier()
        let date: Date
        do {
            date = try core.now()
        } catch {
            throw StoreError(error)
        }
        let reasons: [RejectionReason]
        var transaction: String?
        switch offer.proof {
        case .signature(let keyID, let nonce, let signature, let timestamp):
            let payload = PromotionalOfferPayload(
                bundleIdentifier: bundleIdentifier, productIdentifier: identifier, offerIdentifier: offer.offerID,
                account: options.accountToken?.uuidString ?? "", nonce: nonce, timestamp: Int64(timestamp))
            guard keyID == core.configuration.offersKeyPair?.id else {
                throw StoreError(
                    code: .invalidOffer,
                    reason: "the promotional offer is signed with another key than that of the store: \(keyID)")
            }
            // The app's server dates the offer by the machine's clock, because it does not know the store's.
            let clock = payload.isActive(at: core.machineNow()) ? core.machineNow() : date
            reasons = verifier.verify(payload, signature: signature.base64EncodedString(), at: clock).reasons
        case .token(let jws):
            let verification = verifier.verify(request: jws)
            reasons = verification.reasons
            if case .verified(let request) = verification {
                guard case .promotionalOffer(identifier, offer.offerID, let named) = request.purpose else {
                    throw StoreError(
                        code: .invalidOffer,
                        reason: "the signed request is not for the offer \(offer.offerID) of \(identifier)")
                }
                transaction = named
            }
        }
        guard reasons.isEmpty else {
            throw StoreError(
                code: .invalidOffer,
                reason: "the promotional offer \(offer.offerID) is invalid: \(reasons[0].reason)")
        }
        return (.promotional(identifier: offer.offerID), transaction)
    }
}

extension Verification {
    /// Reasons why the signed data was rejected; empty if it was not rejected.
    fileprivate var reasons: [RejectionReason] {
        if case .rejected(let reasons) = self { return reasons }
        return []
    }
}

extension StoreTransactionScope {
    /// Creates the order for a customer's request to buy a product, with the price and the offer that apply at the current date of the store.
    func order(_ request: OrderRequest) throws -> StoreOrder {
        guard let item = core.item(request.identifier), try !isWithdrawn(request.identifier) else {
            throw SimulatedStoreError(
                code: .noSuchProduct, reason: "the store does not sell \(request.identifier)")
        }
        let subscription = core.subscription(request.identifier)
        let offer = try request.offer.map { requested in
            guard let subscription else { return try codeOffer(requested, of: item, for: request.customer) }
            return try self.offer(requested, of: subscription, for: request.customer)
        }
        if let transaction = request.offerTransaction {
            try check(transaction, isOf: request.customer, in: "the promotional offer")
        }
        let unitPrice = subscription == nil ? offer?.price : nil
        var record = PurchaseRecord(
            customer: request.customer, device: request.device, productIdentifier: request.identifier,
            kind: item.kind, quantity: request.options.quantity, purchaseDate: date.milliseconds,
            price: try (unitPrice ?? price(of: item)) * request.options.quantity, currency: request.currency,
            storefront: request.storefront)
        record.accountToken = request.options.accountToken?.uuidString
        // The first period of a subscription may have another offer than the requested one.
        if subscription == nil { record.offer = offer }
        var order = StoreOrder(
            record: record, offer: offer, subscription: subscription, asksToBuy: request.asksToBuy)
        if let decision = request.introductoryOffer {
            try check(decision.transaction, isOf: request.customer, in: "the decision about the introductory offer")
            order.getsIntroductoryOffer = decision.isAllowed
        }
        return order
    }

    /// Checks that the transaction in a request that the app's server has signed is one of the customer who uses it.
    ///
    /// - Throws: ``SimulatedStoreError`` `noSuchOffer` if it is not.
    private func check(_ transaction: String, isOf customer: Int64, in request: String) throws {
        guard try isTransaction(transaction, of: customer) else {
            throw SimulatedStoreError(
                code: .noSuchOffer, reason: "\(request) is signed for a transaction of another customer")
        }
    }

    /// Returns `true` if an identifier belongs to a transaction or to the app transaction of a customer.
    private func isTransaction(_ identifier: String, of customer: Int64) throws -> Bool {
        if identifier == core.seed.appTransactionID(of: customer) { return true }
        let record = try Int64(identifier).flatMap { try PurchaseRecord.fetchOne(database, key: $0) }
        return record?.customer == customer && record?.isPending == false
    }
}

extension StoreError {
    init(notSold identifier: String) {
        self.init(code: .productNotAvailable, reason: "the store does not sell \(identifier)")
    }
}
