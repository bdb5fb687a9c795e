internal import PropertyList

/// Keys of a product's dictionary, and signs that a rule must look at the product.
///
/// A product without the traits that a rule is concerned with has no finding of the rule, so that the rule is not asked.
/// The signs are found while the keys are read: in a large catalog, nearly all products lack nearly all of them, and
/// asking every rule about every product takes most of the time. A sign may be set although the rule finds nothing.
struct ProductTraits: OptionSet {
    var rawValue: UInt64

    /// Returns the traits of a product with the given keys. The bit of a key is its raw value, below 32.
    static func keys(_ keys: CatalogKey...) -> ProductTraits {
        keys.reduce(into: []) { $0.formUnion(ProductTraits(key: $1)) }
    }

    static let noIdentifier = ProductTraits(rawValue: 1 << 32)
    static let unknownKind = ProductTraits(rawValue: 1 << 33)
    static let consumable = ProductTraits(rawValue: 1 << 34)
    static let nonRenewing = ProductTraits(rawValue: 1 << 35)
    static let unknownKeys = ProductTraits(rawValue: 1 << 36)
    /// Keys that are repeated in the product, its texts or its `userInfo`.
    static let repeatedKeys = ProductTraits(rawValue: 1 << 37)
    static let emptyStrings = ProductTraits(rawValue: 1 << 38)
    static let wrongTypes = ProductTraits(rawValue: 1 << 39)
    /// Grandfathering rules that ``GrandfatheredRule`` has a finding about.
    static let doubtfulGrandfathering = ProductTraits(rawValue: 1 << 41)
    static let secrets = ProductTraits(rawValue: 1 << 40)

    /// Traits of a product whose dictionary was not read, about which every rule is asked.
    static let all = ProductTraits(rawValue: .max)

    init(rawValue: UInt64) { self.rawValue = rawValue }

    private init(key: CatalogKey) { self.init(rawValue: 1 << UInt64(key.rawValue)) }

    /// Creates the signs of a product itself.
    init(of product: CatalogProduct) {
        self = product.identifier.isEmpty ? .noIdentifier : []
        switch product.kind {
        case .unknown: insert(.unknownKind)
        case .consumable: insert(.consumable)
        case .nonRenewingSubscription: insert(.nonRenewing)
        case .nonConsumable, .autoRenewableSubscription: break
        }
    }

    /// Creates the traits of a key and its value.
    init(of key: CatalogKey, _ value: PropertyListValue.Glance, in dictionary: PropertyListValue) {
        self.init(key: key)
        if !key.accepts(value.kind) || value.isAboveInt64 { insert(.wrongTypes) }
        if value.isEmptyString { insert(.emptyStrings) }
        if SecretRule.mayBeginKey(value.firstByte) { insert(.secrets) }
        switch value.kind {
        case .dictionary: addSigns(inDictionary: dictionary.value(numbered: value.number), of: key)
        case .array: addSigns(inArray: dictionary.value(numbered: value.number), of: key)
        default: break
        }
    }

    private mutating func addSigns(inDictionary dictionary: PropertyListValue, of key: CatalogKey) {
        var signs: ProductTraits = []
        /// Bits of the keys so far. Two keys with the same bit may be equal.
        var seen: UInt64 = 0
        dictionary.forEachKey { name, value in
            let bit = Self.bit(of: name)
            if seen & bit != 0 { signs.insert(.repeatedKeys) }
            seen |= bit
            if value.isEmptyString { signs.insert(.emptyStrings) }
            if key == .userInfo {
                if value.isContainer { signs.formUnion([.repeatedKeys, .secrets]) }
                if SecretRule.mayBeSecret(name) || SecretRule.mayBeginKey(value.firstByte) { signs.insert(.secrets) }
            } else if value.kind != .string {
                signs.insert(.wrongTypes)
            }
        }
        formUnion(signs)
    }

    private mutating func addSigns(inArray array: PropertyListValue, of key: CatalogKey) {
        var signs: ProductTraits = []
        let expected: PropertyListValue.Kind = key == .grandfathered ? .dictionary : .string
        array.forEachElement { value in
            if value.isEmptyString { signs.insert(.emptyStrings) }
            if key == .userInfo {
                if value.isContainer { signs.formUnion([.repeatedKeys, .secrets]) }
            } else if value.kind != expected {
                signs.insert(.wrongTypes)
            }
        }
        formUnion(signs)
    }

    private static func bit(of name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard let first = name.first, let last = name.last else { return 1 }
        return 1 << UInt64((Int(first) &* 7 &+ Int(last) &* 3 &+ name.count) & 63)
    }
}
