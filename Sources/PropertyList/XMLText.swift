/// Text as it stands in XML.
package enum XMLText {
    /// A code point as XML 1.0 says it: itself, or a reference where it would mean something else.
    ///
    /// Text is spelled by code points: a `<` with an accent on it is another character, and still begins a tag.
    ///
    /// - Returns: `nil` for what XML has no way to say.
    package static func spelling(of scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        // Unless it is a reference, every reader of XML makes a line feed of it.
        case "\r": "&#13;"
        case "\t", "\n", " "..."\u{FFFD}", "\u{10000}"...: String(scalar)
        default: nil
        }
    }
}
