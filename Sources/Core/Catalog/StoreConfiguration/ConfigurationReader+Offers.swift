internal import Foundation

extension ConfigurationReader {
    /// Reads the offers of a subscription, such as its introductory offer.
    mutating func offers(of subscription: ConfigurationObject, product: String) -> [StoreConfiguration.Offer] {
        var offers: [StoreConfiguration.Offer] = []
        for object in introductoryOffers(of: subscription) {
            guard let offer = offer(object, .introductory, of: product) else { continue }
            guard offers.isEmpty else {
                leaveOutOffer(of: product, "a subscription has only one introductory offer")
                continue
            }
            offers.append(offer)
        }
        let kinds: [(key: String, StoreConfiguration.Offer.Kind)] = [
            ("adHocOffers", .promotional), ("winbackOffers", .winBack), ("codeOffers", .code),
        ]
        for (key, kind) in kinds {
            for object in subscription.objects(key, &omissions) {
                guard let offer = offer(object, kind, of: product) else { continue }
                offers.append(offer)
            }
        }
        return offers
    }

    /// Returns the introductory offers of a subscription: from a list in files of version 6, from a single object in
    /// files of earlier versions. Files of version 5 contain the same offer in both.
    private mutating func introductoryOffers(of subscription: ConfigurationObject) -> [ConfigurationObject] {
        let offers = subscription.objects("introductoryOffers", &omissions)
        guard offers.isEmpty, subscription.has("introductoryOffer") else { return offers }
        return [subscription.object("introductoryOffer", &omissions)]
    }

    /// Reads a subscription offer.
    ///
    /// - Returns: `nil` for an offer that is left out.
    private mutating func offer(
        _ object: ConfigurationObject, _ kind: StoreConfiguration.Offer.Kind, of product: String
    ) -> StoreConfiguration.Offer? {
        let plan = object.text("billingPlanType", &omissions) ?? Self.ordinaryBillingPlan
        guard plan == Self.ordinaryBillingPlan else {
            return leaveOutOffer(of: product, "its billing plan \(plan.quoted) is not supported")
        }
        let mode = object.text("paymentMode", &omissions) ?? ""
        guard let paymentMode = StoreConfiguration.Offer.PaymentMode(rawValue: mode) else {
            return leaveOutOffer(
                of: product, mode.isEmpty ? "it has no paymentMode" : "its paymentMode \(mode.quoted) is unknown")
        }
        let periodText = object.text("subscriptionPeriod", &omissions) ?? ""
        guard let period = RenewalPeriod(iso8601: periodText) else {
            return leaveOutOffer(
                of: product,
                periodText.isEmpty
                    ? "it has no subscriptionPeriod"
                    : "its subscriptionPeriod \(periodText.quoted) is not a period like P1M")
        }
        let count = object.integer("numberOfPeriods", &omissions) ?? 1
        guard (1...9_999).contains(count),
            let duration = RenewalPeriod(count: period.count * count, unit: period.unit)
        else {
            return leaveOutOffer(of: product, "its numberOfPeriods \(count) is too small or too large")
        }
        guard let price = offerPrice(of: object, isFree: paymentMode == .free, product: product) else { return nil }
        return StoreConfiguration.Offer(
            kind: kind,
            identifier: offerIdentifier(of: object),
            paymentMode: paymentMode,
            period: period,
            periodCount: count,
            duration: duration,
            price: price,
            eligibility: eligibility(of: object, product: product, StoreConfiguration.Offer.Eligibility.init),
            isStackable: object.flag("isStackable", &omissions) ?? false,
            isEligible: object.flag("isEligible", &omissions) ?? true)
    }

    /// Reads the offer codes of a product that is not an auto-renewable subscription. They have a price and no period.
    mutating func codeOffers(of item: ConfigurationObject, product: String) -> [StoreConfiguration.CodeOffer] {
        item.objects("codeOffers", &omissions).compactMap { object in
            let isFree = object.text("paymentMode", &omissions) == StoreConfiguration.Offer.PaymentMode.free.rawValue
            guard let price = offerPrice(of: object, isFree: isFree, product: product) else { return nil }
            return StoreConfiguration.CodeOffer(
                identifier: offerIdentifier(of: object), price: price,
                eligibility: eligibility(
                    of: object, product: product, StoreConfiguration.CodeOffer.Eligibility.init))
        }
    }

    private mutating func offerIdentifier(of object: ConfigurationObject) -> String {
        object.text("offerID", &omissions) ?? object.text("referenceName", &omissions)
            ?? object.text("internalID", &omissions) ?? ""
    }

    /// Reads the price of an offer.
    ///
    /// - Returns: A price of `nil` for a free offer; `nil` for an offer that is left out.
    private mutating func offerPrice(of object: ConfigurationObject, isFree: Bool, product: String) -> Decimal?? {
        // Some files contain a price for free offers.
        let text = isFree ? "" : object.text("displayPrice", &omissions) ?? ""
        guard let price = ConfigurationPrice.parse(text), price != nil || isFree else {
            leaveOutOffer(of: product, "its price \(text.quoted) is not a number like 4.99")
            return nil
        }
        return .some(price)
    }

    private mutating func eligibility<Customers: RawRepresentable & CaseIterable & Hashable>(
        of offer: ConfigurationObject, product: String, _ make: (String) -> Customers?
    ) -> Set<Customers> where Customers.RawValue == String {
        guard let names = offer.texts("eligibility", &omissions) else { return Set(Customers.allCases) }
        let known = names.compactMap { name in
            let customers = make(name)
            if customers == nil {
                omissions.add(
                    .value, "the eligibility \(name.quoted) of an offer of \(product.quoted) is ignored: it is unknown")
            }
            return customers
        }
        return Set(known)
    }

    @discardableResult
    private mutating func leaveOutOffer(of product: String, _ reason: String) -> StoreConfiguration.Offer? {
        omissions.add(.offer, "an offer of \(product.quoted) is left out: \(reason)")
        return nil
    }
}
