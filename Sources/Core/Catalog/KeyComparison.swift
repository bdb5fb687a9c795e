/// Treatment of the value of a key when one catalog replaces another.
package struct KeyComparison: Sendable {
    /// Message about a change of the value.
    enum Message {
        /// ``CatalogComparison`` explains the change in words of its own.
        case explained
        /// The value affects the sale of the product: the message has the old and the new value.
        case sale
        /// The value affects only the presentation of the product: one message names all such keys.
        case presentation
    }

    let message: Message
    /// Returns `true` if the value is the same in two products.
    let isEqual: @Sendable (CatalogProduct, CatalogProduct) -> Bool
    /// Returns the value as the message of ``Message/sale`` has it; `nil` for a missing value, and for any other message.
    let plainValue: @Sendable (CatalogProduct) -> String?
    /// Name of the value on the page of `vitrine diff`; `nil` for a value that the page does not show.
    package let heading: String?
    /// Returns the value in the words of the page.
    package let words: @Sendable (CatalogProduct) -> [String]
    /// Returns the value of a key that has texts in several languages; `nil` for any other key.
    package let text: (@Sendable (CatalogProduct) -> LocalizedText?)?

    private init<Value: Equatable & Sendable>(
        _ message: Message, _ heading: String?, _ value: @escaping @Sendable (CatalogProduct) -> Value,
        plainValue: @escaping @Sendable (CatalogProduct) -> String? = { _ in nil },
        text: (@Sendable (CatalogProduct) -> LocalizedText?)? = nil,
        words: @escaping @Sendable (CatalogProduct) -> [String?]
    ) {
        self.message = message
        isEqual = { value($0) == value($1) }
        self.plainValue = plainValue
        self.heading = heading
        self.words = { words($0).compactMap(\.self) }
        self.text = text
    }
}

extension KeyComparison {
    /// Creates the comparison of a value whose changes ``CatalogComparison`` explains.
    static func explained<Value: Equatable & Sendable>(
        _ heading: String, comparing value: @escaping @Sendable (CatalogProduct) -> Value,
        words: @escaping @Sendable (CatalogProduct) -> [String?]
    ) -> KeyComparison {
        KeyComparison(.explained, heading, value, words: words)
    }

    /// Creates the comparison of a single value whose changes ``CatalogComparison`` explains.
    static func explained<Value: Equatable & Sendable>(
        _ heading: String, _ value: @escaping @Sendable (CatalogProduct) -> Value?,
        words: @escaping @Sendable (Value) -> String = { "\($0)" }
    ) -> KeyComparison {
        KeyComparison(.explained, heading, value) { [value($0).map(words)] }
    }

    /// Creates the comparison of a value that affects the sale of the product.
    ///
    /// - Parameter words: Description of the value on the page. The message has the plain value.
    static func sale<Value: Equatable & Sendable>(
        _ heading: String, _ value: @escaping @Sendable (CatalogProduct) -> Value?,
        words: @escaping @Sendable (Value) -> String = { "\($0)" }
    ) -> KeyComparison {
        KeyComparison(.sale, heading, value, plainValue: { value($0).map { "\($0)" } }) { [value($0).map(words)] }
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

    /// Creates the comparison of a part of ``CatalogProduct/content``, which is compared as a whole.
    static func part<Value: Sendable>(
        _ heading: String, _ value: @escaping @Sendable (CatalogProduct) -> Value?
    ) -> KeyComparison {
        KeyComparison(.explained, heading, { _ in true }) { [value($0).map { "\($0)" }] }
    }

    /// Comparison of the data of the app, which may be of any type and size, and is not shown.
    static let userInfo = KeyComparison(.presentation, nil, { $0.userInfo }) { _ in [] }
}
