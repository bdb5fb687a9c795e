internal import Foundation

/// Base64 with the alphabet for URLs, as RFC 7515 section 2 requires: without padding, and with the unused bits of the
/// last character zero, so that the same bytes have only one encoding.
enum Base64URL {
    static func encode(_ bytes: some DataProtocol) -> String {
        Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// - Returns: `nil` for a text that ``encode(_:)`` would not write.
    static func decode(_ text: some StringProtocol) -> Data? { decode(Array(text.utf8)[...]) }

    /// - Returns: `nil` for characters that ``encode(_:)`` would not write.
    static func decode(_ text: ArraySlice<UInt8>) -> Data? {
        var (pending, bits): (UInt32, UInt32) = (0, 0)
        var isValid = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 2) { buffer, count in
            for character in text {
                guard let value = value(of: character) else {
                    isValid = false
                    return
                }
                pending = pending << 6 | UInt32(value)
                bits += 6
                if bits >= 8 {
                    bits -= 8
                    buffer[count] = UInt8(truncatingIfNeeded: pending >> bits)
                    count += 1
                    pending &= 1 << bits - 1
                }
            }
        }
        return isValid && bits < 6 && pending == 0 ? Data(bytes) : nil
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
