internal import VitrineSupport

/// Relative path of a file below a folder of the server, as a request names it.
struct ServedPath: Hashable, Sendable, CustomStringConvertible {
    let names: [String]

    private static let greatestDepth = 32
    private static let longestName = 255
    private static let longest = 1_024

    var description: String { names.joined(separator: "/") }

    /// Creates a path of names that are decoded already.
    ///
    /// - Returns: `nil` if a name leads out of its folder, is that of a hidden file, or contains a slash, a backslash
    ///   or a control character.
    init?(names: [String]) {
        guard !names.isEmpty, names.count <= Self.greatestDepth, names.allSatisfy(Self.isName),
            names.reduce(0, { $0 + $1.utf8.count + 1 }) <= Self.longest
        else { return nil }
        self.names = names
    }

    /// Reads a path with slashes, as in `maps/rome-1.zip`.
    init?(_ text: String) {
        self.init(names: text.split(separator: "/", omittingEmptySubsequences: false).map(String.init))
    }

    /// Returns the path of a file in the same folder.
    func sibling(_ name: String) -> ServedPath? { ServedPath(names: names.dropLast() + [name]) }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= longestName && name.utf8.first != UInt8(ascii: ".")
            && !name.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0.isControl }
    }
}
