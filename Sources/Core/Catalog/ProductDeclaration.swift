internal import VitrinePropertyList

/// A product as declared in the file, before the rules have been applied: every key may be missing or wrong.
///
/// A class rather than a struct, because each declaration is passed to every rule and copies must be cheap.
final class ProductDeclaration: Sendable {
    /// Keys and values of the product's dictionary in the file; `nil` for a product declared only by its identifier or
    /// created in code, and for a product with too many keys.
    let keys: ProductKeys?
    let hasTooManyKeys: Bool
    /// Keys of the product, and hints at possible findings.
    let traits: ProductTraits
    /// Identifiers of the children of a bundle, including duplicates, with their positions.
    let children: [Located<String>]
    /// Product that is created from the declaration. Used only if the declaration has no error.
    let product: CatalogProduct
    /// Grandfathering rules declared outside the product's dictionary: in the dictionary `grandfathering` of the file,
    /// or in code.
    private let furtherRules: [GrandfatheringDeclaration]
    /// Values of a product created in code, even if they are out of range; `nil` for a product in a file.
    private let valuesInCode: KeyedValues?

    private init(
        keys: ProductKeys?, hasTooManyKeys: Bool = false, children: [Located<String>] = [], product: CatalogProduct,
        furtherRules: [GrandfatheringDeclaration] = [], traits: ProductTraits = .all,
        valuesInCode: KeyedValues? = nil
    ) {
        self.keys = keys
        self.hasTooManyKeys = hasTooManyKeys
        self.children = children
        self.product = product
        self.furtherRules = furtherRules
        self.traits = traits
        self.valuesInCode = valuesInCode
    }

    /// Creates the declaration of a product that is a dictionary in a file.
    convenience init(dictionary: PropertyListValue) {
        let location = SourceLocation(of: dictionary)
        guard dictionary.count <= CatalogLimits.keys else {
            let identifier = dictionary["productIdentifier"]?.string ?? ""
            self.init(
                keys: nil, hasTooManyKeys: true,
                product: CatalogProduct(identifier: identifier, DeclaredValues(location: location)))
            return
        }
        let keys = ProductKeys(dictionary)
        let children = keys[.childProducts]?.kind == .array ? keys.texts(.childProducts) : []
        let grandfathered = keys.grandfathered
        let product = CatalogProduct(
            keys: keys, location: location, children: children, grandfathered: grandfathered.compactMap(\.rule))
        var traits = keys.traits.union(ProductTraits(of: product))
        if keys[.grandfathered] != nil, !GrandfatheredRule.areFine(grandfathered, of: product) {
            traits.insert(.doubtfulGrandfathering)
        }
        self.init(keys: keys, children: children, product: product, traits: traits)
    }

    /// Creates the declaration of a product that is only an identifier in a file.
    convenience init(identifier: PropertyListValue) {
        let values = DeclaredValues(location: SourceLocation(of: identifier))
        self.init(product: CatalogProduct(identifier: identifier.string ?? "", values))
    }

    /// Creates the declaration of a product that the app has created in code.
    convenience init(product: CatalogProduct) {
        let location = product.location
        self.init(
            keys: nil, children: product.childProducts.map { Located(value: $0, location: location) },
            product: product.withoutUnusableValues,
            furtherRules: product.grandfathered.map { GrandfatheringDeclaration(rule: $0, location: location) },
            valuesInCode: product.keyedValues)
    }

    /// Returns `true` if this declaration and an earlier one with the same identifier are both an identifier of the same
    /// type without any other value.
    func repeats(_ first: ProductDeclaration) -> Bool {
        product.kind == first.product.kind && [self, first].allSatisfy(\.isIdentifierOnly)
    }

    /// Indicates that the declaration has no other value than the identifier and the type.
    var isIdentifierOnly: Bool {
        keys == nil && !hasTooManyKeys && children.isEmpty && furtherRules.isEmpty && product.storageKey == nil
            && product.productValue == nil && product.userInfo == nil
    }

    /// Returns the declaration with additional grandfathering rules from the dictionary `grandfathering` of the file.
    func adding(_ rules: [GrandfatheringDeclaration]) -> ProductDeclaration {
        var product = product
        product.grandfathered += rules.compactMap(\.rule)
        return ProductDeclaration(
            keys: keys, hasTooManyKeys: hasTooManyKeys, children: children, product: product,
            furtherRules: furtherRules + rules, traits: traits.union(.doubtfulGrandfathering),
            valuesInCode: valuesInCode)
    }
}

// MARK: - Declared values

extension ProductDeclaration {
    /// Name of the product in messages.
    var displayName: String { product.identifier.isEmpty ? "a product without identifier" : product.identifier.quoted }

    /// Returns the name of the product for messages with a noun before it, as in: the consumable "coins50".
    func displayName(as noun: String) -> String {
        product.identifier.isEmpty ? "a \(noun) without identifier" : "the \(noun) \(product.identifier.quoted)"
    }

    var location: SourceLocation { product.location }

    var position: SourcePosition? { location.position }

    var grandfathered: [GrandfatheringDeclaration] { (keys?.grandfathered ?? []) + furtherRules }

    var identifier: Located<String>? {
        product.identifier.isEmpty ? nil : located(product.identifier, .productIdentifier)
    }

    var isConsumable: Located<Bool>? {
        self[.consumable].flatMap { value in
            value.boolean.map { Located(value: $0, location: SourceLocation(of: value)) }
        }
    }

