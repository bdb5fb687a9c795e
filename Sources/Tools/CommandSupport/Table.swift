import Foundation

/// Text table with headings. Each column is as wide as its widest cell, not counting cells of more than 120 characters. A
/// table that is too wide for the terminal has cells of several lines, which are broken between words.
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
        let narrowed = columns.flatMap { Self.widths(of: all, within: $0) }
        let widths =
            narrowed
            ?? headings.indices.map { column in
                all.map { $0[column].count }.filter { $0 <= Self.widestCell }.max() ?? 0
            }
        return all.flatMap { row in
            let cells = zip(row, widths).map { cell, width in narrowed == nil ? [cell] : cell.wrapped(to: width) }
            return (0..<(cells.map(\.count).max() ?? 0)).map { line in
                zip(cells, widths)
                    .map { lines, width in line < lines.count ? lines[line].padded(to: width) : "".padded(to: width) }
                    .joined(separator: Self.gap)
                    .trimmingTrailingSpaces()
            }
        }
    }

    /// Returns the widths of the columns if the widest of them, down to their longest words, are narrowed until the table
    /// fits; `nil` for a table that fits already, or that would not fit either way.
    private static func widths(of rows: [[String]], within columns: Int) -> [Int]? {
        let indices = rows.first?.indices ?? 0..<0
        var widths = indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        var excess = widths.reduce(0, +) + gap.count * (widths.count - 1) - columns
        guard excess > 0 else { return nil }
        for column in indices.sorted(by: { widths[$0] > widths[$1] }) {
            let longestWord = rows.flatMap { $0[column].split(separator: " ") }.map(\.count).max() ?? 0
            let cut = min(excess, widths[column] - longestWord)
            widths[column] -= cut
            excess -= cut
        }
        return excess > 0 ? nil : widths
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
