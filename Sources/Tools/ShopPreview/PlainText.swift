internal import VitrineSupport

extension String {
    /// Returns the text without control characters, cut to `limit` Unicode scalars.
    func plain(_ limit: Int) -> String {
        let start = cut(to: limit) { _ in 1 }
        var text = UnicodeScalarView()
        for scalar in start.unicodeScalars { text.append(scalar.isControl && scalar != "\n" ? " " : scalar) }
        return String(text)
    }

    /// Returns the beginning of the text, followed by an ellipsis if the text is longer.
    ///
    /// The text is cut between characters, so that an emoji of several Unicode scalars remains whole. A character is cut
    /// only if it takes more than half of the limit: it can have any number of combining marks.
    ///
    /// - Parameters:
    ///   - limit: Maximum size of the beginning.
    ///   - size: Function that returns the size of a scalar, at least 1.
    package func cut(to limit: Int, size: (Unicode.Scalar) -> Int) -> String {
        var (end, taken) = (unicodeScalars.startIndex, 0)
        while end < unicodeScalars.endIndex {
            let next = size(unicodeScalars[end])
            guard taken + next <= limit else { break }
            (end, taken) = (unicodeScalars.index(after: end), taken + next)
        }
        guard end < unicodeScalars.endIndex else { return self }
        let whole = index(before: index(after: end))
        let lost = unicodeScalars[whole..<end].reduce(0) { $0 + size($1) }
        return String(unicodeScalars[..<(lost * 2 > limit ? end : whole)]) + "…"
    }

    /// Text without control characters, cut to the maximum length of a title.
    var asTitle: String { plain(500) }

    /// Text without control characters, cut to the maximum length of a description or message.
    var asText: String { plain(4_000) }
}
