internal import Foundation
public import VitrineSupport

/// A relative path inside a folder, without components that leave the folder.
public struct ContentPath: Sendable, Hashable, CustomStringConvertible {
    /// Components of the path with a slash between two of them; empty for the folder itself.
    private let text: String

    /// Path components, without `.` and `..`; empty for the folder itself.
    public var components: [String] { text.utf8.split(separator: Self.slash).map { String(Substring($0)) } }

    public var description: String { isEmpty ? "." : text }

    /// Last component of the path; empty for the folder itself.
    var name: String { text.utf8.lastIndex(of: Self.slash).map { String(text[text.utf8.index(after: $0)...]) } ?? text }

    /// Path of the folder that contains the last component; empty at the top level.
    var folder: String { text.utf8.lastIndex(of: Self.slash).map { String(text[..<$0]) } ?? "" }

    /// `true` for the path of the folder itself.
    package var isEmpty: Bool { text.isEmpty }

    private static let slash = UInt8(ascii: "/")

    private static let longestPath = 1_024
    private static let longestName = 255

    /// Parses a path from a catalog.
    ///
    /// - Throws: ``ContentPathError`` for a path that is absolute, leaves the folder, or is not supported.
    public init(_ text: String) throws(ContentPathError) {
        guard text.utf8.count <= Self.longestPath else {
            throw ContentPathError(reason: "is longer than \(Self.longestPath) bytes")
        }
        guard text.utf8.first != Self.slash else { throw ContentPathError(reason: "is absolute") }
        guard !Self.isUsual(text.utf8) else {
            self.text = text
            return
        }
        guard !text.unicodeScalars.contains(where: \.isControl) else {
            throw ContentPathError(reason: "contains a control character")
        }
        var components: [String] = []
        // Split by bytes, like a file system: a slash with a combining accent is a different Swift character.
        for bytes in text.utf8.split(separator: Self.slash) {
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
        self.text = components.joined(separator: "/")
    }

    /// Returns `true` for a path that needs no normalization: short components that begin with an ASCII letter or digit
    /// and contain only these, `-`, `_`, `.` and spaces.
    private static func isUsual(_ text: String.UTF8View) -> Bool {
        var length = 0
        for byte in text {
            if byte == slash {
                guard length > 0 else { return false }
                length = 0
            } else {
                guard byte.isASCIILetterOrDigit || length > 0 && isMark(byte), length < longestName else {
                    return false
                }
                length += 1
            }
        }
        return length > 0
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: " "): true
        default: false
        }
    }

    /// `true` if the path begins with a ``ReservedContentName``, or a component is an ``InstalledContentName``.
    package var isReserved: Bool {
        let names = components.map(\.foldedFileName)
        return names.first.map(Self.reservedNames.contains) ?? false || names.contains(where: Self.ownNames.contains)
    }

    private static let reservedNames = Set(ReservedContentName.allCases.map(\.rawValue.foldedFileName))
    private static let ownNames = Set(InstalledContentName.allCases.map(\.rawValue.foldedFileName))

    /// Path for comparison on a file system that ignores case and Unicode normalization. The separator sorts before any
    /// character of a name: in a sorted list, a folder is directly followed by its contents.
    var foldingKey: String { components.joined(separator: "\u{0}").foldedFileName }

    /// Path for comparison like ``foldingKey``, but with a slash between two components.
    var folded: String { text.foldedFileName }
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

/// Names of the files that Vitrine stores in the folder of installed content. Neither content nor a path of content may
/// contain them: a folder with such a name would be taken for the file.
package enum InstalledContentName: String, CaseIterable {
    /// The package's `ContentInfo.plist`.
    case record = ".ContentInfo.plist"
    /// File that lists all files of installed content with their digests.
    case manifest = ".ContentManifest.plist"
    /// File with the digest of the archive or manifest that the content was installed from.
    case digest = ".ContentDigest"
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
