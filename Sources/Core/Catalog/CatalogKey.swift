internal import Foundation
internal import VitrinePropertyList

/// Keys of a product in a catalog file, with the value types that each key accepts.
enum CatalogKey: Int, CaseIterable {
    case productIdentifier, consumable, type, storageKey, localStorageKey, productValue
    case localContentPath, hosted, contentVersion, contentURL, contentDigest, contentLength
    case childProducts, maxChildren
    case productIcon, featuredImage, productTitle, longDescription
    case grandfathered, minimumAppVersion
    case subscriptionGroup, level, subscriptionDuration
    case userInfo

    /// Name of the key, as it occurs in a catalog file.
    var name: String { Self.names[rawValue] }

    /// Names of all keys, in the order of the cases. Asking the runtime for the names of cases slows down each start.
    private static let names = [
        "productIdentifier", "consumable", "type", "storageKey", "localStorageKey", "productValue", "localContentPath",
        "hosted", "contentVersion", "contentURL", "contentDigest", "contentLength", "childProducts", "maxChildren",
        "productIcon", "featuredImage", "productTitle", "longDescription", "grandfathered", "minimumAppVersion",
        "subscriptionGroup", "level", "subscriptionDuration", "userInfo",
    ]

    static let count = allCases.count

    /// Table for finding a key from the bytes of its name.
    static let table = KeyTable()

    /// Returns `true` if the key accepts a value of a type.
    func accepts(_ kind: PropertyListValue.Kind) -> Bool {
        switch self {
        case .consumable, .hosted: kind == .boolean
        case .productValue, .contentLength, .maxChildren, .level: kind == .integer
        case .childProducts: kind == .array
        case .contentURL: kind == .string || kind == .array
        case .productTitle, .longDescription: kind == .string || kind == .dictionary
        case .grandfathered: kind == .dictionary || kind == .array
        case .userInfo: kind != .uid
        case .productIdentifier, .type, .storageKey, .localStorageKey, .localContentPath, .contentVersion,
            .contentDigest, .productIcon, .featuredImage, .minimumAppVersion, .subscriptionGroup,
            .subscriptionDuration:
            kind == .string
        }
    }

    /// `true` if the value of the key may be an array or dictionary, whose elements are checked as well.
    var holdsOthers: Bool {
        switch self {
        case .childProducts, .contentURL, .productTitle, .longDescription, .grandfathered: true
        default: false
        }
    }

    /// `true` if the key affects only the presentation of a product, not its sale.
    var isPresentation: Bool {
        switch self {
        case .productIcon, .featuredImage, .productTitle, .longDescription, .userInfo: true
        default: false
        }
    }

    /// Key that marks a product as owned in property lists that the legacy library VTAInAppPurchases has cached.
    static let ownershipKey = "purchased"
}

extension PropertyListValue.Kind {
    /// Name of the value's type in messages, with an article: "an array".
    package var typeName: String {
        switch self {
        case .array, .integer: "an \(rawValue)"
        case .dictionary, .string, .real, .date: "a \(rawValue)"
        case .boolean: "true or false"
        case .data: "data"
        case .uid: "a UID"
        }
    }
}

/// Limits of a catalog, far above practical needs, which bound the processing time of a hostile catalog.
package enum CatalogLimits {
    package static let products = 200_000
    package static let wallets = 1_000
    /// Maximum number of keys in the dictionary of one product.
    package static let keys = 1_000
    /// Maximum number of languages of one text, such as a product's title.
    package static let languages = 1_000
    /// Maximum number of reported findings per rule. Further findings are counted.
    package static let findings = 1_000
}
