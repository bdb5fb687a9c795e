internal import Foundation

/// Base64 in the alphabet for URLs, as RFC 7515 section 2 asks for it: without padding, and with the unused bits of
/// the last character zero, so that no two texts mean the same bytes.
enum Base64URL {
    static func encode(_ bytes: some DataProtocol) -> String {
        Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// - Returns: `nil` for a text that ``encode(_:)`` would not write.
    static func decode(_ text: some StringProtocol) -> Data? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let standard = String(text).replacing("-", with: "+").replacing("_", with: "/") + padding
        guard let bytes = Data(base64Encoded: standard), encode(bytes) == text else { return nil }
        return bytes
    }
}
