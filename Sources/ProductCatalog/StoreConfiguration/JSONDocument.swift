package import Foundation

// `JSONSerialization` takes a third of the processor time of a start with 1,000 products: for its own tree, for a second
// one of `Any`, and for the casts of each value. The documents that the tool reads at each start, the store's
// configuration and its last response, are plain: `PlainJSONReader` reads these into the values below. It declines
// everything else, and every error, without a message; the document is then read by `JSONSerialization`.

/// Value in a JSON document.
package enum JSONValue {
    case null
    case flag(Bool)
    /// Number without a fraction and without an exponent.
    case integer(Int)
    /// Any other number or, from `JSONSerialization`, any number or Boolean.
    case number(NSNumber)
    case text(String)
    case list([JSONValue])
    case object(JSONMembers)

    /// Reads a document, whose outermost value is an object or an array.
    ///
    /// - Throws: Error of `JSONSerialization` for a document that is not JSON.
    package init(_ data: Data) throws {
        if let value = PlainJSONReader.read(data) {
            self = value
        } else {
            self.init(any: try JSONSerialization.jsonObject(with: data))
        }
    }

    init(any value: Any) {
        // A cast to `NSNull` would bridge all elements of a list to Objective-C first.
        if type(of: value) == NSNull.self {
            self = .null
        } else if let entries = value as? [String: Any] {
            self = .object(JSONMembers(entries.map { ($0.key, JSONValue(any: $0.value)) }))
        } else if let elements = value as? [Any] {
            self = .list(elements.map(JSONValue.init(any:)))
        } else if let text = value as? String {
            self = .text(text)
        } else if let number = value as? NSNumber {
            self = .number(number)
        } else {
            self = .null
        }
    }

    package var isNull: Bool { if case .null = self { true } else { false } }

    package var text: String? { if case .text(let text) = self { text } else { nil } }

    package var list: [JSONValue]? { if case .list(let elements) = self { elements } else { nil } }

    /// The value as a list of texts; `nil` for a list with another element.
    package var texts: [String]? {
        guard let list else { return nil }
        let texts = list.compactMap(\.text)
        return texts.count == list.count ? texts : nil
    }

    package var object: JSONMembers? { if case .object(let object) = self { object } else { nil } }

    /// The value as an integer, with the conversions of `NSNumber`: `true` is 1, and 4.0 is 4.
    package var integer: Int? {
        switch self {
        case .integer(let number): number
        case .flag(let flag): flag ? 1 : 0
        case .number(let number): number as? Int
        default: nil
        }
    }

    /// The value as a Boolean, with the conversions of `NSNumber`: 0 is `false`, and 1 is `true`.
    package var flag: Bool? {
        switch self {
        case .flag(let flag): flag
        case .integer(0): false
        case .integer(1): true
        case .number(let number): number as? Bool
        default: nil
        }
    }
}

/// Object in a JSON document. Its few keys are compared one by one, which is faster than hashing them.
package struct JSONMembers {
    package typealias Entry = (key: String, value: JSONValue)

    /// Keys with their values. No key occurs twice.
    package let entries: [Entry]

    package init(_ entries: [Entry] = []) { self.entries = entries }

    package subscript(key: String) -> JSONValue? { entries.first { $0.key == key }?.value }
}
