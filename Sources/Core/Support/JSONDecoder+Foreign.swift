package import Foundation

extension JSONEncoder {
    /// New encoder that writes equal values as equal bytes: with sorted keys, and slashes that are not escaped.
    package static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

extension JSONDecoder {
    /// Decodes untrusted JSON.
    ///
    /// Foundation's decoder terminates the process if the text ends with the opening bracket of an array at nesting
    /// level 513: to describe its error, the decoder reads the character after the bracket.
    ///
    /// - Throws: `DecodingError`.
    package func decodeForeign<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        // In UTF-16 and UTF-32, zero bytes may follow the bracket.
        guard data.last(where: { $0 != 0 }) != UInt8(ascii: "[") else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: "the JSON ends with an opening bracket"))
        }
        return try decode(type, from: data)
    }
}
