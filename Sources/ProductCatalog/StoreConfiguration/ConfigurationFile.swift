internal import Foundation

/// The JSON of a StoreKit configuration file, as far as it is read. Keys that are not named here are ignored.
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
        let localizations: [Localization]?
    }

    struct Localization: Decodable {
        let locale: String
        let displayName: String?
        let description: String?
    }

    struct SubscriptionGroup: Decodable {
        struct Subscription: Decodable {}

        let subscriptions: [Subscription]?
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
    func item() throws(StoreConfigurationError) -> StoreConfiguration.Item {
        let kinds: [String: ProductKind] = [
            "Consumable": .consumable, "NonConsumable": .nonConsumable,
            "NonRenewingSubscription": .nonRenewingSubscription,
        ]
        guard let kind = kinds[type] else {
            throw StoreConfigurationError(reason: "the product \"\(productID)\" has the unknown type \"\(type)\"")
        }
        return StoreConfiguration.Item(
            identifier: productID,
            kind: kind,
            referenceName: referenceName,
            price: try price(),
            isFamilyShareable: familyShareable ?? false,
            localizations: (localizations ?? []).map {
                StoreConfiguration.Item.Localization(
                    locale: $0.locale, displayName: $0.displayName ?? "", description: $0.description ?? "")
            }
        )
    }

    private func price() throws(StoreConfigurationError) -> Decimal? {
        guard let displayPrice, !displayPrice.isEmpty else { return nil }
        guard displayPrice.wholeMatch(of: /[0-9]{1,12}(\.[0-9]{1,6})?/) != nil,
            let price = Decimal(string: displayPrice)
        else {
            throw StoreConfigurationError(
                reason: "the price \"\(displayPrice)\" of \"\(productID)\" is not a number like 4.99")
        }
        return price
    }
}
