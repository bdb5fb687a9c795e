internal import Mustache

/// Content type of all templates. Texts become text of a page, and nothing else.
///
/// The content type of the library compares whole characters, so that a quotation mark with a combining mark would end an
/// attribute. This one looks at each Unicode scalar.
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
            // Control characters, of which HTML permits none.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": escaped.append("\u{FFFD}")
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}

extension String {
    /// Text whose direction does not change that of the text around it, where no element can say so.
    var isolated: String { "\u{2068}\(self)\u{2069}" }

    /// Returns the text, shortened to about a number of UTF-8 bytes.
    func shortened(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var (scalars, size) = (String.UnicodeScalarView(), 0)
        for scalar in unicodeScalars {
            size += UTF8.width(scalar)
            guard size <= limit else { break }
            scalars.append(scalar)
        }
        return String(scalars) + "…"
    }
}
