import Foundation

/// Text table with headings. Each column is as wide as its widest cell, not counting cells of more than 120 characters. A
/// table that is too wide for the terminal has cells of several lines, which are broken between words. If its words do not
/// fit beside each other either, each row is a list of its cells.
package struct Table {
    package let headings: [String]
    package var rows: [[String]]

    private static let widestCell = 120
    private static let gap = "  "

    package init(headings: [String], rows: [[String]] = []) {
        self.headings = headings
        self.rows = rows
    }

    /// Lines for standard output, which fit the terminal if it is one.
    package var lines: [String] {
        lines(columns: isatty(STDOUT_FILENO) == 1 ? Screen.size(of: STDOUT_FILENO).columns : nil)
    }

    /// Returns the lines of the table.
    ///
    /// - Parameter columns: Width of the terminal; `nil` to write each row in one line.
    package func lines(columns: Int?) -> [String] {
        let all = ([headings] + rows).map { $0.map(\.withoutControlCharacters) }
        let lengths = headings.indices.map { column in all.map { $0[column].count } }
        let widest = lengths.map { $0.max() ?? 0 }
        let excess = widest.reduce(0, +) + Self.gap.count * (widest.count - 1) - (columns ?? .max)
        guard let columns, excess > 0, !rows.isEmpty else {
            let widths = lengths.map { $0.filter { $0 <= Self.widestCell }.max() ?? 0 }
            return all.map { Self.lines(of: $0.map { [$0] }, widths).joined() }
        }
        guard let widths = Self.narrowed(widest, by: excess, for: all) else { return Self.lists(of: all, columns) }
        return all.flatMap { row in Self.lines(of: zip(row, widths).map { $0.wrapped(to: $1) }, widths) }
    }

    /// Returns the lines of a row with cells of several lines.
    private static func lines(of cells: [[String]], _ widths: [Int]) -> [String] {
        (0..<(cells.map(\.count).max() ?? 0)).map { line in
            zip(cells, widths)
                .map { lines, width in (line < lines.count ? lines[line] : "").padded(to: width) }
                .joined(separator: gap)
                .trimmingTrailingSpaces()
        }
    }

    /// Returns the widths of the columns if the widest of them, down to their longest words, are narrowed until the table
    /// fits; `nil` if it does not fit either way.
    private static func narrowed(_ widest: [Int], by excess: Int, for rows: [[String]]) -> [Int]? {
        var (widths, excess) = (widest, excess)
        for column in widths.indices.sorted(by: { widths[$0] > widths[$1] }) {
            let longestWord = rows.flatMap { $0[column].split(separator: " ") }.map(\.count).max() ?? 0
            let cut = min(excess, widths[column] - longestWord)
            widths[column] -= cut
            excess -= cut
        }
        return excess > 0 ? nil : widths
    }

    /// Returns each row as a list of its cells that are not empty, each after its heading. The first row is the headings.
    private static func lists(of rows: [[String]], _ columns: Int) -> [String] {
        let width = rows[0].map(\.count).max() ?? 0
        let lists = rows.dropFirst().map { row in
            zip(rows[0], row).filter { !$1.isEmpty }.flatMap { heading, cell in
                lines(of: [[heading], cell.wrapped(to: max(1, columns - width - gap.count))], [width, 0])
            }
        }
        return Array(lists.joined(separator: [""]))
    }
}

/// Screen of a terminal.
package enum Screen {
    /// Returns the size of the terminal of a file descriptor; 80 columns and 24 rows if it is unknown.
    package static func size(of descriptor: Int32) -> (columns: Int, rows: Int) {
        var size = winsize()
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
        return isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
    }
}

extension String {
    /// Returns lines of at most a number of characters, unless a word has more.
    fileprivate func wrapped(to width: Int) -> [String] {
        split(separator: " ", omittingEmptySubsequences: false).reduce(into: []) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
    }

    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    fileprivate func trimmingTrailingSpaces() -> String {
        String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)])
    }
}
