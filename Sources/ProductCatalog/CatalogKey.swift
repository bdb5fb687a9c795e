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

    /// Name of the key, as it occurs in a catalog file.
    var name: String { Self.names[rawValue] }

    static let names = allCases.map { "\($0)" }

    static let count = allCases.count

    /// Creates the key from the UTF-8 bytes of its name; `nil` for an unknown name.
    init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        let spellings = Self.spellings
        guard spellings.indices.contains(bytes.count), let start = bytes.baseAddress,
            let found = spellings[bytes.count].first(where: { memcmp($0.bytes, start, bytes.count) == 0 })
        else { return nil }
        self = found.key
    }

    /// Names of the keys in UTF-8, grouped by their length for a fast search.
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

    /// `true` if the value of the key may be an array or dictionary, whose values are checked as well.
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

/// Keys and values of a product's dictionary, collected in one pass.
struct ProductKeys: Sendable {
    /// A repeated key, with its first occurrence.
    struct Repetition: Sendable {
        let key: PropertyListValue
        let first: PropertyListValue
    }

    let dictionary: PropertyListValue
    /// Summary of the last value of each catalog key, by the key's raw value.
    private var values: [PropertyListValue.Glance?]
    /// Keys that are not catalog keys, with their values.
    private(set) var unknown: [PropertyListValue.Entry] = []
    private(set) var repetitions: [Repetition] = []

    init(_ dictionary: PropertyListValue) {
        self.dictionary = dictionary
        values = Array(repeating: nil, count: CatalogKey.count)
        var unknown: [PropertyListValue.Glance] = []
        var repeated: [(key: PropertyListValue.Glance, first: PropertyListValue.Glance)] = []
        var firsts: [CatalogKey: PropertyListValue.Glance] = [:]
        values.withUnsafeMutableBufferPointer { values in
            dictionary.forEachKey { key, value in
                guard let known = CatalogKey(utf8: key) else { return unknown.append(value) }
                if let earlier = values[known.rawValue] {
                    let first = firsts[known] ?? earlier
                    firsts[known] = first
                    repeated.append((value, first))
                }
                values[known.rawValue] = value
            }
        }
        if !unknown.isEmpty {
            self.unknown = unknown.map(dictionary.value(at:)).map { value in
                PropertyListValue.Entry(key: value.precedingKey, value: value)
            }
        }
        if !repeated.isEmpty {
            repetitions = repeated.map { key, first in
                Repetition(
                    key: dictionary.value(at: key).precedingKey, first: dictionary.value(at: first).precedingKey)
            }
        }
        if unknown.count > 1 { addRepetitionsOfUnknownKeys() }
    }

    /// Returns the value of a key; the last one if the key is repeated.
    subscript(key: CatalogKey) -> PropertyListValue? {
        values[key.rawValue].map(dictionary.value(at:))
    }

    /// Returns `true` if the key is not repeated, so that its intended value is clear.
    func isUnambiguous(_ key: CatalogKey) -> Bool {
        repetitions.isEmpty || !repetitions.contains { $0.key.string == key.name }
    }

    /// Calls `use` for each catalog key in the dictionary, with a summary of its value.
    func forEach(_ use: (CatalogKey, PropertyListValue.Glance) -> Void) {
        for (index, value) in values.enumerated() {
            guard let value, let key = CatalogKey(rawValue: index) else { continue }
            use(key, value)
        }
    }

    private mutating func addRepetitionsOfUnknownKeys() {
        // Keys are compared by bytes: Swift strings treat canonically equivalent keys as equal.
        var firsts: [[UInt8]: PropertyListValue] = [:]
        for entry in unknown {
            let name = Array(entry.key.utf8)
            if let first = firsts[name] {
                repetitions.append(Repetition(key: entry.keyValue, first: first))
            } else {
                firsts[name] = entry.keyValue
            }
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
