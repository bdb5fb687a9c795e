internal import Foundation

/// JSON of a StoreKit configuration file, with the keys that are read. ``UnknownStoreKeys`` finds other keys.
struct ConfigurationFile: Decodable {
    struct Version: Decodable {
        let major: Int
        let minor: Int
    }

    struct Product: Decodable {
        let productID: String
        let type: String
        let displayPrice: String?
        let referenceName: String?
        let familyShareable: Bool?
        /// Value of the key `familySharable`, a misspelling of `familyShareable` in some files.
        let familySharable: Bool?
        let localizations: [Localization]?
        // Only in subscriptions:
        let recurringSubscriptionPeriod: String?
        let groupNumber: Int?
        let introductoryOffer: Offer?
        let introductoryOffers: [Offer]?
        let adHocOffers: [Offer]?
        let winbackOffers: [Offer]?
        let codeOffers: [Offer]?
    }

    struct Localization: Decodable {
        let locale: String
        let displayName: String?
        let description: String?
    }

    struct Offer: Decodable {
        let offerID: String?
        let internalID: String?
        let referenceName: String?
        let paymentMode: String?
        let subscriptionPeriod: String?
        let numberOfPeriods: Int?
        let displayPrice: String?
    }

    struct SubscriptionGroup: Decodable {
        let id: String?
        let name: String?
        let localizations: [Localization]?
        let subscriptions: [Product]?
    }

    struct Settings: Decodable {
        let storefront: String?
        let locale: String?

        enum CodingKeys: String, CodingKey {
            case storefront = "_storefront"
            case locale = "_locale"
        }
    }

    let version: Version
    let products: [Product]?
    let nonRenewingSubscriptions: [Product]?
    let subscriptionGroups: [SubscriptionGroup]?
    let settings: Settings?
}

extension ConfigurationFile.Product {
    private static let kinds: [String: ProductKind] = [
        "Consumable": .consumable, "NonConsumable": .nonConsumable,
        "NonRenewingSubscription": .nonRenewingSubscription, "RecurringSubscription": .autoRenewableSubscription,
    ]

    /// Returns the product; `nil` if it has an unknown type or an invalid price.
    ///
    /// - Parameter omissions: Receives the reason for a product that is left out.
    func item(_ omissions: inout [String]) -> StoreConfiguration.Item? {
        guard let kind = Self.kinds[type] else {
            omissions.append("the product \(productID.quoted) is left out: its type \(type.quoted) is unknown")
            return nil
        }
        guard let price = StoreConfiguration.price(displayPrice) else {
            omissions.append(
                "the product \(productID.quoted) is left out: its price \((displayPrice ?? "").quoted) is not a number "
                    + "like 4.99")
            return nil
        }
        return StoreConfiguration.Item(
            identifier: productID,
            kind: kind,
            referenceName: referenceName,
            price: price,
            isFamilyShareable: familyShareable ?? familySharable ?? false,
            localizations: (localizations ?? []).map(\.localization)
        )
    }

    /// Returns the subscription; `nil` if it is left out like ``item(_:)``.
    func subscription(group: String, _ omissions: inout [String]) -> StoreConfiguration.Subscription? {
        guard let item = item(&omissions) else { return nil }
        var offers: [StoreConfiguration.Offer] = []
        // Files of version 5 contain the introductory offer twice.
        let introductory =
            (introductoryOffers ?? []).isEmpty ? [introductoryOffer].compactMap(\.self) : introductoryOffers
        let kinds: [(StoreConfiguration.Offer.Kind, [ConfigurationFile.Offer]?)] = [
            (.introductory, introductory), (.promotional, adHocOffers), (.winBack, winbackOffers), (.code, codeOffers),
        ]
        for (kind, declared) in kinds {
            offers += (declared ?? []).compactMap { $0.offer(kind, of: productID, &omissions) }
        }
        return StoreConfiguration.Subscription(
            item: item, group: group, level: groupNumber ?? 1, period: recurringSubscriptionPeriod, offers: offers
        )
    }
}

extension ConfigurationFile.Localization {
    var localization: StoreConfiguration.Localization {
        StoreConfiguration.Localization(
            locale: locale, displayName: displayName ?? "", description: description ?? "")
    }
}

