import Foundation

/// A table on a terminal with lines below it, written over again and again.
struct Redrawing {
    private var height = 0

    /// Writes lines in the place of those that were written before. What does not fit on the screen is left out: no line
    /// could be written over that has scrolled away.
    mutating func draw(products: [String], below: [String]) throws {
        let (columns, rows) = Self.screen
        let room = max(1, rows - below.count - 3)
        let left = products.count - room
        let shown = left > 1 ? products.prefix(room) + ["… \(left) more"] : products[...]
        let lines = (shown + [""] + below).map { Self.fit($0.withoutControlCharacters, columns) }
        let back = height == 0 ? "" : "\u{1B}[\(height)A\u{1B}[J"
        try Console.write(Array((back + lines.map { $0 + "\n" }.joined()).utf8))
        height = lines.count
    }

    private static var screen: (columns: Int, rows: Int) {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
        return isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
    }

    /// A line that is wrapped takes up two.
    private static func fit(_ line: String, _ columns: Int) -> String {
        line.count <= columns ? line : String(line.prefix(columns - 1)) + "…"
    }
}