    var storageKey: Located<String>? {
        product.storageKey.map { located($0, self[.storageKey]?.string == $0 ? .storageKey : .localStorageKey) }
    }

    var productValue: Located<Int>? { product.productValue.map { located($0, .productValue) } }

    var subscriptionGroup: Located<String>? { product.subscriptionGroup.map { located($0, .subscriptionGroup) } }

    /// Subscription duration of the product as text, with its position; `nil` if the product has none.
    var subscriptionDuration: Located<String>? {
        keys == nil
            ? product.subscriptionDuration.map { located($0.description, .subscriptionDuration) }
            : keys?.text(.subscriptionDuration)
    }

    /// Path of the product's content as text, with its position; `nil` if the product has none.
    var localContentPath: Located<String>? {
        keys == nil
            ? product.localContentPath.map { located($0.description, .localContentPath) }
            : keys?.text(.localContentPath)
    }

    /// Returns the number of a key, even one that is out of range, with its position.
    func integer(_ key: CatalogKey) -> Located<Int>? {
        (self[key]?.integer ?? valuesInCode?[key]).map { located($0, key) }
    }

    /// Returns the text of a key in the product's dictionary, with its position; `nil` if there is none.
    func text(_ key: CatalogKey) -> Located<String>? { keys?.text(key) }

    /// Indicates that the product has `ignoredRules`.
    var hasIgnoredRules: Bool { self[.ignoredRules] != nil }

    /// Returns `true` if warnings and notes of a rule about the product are not reported.
    func ignores(_ rule: String) -> Bool {
        hasIgnoredRules && keys?.ignoredRules.contains { $0.value == rule } == true
    }

    /// Returns the value of a key in the product's dictionary.
    subscript(key: CatalogKey) -> PropertyListValue? { keys?[key] }

    /// Returns the value of a key that a fix may change; `nil` if the key is repeated, so that its intended value is
    /// ambiguous.
    func fixable(_ key: CatalogKey) -> PropertyListValue? {
        keys.flatMap { $0.isUnambiguous(key) ? $0[key] : nil }
    }

    /// Returns `true` if the key has a value of a wrong type, which ``ValueTypeRule`` reports.
    func hasValueOfWrongKind(_ key: CatalogKey) -> Bool {
        guard let value = self[key], value.string != "" else { return false }
        return !key.accepts(value.kind) || value.kind == .integer && value.integer == nil
    }

    /// Returns a value with the position of its key; with the position of the product if the key is not in the file.
    private func located<Value>(_ value: Value, _ key: CatalogKey) -> Located<Value> {
        Located(value: value, location: self[key].map(SourceLocation.init(of:)) ?? location)
    }
}

// MARK: - Values

extension CatalogProduct {
    fileprivate init(
        keys: ProductKeys, location: SourceLocation, children: [Located<String>], grandfathered: [GrandfatheringRule]
    ) {
        self.init(
            identifier: keys.string(.productIdentifier) ?? "",
            kind: ProductKind(type: keys.string(.type), isConsumable: keys[.consumable]?.boolean),
            DeclaredValues(
                storageKey: keys.string(.storageKey) ?? keys.string(.localStorageKey),
                productValue: keys[.productValue]?.integer,
                childProducts: children.isEmpty ? [] : children.map(\.value).withoutDuplicates,
                localContentPath: keys.string(.localContentPath).flatMap { try? ContentPath($0) },
                isHosted: keys[.hosted]?.boolean ?? false,
                grandfathered: grandfathered,
                others: KeyedValues(keys),
                location: location))
    }
}

/// Access to typed values. A value of a wrong type is treated as absent; ``ValueTypeRule`` reports it.
extension ProductKeys {
    /// Returns the string of a key; `nil` if the string is empty.
    func string(_ key: CatalogKey) -> String? { self[key].flatMap(String.init(declared:)) }

    /// Returns the string of a key with its position; `nil` if the string is empty.
    func text(_ key: CatalogKey) -> Located<String>? { self[key].flatMap(Self.nonEmptyString) }

    /// Returns the strings of a key that has an array of strings or a single string, with their positions. Empty
    /// strings are omitted.
    func texts(_ key: CatalogKey) -> [Located<String>] {
        self[key].map { $0.kind == .array ? $0.elements : [$0] }?.compactMap(Self.nonEmptyString) ?? []
    }

    /// Names of rules whose warnings and notes about the product are not reported, with their positions.
    var ignoredRules: [Located<String>] { self[.ignoredRules]?.kind == .array ? texts(.ignoredRules) : [] }

    /// Returns `true` if the value of the key has a valid type, and an array contains only strings.
    func isOfItsKind(_ key: CatalogKey) -> Bool {
        guard let value = self[key], key.accepts(value.kind) else { return false }
        return (value.kind != .integer || value.integer != nil)
            && (value.kind != .array || value.elements.allSatisfy { $0.kind == .string })
    }

    fileprivate var grandfathered: [GrandfatheringDeclaration] {
        guard let value = self[.grandfathered] else { return [] }
        let rules = value.kind == .dictionary ? [value] : value.elements
        return rules.filter { $0.kind == .dictionary }.map(GrandfatheringDeclaration.init(dictionary:))
    }

    private static func nonEmptyString(_ value: PropertyListValue) -> Located<String>? {
        String(declared: value).map { Located(value: $0, location: SourceLocation(of: value)) }
    }
}
