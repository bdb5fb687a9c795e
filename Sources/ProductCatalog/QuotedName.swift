extension Unicode.Scalar {
    /// `true` for a control character (general category Cc).
    package var isControl: Bool { value < 0x20 || (0x7F..<0xA0).contains(value) }
}

extension String {
    /// The string for use in a message: in quotes, truncated to 100 scalars, and with control characters escaped.
    package var quoted: String {
        let shown = unicodeScalars.prefix(Self.longestShown).map { scalar in
            scalar.isControl ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return "\"\(shown.joined())\(unicodeScalars.count > Self.longestShown ? "…" : "")\""
    }

    private static let longestShown = 100
}
