internal import Mustache
internal import VitrineShopPreview

/// Content type of all templates, which escapes values so that they cannot become markup.
///
/// The library's content type compares whole characters, so that a quotation mark followed by a combining mark would
/// end an attribute. This one compares Unicode scalars.
struct PageText: MustacheContentType {
    static let name = "PAGE"

    func escapeText(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            case "\t", "\n", "\r": escaped.append(scalar)
            // HTML does not permit these control characters.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": escaped.append("\u{FFFD}")
            // XML, and so SVG, does not permit these noncharacters.
            case "\u{FFFE}", "\u{FFFF}": escaped.append("\u{FFFD}")
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}

extension String {
    /// Text in Unicode isolates, so that its writing direction does not affect the surrounding text where an element is
    /// not possible.
    var isolated: String { "\u{2068}\(self)\u{2069}" }

    /// Returns the text, cut to the given number of UTF-8 bytes and followed by an ellipsis if it is longer.
    func shortened(to limit: Int) -> String { utf8.count <= limit ? self : cut(to: limit) { UTF8.width($0) } }
}
