internal import VitrineCommandSupport

/// HTML text. String literals are markup, and interpolated values are escaped unless they are HTML text themselves.
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

        /// Appends an escaped value in a `<bdi>` element, so that its writing direction does not affect the surrounding
        /// text.
        mutating func appendInterpolation(_ value: String) { markup += "<bdi>\(HTMLText.escaped(value))</bdi>" }

        /// Appends an escaped value with several lines.
        mutating func appendInterpolation(lines value: String) {
            markup += "<bdi>\(HTMLText.escaped(value, keepsLines: true))</bdi>"
        }

        /// Appends escaped text without a `<bdi>` element, for fixed text or where no element is allowed.
        mutating func appendInterpolation(plain text: String) { markup += HTMLText.escaped(text) }
    }

    /// Escapes markup, invisible characters, and characters that change the writing direction.
    ///
    /// - Parameter keepsLines: `true` to preserve line feeds and tabs.
    private static func escaped(_ text: String, keepsLines: Bool = false) -> String {
        let visible = keepsLines ? text.withVisibleControlCharactersInLines : text.withoutControlCharacters
        var bytes: [UInt8] = []
        // Bytes are compared, because a `<` followed by a combining mark is a different character.
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
    /// Text with all control characters escaped except line feeds and tabs.
    fileprivate var withVisibleControlCharactersInLines: String {
        unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "\n" }.map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false)
                .map { String($0).withoutControlCharacters }.joined(separator: "\t")
        }.joined(separator: "\n")
    }
}
