internal import VitrinePropertyList

/// Keys of a product's dictionary, and signs of possible findings, which decide which rules are applied to the product.
///
/// A rule is skipped for products without a trait that concerns the rule, because applying every rule to every product
/// of a large catalog would take most of the loading time. A trait may be set although the rule then finds nothing. The
/// traits are determined while the keys are read.
struct ProductTraits: OptionSet {
    let rawValue: UInt64

    /// Returns the traits of a product with the given keys. The bit of a key is its raw value, below 32.
    static func keys(_ keys: CatalogKey...) -> ProductTraits {
        keys.reduce(into: []) { $0.insert(ProductTraits(rawValue: 1 << UInt64($1.rawValue))) }
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
    /// Grandfathering rules for which ``GrandfatheredRule`` may have a finding.
    static let doubtfulGrandfathering = ProductTraits(rawValue: 1 << 41)
    static let secrets = ProductTraits(rawValue: 1 << 40)

    /// Traits of a product whose dictionary was not read: every rule is applied to the product.
    static let all = ProductTraits(rawValue: .max)

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates the traits that follow from the identifier and type of a product.
    init(of product: CatalogProduct) {
        self = product.identifier.isEmpty ? .noIdentifier : []
        if product.kind == .unknown { insert(.unknownKind) }
        if product.kind == .consumable { insert(.consumable) }
        if product.kind == .nonRenewingSubscription { insert(.nonRenewing) }
    }

    init(of key: CatalogKey, _ value: PropertyListValue.Glance, in dictionary: PropertyListValue) {
        self.init(rawValue: 1 << UInt64(key.rawValue))
        if !key.accepts(value.kind) || value.isAboveInt64 { insert(.wrongTypes) }
        if value.isEmptyString { insert(.emptyStrings) }
        if SecretRule.mayBeginKey(value.firstByte) { insert(.secrets) }
        if value.isContainer { addSigns(in: value, of: key, in: dictionary) }
    }

    /// Adds the signs in a container; in `userInfo`, at any depth, which the limit for the document bounds.
    private mutating func addSigns(
        in container: PropertyListValue.Glance, of key: CatalogKey, in dictionary: PropertyListValue
    ) {
        var signs: ProductTraits = []
        let isDictionary = container.kind == .dictionary
        let expected = key.valueType.elementKind(in: container.kind)
        /// Hash bits of the keys that were already visited. Two keys with the same bit may be equal.
        var seen: UInt64 = 0
        dictionary.forEachContent(ofValueNumbered: container.number) { name, value in
            if isDictionary {
                let bit = Self.bit(of: name)
                if seen & bit != 0 { signs.insert(.repeatedKeys) }
                seen |= bit
            }
            if value.isEmptyString { signs.insert(.emptyStrings) }
            if let expected, value.kind != expected { signs.insert(.wrongTypes) }
            guard key == .userInfo else { return }
            if SecretRule.isLikeName(name) || SecretRule.mayBeginKey(value.firstByte) { signs.insert(.secrets) }
            if value.isContainer { signs.addSigns(in: value, of: key, in: dictionary) }
        }
        formUnion(signs)
    }

    private static func bit(of name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard let first = name.first, let last = name.last else { return 1 }
        return 1 << UInt64((Int(first) &* 7 &+ Int(last) &* 3 &+ name.count) & 63)
    }
}
