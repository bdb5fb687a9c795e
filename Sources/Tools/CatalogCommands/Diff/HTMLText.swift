internal import VitrineCommandSupport

/// Text in HTML. Its literals are markup, and what stands in them as `\(…)` is not, unless it is such a text itself.
struct HTMLText: ExpressibleByStringInterpolation {
    let markup: String

    init(stringLiteral literal: StaticString) { markup = literal.description }

    init(stringInterpolation: StringInterpolation) { markup = stringInterpolation.markup }

    fileprivate init(markup: String) { self.markup = markup }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var markup = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: StaticString) { markup += literal.description }

        mutating func appendInterpolation(_ text: HTMLText) { markup += text.markup }

        /// Appends a value, whose writing direction does not affect the text around it.
        mutating func appendInterpolation(_ value: String) { markup += "<bdi>\(HTMLText.escaped(value))</bdi>" }

        /// Appends a value of several lines.
        mutating func appendInterpolation(lines value: String) {
            markup += "<bdi>\(HTMLText.escaped(value, keepsLines: true))</bdi>"
        }

        /// Appends words of the tool, or a value where elements cannot stand.
        mutating func appendInterpolation(plain words: String) { markup += HTMLText.escaped(words) }
    }

    /// Returns a text in which nothing is markup, and no character is invisible or changes the writing direction.
    ///
    /// - Parameter keepsLines: `true` to keep line feeds and tabs.
    private static func escaped(_ text: String, keepsLines: Bool = false) -> String {
        let visible = keepsLines ? text.withVisibleControlCharactersInLines : text.withoutControlCharacters
        var bytes: [UInt8] = []
        // By bytes: a `<` with a combining mark after it would be another character.
        for byte in visible.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            case UInt8(ascii: "'"): bytes += "&#39;".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [HTMLText] {
    func joined() -> HTMLText { HTMLText(markup: map(\.markup).joined()) }
}

extension String {
    /// Text with control characters escaped, except for line feeds and tabs.
    fileprivate var withVisibleControlCharactersInLines: String {
        unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "\n" }.map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false)
                .map { String($0).withoutControlCharacters }.joined(separator: "\t")
        }.joined(separator: "\n")
    }
}
