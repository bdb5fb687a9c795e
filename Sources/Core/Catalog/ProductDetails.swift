internal import VitrinePropertyList

/// Values of a product for display and download, and its `userInfo`.
///
/// The values of a product in a catalog file are read on access, because most are never used. The products of a large
/// catalog are therefore small, and fast to read and to copy.
enum ProductDetails: Sendable, Equatable {
    /// No values.
    case none
    /// Values of a product's dictionary in a catalog file.
    case declared(PropertyListValue)
    /// Values of a product that was created or changed in code.
    indirect case values(Values)

    struct Values: Sendable, Equatable {
        var content: CatalogContent?
        var productIcon: String?
        var featuredImage: String?
        var productTitle: LocalizedText?
        var longDescription: LocalizedText?
        var userInfo: PropertyListValue?
    }

    init(_ values: Values) { self = values == Values() ? .none : .values(values) }

    var content: CatalogContent? { value({ $0.content }) { CatalogContent(keys: ProductKeys($0)) } }

    var productIcon: String? { value({ $0.productIcon }) { Self.string(.productIcon, in: $0) } }

    var featuredImage: String? { value({ $0.featuredImage }) { Self.string(.featuredImage, in: $0) } }

    var productTitle: LocalizedText? {
        value({ $0.productTitle }) { $0[CatalogKey.productTitle.name].flatMap(LocalizedText.init) }
    }

    var longDescription: LocalizedText? {
        value({ $0.longDescription }) { $0[CatalogKey.longDescription.name].flatMap(LocalizedText.init) }
    }

    var userInfo: PropertyListValue? { value({ $0.userInfo }) { $0[CatalogKey.userInfo.name] } }

    /// All values. Values that are set in code are no longer read from the file.
    var values: Values {
        get {
            if case .values(let values) = self { return values }
            return Values(
                content: content, productIcon: productIcon, featuredImage: featuredImage, productTitle: productTitle,
                longDescription: longDescription, userInfo: userInfo)
        }
        set { self = ProductDetails(newValue) }
    }

    private func value<Value>(_ field: (Values) -> Value?, declared: (PropertyListValue) -> Value?) -> Value? {
        switch self {
        case .none: nil
        case .declared(let dictionary): declared(dictionary)
        case .values(let values): field(values)
        }
    }

    private static func string(_ key: CatalogKey, in dictionary: PropertyListValue) -> String? {
        dictionary[key.name]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    static func == (left: ProductDetails, right: ProductDetails) -> Bool { left.values == right.values }
}