extension ConfigurationFile.Offer {
    /// Returns the offer; `nil` if it has an unknown payment mode or an invalid price.
    ///
    /// - Parameter omissions: Receives the reason for an offer that is left out.
    fileprivate func offer(
        _ kind: StoreConfiguration.Offer.Kind, of product: String, _ omissions: inout [String]
    ) -> StoreConfiguration.Offer? {
        let mode = paymentMode ?? ""
        guard let paymentMode = StoreConfiguration.Offer.PaymentMode(rawValue: mode) else {
            omissions.append("an offer of \(product.quoted) is left out: its paymentMode \(mode.quoted) is unknown")
            return nil
        }
        // Some files contain a price for free offers.
        guard let price = StoreConfiguration.price(paymentMode == .free ? nil : displayPrice) else {
            omissions.append(
                "an offer of \(product.quoted) is left out: its price \((displayPrice ?? "").quoted) is not a number "
                    + "like 4.99")
            return nil
        }
        return StoreConfiguration.Offer(
            kind: kind,
            identifier: offerID ?? referenceName ?? internalID ?? "",
            paymentMode: paymentMode,
            period: subscriptionPeriod,
            periodCount: numberOfPeriods ?? 1,
            price: price)
    }
}

extension StoreConfiguration {
    /// Parses a price.
    ///
    /// - Returns: `nil` for a text that is no price, and a price of `nil` for a missing or empty one.
    fileprivate static func price(_ text: String?) -> Decimal?? {
        guard let text, !text.isEmpty else { return .some(nil) }
        guard isPrice(text), let price = Decimal(string: text) else { return nil }
        return price
    }

    /// Returns `true` for a price with up to twelve digits, and up to six digits after a decimal point.
    private static func isPrice(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return (1...2).contains(parts.count)
            && zip(parts, [12, 6]).allSatisfy { part, most in
                (1...most).contains(part.count)
                    && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            }
    }
}

/// Search for unknown keys in a StoreKit configuration file, which may have been edited by hand.
enum UnknownStoreKeys {
    /// Finds the unknown keys.
    ///
    /// - Returns: Sorted paths of the keys, such as `products[2].pricing`. The values of unknown keys are not searched.
    static func find(in data: Data) -> [String] {
        guard let root = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else { return [] }
        return Array(unknownKeys(in: root, Self.root, path: "").prefix(CatalogLimits.findings))
    }

    /// Expected structure of a JSON value. A value of the structure `anything` is not searched for unknown keys.
    private indirect enum Shape: Sendable {
        case anything
        case object([String: Shape])
        case array(Shape)
    }

    private static func unknownKeys(in value: Any, _ shape: Shape, path: String) -> [String] {
        switch shape {
        case .anything: return []
        case .array(let element):
            return (value as? [Any] ?? []).enumerated().flatMap { index, value in
                unknownKeys(in: value, element, path: "\(path)[\(index)]")
            }
        case .object(let known):
            return (value as? [String: Any] ?? [:]).sorted { $0.key < $1.key }.flatMap { key, value in
                let path = path.isEmpty ? key : "\(path).\(key)"
                return known[key].map { unknownKeys(in: value, $0, path: path) } ?? [path]
            }
        }
    }

    private static func object(_ keys: String, _ shapes: [String: Shape] = [:]) -> Shape {
        let names = keys.split(whereSeparator: \.isWhitespace).map(String.init)
        return .object(
            Dictionary(names.map { ($0, .anything) }, uniquingKeysWith: { first, _ in first })
                .merging(shapes) { $1 })
    }

    // The keys of versions 1.0 to 6.3. Settings begin with an underscore, and Xcode adds to them freely.
    private static let localizations = Shape.array(object("description displayName locale"))
    private static let product = """
        productID type referenceName displayPrice familyShareable familySharable internalID promotionalImageID
        """
    private static let subscription = object(
        product + """
             recurringSubscriptionPeriod groupNumber subscriptionGroupID adHocOffers codeOffers introductoryOffer
             introductoryOffers winbackOffers billingPlans
            """, ["localizations": localizations])
    private static let root = object(
        """
        version settings identifier appPolicies subscriptionOffersKeyPair subscriptionBundleGroups
        subscriptionSuiteGroups
        """,
        [
            "products": .array(object(product, ["localizations": localizations])),
            "nonRenewingSubscriptions": .array(object(product, ["localizations": localizations])),
            "subscriptionGroups": .array(
                object("id name", ["localizations": localizations, "subscriptions": .array(subscription)])),
        ])
}
