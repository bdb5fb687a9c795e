internal import Foundation

/// JSON object of a StoreKit configuration file.
///
/// A value of an unexpected type is treated as missing, and reported as an omission.
struct ConfigurationObject {
    /// Path of the object in the file, such as `products[2]`; empty for the root object.
    let path: String
    private let values: [String: Any]

    /// Parses the root JSON object of a StoreKit configuration file.
    init(data: Data) throws(StoreConfigurationError) {
        let root: Any
        do {
            root = try JSONSerialization.jsonObject(with: data)
        } catch {
            throw StoreConfigurationError(syntax: error, of: data)
        }
        guard let values = root as? [String: Any] else {
            throw StoreConfigurationError(reason: "the file is not a JSON object")
        }
        self.init(path: "", values: values)
    }

    private init(path: String, values: [String: Any]) {
        self.path = path
        self.values = values
    }

    func text(_ key: String, _ omissions: inout Omissions) -> String? { value(key, "text", &omissions) }

    func integer(_ key: String, _ omissions: inout Omissions) -> Int? { value(key, "a whole number", &omissions) }

    func flag(_ key: String, _ omissions: inout Omissions) -> Bool? { value(key, "true or false", &omissions) }

    func texts(_ key: String, _ omissions: inout Omissions) -> [String]? { value(key, "a list of texts", &omissions) }

    /// Returns the object under a key; an empty object if the key is missing.
    func object(_ key: String, _ omissions: inout Omissions) -> ConfigurationObject {
        ConfigurationObject(path: location(key), values: value(key, "an object", &omissions) ?? [:])
    }

    /// Returns the objects in the list under a key, without elements of other types.
    func objects(_ key: String, _ omissions: inout Omissions) -> [ConfigurationObject] {
        let list: [Any] = value(key, "a list", &omissions) ?? []
        return list.enumerated().compactMap { index, element in
            guard let values = element as? [String: Any] else {
                omissions.add(.value, "\(location(key))[\(index)] is ignored: it is not an object")
                return nil
            }
            return ConfigurationObject(path: "\(location(key))[\(index)]", values: values)
        }
    }

    /// Returns the integer under a key that every StoreKit configuration file must contain.
    func requiredInteger(_ key: String) throws(StoreConfigurationError) -> Int {
        guard let value = values[key] else { throw StoreConfigurationError(reason: "\(location(key)) is missing") }
        guard let number = value as? Int else {
            throw StoreConfigurationError(reason: "\(location(key)) must be a whole number")
        }
        return number
    }

    /// Returns the object under a key that every StoreKit configuration file must contain.
    func requiredObject(_ key: String) throws(StoreConfigurationError) -> ConfigurationObject {
        guard let value = values[key] else { throw StoreConfigurationError(reason: "\(location(key)) is missing") }
        guard let values = value as? [String: Any] else {
            throw StoreConfigurationError(
                reason: "\(location(key)) must be an object such as {\"major\": 4, \"minor\": 0}")
        }
        return ConfigurationObject(path: location(key), values: values)
    }

    /// Indicates that the object has a value for a key, and that the value is not null.
    func has(_ key: String) -> Bool {
        // A cast to `NSNull` would bridge all elements of a list to Objective-C first.
        values[key].map { type(of: $0) != NSNull.self } ?? false
    }

    /// Product identifiers at any depth of this object, whose structure is unknown. Objects inside an object with a
    /// product identifier are not searched.
    var productIdentifiers: [String] { Self.productIdentifiers(in: values) }

    /// Returns the product identifiers under each key that is not one of the known ones, sorted by key.
    func products(besides known: Set<String>) -> [(key: String, identifiers: [String])] {
        values.filter { !known.contains($0.key) }.sorted { $0.key < $1.key }
            .map { ($0.key, Self.productIdentifiers(in: $0.value)) }
    }

    private static func productIdentifiers(in value: Any) -> [String] {
        guard let object = value as? [String: Any] else {
            return (value as? [Any] ?? []).flatMap(productIdentifiers)
        }
        if let identifier = object["productID"] as? String { return [identifier] }
        return object.sorted { $0.key < $1.key }.flatMap { productIdentifiers(in: $0.value) }
    }

    private func value<Value>(_ key: String, _ type: String, _ omissions: inout Omissions) -> Value? {
        guard has(key), let value = values[key] else { return nil }
        guard let value = value as? Value else {
            omissions.add(.value, "\(location(key)) is ignored: it is not \(type)")
            return nil
        }
        return value
    }

    private func location(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}

/// Unused parts of a StoreKit configuration file. The number of recorded parts is limited.
struct Omissions {
    private(set) var all: [StoreConfiguration.Omission] = []

    mutating func add(_ kind: StoreConfiguration.Omission.Kind, _ description: @autoclosure () -> String) {
        guard all.count < CatalogLimits.findings else { return }
        all.append(StoreConfiguration.Omission(kind: kind, description: description()))
    }
}
