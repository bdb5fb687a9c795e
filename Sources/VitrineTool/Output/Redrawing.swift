import Foundation

/// Table on a terminal, with lines below it, that is redrawn in place.
struct Redrawing {
    private var height = 0

    /// Overwrites the lines drawn before. Lines that do not fit on the screen are omitted, because lines that have
    /// scrolled away cannot be overwritten.
    mutating func draw(products: [String], below: [String]) throws {
        let (columns, rows) = Screen.size(of: STDOUT_FILENO)
        let room = max(1, rows - below.count - 3)
        let left = products.count - room
        let shown = left > 1 ? products.prefix(room) + ["… \(left) more"] : products[...]
        let lines = (shown + [""] + below).map { Screen.fit($0.withoutControlCharacters, columns) }
        try Console.write(Array((Screen.up(height) + lines.map { $0 + "\n" }.joined()).utf8))
        height = lines.count
    }
}

/// Screen of a terminal.
enum Screen {
    static func size(of descriptor: Int32) -> (columns: Int, rows: Int) {
        var size = winsize()
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
        return isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
    }

    /// Returns the line truncated to the screen's width; a wrapped line would take up two rows.
    static func fit(_ line: String, _ columns: Int) -> String {
        line.count <= columns ? line : String(line.prefix(columns - 1)) + "…"
    }

    /// Returns the escape sequence that moves up by a number of lines and clears them.
    static func up(_ lines: Int) -> String { lines == 0 ? "" : "\u{1B}[\(lines)A\u{1B}[J" }
}
