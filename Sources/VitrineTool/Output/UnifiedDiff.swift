/// The lines that two texts differ in, as `diff -u` shows them.
enum UnifiedDiff {
    private static let contextLines = 3

    /// - Returns: No lines for equal texts.
    static func lines(from old: String, to new: String, path: String) -> [String] {
        let (before, after) = (split(old), split(new))
        let changes = after.difference(from: before)
        guard !changes.isEmpty else { return [] }
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in changes {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        let script = script(before, after, removed, inserted)
        return ["--- \(path)", "+++ \(path)"] + hunks(script)
    }

    private struct Line {
        let mark: Character
        let text: Substring
        /// The lines before it in the old and in the new text.
        let old: Int
        let new: Int
    }

    private static func split(_ text: String) -> [Substring] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.last?.isEmpty == true ? lines.dropLast() : lines
    }

    private static func script(
        _ before: [Substring], _ after: [Substring], _ removed: Set<Int>, _ inserted: Set<Int>
    ) -> [Line] {
        var lines: [Line] = []
        var (old, new) = (0, 0)
        while old < before.count || new < after.count {
            if removed.contains(old) {
                lines.append(Line(mark: "-", text: before[old], old: old, new: new))
                old += 1
            } else if inserted.contains(new) {
                lines.append(Line(mark: "+", text: after[new], old: old, new: new))
                new += 1
            } else {
                lines.append(Line(mark: " ", text: before[old], old: old, new: new))
                (old, new) = (old + 1, new + 1)
            }
        }
        return lines
    }

    private static func hunks(_ script: [Line]) -> [String] {
        var ranges: [Range<Int>] = []
        for index in script.indices where script[index].mark != " " {
            let range = max(0, index - contextLines)..<min(script.count, index + contextLines + 1)
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
            return ["@@ -\(start.old + 1),\(oldCount) +\(start.new + 1),\(newCount) @@"]
                + lines.map { "\($0.mark)\($0.text)" }
        }
    }
}
