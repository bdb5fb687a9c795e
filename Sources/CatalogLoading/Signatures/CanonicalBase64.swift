internal import Foundation
internal import ProductCatalog

/// Strict Base64 (RFC 4648, section 4): exactly one text is accepted for each byte sequence.
enum CanonicalBase64 {
    /// - Returns: `nil` for a text that is not in canonical form.
    static func decode(_ text: some Collection<UInt8>) -> Data? {
        let text = Data(text)
        guard let bytes = Data(base64Encoded: text), bytes.base64EncodedData() == text else { return nil }
        return bytes
    }
}
