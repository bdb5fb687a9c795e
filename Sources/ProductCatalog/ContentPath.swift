internal import FileSystem
internal import Foundation

/// A relative path inside a folder, without components that leave the folder.
public struct ContentPath: Sendable, Hashable, CustomStringConvertible {
    /// Path components, without `.` and `..`; empty for the folder itself.
    public let components: [String]

    public var description: String { components.isEmpty ? "." : components.joined(separator: "/") }

    private static let longestPath = 1_024
    private static let longestName = 255

    /// Parses a path from a catalog.
    ///
    /// - Throws: ``ContentPathError`` for a path that is absolute, leaves the folder, or is not supported.
    public init(_ text: String) throws(ContentPathError) {
        guard text.utf8.count <= Self.longestPath else {
            throw ContentPathError(reason: "is longer than \(Self.longestPath) bytes")
        }
        let slash = UInt8(ascii: "/")
        guard text.utf8.first != slash else { throw ContentPathError(reason: "is absolute") }
        guard !text.unicodeScalars.contains(where: \.isControl) else {
            throw ContentPathError(reason: "contains a control character")
        }
        var components: [String] = []
        // Split by bytes, like a file system: a slash with a combining accent is a different Swift character.
        for bytes in text.utf8.split(separator: slash) {
            let name = String(Substring(bytes))
            guard bytes.count <= Self.longestName else {
                throw ContentPathError(reason: "contains a name that is longer than \(Self.longestName) bytes")
            }
            switch name {
            case ".": continue
            case "..":
                guard components.popLast() != nil else { throw ContentPathError(reason: "leaves its folder") }
            default: components.append(name)
            }
        }
        self.components = components
    }

    /// `true` if the path begins with a ``ReservedContentName``.
    package var isReserved: Bool {
        let first = components.first?.foldedFileName
        return ReservedContentName.allCases.contains { $0.rawValue.foldedFileName == first }
    }

    /// Path for comparison on a file system that ignores case and Unicode normalization. The separator sorts before any
    /// character of a name: in a sorted list, a folder is directly followed by its contents.
    var foldingKey: String { components.joined(separator: "\u{0}").foldedFileName }
}

/// Names at the top level of the content directory that Vitrine uses for its own files and folders. No content can be
/// installed below them.
package enum ReservedContentName: String, CaseIterable {
    /// Folder in which new content is assembled before it replaces installed content.
    case staging = ".staging"
    /// Folder of downloaded content that is not installed yet.
    case downloads = ".downloads"
    /// Folder that records when installed content was last used.
    case uses = ".uses"
    /// File that excludes the content directory from backups on Linux.
    case backupTag = "CACHEDIR.TAG"
}

/// Error thrown for an invalid content path.
public struct ContentPathError: DescribedError {
    /// Description of the error, as a predicate of the path: "is absolute".
    public let reason: String

    package init(reason: String) { self.reason = reason }

    public var description: String { "the path \(reason)" }

    public var recoverySuggestion: String? {
        "Use a relative path that does not leave its folder, with short names without control characters."
    }
}
