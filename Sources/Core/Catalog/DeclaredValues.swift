internal import VitrinePropertyList

/// Values of a ``CatalogProduct``, which documents them, besides its identifier and type.
struct DeclaredValues: Sendable {
    // Loading a catalog and each purchase need these values, which are therefore read with the product.
    var storageKey: String?
    var productValue: Int?
    var childProducts: [String] = []
    var localContentPath: ContentPath?
    var isHosted = false
    var grandfathered: [GrandfatheringRule] = []
    /// Values of all other keys.
    var others = KeyedValues()
    var place: Place
}

/// Values of a product that are read from the catalog file each time they are asked for, because most are never asked
/// for: a product of a large catalog is small, and fast to read and to copy.
struct KeyedValues: Sendable {
    /// Keys of the product's dictionary in a catalog file; `nil` for a product that was created in code.
    private let keys: ProductKeys?
    /// Values that were set in code, which replace those of the file.
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

    /// Removes numbers that were set in code and are out of range. Those of a file are treated as absent.
    mutating func removeUnusableNumbers() {
        for (key, value) in changes where (value as? Int).map({ $0 <= 0 }) ?? false { set(nil, for: key) }
    }
}

// MARK: - Types of values

/// Type of a property of ``CatalogProduct`` that is read from the value of a key.
protocol CatalogValue: Sendable {
    /// Creates the property from a value in a catalog file.
    ///
    /// - Returns: `nil` for a value that is treated as absent. A rule reports it.
    init?(declared value: PropertyListValue)
}

extension String: CatalogValue {
    /// Creates a text, which is not empty.
    init?(declared value: PropertyListValue) {
        guard let string = value.string, !string.isEmpty else { return nil }
        self = string
    }
}

extension Int: CatalogValue {
    /// Creates a count or rank, which is above zero.
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
