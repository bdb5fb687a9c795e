internal import Foundation
internal import PropertyList

/// The keys of a product in a catalog file, and what each may hold.
enum CatalogKey: Int, CaseIterable {
    case productIdentifier, consumable, type, storageKey, localStorageKey, productValue
    case localContentPath, hosted, contentVersion, contentURL, contentDigest, contentLength
    case childProducts, maxChildren
    case productIcon, featuredImage, productTitle, longDescription
    case grandfathered, minimumAppVersion
    case subscriptionGroup, level, subscriptionDuration
    case userInfo

    /// The key as it is written.
    var name: String { Self.names[rawValue] }

    static let names = allCases.map { "\($0)" }

    static let count = allCases.count

    /// The key that some bytes spell.
    init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        let spellings = Self.spellings
        guard spellings.indices.contains(bytes.count), let start = bytes.baseAddress,
            let found = spellings[bytes.count].first(where: { memcmp($0.bytes, start, bytes.count) == 0 })
        else { return nil }
        self = found.key
    }

    /// The keys by the length of their names.
    private static let spellings: [[(bytes: [UInt8], key: CatalogKey)]] = {
        let all = allCases.map { (bytes: Array($0.name.utf8), key: $0) }
        return (0...(all.map(\.bytes.count).max() ?? 0)).map { length in all.filter { $0.bytes.count == length } }
    }()

    /// Whether a value of a kind may stand there.
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

    /// The value may hold others, which may be wrong themselves.
    var holdsOthers: Bool {
        switch self {
        case .childProducts, .contentURL, .productTitle, .longDescription, .grandfathered: true
        default: false
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
}

extension PropertyListValue.Kind {
    /// A value of the kind, in words.
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
