internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts
internal import VitrineSupport

/// Offer that a customer requests, also in the form of a recording.
package enum RequestedOffer: Codable, Sendable, Hashable {
    /// Promotional offer with a verified signature.
    case promotional(identifier: String)
    case winBack(identifier: String)
    /// Offer code, given by its reference name in the `.storekit` file.
    case code(name: String)

    var kindAndIdentifier: (StoreConfiguration.Offer.Kind, String) {
        switch self {
        case .promotional(let identifier): (.promotional, identifier)
        case .winBack(let identifier): (.winBack, identifier)
        case .code(let name): (.code, name)
        }
    }
}

/// Offers of a subscription for which a customer is eligible.
struct OfferEligibility: Sendable {
    let isForIntroductoryOffer: Bool
    /// Identifiers of win-back offers, in the order of the `.storekit` file.
    let winBackOffers: [String]

    static let ofNewCustomer = OfferEligibility(isForIntroductoryOffer: true, winBackOffers: [])
}

/// Subscription offers, and the customers' eligibility for them.
extension StoreTransactionScope {
    /// Returns the introductory offer of a subscription; `nil` if it has none, or the customer is not eligible.
    ///
    /// - Parameter isAllowed: Decision of the app's server about the eligibility; `nil` if the store decides.
    func introductoryOffer(
        of product: StoreConfiguration.Subscription, for customer: Int64, isAllowed: Bool?
    ) throws -> AppliedOffer? {
        guard let offer = product.offers.first(where: { $0.kind == .introductory }),
            try isAllowed ?? isEligibleForIntroductoryOffer(customer, inGroup: product.groupID)
        else { return nil }
        return AppliedOffer(offer)
    }

    /// Returns `true` if a customer has never used an introductory offer of a subscription group, and has no current
    /// subscription in it.
    func isEligibleForIntroductoryOffer(_ customer: Int64, inGroup group: String) throws -> Bool {
        if let current = try ownSubscription(of: customer, inGroup: group), !current.hasEnded { return false }
        return try !purchases(by: customer, inGroup: group).contains { $0.offer?.type == .introductory }
    }

    /// Returns the subscription offer that a customer requests.
    ///
    /// - Throws: ``SimulatedStoreError`` `noSuchOffer` if the product does not have the offer, or the customer is not
    ///   eligible for it, or has redeemed the offer code before.
    func offer(
        _ requested: RequestedOffer, of product: StoreConfiguration.Subscription, for customer: Int64
    ) throws -> AppliedOffer {
        let (kind, identifier) = requested.kindAndIdentifier
        guard let offer = product.offers.first(where: { $0.kind == kind && $0.identifier == identifier }) else {
            throw SimulatedStoreError(
                code: .noSuchOffer,
                reason: "the store has no \(kind.description) \(identifier) for \(product.item.identifier)")
        }
        guard try isEligible(customer, for: offer, of: product) else {
            throw SimulatedStoreError(
                code: .noSuchOffer, reason: "the customer is not eligible for the \(kind.description) \(identifier)")
        }
        if kind == .code {
            let next = try ownSubscription(of: customer, inGroup: product.groupID)
            let isNext = next?.renewalProduct == product.item.identifier && next?.nextOffer?.isCode(identifier) == true
            guard try !isNext && !hasRedeemed(identifier, of: product.item, customer) else {
                throw Self.redeemedBefore(identifier)
            }
        }
        return AppliedOffer(offer)
    }

    /// Returns the offer code that a customer redeems for a product that is not an auto-renewable subscription.
    ///
    /// - Throws: ``SimulatedStoreError`` `noSuchOffer` if the product does not have the offer, or the customer is not
    ///   eligible for it, has redeemed it before, or has the product already.
    func codeOffer(
        _ requested: RequestedOffer, of item: StoreConfiguration.Item, for customer: Int64
    ) throws -> AppliedOffer {
        func refusal(_ reason: String) -> SimulatedStoreError {
            SimulatedStoreError(code: .noSuchOffer, reason: reason)
        }
        guard let offer = item.codeOffer(requested) else {
            let (kind, identifier) = requested.kindAndIdentifier
            throw refusal("the store has no \(kind.description) \(identifier) for \(item.identifier)")
        }
        let bought = try PurchaseRecord.bought(by: customer).fetchAll(database)
        let kinds: Set<StoreConfiguration.CodeOffer.Eligibility> =
            bought.isEmpty ? [.nonSpender] : [.activeSpender, .churnedSpender]
        guard offer.eligibility.isEmpty || !offer.eligibility.isDisjoint(with: kinds) else {
            throw refusal("the customer is not eligible for the offer code \(offer.identifier)")
        }
        guard try !hasRedeemed(offer.identifier, of: item, customer) else {
            throw Self.redeemedBefore(offer.identifier)
        }
        if item.kind == .nonConsumable,
            try !PurchaseRecord.transactions(of: customer).filter({ $0.productIdentifier == item.identifier })
                .filter({ $0.revocationDate == nil }).isEmpty(database)
        {
            throw refusal("the customer already has \(item.identifier)")
        }
        return AppliedOffer(offer)
    }

