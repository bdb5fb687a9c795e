internal import PropertyList

/// The keys of a product in a catalog file, and what each may hold.
enum CatalogKey: String, CaseIterable {
    case productIdentifier, consumable, type, storageKey, localStorageKey, productValue
    case localContentPath, hosted, contentVersion, contentURL, contentDigest, contentLength
    case childProducts, maxChildren
    case productIcon, featuredImage, productTitle, longDescription
    case grandfathered, minimumAppVersion
    case subscriptionGroup, level, subscriptionDuration
    case userInfo

    var expectedKinds: [PropertyListValue.Kind] {
        switch self {
        case .consumable, .hosted: [.boolean]
        case .productValue, .contentLength, .maxChildren, .level: [.integer]
        case .childProducts: [.array]
        case .productTitle, .longDescription: [.string, .dictionary]
        case .grandfathered: [.dictionary, .array]
        case .userInfo: PropertyListValue.Kind.allCases.filter { $0 != .uid }
        case .productIdentifier, .type, .storageKey, .localStorageKey, .localContentPath, .contentVersion,
            .contentURL, .contentDigest, .productIcon, .featuredImage, .minimumAppVersion, .subscriptionGroup,
            .subscriptionDuration:
            [.string]
        }
    }

    /// Without it a product is sold in the same way, and only looks different.
    var isPresentation: Bool {
        switch self {
        case .productIcon, .featuredImage, .productTitle, .longDescription, .userInfo: true
        default: false
        }
    }

    /// What says in VTA's cached property lists that a product is owned.
    static let ownershipKey = "purchased"

    /// This version reads what the key asks for, but does nothing about it.
    var isNotActedOn: Bool {
        switch self {
        case .contentVersion, .contentURL, .contentDigest, .contentLength, .minimumAppVersion, .subscriptionGroup,
            .level, .subscriptionDuration:
            true
        default: false
        }
    }
}

extension PropertyListValue.Kind {
    /// A value of the kind, in words.
    var inWords: String {
        switch self {
        case .array, .integer: "an \(rawValue)"
        case .dictionary, .string, .real, .date: "a \(rawValue)"
        case .boolean: "true or false"
        case .data: "data"
        case .uid: "a UID"
        }
    }
}
