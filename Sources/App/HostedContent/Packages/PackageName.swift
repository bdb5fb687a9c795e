internal import Foundation
internal import VitrineCatalog

/// Rules for names of files and folders of a package, for all systems that may unpack it.
enum PackageName {
    private static let longest = 255

    /// Returns the reason why a name is not valid, as the rest of a sentence; `nil` for a valid name.
    static func defect(of name: String) -> String? {
        guard !["", ".", ".."].contains(name) else { return "leads out of its folder" }
        guard !isStrange(name) else { return "holds a control character or a backslash" }
        guard name.utf8.count <= longest else { return "is longer than \(longest) bytes" }
        guard let last = name.utf8.last, !". ".utf8.contains(last) else {
            return "ends with a point or a space, which some file systems remove"
        }
        return isDevice(name) ? "is a reserved device name on Windows" : nil
    }

    static func isStrange(_ name: String) -> Bool {
        name.unicodeScalars.contains { $0.properties.generalCategory == .control || $0 == "\\" }
    }

    /// Returns `true` for [names](https://learn.microsoft.com/windows/win32/fileio/naming-a-file) that refer to a
    /// device in every folder of Windows, with any extension.
    private static func isDevice(_ name: String) -> Bool {
        let stem = name.prefix { $0 != "." }.lowercased()
        if ["con", "prn", "aux", "nul", "conin$", "conout$"].contains(stem) { return true }
        let number = stem.dropFirst(3)
        return (stem.hasPrefix("com") || stem.hasPrefix("lpt")) && number.count == 1
            && number.allSatisfy { "0123456789¹²³".contains($0) }
    }

    static let macFolder = "__MACOSX"

    /// Returns `true` for files that macOS adds to folders and archives.
    static func isLeftByMac(_ names: [String]) -> Bool {
        names.first == macFolder || names.last == ".DS_Store" || names.last?.hasPrefix("._") == true
    }
}

/// A relative path inside a package or an archive, whose names are valid according to ``PackageName``.
struct PackagePath: Sendable, Hashable, Comparable {
    let names: [String]

    /// Maximum length in bytes of a path in a package.
    static let longest = 1_024
    private static let greatestDepth = 64

    var text: String { names.joined(separator: "/") }

    /// Parses a path.
    ///
    /// - Throws: ``ContentPathError``.
    init(_ text: String) throws(ContentPathError) {
        guard text.utf8.count <= Self.longest else {
            throw ContentPathError(reason: "is longer than \(Self.longest) bytes")
        }
        // A file system sees bytes: a slash with an accent on it, which is another character to Swift, is still a
        // slash.
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.first?.isEmpty == false else { throw ContentPathError(reason: "is not a relative path") }
        guard parts.count <= Self.greatestDepth else {
            throw ContentPathError(reason: "has more than \(Self.greatestDepth) nested folders")
        }
        var names: [String] = []
        for part in parts {
            let name = String(Substring(part))
            if let defect = PackageName.defect(of: name) {
                throw ContentPathError(reason: name == text ? defect : "has the name \(name.quoted), which \(defect)")
            }
            names.append(name)
        }
        self.names = names
    }

    init(names: [String]) { self.names = names }

    /// Parses the path of an archive's entry, which may start with `./` and, for a folder, end with a slash.
    ///
    /// - Returns: `nil` for the entry of the archived root folder itself.
    static func archived(_ text: String) throws(ContentPathError) -> PackagePath? {
        var rest = Substring(text).utf8
        while rest.starts(with: "./".utf8) { rest = rest.dropFirst(2) }
        if rest.last == UInt8(ascii: "/") { rest = rest.dropLast() }
        if rest.elementsEqual(".".utf8) || rest.isEmpty && !text.isEmpty && !text.utf8.starts(with: "/".utf8) {
            return nil
        }
        return try PackagePath(String(Substring(rest)))
    }

    static func < (left: PackagePath, right: PackagePath) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Returns the location of this path in a folder.
    func url(in folder: URL) -> URL { FolderWalk.url(names, in: folder) }
}
