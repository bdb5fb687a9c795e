internal import Foundation
internal import ProductCatalog

/// Base64 (RFC 4648 section 4) of which each sequence of bytes has one text alone.
enum CanonicalBase64 {
    /// - Returns: `nil` for a text that no encoder writes.
    static func decode(_ text: some Collection<UInt8>) -> Data? {
        let text = Data(text)
        guard let bytes = Data(base64Encoded: text), bytes.base64EncodedData() == text else { return nil }
        return bytes
    }
}
