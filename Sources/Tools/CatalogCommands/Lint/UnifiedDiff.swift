/// Unified diff of two texts, in the format of `diff -u` and `patch`.
///
/// Lines end with a line feed; a carriage return before it is part of the line. After a difference, both texts are
/// searched, up to a maximum distance, for the nearest position from which they are equal again. The time is therefore
/// proportional to the length of the texts, but the diff need not be the shortest possible one.
struct UnifiedDiff {
    private struct Line {
        let mark: Character
        let text: String
        /// Number of lines before this line in the old text (`old`) and in the new text (`new`).
        let old: Int
        let new: Int
    }

    private static let contextLines = 3
    /// Maximum number of lines that are searched for equal lines after a difference.
    private static let farthest = 64

    private let old: [ArraySlice<UInt8>]
    private let new: [ArraySlice<UInt8>]
    private var script: [Line] = []

    /// Returns the unified diff of two texts; no lines for equal texts.
    static func lines(from old: [UInt8], to new: [UInt8], path: String) -> [String] {
        guard old != new else { return [] }
        var diff = UnifiedDiff(old: split(old), new: split(new))
        diff.compare()
        return ["--- \(path)", "+++ \(path)"] + diff.hunks
    }

    private init(old: [ArraySlice<UInt8>], new: [ArraySlice<UInt8>]) {
        self.old = old
        self.new = new
    }

    /// Returns the lines of a text, each with its line feed.
    private static func split(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        while start < text.count {
            let end = text[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.count
            lines.append(text[start..<end])
            start = end
        }
        return lines
    }

    private mutating func compare() {
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            if left < old.count, right < new.count, old[left] == new[right] {
                add(" ", old[left], left, right)
                (left, right) = (left + 1, right + 1)
                continue
            }
            let (leftEnd, rightEnd) = meeting(after: left, right)
            for index in left..<leftEnd { add("-", old[index], index, right) }
            for index in right..<rightEnd { add("+", new[index], leftEnd, index) }
            (left, right) = (leftEnd, rightEnd)
        }
    }

    /// Returns the nearest positions after a difference from which the lines of both texts are equal again.
    private func meeting(after left: Int, _ right: Int) -> (Int, Int) {
        for distance in 1...Self.farthest {
            for step in 0...distance {
                let (leftNext, rightNext) = (left + step, right + distance - step)
                let isEnd = leftNext == old.count && rightNext == new.count
                let isAlike =
                    leftNext < old.count && rightNext < new.count && old[leftNext] == new[rightNext]
                if isEnd || isAlike { return (leftNext, rightNext) }
            }
        }
        // There are no equal lines nearby, so that all lines in the range belong to the difference.
        return (min(left + Self.farthest, old.count), min(right + Self.farthest, new.count))
    }

    private mutating func add(_ mark: Character, _ line: ArraySlice<UInt8>, _ left: Int, _ right: Int) {
        let endsLine = line.last == UInt8(ascii: "\n")
        let text = String(decoding: endsLine ? line.dropLast() : line, as: UTF8.self)
        script.append(
            Line(mark: mark, text: endsLine ? text : "\(text)\n\\ No newline at end of file", old: left, new: right))
    }

    private var hunks: [String] {
        var ranges: [Range<Int>] = []
        for index in script.indices where script[index].mark != " " {
            let range = max(0, index - Self.contextLines)..<min(script.count, index + Self.contextLines + 1)
            if let last = ranges.last, last.upperBound >= range.lowerBound {
                ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
            } else {
                ranges.append(range)
            }
        }
        return ranges.flatMap { range in
            let lines = script[range]
            let oldCount = lines.count { $0.mark != "+" }
            let newCount = lines.count { $0.mark != "-" }
            let start = script[range.lowerBound]
            let (oldStart, newStart) = (start.old + (oldCount == 0 ? 0 : 1), start.new + (newCount == 0 ? 0 : 1))
            return ["@@ -\(oldStart),\(oldCount) +\(newStart),\(newCount) @@"] + lines.map { "\($0.mark)\($0.text)" }
        }
    }
}
