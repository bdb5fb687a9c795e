internal import VitrineSupport

extension String {
    /// Returns the text without control characters, cut to `limit` Unicode scalars.
    func plain(_ limit: Int) -> String {
        let scalars = unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex)
        let isCut = end.map { $0 < scalars.endIndex } ?? false
        var text = UnicodeScalarView()
        for scalar in scalars[..<(end ?? scalars.endIndex)] {
            text.append(scalar.isControl && scalar != "\n" ? " " : scalar)
        }
        return String(text) + (isCut ? "…" : "")
    }

    /// Text without control characters, cut to the maximum length of a title.
    var asTitle: String { plain(500) }

    /// Text without control characters, cut to the maximum length of a description or message.
    var asText: String { plain(4_000) }
}
