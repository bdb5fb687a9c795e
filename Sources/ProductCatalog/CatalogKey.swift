internal import Foundation
internal import PropertyList

/// Keys of a product in a catalog file, with the value types that each key accepts.
enum CatalogKey: Int, CaseIterable {
    case productIdentifier, consumable, type, storageKey, localStorageKey, productValue
    case localContentPath, hosted, contentVersion, contentURL, contentDigest, contentLength
    case childProducts, maxChildren
    case productIcon, featuredImage, productTitle, longDescription
    case grandfathered, minimumAppVersion
    case subscriptionGroup, level, subscriptionDuration
    case userInfo

    /// Text of the key in a file.
    var name: String { Self.names[rawValue] }

    static let names = allCases.map { "\($0)" }

    static let count = allCases.count

    /// Creates the key from its name in UTF-8.
    init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        let spellings = Self.spellings
        guard spellings.indices.contains(bytes.count), let start = bytes.baseAddress,
            let found = spellings[bytes.count].first(where: { memcmp($0.bytes, start, bytes.count) == 0 })
        else { return nil }
        self = found.key
    }

    /// Keys by the length of their names.
    private static let spellings: [[(bytes: [UInt8], key: CatalogKey)]] = {
        let all = allCases.map { (bytes: Array($0.name.utf8), key: $0) }
        return (0...(all.map(\.bytes.count).max() ?? 0)).map { length in all.filter { $0.bytes.count == length } }
    }()

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

    /// `true` if the value may contain other values, which are checked too.
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

    /// Key in VTA's cached property lists that marks a product as owned.
    static let ownershipKey = "purchased"
}

extension PropertyListValue.Kind {
    /// Name of the type in messages, with its article.
    package var inWords: String {
        switch self {
        case .array, .integer: "an \(rawValue)"
        case .dictionary, .string, .real, .date: "a \(rawValue)"
        case .boolean: "true or false"
        case .data: "data"
        case .uid: "a UID"
        }
    }
}
