internal import Foundation
internal import ProductCatalog

/// What names the files and folders of a package may have, wherever it is unpacked.
enum PackageName {
    private static let longest = 255

    /// What is wrong with a name, as the rest of a sentence; `nil` where nothing is.
    static func defect(of name: String) -> String? {
        guard !["", ".", ".."].contains(name) else { return "leads out of its folder" }
        guard !isStrange(name) else { return "holds a control character or a backslash" }
        guard name.utf8.count <= longest else { return "is longer than \(longest) bytes" }
        guard let last = name.utf8.last, !". ".utf8.contains(last) else {
            return "ends with a point or a space, which some file systems drop"
        }
        return isDevice(name) ? "is the name of a device on some systems" : nil
    }

    static func isStrange(_ name: String) -> Bool {
        name.unicodeScalars.contains { $0.properties.generalCategory == .control || $0 == "\\" }
    }

    /// [The names](https://learn.microsoft.com/windows/win32/fileio/naming-a-file) that stand for a device in every
    /// folder, whatever follows after a point.
    private static func isDevice(_ name: String) -> Bool {
        let stem = name.prefix { $0 != "." }.lowercased()
        if ["con", "prn", "aux", "nul", "conin$", "conout$"].contains(stem) { return true }
        let number = stem.dropFirst(3)
        return (stem.hasPrefix("com") || stem.hasPrefix("lpt")) && number.count == 1
            && number.allSatisfy { "0123456789¹²³".contains($0) }
    }

    static let macFolder = "__MACOSX"

    /// What a Mac leaves in folders and archives, and no package is meant to have.
    static func isLeftByMac(_ names: [String]) -> Bool {
        names.first == macFolder || names.last == ".DS_Store" || names.last?.hasPrefix("._") == true
    }
}

/// A path inside a package or an archive: relative, each name one that ``PackageName`` has nothing against.
struct PackagePath: Sendable, Hashable, Comparable {
    let names: [String]

    /// In bytes.
    static let longest = 1_024
    private static let greatestDepth = 64

    var text: String { names.joined(separator: "/") }

    /// - Throws: ``PackageDefect``.
    init(_ text: String) throws(PackageDefect) {
        guard text.utf8.count <= Self.longest else { throw PackageDefect("is longer than \(Self.longest) bytes") }
        // A file system sees bytes: a slash with an accent on it, which is another character to Swift, is still a slash.
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.first?.isEmpty == false else { throw PackageDefect("is not a relative path") }
        guard parts.count <= Self.greatestDepth else {
            throw PackageDefect("has more than \(Self.greatestDepth) folders in each other")
        }
        var names: [String] = []
        for part in parts {
            let name = String(Substring(part))
            if let defect = PackageName.defect(of: name) {
                throw PackageDefect(name == text ? defect : "has the name \(name.quoted), which \(defect)")
            }
            names.append(name)
        }
        self.names = names
    }

    init(names: [String]) { self.names = names }

    /// The path as an archive may have it: from `./` on, a folder's with a slash at its end.
    ///
    /// - Returns: `nil` for the folder itself that was archived.
    static func archived(_ text: String) throws(PackageDefect) -> PackagePath? {
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

    /// Where it lies in a folder.
    func url(in folder: URL) -> URL { FolderWalk.url(names, in: folder) }
}

/// What no package may have, as the rest of a sentence about a path.
struct PackageDefect: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
