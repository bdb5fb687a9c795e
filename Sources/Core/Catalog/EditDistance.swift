/// Search for the intended spelling of a misspelled name.
package enum EditDistance {
    /// Maximum length of compared names. The time grows with the square of the length.
    private static let longestName = 64

    /// Returns the candidate nearest to a name, if it differs from the name in one letter, or in at most a third of the
    /// name's letters. A common beginning of the name and the candidate that ends with a period, such as
    /// `com.example.`, is not counted. A name without a period may also be the last part of the candidate.
    package static func nearest(to name: String, among candidates: [String]) -> String? {
        guard name.count <= longestName else { return nil }
        let letters = Array(name.lowercased())
        return
            candidates
            .filter { $0.count <= longestName }
            .compactMap { candidate -> (name: String, distance: Int)? in
                let others = Array(candidate.lowercased())
                let common = zip(letters, others).prefix { $0 == $1 }.map(\.0)
                let start = (common.lastIndex(of: ".") ?? -1) + 1
                let distance = distance(Array(letters[start...]), Array(others[start...]))
                if distance <= max(1, (letters.count - start) / 3) { return (candidate, distance) }
                guard !letters.contains("."), let end = others.lastIndex(of: ".") else { return nil }
                let distanceOfEnd = Self.distance(letters, Array(others[(end + 1)...]))
                return distanceOfEnd <= letters.count / 3 ? (candidate, distanceOfEnd) : nil
            }
            .min { $0.distance < $1.distance }?
            .name
    }

    /// Returns the end of a message about an unknown name: a question for the nearest candidate, or an empty text if no
    /// candidate is near.
    package static func question(for name: String, among candidates: [String]) -> String {
        nearest(to: name, among: candidates).map { "; did you mean \"\($0)\"?" } ?? ""
    }

    /// Returns `true` if a name is another one, or differs from it only in case and in one letter: inserted, left out,
    /// replaced, or swapped with its neighbor.
    static func isSlip(_ name: String, of other: String) -> Bool {
        guard abs(name.utf8.count - other.utf8.count) <= 4 else { return false }
        return distance(Array(name.lowercased()), Array(other.lowercased())) <= 1
    }

    /// Returns the number of letters to insert, delete, replace or swap with a neighbor (optimal string alignment).
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let substitution = last[column] + (left[row] == right[column] ? 0 : 1)
                var best = min(current[column] + 1, last[column + 1] + 1, substitution)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
