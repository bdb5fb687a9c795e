internal import OpenStoreKitShim
internal import VitrineCatalog
internal import VitrineReceipts

/// Eligibility of the current customer for the offers of subscriptions.
struct OfferEligibility: Sendable {
    /// Eligibility for introductory offers, by subscription group.
    private var introductory: [String: Bool] = [:]
    /// Identifiers of the win-back offers that the customer is eligible for, by subscription group, the best offer
    /// first.
    private var winBack: [String: [String]] = [:]

    /// - Parameter isEligible: Function that asks StoreKit about the introductory offers of a subscription group.
    init(of products: [Product], _ isEligible: @escaping @Sendable (_ group: String) async -> Bool) async {
        let subscriptions = products.compactMap(\.subscription)
        (introductory, winBack) = await uncancelled {
            var (introductory, winBack): ([String: Bool], [String: [String]]) = ([:], [:])
            // StoreKit may repeat its first answer as long as the process runs, also after the offer was used.
            for group in subscriptions.isEmpty ? [] : await Self.groupsWithUsedIntroductoryOffer() {
                introductory[group] = false
            }
            for subscription in subscriptions {
                let group = subscription.subscriptionGroupID
                if introductory[group] == nil { introductory[group] = await isEligible(group) }
                if #available(iOS 18.0, macOS 15.0, tvOS 18.0, visionOS 2.0, *), winBack[group] == nil,
                    !subscription.winBackOffers.isEmpty
                {
                    winBack[group] = await Self.winBackOffers(inGroup: group)
                }
            }
            return (introductory, winBack)
        }
    }

    /// Returns the subscription groups whose introductory offer the customer (not a family member) has used. A
    /// customer gets one such offer of a group.
    private static func groupsWithUsedIntroductoryOffer() async -> Set<String> {
        var groups: Set<String> = []
        for await result in Transaction.all {
            let transaction = result.unsafePayloadValue
            guard let group = transaction.subscriptionGroupID, transaction.ownershipType == .purchased,
                TransactionPayload(unverified: result.jwsRepresentation)?.offerType == .introductory
            else { continue }
            groups.insert(group)
        }
        return groups
    }

    /// Returns the identifiers of the win-back offers of a group that the customer is eligible for; none if StoreKit
    /// does not answer, because an offer must not be displayed unless it can be sold.
    @available(iOS 18.0, macOS 15.0, tvOS 18.0, visionOS 2.0, *)
    private static func winBackOffers(inGroup group: String) async -> [String] {
        let statuses = (try? await Product.SubscriptionInfo.status(for: group)) ?? []
        return statuses.flatMap { status -> [String] in
            guard case .verified(let transaction) = status.transaction, transaction.ownershipType == .purchased,
                case .verified(let renewal) = status.renewalInfo
            else { return [] }
            return renewal.eligibleWinBackOfferIDs
        }
    }

    func isEligibleForIntroductoryOffer(of subscription: Product.SubscriptionInfo) -> Bool? {
        introductory[subscription.subscriptionGroupID]
    }

    func winBackOffers(of subscription: Product.SubscriptionInfo) -> [String] {
        guard #available(iOS 18.0, macOS 15.0, tvOS 18.0, visionOS 2.0, *) else { return [] }
        let sold = Set(subscription.winBackOffers.compactMap(\.id))
        return (winBack[subscription.subscriptionGroupID] ?? []).filter(sold.contains)
    }
}

extension StoreProduct {
    init(_ product: Product, _ eligibility: OfferEligibility) {
        self.init(
            identifier: product.id, kind: ProductKind(product.type), displayName: product.displayName,
            description: product.description, price: product.price,
            currencyCode: product.priceFormatStyle.currencyCode, displayPrice: product.displayPrice,
            isFamilyShareable: product.isFamilyShareable,
            subscription: product.subscription.flatMap { Subscription($0, eligibility) })
    }
}

extension StoreProduct.Subscription {
    /// Converts StoreKit's terms of a subscription.
    ///
    /// - Returns: `nil` if the unit of the period is unknown; the product is then sold without subscription terms.
    fileprivate init?(_ terms: Product.SubscriptionInfo, _ eligibility: OfferEligibility) {
        guard let period = RenewalPeriod(terms.subscriptionPeriod) else { return nil }
        var winBackOffers: [Offer] = []
        if #available(iOS 18.0, macOS 15.0, tvOS 18.0, visionOS 2.0, *) {
            winBackOffers = terms.winBackOffers.compactMap { Offer($0, .winBack) }
        }
        self.init(
            groupID: terms.subscriptionGroupID, groupName: terms.groupDisplayName, level: terms.groupLevel,
            period: period,
            introductoryOffer: terms.introductoryOffer.flatMap { Offer($0, .introductory) },
            promotionalOffers: terms.promotionalOffers.compactMap { Offer($0, .promotional) },
            winBackOffers: winBackOffers,
            isEligibleForIntroductoryOffer: eligibility.isEligibleForIntroductoryOffer(of: terms),
            eligibleWinBackOffers: eligibility.winBackOffers(of: terms))
    }
}

extension StoreProduct.Subscription.Offer {
    /// Converts an offer of a subscription.
    ///
    /// - Returns: `nil` if the payment mode or the unit of the offer's period is unknown; the offer is then not
    ///   shown.
    fileprivate init?(_ offer: Product.SubscriptionOffer, _ kind: StoreConfiguration.Offer.Kind) {
        let mode: StoreConfiguration.Offer.PaymentMode
        switch offer.paymentMode {
        case .freeTrial: mode = .free
        case .payAsYouGo: mode = .payAsYouGo
        case .payUpFront: mode = .payUpFront
        default: return nil
        }
        guard let period = RenewalPeriod(offer.period) else { return nil }
        self.init(
            kind: kind, identifier: offer.id, paymentMode: mode, period: period, periodCount: offer.periodCount,
            price: offer.price, displayPrice: offer.displayPrice)
    }
}

extension RenewalPeriod {
    fileprivate init?(_ period: Product.SubscriptionPeriod) {
        let unit: Unit
        switch period.unit {
        case .day: unit = .day
        case .week: unit = .week
        case .month: unit = .month
        case .year: unit = .year
        #if canImport(Darwin)
            @unknown default: return nil
        #endif
        }
        self.init(count: period.value, unit: unit)
    }
}

extension ProductKind {
    fileprivate init(_ type: Product.ProductType) {
        self =
            switch type {
            case .consumable: .consumable
            case .nonConsumable: .nonConsumable
            case .nonRenewable: .nonRenewingSubscription
            case .autoRenewable: .autoRenewableSubscription
            default: .unknown
            }
    }
}
