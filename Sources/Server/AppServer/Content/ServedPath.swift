internal import VitrineSupport

/// Relative path of a file below a folder of the server, from a request.
struct ServedPath: Hashable, Sendable, CustomStringConvertible {
    let names: [String]

    private static let greatestDepth = 32
    private static let longestName = 255
    private static let longest = 1_024

    var description: String { names.joined(separator: "/") }

    /// Creates a path from percent-decoded names.
    ///
    /// - Returns: `nil` if a name starts with a period (a hidden file or a parent folder), or contains a slash, a
    ///   backslash or a control character, or if the path is too long.
    init?(names: [String]) {
        guard !names.isEmpty, names.count <= Self.greatestDepth, names.allSatisfy(Self.isName),
            names.reduce(0, { $0 + $1.utf8.count + 1 }) <= Self.longest
        else { return nil }
        self.names = names
    }

    /// Parses a path with slashes, such as `maps/rome-1.zip`; `nil` if it is not valid.
    init?(_ text: String) {
        self.init(names: text.split(separator: "/", omittingEmptySubsequences: false).map(String.init))
    }

    /// Returns the path of another file in the same folder.
    func sibling(_ name: String) -> ServedPath? { ServedPath(names: names.dropLast() + [name]) }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= longestName && name.utf8.first != UInt8(ascii: ".")
            && !name.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0.isControl }
    }
}
