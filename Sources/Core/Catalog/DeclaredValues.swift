internal import VitrinePropertyList

/// Values of a ``CatalogProduct`` other than its identifier and type. That type documents their meaning.
struct DeclaredValues: Sendable {
    // Loading a catalog and each purchase need these values, which are therefore read with the product.
    var storageKey: String?
    var productValue: Int?
    var childProducts: [String] = []
    var localContentPath: ContentPath?
    var isHosted = false
    var grandfathered: [GrandfatheringRule] = []
    /// Values of the keys that have no property of their own here; they are parsed on access.
    var others = KeyedValues()
    var location: SourceLocation
}

/// Product values that are parsed from the catalog file on each access, because most of them are never used. Products
/// of a large catalog are therefore small, and fast to load and to copy.
struct KeyedValues: Sendable {
    /// Keys of the product's dictionary in a catalog file; `nil` for a product that was created in code.
    private let keys: ProductKeys?
    /// Values that were set in code. They replace the values in the file.
    private var changes: [CatalogKey: (any Sendable)?] = [:]

    init(_ keys: ProductKeys? = nil) { self.keys = keys }

    subscript<Value: CatalogValue>(key: CatalogKey) -> Value? {
        get { value(of: key) { $0[key].flatMap(Value.init(declared:)) } }
        set { set(newValue, for: key) }
    }

    /// Values of the four keys for content on a web server.
    var content: CatalogContent? {
        get { value(of: .contentURL, CatalogContent.init(keys:)) }
        set { set(newValue, for: .contentURL) }
    }

    private func value<Value>(of key: CatalogKey, _ read: (ProductKeys) -> Value?) -> Value? {
        if let change = changes[key] { return change as? Value }
        return keys.flatMap(read)
    }

    private mutating func set(_ value: (any Sendable)?, for key: CatalogKey) {
        if value == nil, keys == nil {
            changes[key] = nil
        } else {
            changes.updateValue(value, forKey: key)
        }
    }

    /// Removes out-of-range numbers that were set in code. Out-of-range numbers in a file are already treated as
    /// absent.
    mutating func removeUnusableNumbers() {
        for (key, value) in changes where (value as? Int).map({ $0 <= 0 }) ?? false { set(nil, for: key) }
    }
}

// MARK: - Types of values

/// Type that the value of a catalog key is parsed to, such as `VersionNumber`.
protocol CatalogValue: Sendable {
    /// Parses a value of a catalog file.
    ///
    /// - Returns: `nil` for an invalid value, which is treated as absent and reported by a rule.
    init?(declared value: PropertyListValue)
}

extension String: CatalogValue {
    /// Reads a string; `nil` for an empty string or a value of another type.
    init?(declared value: PropertyListValue) {
        guard let string = value.string, !string.isEmpty else { return nil }
        self = string
    }
}

extension Int: CatalogValue {
    /// Reads an integer above zero; `nil` for any other value.
    init?(declared value: PropertyListValue) {
        guard let integer = value.integer, integer > 0 else { return nil }
        self = integer
    }
}

extension VersionNumber: CatalogValue {
    init?(declared value: PropertyListValue) {
        guard let text = value.string else { return nil }
        self.init(text)
    }
}

extension SubscriptionDuration: CatalogValue {
    init?(declared value: PropertyListValue) {
        guard let text = value.string else { return nil }
        self.init(text)
    }
}

extension LocalizedText: CatalogValue {
    init?(declared value: PropertyListValue) { self.init(value) }
}

extension PropertyListValue: CatalogValue {
    init?(declared value: PropertyListValue) { self = value }
}
