internal import PropertyList

/// A value together with where it stands.
struct Located<Value: Sendable>: Sendable {
    let value: Value
    let position: SourcePosition?
}

/// A product as it is written down, before anybody has judged it: every key may be missing or wrong.
struct ProductDeclaration: Sendable {
    /// The dictionary in the file; `nil` for a product that stands there as a bare identifier or was made in code, and
    /// for one with too many keys.
    let dictionary: PropertyListValue?
    let hasTooManyKeys: Bool
    /// The keys and values of the declaration as they stand in the file.
    let entries: [PropertyListValue.Entry]
    let position: SourcePosition?
    let identifier: Located<String>?
    let isConsumable: Located<Bool>?
    let type: Located<String>?
    let storageKey: Located<String>?
    let productValue: Located<Int>?
    let children: [Located<String>]
    let maxChildren: Located<Int>?
    let localContentPath: Located<String>?
    private(set) var grandfathered: [GrandfatheringDeclaration]
    /// What the declaration comes to if nothing is wrong with it.
    private(set) var product: CatalogProduct

    /// The name by which messages call the product.
    var displayName: String { identifier?.value.quoted ?? "a product without identifier" }

    init(dictionary: PropertyListValue) {
        hasTooManyKeys = dictionary.count > CatalogLimits.keys
        self.dictionary = hasTooManyKeys ? nil : dictionary
        entries = self.dictionary?.entries ?? []
        let fields = ProductFields(dictionary: self.dictionary)
        position = dictionary.position
        identifier = fields.string(.productIdentifier)
        isConsumable = fields.boolean(.consumable)
        type = fields.string(.type)
        storageKey = fields.string(.storageKey) ?? fields.string(.localStorageKey)
        productValue = fields.integer(.productValue)
        children = fields.strings(.childProducts)
        maxChildren = fields.integer(.maxChildren)
        localContentPath = fields.string(.localContentPath)
        grandfathered = fields.grandfathered
        product = CatalogProduct(
            identifier: identifier?.value ?? "",
            kind: Self.kind(type: type?.value, isConsumable: isConsumable?.value),
            storageKey: storageKey?.value,
            productValue: productValue?.value,
            childProducts: children.map(\.value).withoutDuplicates,
            maxChildren: maxChildren.flatMap { $0.value > 0 ? $0.value : nil },
            localContentPath: localContentPath.flatMap { try? ContentPath($0.value) },
            isHosted: fields.boolean(.hosted)?.value ?? false,
            productIcon: fields.string(.productIcon)?.value,
            featuredImage: fields.string(.featuredImage)?.value,
            productTitle: fields.localizedText(.productTitle),
            longDescription: fields.localizedText(.longDescription),
            grandfathered: grandfathered.compactMap(\.rule),
            userInfo: self.dictionary?[CatalogKey.userInfo.rawValue],
            position: position
        )
    }

    /// A product that is a bare identifier in a file.
    init(identifier: String, position: SourcePosition) {
        self.init(product: CatalogProduct(identifier: identifier, position: position))
    }

    /// A product made in code.
    init(product: CatalogProduct) {
        func located<Value>(_ value: Value) -> Located<Value> { Located(value: value, position: product.position) }
        dictionary = nil
        entries = []
        hasTooManyKeys = false
        position = product.position
        identifier = product.identifier.isEmpty ? nil : located(product.identifier)
        isConsumable = nil
        type = nil
        storageKey = product.storageKey.map(located)
        productValue = product.productValue.map(located)
        children = product.childProducts.map(located)
        maxChildren = product.maxChildren.map(located)
        localContentPath = product.localContentPath.map { located($0.description) }
        grandfathered = product.grandfathered.map { GrandfatheringDeclaration(rule: $0, position: product.position) }
        self.product = product
        self.product.childProducts = product.childProducts.withoutDuplicates
    }

    /// Adds rules that stand elsewhere in the file.
    mutating func add(_ rules: [GrandfatheringDeclaration]) {
        grandfathered += rules
        product.grandfathered += rules.compactMap(\.rule)
    }

    /// There is a value for the key that it may not have, and the rule for value types says so.
    func hasValueOfWrongKind(_ key: CatalogKey) -> Bool {
        guard let value = dictionary?[key.rawValue] else { return false }
        return !key.expectedKinds.contains(value.kind) || value.kind == .integer && value.integer == nil
    }

    private static func kind(type: String?, isConsumable: Bool?) -> ProductKind {
        if let type, let kind = ProductKind(declared: type) { return kind }
        return isConsumable.map { $0 ? .consumable : .nonConsumable } ?? .unknown
    }
}

extension ProductKind {
    /// The kind that the key `type` names.
    init?(declared name: String) {
        guard let kind = ProductKind(rawValue: name), kind != .unknown else { return nil }
        self = kind
    }
}

/// Reads the fields of a product's dictionary. A value of the wrong kind reads as absent; the rule for value types
/// reports it.
private struct ProductFields {
    let dictionary: PropertyListValue?

    /// A string that is not empty.
    func string(_ key: CatalogKey) -> Located<String>? {
        guard let value = dictionary?[key.rawValue] else { return nil }
        return nonEmptyString(value)
    }

    func boolean(_ key: CatalogKey) -> Located<Bool>? {
        guard let value = dictionary?[key.rawValue], let boolean = value.boolean else { return nil }
        return Located(value: boolean, position: value.position)
    }

    func integer(_ key: CatalogKey) -> Located<Int>? {
        guard let value = dictionary?[key.rawValue], let integer = value.integer else { return nil }
        return Located(value: integer, position: value.position)
    }

    func strings(_ key: CatalogKey) -> [Located<String>] {
        dictionary?[key.rawValue]?.elements.compactMap(nonEmptyString) ?? []
    }

    func localizedText(_ key: CatalogKey) -> LocalizedText? {
        guard let value = dictionary?[key.rawValue] else { return nil }
        if let text = nonEmptyString(value) { return LocalizedText(text.value) }
        let texts = value.entries.compactMap { entry in
            nonEmptyString(entry.value).map { (language: entry.key, text: $0.value) }
        }
        return texts.isEmpty ? nil : LocalizedText(texts)
    }

    var grandfathered: [GrandfatheringDeclaration] {
        guard let value = dictionary?[CatalogKey.grandfathered.rawValue] else { return [] }
        let rules = value.kind == .dictionary ? [value] : value.elements
        return rules.filter { $0.kind == .dictionary }.map(GrandfatheringDeclaration.init(dictionary:))
    }

    private func nonEmptyString(_ value: PropertyListValue) -> Located<String>? {
        guard let string = value.string, !string.isEmpty else { return nil }
        return Located(value: string, position: value.position)
    }
}
