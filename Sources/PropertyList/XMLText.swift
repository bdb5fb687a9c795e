/// Escaping of text for XML.
package enum XMLText {
    /// Returns a code point escaped for XML 1.0: the code point itself, or a reference if it has a special meaning.
    ///
    /// Text is escaped by code points rather than by characters: a `<` with a combining accent is a different character
    /// in Swift, but still begins a tag in XML.
    ///
    /// - Returns: `nil` for a code point that XML cannot represent.
    package static func spelling(of scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        // XML parsers convert an unescaped carriage return to a line feed.
        case "\r": "&#13;"
        case "\t", "\n", " "..."\u{FFFD}", "\u{10000}"...: String(scalar)
        default: nil
        }
    }
}
