/// Pattern of files and folders in a tree, in the manner of `.gitignore`.
///
/// A pattern without a slash, except at its end, matches a name in any folder. Any other pattern matches a path from the
/// folder that it is relative to. In a name, `*` stands for any characters and `?` for one; the name `**` stands for any
/// number of folders. A slash at the end restricts the pattern to folders. What is in a folder that matches, matches too.
package struct PathPattern: Sendable {
    private enum Part: Sendable {
        /// Any number of folders.
        case anyFolders
        case name([Unicode.Scalar])
    }

    private let parts: [Part]
    private let isForFolders: Bool
    /// `true` for a pattern that begins with a slash.
    package let isRooted: Bool

    /// Requirement for the text of a pattern, in lower case and without a period.
    package static let requirement = "a pattern is a name or a path, without \"..\""

    /// Creates a pattern; `nil` for a pattern without a name, and for one that leaves its folder with `..`.
    package init?(_ text: String) {
        var names = text.split(separator: "/").map(String.init)
        names.removeAll { $0 == "." }
        guard !names.isEmpty, !names.contains("..") else { return nil }
        let isInAnyFolder = names.count == 1 && !text.hasPrefix("/") && !text.hasPrefix("./")
        isForFolders = text.hasSuffix("/")
        isRooted = text.hasPrefix("/")
        parts =
            (isInAnyFolder ? [.anyFolders] : [])
            + names.map { $0 == "**" ? .anyFolders : .name(Array($0.unicodeScalars)) }
    }

    /// Returns `true` if the pattern matches a file or folder, or a folder that contains it.
    ///
    /// - Parameters:
    ///   - path: Path relative to the folder of the pattern.
    ///   - isFolder: `true` for the path of a folder.
    package func matches(_ path: String, isFolder: Bool) -> Bool {
        let names = path.split(separator: "/").map { Array($0.unicodeScalars) }
        // Numbers of parts that match the names so far.
        var states = reached([0])
        for (index, name) in names.enumerated() {
            var next: Set<Int> = []
            for state in states where state < parts.count {
                switch parts[state] {
                case .anyFolders: next.formUnion(state == parts.count - 1 ? [state, state + 1] : [state])
                case .name(let pattern): if Self.matches(pattern, name) { next.insert(state + 1) }
                }
            }
            states = reached(next)
            let isFile = index == names.count - 1 && !isFolder
            if states.contains(parts.count), !(isForFolders && isFile) { return true }
            if states.isEmpty { return false }
        }
        return false
    }

    /// Returns the states, and those after folders that need not exist. At the end of a pattern, `**` stands for at least
    /// one name.
    private func reached(_ states: Set<Int>) -> Set<Int> {
        var all = states
        for state in states.sorted() {
            var next = state
            while next < parts.count - 1, case .anyFolders = parts[next] {
                next += 1
                all.insert(next)
            }
        }
        return all
    }

    /// Returns `true` if a pattern matches a name. The time is at most the product of their lengths.
    private static func matches(_ pattern: [Unicode.Scalar], _ name: [Unicode.Scalar]) -> Bool {
        var (place, index) = (0, 0)
        // The last `*`, and the first character of the name that it does not stand for yet.
        var star: (place: Int, index: Int)?
        while index < name.count {
            if place < pattern.count, pattern[place] == "*" {
                star = (place, index)
                place += 1
            } else if place < pattern.count, pattern[place] == "?" || pattern[place] == name[index] {
                (place, index) = (place + 1, index + 1)
            } else if let last = star {
                star = (last.place, last.index + 1)
                (place, index) = (last.place + 1, last.index + 1)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == "*" }
    }
}
