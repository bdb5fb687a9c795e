internal import Crypto
package import Foundation
internal import VitrineReceipts

/// Decoded query parameters of a request, in the order of the URL.
package struct ServerQuery: Sendable {
    private let values: [String: [String]]

    package init(_ items: some Sequence<(name: String, value: String)>) {
        var values: [String: [String]] = [:]
        for item in items { values[item.name, default: []].append(item.value) }
        self.values = values
    }

    /// Returns all values of a parameter that may be repeated, decoded by a function.
    ///
    /// - Throws: ``ServerError`` with the given code if the function returns `nil`.
    func all<Value>(
        _ name: String, _ code: ServerError.Code, _ read: (String) -> Value?
    ) throws(ServerError) -> [Value] {
        let texts = values[name] ?? []
        let decoded = texts.compactMap(read)
        guard decoded.count == texts.count else { throw ServerError(code, Self.reason(name)) }
        return decoded
    }

    /// Returns the value of a parameter, decoded by a function; `nil` if the request lacks the parameter.
    ///
    /// - Throws: ``ServerError`` with the given code if the parameter is repeated, or the function returns `nil`.
    func value<Value>(
        _ name: String, _ code: ServerError.Code, _ read: (String) -> Value?
    ) throws(ServerError) -> Value? {
        guard let text = try single(name, code) else { return nil }
        guard let value = read(text) else { throw ServerError(code, Self.reason(name)) }
        return value
    }

    /// Returns the value of a parameter; `nil` if the request lacks the parameter.
    ///
    /// - Throws: ``ServerError`` with the given code if the parameter is repeated.
    func single(_ name: String, _ code: ServerError.Code) throws(ServerError) -> String? {
        guard let found = values[name] else { return nil }
        guard found.count == 1 else { throw ServerError(code, "Invalid request. The parameter \(name) is repeated.") }
        return found[0]
    }

    /// Returns the date in a parameter, in milliseconds since 1970; `nil` if the request lacks the parameter.
    func date(_ name: String, _ code: ServerError.Code) throws(ServerError) -> Int64? {
        try value(name, code) { text in Int64(text).flatMap { $0 >= 0 ? $0 : nil } }
    }

    /// Returns the Boolean value of a parameter, in upper or lower case; `nil` if the request lacks the parameter.
    func flag(_ name: String, _ code: ServerError.Code) throws(ServerError) -> Bool? {
        try value(name, code) { ["true": true, "false": false][$0.lowercased()] }
    }

    static func reason(_ name: String) -> String { "Invalid request. The value of \(name) is invalid." }
}

/// JSON object in the body of a request. Fields with the value `null` count as missing.
package struct ServerBody: Sendable {
    private let members: [String: JSONValue]

    /// Parses the body of a request.
    ///
    /// - Throws: ``ServerError`` `badRequest` if the body is not a JSON object.
    package init(_ data: Data) throws(ServerError) {
        guard let value = try? JSONValue(json: data), case .object(let members) = value else {
            throw ServerError(.badRequest, "Invalid request. The body is not a JSON object.")
        }
        self.members = members.filter { $0.value != .null }
    }

    var fields: [String: JSONValue] { members }

    func has(_ name: String) -> Bool { members[name] != nil }

    /// Returns the value of a field, decoded by a function; `nil` if the body lacks the field.
    ///
    /// - Throws: ``ServerError`` with the given code if the function returns `nil`.
    func value<Value>(
        _ name: String, _ code: ServerError.Code, _ read: (JSONValue) -> Value?
    ) throws(ServerError) -> Value? {
        guard let member = members[name] else { return nil }
        guard let value = read(member) else { throw ServerError(code, ServerQuery.reason(name)) }
        return value
    }

    /// Returns the value of a required field, decoded by a function.
    ///
    /// - Throws: ``ServerError`` with the given code if the body lacks the field, or the function returns `nil`.
    func required<Value>(
        _ name: String, _ code: ServerError.Code, _ read: (JSONValue) -> Value?
    ) throws(ServerError) -> Value {
        guard let value = try value(name, code, read) else {
            throw ServerError(code, "Invalid request. The field \(name) is missing.")
        }
        return value
    }

    func integer(_ name: String, _ code: ServerError.Code, in range: ClosedRange<Int64>) throws(ServerError) -> Int64 {
        try required(name, code) { $0.integer.flatMap { range.contains($0) ? $0 : nil } }
    }

    func flag(_ name: String, _ code: ServerError.Code) throws(ServerError) -> Bool {
        try required(name, code) { if case .bool(let flag) = $0 { flag } else { nil } }
    }

    /// The body as JSON text with sorted keys, as it is stored.
    var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(members), as: UTF8.self)
        }
    }
}

extension JSONValue {
    var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    var string: String? { if case .string(let value) = self { value } else { nil } }

    /// Returns the text if its length in UTF-16 code units is in a range, and it has no control characters; otherwise
    /// `nil`.
    func string(ofLength range: ClosedRange<Int>) -> String? {
        string.flatMap { text in
            range.contains(text.utf16.count)
                && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
                ? text : nil
        }
    }

    /// UUID in the text; `nil` unless the text has the standard form with 36 characters.
    var uuid: UUID? { string.flatMap { $0.utf8.count == 36 ? UUID(uuidString: $0) : nil } }
}

/// Opaque token with which a server requests the next page of a listing. It is valid only for that listing and store.
struct ContinuationToken {
    /// Position after which the listing continues.
    let position: [Int64]

    init(_ position: Int64...) { self.position = position }

    /// Decodes a token.
    ///
    /// - Parameter listing: Description of the listing, with its filters.
    /// - Returns: `nil` for a token that was not created for the listing.
    init?(_ text: String, for listing: String, of seed: StoreSeed) {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        let numbers = parts.dropLast().map { Int64($0) }
        guard parts.count > 1, text.utf8.count < 200, !numbers.contains(nil) else { return nil }
        position = numbers.compactMap(\.self)
        guard self.text(for: listing, of: seed) == text else { return nil }
    }

    func text(for listing: String, of seed: StoreSeed) -> String {
        let numbers = position.map(String.init).joined(separator: "_")
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(numbers)\n\(listing)".utf8), using: SymmetricKey(data: seed.continuationKey))
        return "\(numbers)_\(code.prefix(12).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())"
    }
}
