internal import Foundation

/// JSON object of a StoreKit configuration file.
///
/// A value of another type than the expected one counts as missing, and is added to the omissions that the reader of
/// the file reports.
struct ConfigurationObject {
    /// Place of a value in the file. Its text is made only for a message.
    private indirect enum Place {
        case file
        case value(String, of: Place)
        case element(Int, of: Place)

        var text: String {
            switch self {
            case .file: ""
            case .value(let key, of: .file): key
            case .value(let key, let place): "\(place.text).\(key)"
            case .element(let index, let place): "\(place.text)[\(index)]"
            }
        }
    }

    private let place: Place
    private let values: JSONMembers

    /// Place of the object in the file, such as `products[2]`; empty for the outermost object.
    var path: String { place.text }

    /// Parses the outermost JSON object of a StoreKit configuration file.
    init(data: Data) throws(StoreConfigurationError) {
        let root: JSONValue
        do {
            root = try JSONValue(data)
        } catch {
            throw StoreConfigurationError(syntax: error, of: data)
        }
        guard let values = root.object else {
            throw StoreConfigurationError(unexpectedType: "the file")
        }
        self.init(place: .file, values: values)
    }

    private init(place: Place, values: JSONMembers) {
        self.place = place
        self.values = values
    }

    func text(_ key: String, _ omissions: inout Omissions) -> String? {
        value(key, "text", &omissions) { $0.text }
    }

    func integer(_ key: String, _ omissions: inout Omissions) -> Int? {
        value(key, "a whole number", &omissions) { $0.integer }
    }

    func flag(_ key: String, _ omissions: inout Omissions) -> Bool? {
        value(key, "true or false", &omissions) { $0.flag }
    }

    func texts(_ key: String, _ omissions: inout Omissions) -> [String]? {
        value(key, "a list of texts", &omissions) { $0.texts }
    }

    /// Returns the object that is the value of a key; an empty object if there is none.
    func object(_ key: String, _ omissions: inout Omissions) -> ConfigurationObject {
        ConfigurationObject(
            place: .value(key, of: place), values: value(key, "an object", &omissions) { $0.object } ?? JSONMembers())
    }

    /// Returns the objects in the list that is the value of a key, without elements of other types.
    func objects(_ key: String, _ omissions: inout Omissions) -> [ConfigurationObject] {
        let list = value(key, "a list", &omissions) { $0.list } ?? []
        let place = Place.value(key, of: place)
        return list.enumerated().compactMap { index, element in
            let place = Place.element(index, of: place)
            guard let values = element.object else {
                omissions.add(.value, "\(place.text) is ignored: it is not an object")
                return nil
            }
            return ConfigurationObject(place: place, values: values)
        }
    }

    /// Returns the integer that is the value of a key, which every StoreKit configuration file must contain.
    func requiredInteger(_ key: String) throws(StoreConfigurationError) -> Int {
        guard let number = try required(key).integer else { throw StoreConfigurationError(unexpectedType: path(key)) }
        return number
    }

    /// Returns the object that is the value of a key, which every StoreKit configuration file must contain.
    func requiredObject(_ key: String) throws(StoreConfigurationError) -> ConfigurationObject {
        guard let values = try required(key).object else { throw StoreConfigurationError(unexpectedType: path(key)) }
        return ConfigurationObject(place: .value(key, of: place), values: values)
    }

    private func required(_ key: String) throws(StoreConfigurationError) -> JSONValue {
        guard let value = values[key] else { throw StoreConfigurationError(reason: "\(path(key)) is missing") }
        return value
    }

    /// Indicates that the object has a value for a key, and that the value is not null.
    func has(_ key: String) -> Bool { values[key].map { !$0.isNull } ?? false }

    /// Product identifiers in this object, whose structure is not known, at any depth. Objects inside an object that has a
    /// product identifier are not searched.
    var productIdentifiers: [String] { Self.productIdentifiers(in: .object(values)) }

    private static func productIdentifiers(in value: JSONValue) -> [String] {
        guard let object = value.object else { return (value.list ?? []).flatMap(productIdentifiers) }
        if let identifier = object["productID"]?.text { return [identifier] }
        return object.entries.sorted { $0.key < $1.key }.flatMap { productIdentifiers(in: $0.value) }
    }

    private func value<Value>(
        _ key: String, _ type: String, _ omissions: inout Omissions, convert: (JSONValue) -> Value?
    ) -> Value? {
        guard let value = values[key], !value.isNull else { return nil }
        guard let converted = convert(value) else {
            omissions.add(.value, "\(path(key)) is ignored: it is not \(type)")
            return nil
        }
        return converted
    }

    private func path(_ key: String) -> String { Place.value(key, of: place).text }
}

/// List of the parts of a StoreKit configuration file that are not used. The list has a limited length.
struct Omissions {
    private(set) var all: [StoreConfiguration.Omission] = []

    mutating func add(_ kind: StoreConfiguration.Omission.Kind, _ description: @autoclosure () -> String) {
        guard all.count < CatalogLimits.findings else { return }
        all.append(StoreConfiguration.Omission(kind: kind, description: description()))
    }
}
