internal import VitrineSupport

extension String {
    /// Text for a page: at most `limit` Unicode scalars, without control characters.
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

    /// Title for a page.
    var asTitle: String { plain(500) }

    /// Description or message for a page.
    var asText: String { plain(4_000) }
}