    /// Returns `true` if a customer has a transaction at the price of an offer code.
    private func hasRedeemed(_ code: String, of item: StoreConfiguration.Item, _ customer: Int64) throws -> Bool {
        try PurchaseRecord.bought(by: customer).filter { $0.productIdentifier == item.identifier }.fetchAll(database)
            .contains { $0.offer?.isCode(code) == true }
    }

    /// Refusal of a code whose offer the customer has had. Apple lets a customer redeem one code of each offer.
    private static func redeemedBefore(_ code: String) -> SimulatedStoreError {
        SimulatedStoreError(code: .noSuchOffer, reason: "the customer has redeemed the offer code \(code) before")
    }

    private func isEligible(
        _ customer: Int64, for offer: StoreConfiguration.Offer, of product: StoreConfiguration.Subscription
    ) throws -> Bool {
        let current = try ownSubscription(of: customer, inGroup: product.groupID)
        switch offer.kind {
        case .introductory: return try isEligibleForIntroductoryOffer(customer, inGroup: product.groupID)
        case .promotional: return current != nil
        case .winBack:
            return try offer.isEligible && current?.state == .expired
                && purchases(by: customer, inGroup: product.groupID)
                    .contains { $0.productIdentifier == product.item.identifier }
        case .code:
            let customerKind: StoreConfiguration.Offer.Eligibility =
                current.map { $0.hasEnded ? .expired : .existing } ?? .new
            return offer.eligibility.isEmpty || offer.eligibility.contains(customerKind)
        }
    }

    /// Returns the offers for which a customer is eligible, by product identifier. Subscription groups in which the
    /// customer has never bought are left out, because the customer is a new subscriber there.
    func offerEligibilities(of customer: Int64) throws -> [String: OfferEligibility] {
        let groups = try Set(
            String.fetchAll(
                database.cachedStatement(
                    sql: """
                        SELECT DISTINCT groupID FROM purchase
                        WHERE customer = ? AND NOT isPending AND ownershipType = ? AND groupID IS NOT NULL
                        """), arguments: [customer, OwnershipType.purchased.rawValue]))
        guard !groups.isEmpty else { return [:] }
        let products = core.configuration.subscriptions.filter { groups.contains($0.groupID) }
        return try Dictionary(
            products.map { product in
                let winBackOffers = try product.offers.filter {
                    try $0.kind == .winBack && isEligible(customer, for: $0, of: product)
                }
                let eligibility = OfferEligibility(
                    isForIntroductoryOffer: try isEligibleForIntroductoryOffer(customer, inGroup: product.groupID),
                    winBackOffers: winBackOffers.map(\.identifier))
                return (product.item.identifier, eligibility)
            }, uniquingKeysWith: { $1 })
    }

    /// Returns the identifiers of the win-back offers for customers whose subscription to a product has ended.
    func winBackOffers(of product: String) -> [String] {
        core.subscription(product)?.offers.filter { $0.kind == .winBack && $0.isEligible }.map(\.identifier) ?? []
    }

    private func purchases(by customer: Int64, inGroup group: String) throws -> [PurchaseRecord] {
        try PurchaseRecord.bought(by: customer).filter { $0.groupID == group }.fetchAll(database)
    }
}

extension AppliedOffer {
    /// Returns `true` for the offer of a code with a reference name.
    fileprivate func isCode(_ name: String) -> Bool { type == .offerCode && identifier == name }
}

extension StoreConfiguration.Item {
    /// Returns the requested offer code of a product that is not an auto-renewable subscription.
    func codeOffer(_ requested: RequestedOffer) -> StoreConfiguration.CodeOffer? {
        guard case .code(let name) = requested else { return nil }
        return codeOffers.first { $0.identifier == name }
    }
}

extension StoreConfiguration.Subscription {
    /// Returns `true` if a customer who is eligible for the introductory offer gets both: the requested offer follows.
    func mayFollowIntroductoryOffer(_ requested: AppliedOffer) -> Bool {
        offers.contains { $0.kind == .code && $0.isStackable && requested.isCode($0.identifier) }
    }
}

extension StoreConfiguration.Offer.Kind {
    /// Kind of a subscription offer, as part of a sentence.
    fileprivate var description: String {
        switch self {
        case .introductory: "introductory offer"
        case .promotional: "promotional offer"
        case .winBack: "win-back offer"
        case .code: "offer code"
        }
    }
}
