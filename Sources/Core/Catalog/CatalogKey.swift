internal import Foundation
internal import VitrinePropertyList

/// Keys of a product in a catalog file. A ``CatalogKeyDescription`` describes each of them.
///
/// The page and the messages of `vitrine diff` list the keys in this order. ``ProductTraits`` has room for 32 keys.
enum CatalogKey: Int, CaseIterable {
    case productIdentifier, productTitle, longDescription
    case consumable, type, storageKey, localStorageKey, productValue, childProducts, maxChildren
    case subscriptionGroup, level, subscriptionDuration, formerDurations
    case minimumAppVersion, grandfathered
    case hosted, localContentPath, contentVersion, contentURL, contentDigest, contentLength
    case productIcon, featuredImage, userInfo, ignoredRules

    static let count = allCases.count

    /// Descriptions of the keys, indexed by the raw value of the key.
    static let rows = allCases.map(\.definition)

    /// Hash table that finds a key by the bytes of its name.
    static let table = KeyTable()

    var row: CatalogKeyDescription { Self.rows[rawValue] }

    /// Name of the key, as it occurs in a catalog file.
    var name: String { Self.rows[rawValue].name }

    /// Returns `true` if a value of the given property list type is valid for the key.
    func accepts(_ kind: PropertyListValue.Kind) -> Bool { valueType.accepts(kind) }

    /// Required type of the key's value. Access is fast, because the rest of the key's description is not copied.
    var valueType: CatalogValueType { Self.rows[rawValue].type }

    /// Key that marks an owned product in property lists written by the legacy library VTAInAppPurchases.
    static let ownershipKey = "purchased"
}

extension CatalogKey {
    private typealias Row = CatalogKeyDescription

