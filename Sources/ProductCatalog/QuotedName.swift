extension Unicode.Scalar {
    /// The general category Cc.
    package var isControl: Bool { value < 0x20 || (0x7F..<0xA0).contains(value) }
}

extension String {
    /// A name from a file as messages show it: in quotes, shortened, and without characters that control a terminal.
    package var quoted: String {
        let shown = unicodeScalars.prefix(Self.longestShown).map { scalar in
            scalar.isControl ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return "\"\(shown.joined())\(unicodeScalars.count > Self.longestShown ? "…" : "")\""
    }

    private static let longestShown = 100
}
