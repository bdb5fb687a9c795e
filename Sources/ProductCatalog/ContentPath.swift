/// A place inside a folder: a relative path that never leaves it.
public struct ContentPath: Sendable, Hashable, CustomStringConvertible {
    /// The names on the way, without `.` and `..`; none for the folder itself.
    public let components: [String]

    public var description: String { components.isEmpty ? "." : components.joined(separator: "/") }

    private static let longestPath = 1_024
    private static let longestName = 255

    /// Reads a path as it stands in a file.
    ///
    /// - Throws: ``ContentPathError`` for a path that is absolute, leaves the folder, or that no file system takes.
    public init(_ text: String) throws(ContentPathError) {
        guard text.utf8.count <= Self.longestPath else {
            throw ContentPathError(reason: "is longer than \(Self.longestPath) bytes")
        }
        let slash = UInt8(ascii: "/")
        guard text.utf8.first != slash else { throw ContentPathError(reason: "is absolute") }
        guard !text.unicodeScalars.contains(where: \.isControl) else {
            throw ContentPathError(reason: "holds a control character")
        }
        var components: [String] = []
        // A file system sees bytes: a slash with an accent on it, which is another character to Swift, is still a slash.
        for bytes in text.utf8.split(separator: slash) {
            let name = String(Substring(bytes))
            guard bytes.count <= Self.longestName else {
                throw ContentPathError(reason: "holds a name that is longer than \(Self.longestName) bytes")
            }
            switch name {
            case ".": continue
            case "..":
                guard components.popLast() != nil else { throw ContentPathError(reason: "leads out of its folder") }
            default: components.append(name)
            }
        }
        self.components = components
    }

    /// The path as a file system that distinguishes neither case nor spelling of accents sees it, with a separator that
    /// comes before any character of a name: a folder stands directly before what lies inside it.
    var foldingKey: String { components.joined(separator: "\u{0}").foldedFileName }
}

/// Why a path cannot be used.
public struct ContentPathError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, as the rest of a sentence about the path.
    public let reason: String

    public var description: String { "the path \(reason)" }
}