    private var definition: CatalogKeyDescription {
        switch self {
        case .productIdentifier:
            Row(
                "productIdentifier", .string, "required, unique", least: 1,
                otherNames: ["id", "identifier", "productid"])
        case .productTitle:
            Row(
                "productTitle", .localizedText, "title shown while the store has not named the product",
                .text("Title") { $0.productTitle }, otherNames: ["title", "name"])
        case .longDescription:
            Row(
                "longDescription", .localizedText, "description shown in preference to the store's",
                .text("Description") { $0.longDescription }, otherNames: ["description"])
        case .consumable: Row("consumable", .boolean, "required, unless type is given")
        case .type:
            Row(
                "type", .productKind,
                "consumable, nonConsumable, nonRenewingSubscription, autoRenewableSubscription",
                .explained("Kind", { $0.kind }) { $0.rawValue }, otherNames: ["producttype", "kind"])
        case .storageKey:
            Row(
                "storageKey", .string,
                "required for consumables: the wallet that is credited. An auto-renewable subscription with storageKey "
                    + "and productValue credits it for each paid period. Several products may share a wallet",
                .explained("Wallet", { $0.storageKey }), otherNames: ["wallet", "currencykey"])
        case .localStorageKey: Row("localStorageKey", .string, "older name of storageKey")
        case .productValue:
            Row(
                "productValue", .integer,
                "required for consumables: number of units that are credited for each unit bought. Of an auto-renewable "
                    + "subscription with a storageKey: for each paid period", least: 1,
                .sale("Units", { $0.productValue }), otherNames: ["count", "amount", "value", "quantity"])
        case .childProducts:
            Row(
                "childProducts", .strings,
                "identifiers of the products that are unlocked with this one. A bundle may contain bundles, and "
                    + "subscriptions, which are then owned as long as the bundle",
                .explained("Children", comparing: { $0.childProducts }) { $0.childProducts },
                otherNames: ["children"])
        case .maxChildren:
            Row(
                "maxChildren", .integer,
                "the product is not offered once the customer owns this number of its direct children",
                .sale("Not sold with", { $0.maxChildren }) { "\($0) of its children" })
        case .subscriptionGroup:
            Row(
                "subscriptionGroup", .string,
                "name or identifier of the group of a subscription, until the store has answered: then the "
                    + "store's group applies",
                .explained("Group", { $0.subscriptionGroup }))
        case .level:
            Row(
                "level", .integer,
                "rank of a subscription in its group, until the store has answered: 1 is the highest, and equal "
                    + "levels are equivalent",
                .explained("Level", { $0.level }))
        case .subscriptionDuration:
            Row(
                "subscriptionDuration", .string,
                "duration of a non-renewing subscription in the form of ISO 8601: P7D, P1M, P1Y. Of an "
                    + "auto-renewable subscription: compared with the store's period by vitrine lint --storekit, and "
                    + "never acted on",
                .explained("Duration", { $0.subscriptionDuration }))
        case .formerDurations:
            Row(
                "formerDurations", .formerDurations,
                "durations that a non-renewing subscription had: dictionaries of duration, in the form of ISO 8601, and "
                    + "until, a date. The duration applies to purchases before that date",
                .explained("Former durations", comparing: { $0.formerDurations }) {
                    $0.formerDurations.map(\.description)
                })
        case .minimumAppVersion:
            Row(
                "minimumAppVersion", .string,
                "the product is not offered to older versions of the app. Example: 2.10",
                .explained("App version", { $0.minimumAppVersion }) { "from \($0)" },
                otherNames: ["minimumversion"])
        case .grandfathered:
            Row(
                "grandfathered", .grandfathering,
                "conditions beforeBuild, beforeVersion, beforeDate, platform: the product is granted to customers "
                    + "who first installed the app before then. All conditions of a dictionary, and any dictionary of "
                    + "an array",
                .explained("Grandfathered", comparing: { $0.grandfathered }) { $0.grandfathered.map(\.conditions) })
        case .hosted:
            Row(
                "hosted", .boolean,
                "the content is fetched after the purchase. Requires localContentPath, and contentURL unless the app "
                    + "contains the content in a folder of packages",
                .explained("Hosted content", comparing: { $0.isHosted }) { [$0.hostedContentPath?.description] })
        case .localContentPath:
            Row(
                "localContentPath", .string,
                "location of the content in the content directory: a relative path that no other product uses",
                .explained("Bundled content", comparing: { $0.localContentPath }) {
                    [$0.bundledContentPath?.description]
                })
        case .contentVersion:
            Row(
                "contentVersion", .string, "version of the content at contentURL",
                .part("Content version") { $0.content?.version })
        case .contentURL:
            Row(
                "contentURL", .stringOrStrings,
                "address of the content on the app's own server: a manifest that vitrine content pack has written "
                    + "(….plist), or an archive. Further addresses are mirrors",
                .explained("Content address", comparing: { $0.content }) {
                    $0.content?.urls.map(\.absoluteString) ?? []
                })
        case .contentDigest:
            Row(
                "contentDigest", .string,
                "digest of the file at contentURL: sha256: and 64 hexadecimal digits. An archive without a digest "
                    + "is not fetched",
                .part("Content digest") { $0.content?.digest })
        case .contentLength:
            Row(
                "contentLength", .integer, "length of the file at contentURL, in bytes",
                .part("Content bytes") { $0.content?.length })
        case .productIcon:
            Row(
                "productIcon", .string, "image: the name of a file of the app, or an https address",
                .presentation("Icon") { $0.productIcon }, otherNames: ["icon", "image", "productimage"])
        case .featuredImage:
            Row(
                "featuredImage", .string, "image: the name of a file of the app, or an https address",
                .presentation("Image") { $0.featuredImage })
        case .userInfo:
            Row("userInfo", .any, "data of the app, which Vitrine does not interpret", .userInfo)
        case .ignoredRules:
            // Rules are no property of a product: no app, and no comparison of catalogs, reads the value.
            Row(
                "ignoredRules", .strings,
                "names of rules whose warnings and notes about this product are not reported. Errors always are")
        }
    }
}
