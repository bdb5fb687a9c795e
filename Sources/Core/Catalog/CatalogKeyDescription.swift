package import VitrinePropertyList

/// Description of a product key in catalogs: its name, type and meaning. The reader, the lint rules, the JSON schema
/// and the comparison of catalogs use it.
package struct CatalogKeyDescription: Sendable {
    /// Name of the key, as it occurs in a catalog file.
    package let name: String
    package let type: CatalogValueType
    /// Meaning of the key, as in the table of Documentation/Catalog.md.
    package let meaning: String
    /// Minimum of a number, or minimum length of a string in characters, in the JSON schema of catalogs; `nil` if there
    /// is no minimum.
    package let least: Int?
    /// Comparison of the key's values in two catalogs; `nil` for a key that is compared as a part of another key.
    package let comparison: KeyComparison?
    /// Names that other catalog formats use for the key, in lower case without `_` and `-`.
    let otherNames: [String]

    init(
        _ name: String, _ type: CatalogValueType, _ meaning: String, least: Int? = nil,
        _ comparison: KeyComparison? = nil, otherNames: [String] = []
    ) {
        self.name = name
        self.type = type
        self.meaning = meaning
        self.least = least
        self.comparison = comparison
        self.otherNames = otherNames
    }

    /// Property list types that the key accepts.
    package var types: [PropertyListValue.Kind] { PropertyListValue.Kind.allCases.filter(type.accepts) }

    /// `true` if the key affects only the presentation of a product, not its sale.
    var isPresentation: Bool { comparison?.message == .presentation }

    /// Returns `true` if the key has different values in two products.
    func differs(_ old: CatalogProduct, _ new: CatalogProduct) -> Bool { comparison?.isEqual(old, new) == false }

    /// Returns `true` for a name that other catalog formats use for the key.
    func isOtherName(_ key: String) -> Bool { otherNames.contains(Self.word(key)) }

    /// Returns a key in the form of ``otherNames``.
    static func word(_ key: String) -> String { key.lowercased().filter { $0 != "_" && $0 != "-" } }

    /// All keys of a product.
    package static var all: [CatalogKeyDescription] { CatalogKey.rows }
}

/// Type of the value of a key in a catalog.
package enum CatalogValueType: Sendable {
    case boolean, integer, string
    /// Array of strings.
    case strings
    case stringOrStrings
    /// String, or dictionary of strings by language.
    case localizedText
    /// Name of a ``ProductKind``.
    case productKind
    /// Dictionary of conditions, or array of such dictionaries. The conditions have keys of their own.
    case grandfathering
    /// Array of dictionaries, each with a duration and a date (``FormerDuration``).
    case formerDurations
    /// Any type that every property list format supports.
    case any

    package func accepts(_ kind: PropertyListValue.Kind) -> Bool {
        switch self {
        case .boolean: kind == .boolean
        case .integer: kind == .integer
        case .string, .productKind: kind == .string
        case .strings, .formerDurations: kind == .array
        case .stringOrStrings: kind == .string || kind == .array
        case .localizedText: kind == .string || kind == .dictionary
        case .grandfathering: kind == .dictionary || kind == .array
        case .any: kind != .uid
        }
    }

    /// Returns the required type of the elements of an array or dictionary under the key; `nil` if any type is
    /// accepted.
    package func elementKind(in container: PropertyListValue.Kind) -> PropertyListValue.Kind? {
        switch self {
        case .strings, .stringOrStrings, .localizedText: .string
        case .grandfathering: container == .array ? .dictionary : nil
        case .formerDurations: .dictionary
        case .boolean, .integer, .string, .productKind, .any: nil
        }
    }
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
