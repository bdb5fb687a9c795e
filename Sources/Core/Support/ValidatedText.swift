internal import Foundation

extension String {
    /// The text in percent-encoding, except unreserved characters (RFC 3986 section 2.3).
    package var percentEncoded: String { addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? self }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

// Swift's own initializers, which validate code units, need iOS 18.
extension String {
    /// Decodes UTF-8; `nil` if the bytes are not valid.
    package init?(validUTF8 bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        // Invalid bytes were replaced by U+FFFD.
        guard text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }

    /// Decodes UTF-16 or UTF-32; `nil` if the units are not valid.
    package init?<Encoding: Unicode.Encoding>(validUnits units: [Encoding.CodeUnit], as encoding: Encoding.Type) {
        var (text, parser, input) = ("", Encoding.ForwardParser(), units.makeIterator())
        while true {
            switch parser.parseScalar(from: &input) {
            case .valid(let scalar): text.unicodeScalars.append(Encoding.decode(scalar))
            case .error: return nil
            case .emptyInput:
                self = text
                return
            }
        }
    }
}
