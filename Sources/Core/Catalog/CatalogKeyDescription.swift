package import VitrinePropertyList

/// Description of a product key of the catalog, for documentation and schemas.
package struct CatalogKeyDescription: Sendable {
    package let name: String
    /// Types of values that the key accepts.
    package let types: [PropertyListValue.Kind]
    /// Type of the elements of an array or dictionary under the key. `nil` if the key accepts neither, if its elements
    /// may have any type, and for grandfathering rules, which have keys of their own.
    package let elementType: PropertyListValue.Kind?
    /// Meaning of the key, as in the table of Documentation/Catalog.md.
    package let meaning: String

    /// All keys of a product.
    package static let all = CatalogKey.allCases.map { key in
        CatalogKeyDescription(
            name: key.name, types: PropertyListValue.Kind.allCases.filter(key.accepts),
            elementType: key.elementType, meaning: key.meaning)
    }
}

extension CatalogKey {
    fileprivate var elementType: PropertyListValue.Kind? {
        switch self {
        case .childProducts, .contentURL, .productTitle, .longDescription: .string
        default: nil
        }
    }

    fileprivate var meaning: String {
        switch self {
        case .productIdentifier: "required, unique"
        case .consumable: "required, unless type is given"
        case .type: "consumable, nonConsumable, nonRenewingSubscription, autoRenewableSubscription"
        case .storageKey: "required for consumables: the wallet that is credited. Several products may share one"
        case .localStorageKey: "older name of storageKey"
        case .productValue: "required for consumables: number of units that are credited for each unit bought"
        case .localContentPath:
            "location of the content in the content directory: a relative path that no other product uses"
        case .hosted: "the content is fetched after the purchase. Requires localContentPath"
        case .contentVersion: "version of the content at contentURL"
        case .contentURL:
            "address of the content on the app's own server: a manifest that vitrine content pack has written "
                + "(….plist), or an archive. Further addresses are mirrors"
        case .contentDigest:
            "digest of the file at contentURL: sha256: and 64 hexadecimal digits. An archive without a digest "
                + "is not fetched"
        case .contentLength: "length of the file at contentURL, in bytes"
        case .childProducts:
            "identifiers of the products that are unlocked with this one. A bundle may contain bundles, and "
                + "subscriptions, which are then owned as long as the bundle"
        case .maxChildren: "the product is not offered once the customer owns this number of its direct children"
        case .productIcon: "image: the name of a file of the app, or an https address"
        case .featuredImage: "image: the name of a file of the app, or an https address"
        case .productTitle: "title shown while the store has not named the product"
        case .longDescription: "description shown in preference to the store's"
        case .grandfathered:
            "conditions beforeBuild, beforeVersion, beforeDate, platform: the product is granted to customers "
                + "who first installed the app before then. All conditions of a dictionary, and any dictionary of "
                + "an array"
        case .minimumAppVersion: "the product is not offered to older versions of the app. Example: 2.10"
        case .subscriptionGroup:
            "name or identifier of the group of a subscription, until the store has answered: then the "
                + "store's group applies"
        case .level:
            "rank of a subscription in its group, until the store has answered: 1 is the highest, and equal "
                + "levels are equivalent"
        case .subscriptionDuration:
            "duration of a non-renewing subscription in the form of ISO 8601: P7D, P1M, P1Y. Of an "
                + "auto-renewable subscription: compared with the store's period by vitrine lint --storekit, and "
                + "never acted on"
        case .userInfo: "data of the app, which Vitrine does not interpret"
        }
    }
}
