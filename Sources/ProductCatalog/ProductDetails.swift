internal import PropertyList

/// Values of a product that are only shown or downloaded.
///
/// Those of a product in a catalog file are read each time they are asked for, because most are never asked for: a
/// product of a large catalog is small, and fast to read and to copy.
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

    var content: CatalogContent? {
        get { value(\.content) { CatalogContent(keys: ProductKeys($0)) } }
        set { change { $0.content = newValue } }
    }

    var productIcon: String? {
        get { value(\.productIcon) { Self.string(.productIcon, in: $0) } }
        set { change { $0.productIcon = newValue } }
    }

    var featuredImage: String? {
        get { value(\.featuredImage) { Self.string(.featuredImage, in: $0) } }
        set { change { $0.featuredImage = newValue } }
    }

    var productTitle: LocalizedText? {
        get { value(\.productTitle) { $0[CatalogKey.productTitle.name].flatMap { LocalizedText($0) } } }
        set { change { $0.productTitle = newValue } }
    }

    var longDescription: LocalizedText? {
        get { value(\.longDescription) { $0[CatalogKey.longDescription.name].flatMap { LocalizedText($0) } } }
        set { change { $0.longDescription = newValue } }
    }

    var userInfo: PropertyListValue? {
        get { value(\.userInfo) { $0[CatalogKey.userInfo.name] } }
        set { change { $0.userInfo = newValue } }
    }

    private var values: Values {
        if case .values(let values) = self { return values }
        return Values(
            content: content, productIcon: productIcon, featuredImage: featuredImage, productTitle: productTitle,
            longDescription: longDescription, userInfo: userInfo)
    }

    private func value<Value>(
        _ field: KeyPath<Values, Value?>, declared read: (PropertyListValue) -> Value?
    ) -> Value? {
        switch self {
        case .none: nil
        case .declared(let dictionary): read(dictionary)
        case .values(let values): values[keyPath: field]
        }
    }

    private mutating func change(_ change: (inout Values) -> Void) {
        var values = values
        change(&values)
        self = ProductDetails(values)
    }

    private static func string(_ key: CatalogKey, in dictionary: PropertyListValue) -> String? {
        dictionary[key.name]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    static func == (left: ProductDetails, right: ProductDetails) -> Bool { left.values == right.values }
}
