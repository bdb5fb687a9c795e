import Foundation
import Testing
import VitrineReceipts

/// Field in the body of a request, with its valid values.
struct BodyField: Sendable {
    enum Kind: Sendable {
        /// Boolean value, which must be `true` if the associated value is set.
        case flag(mustBeTrue: Bool)
        case integer(ClosedRange<Int64>)
        case choice([String])
        case uuid(mayBeEmpty: Bool)
        /// Text with a length in a range, without control characters.
        case text(ClosedRange<Int>)
        /// Value that the store knows. No generated value is valid.
        case known
        /// Identifier of a transaction.
        case digits
        case countries
    }

    let name: String
    let kind: Kind
    /// Error code for an invalid value.
    let code: Int
    var isRequired = true

    /// Returns `true` if the store must accept a value; `nil` stands for a missing field.
    func accepts(_ value: JSONValue?) -> Bool {
        guard let value, value != .null else { return !isRequired }
        switch (kind, value) {
        case (.flag(let mustBeTrue), .bool(let flag)): return flag || !mustBeTrue
        case (.integer(let range), .integer(let number)): return range.contains(number)
        case (.choice(let texts), .string(let text)): return texts.contains(text)
        case (.uuid(let mayBeEmpty), .string(let text)): return mayBeEmpty && text.isEmpty
        case (.text(let range), .string(let text)):
            return range.contains(text.utf16.count) && text.unicodeScalars.allSatisfy { $0.value >= 0x20 }
        case (.digits, .string(let text)): return text.wholeMatch(of: /[0-9]+/) != nil
        default: return false
        }
    }

    /// Returns the error code for a value that the store must refuse.
    func code(for value: JSONValue?) -> Int {
        if case .countries = kind, value == .array([]) { return 4_000_027 }
        return code
    }
}

/// Request, with a description of the fields in its body.
struct BodyDescription: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let method: String
    /// Path, in which `{coins}` and `{silver}` are replaced by transaction identifiers.
    let path: String
    let fields: [BodyField]
    /// Valid values as JSON, by the names of the fields.
    let good: [String: String]

    /// Invalid value that replaces a field: bytes of JSON, or other bytes; `nil` for a missing field.
    struct WrongValue {
        let id: String
        let bytes: Data?

        init(_ id: String, _ text: String?) { (self.id, bytes) = (id, text.map { Data($0.utf8) }) }

        init(_ id: String, bytes: [UInt8]) { (self.id, self.bytes) = (id, Data(bytes)) }
    }

    static let wrongValues = [
        WrongValue("missing", nil), WrongValue("null", "null"), WrongValue("true", "true"),
        WrongValue("false", "false"),
        WrongValue("a word", #""abc""#), WrongValue("an empty text", #""""#), WrongValue("a blank", #"" ""#),
        WrongValue("true as a text", #""true""#), WrongValue("a number as a text", #""1""#),
        WrongValue("129 letters", #""\#(String(repeating: "a", count: 129))""#),
        WrongValue("60,000 letters", #""\#(String(repeating: "a", count: 60_000))""#),
        WrongValue("60,000 combining marks", #""e\#(String(repeating: "\u{301}", count: 30_000))""#),
        WrongValue("NUL", #""a\u0000b""#), WrongValue("a line end", #""a\nb""#),
        WrongValue("an emoji", "\"\u{1F600}\""),
        WrongValue("nothing of a UUID but its length", #""\#(String(repeating: "-", count: 36))""#),
        WrongValue("SQL", #""'; DROP TABLE purchase; --""#), WrongValue("an escape", #""\u002e\u002e\/""#),
        WrongValue("an empty list", "[]"), WrongValue("a list of texts", #"["abc"]"#), WrongValue("an object", "{}"),
        WrongValue("a list of null", "[null]"), WrongValue("an object in its place", #"{"abc": 1}"#),
        WrongValue("60 levels", String(repeating: "[", count: 60) + String(repeating: "]", count: 60)),
        WrongValue("minus one", "-1"), WrongValue("a negative number", "-9223372036854775808"),
        WrongValue("a fraction", "0.5"), WrongValue("a thousand", "1000"),
        WrongValue("a large number", "9007199254740993"),
        WrongValue("the largest number", "9223372036854775807"), WrongValue("one more", "9223372036854775808"),
        WrongValue("an enormous number", "1e300"), WrongValue("a tiny number", "1e-300"),
        WrongValue("10,000 levels", String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)),
        WrongValue("infinity", "1e400"), WrongValue("no number", "NaN"), WrongValue("hexadecimal digits", "0x1"),
        WrongValue("half a surrogate", #""\ud800""#), WrongValue("a control character", "\"\u{1}\""),
        WrongValue("a raw NUL", "\"\0\""), WrongValue("no end", "\"abc"), WrongValue("nothing", ""),
        WrongValue("single quotes", "'abc'"), WrongValue("invalid UTF-8", bytes: [0x22, 0xFF, 0xFE, 0x22]),
        WrongValue("an overlong slash", bytes: [0x22, 0xC0, 0xAF, 0x22]),
        WrongValue("half a character", bytes: [0x22, 0xE2, 0x82, 0x22]),
    ]

    /// Returns the bodies with an invalid value of one field, and the error code of each.
    func wrongBodies() -> [(id: String, body: Data, code: Int)] {
        var bodies: [(String, Data, Int)] = []
        for field in fields {
            for wrong in Self.wrongValues {
                let value = wrong.bytes.map { try? JSONValue(json: $0) }
                // No JSON at all.
                let isReadable = value.map { $0 != nil } ?? true
                guard !isReadable || !field.accepts(value ?? nil) else { continue }
                let code = isReadable ? field.code(for: value ?? nil) : 4_000_000
                bodies.append(("\(field.name): \(wrong.id)", body(replacing: field.name, with: wrong.bytes), code))
            }
        }
        return bodies
    }

    private func body(replacing name: String, with value: Data?) -> Data {
        var members = good.filter { $0.key != name }.sorted { $0.key < $1.key }
            .map { Data("\"\($0.key)\": \($0.value)".utf8) }
        if let value { members.append(Data("\"\(name)\": ".utf8) + value) }
        return Data("{".utf8) + members.joined(separator: Data(", ".utf8)) + Data("}".utf8)
    }
}
