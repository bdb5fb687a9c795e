package import Foundation

extension JSONDecoder {
    /// Decodes a JSON text from outside.
    ///
    /// Foundation's decoder ends the process at a text whose last character is the opening bracket of an array in the
    /// 513th level: to describe its error, the decoder reads the character after it.
    ///
    /// - Throws: `DecodingError`.
    package func decodeForeign<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        // In UTF-16 and UTF-32, zeros behind the bracket belong to it.
        guard data.last(where: { $0 != 0 }) != UInt8(ascii: "[") else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: "the JSON ends with an opening bracket"))
        }
        return try decode(type, from: data)
    }
}
