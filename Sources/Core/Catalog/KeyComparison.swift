/// Comparison of a key's values in two versions of a catalog, and description of the values for `vitrine diff`.
package struct KeyComparison: Sendable {
    /// Kind of message about a changed value.
    enum Message {
        /// A message specific to the key, created by ``CatalogComparison``.
        case explained
        /// A message with the old and the new value, for a value that affects the sale of the product.
        case sale
        /// One message that names all changed keys, for values that affect only the presentation of the product.
        case presentation
    }

    let message: Message
    /// Returns `true` if the value is the same in two products.
    let isEqual: @Sendable (CatalogProduct, CatalogProduct) -> Bool
    /// Returns the value as text for a message of the kind ``Message/sale``; `nil` for a missing value or another kind.
    let plainValue: @Sendable (CatalogProduct) -> String?
    /// Label of the value on the page of `vitrine diff`; `nil` for a value that the page does not show.
    package let heading: String?
    /// Returns the value as texts for the page of `vitrine diff`.
    package let describe: @Sendable (CatalogProduct) -> [String]
    /// Returns the localized text of a product under the key; `nil` for a key whose value is not a localized text.
    package let text: (@Sendable (CatalogProduct) -> LocalizedText?)?

    private init<Value: Equatable & Sendable>(
        _ message: Message, _ heading: String?, _ value: @escaping @Sendable (CatalogProduct) -> Value,
        plainValue: @escaping @Sendable (CatalogProduct) -> String? = { _ in nil },
        text: (@Sendable (CatalogProduct) -> LocalizedText?)? = nil,
        describe: @escaping @Sendable (CatalogProduct) -> [String?]
    ) {
        self.message = message
        isEqual = { value($0) == value($1) }
        self.plainValue = plainValue
        self.heading = heading
        self.describe = { describe($0).compactMap(\.self) }
        self.text = text
    }
}

extension KeyComparison {
    /// Creates the comparison of a value with change messages specific to the key.
    static func explained<Value: Equatable & Sendable>(
        _ heading: String, comparing value: @escaping @Sendable (CatalogProduct) -> Value,
        describe: @escaping @Sendable (CatalogProduct) -> [String?]
    ) -> KeyComparison {
        KeyComparison(.explained, heading, value, describe: describe)
    }

    /// Creates the comparison of an optional single value with change messages specific to the key.
    static func explained<Value: Equatable & Sendable>(
        _ heading: String, _ value: @escaping @Sendable (CatalogProduct) -> Value?,
        describe: @escaping @Sendable (Value) -> String = { "\($0)" }
    ) -> KeyComparison {
        KeyComparison(.explained, heading, value) { [value($0).map(describe)] }
    }

    /// Creates the comparison of a value that affects the sale of the product.
    ///
    /// - Parameter describe: Description of the value on the page of `vitrine diff`. Messages contain the plain value.
    static func sale<Value: Equatable & Sendable>(
        _ heading: String, _ value: @escaping @Sendable (CatalogProduct) -> Value?,
        describe: @escaping @Sendable (Value) -> String = { "\($0)" }
    ) -> KeyComparison {
        KeyComparison(.sale, heading, value, plainValue: { value($0).map { "\($0)" } }) { [value($0).map(describe)] }
    }

    /// Creates the comparison of a value that affects only the presentation of the product.
    static func presentation(
        _ heading: String, _ value: @escaping @Sendable (CatalogProduct) -> String?
    ) -> KeyComparison {
        KeyComparison(.presentation, heading, value) { [value($0)] }
    }

    /// Creates the comparison of a text in several languages, which affects only the presentation of the product.
    static func text(
        _ heading: String, _ text: @escaping @Sendable (CatalogProduct) -> LocalizedText?
    ) -> KeyComparison {
        KeyComparison(.presentation, heading, text, text: text) { [text($0)?.text(for: [])] }
    }

    /// Creates the description of a single value of ``CatalogProduct/content``. Differences are found by comparing the
    /// whole content.
    static func part<Value: Sendable>(
        _ heading: String, _ value: @escaping @Sendable (CatalogProduct) -> Value?
    ) -> KeyComparison {
        KeyComparison(.explained, heading, { _ in true }) { [value($0).map { "\($0)" }] }
    }

    /// Comparison of the app's own data, which may be of any type and size, and is not shown.
    static let userInfo = KeyComparison(.presentation, nil, { $0.userInfo }) { _ in [] }
}
