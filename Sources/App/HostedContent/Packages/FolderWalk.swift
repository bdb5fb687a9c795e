internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineSupport

/// Files and folders in a folder, found without following links.
struct FolderWalk: Sendable {
    /// Folders below the root, as components of their paths, each after the folder that contains it.
    private(set) var folders: [[String]] = []
    private(set) var files: [[String]] = []

    private static let mostEntries = 100_000
    private static let greatestDepth = 64
    private static let longestPath = 1_024

    /// Finds all files and folders below a root folder.
    ///
    /// - Throws: ``ContentError``: `invalidPackage` for items other than files and folders, for names that some file
    ///   system does not accept or distinguish, and for too many items; `storage` if an item cannot be read.
    init(_ root: URL) throws(ContentError) {
        var waiting: [[String]] = [[]]
        while let folder = waiting.popLast() {
            var seen: [String: String] = [:]
            for name in try FolderTree.names(in: Self.url(folder, in: root), most: Self.mostEntries) {
                let path = folder + [name]
                let place = Self.url(path, in: root)
                try Self.check(name, at: place)
                guard path.joined(separator: "/").utf8.count <= Self.longestPath else {
                    throw .invalidPackage(
                        "\(root.relativePath) holds a path that is longer than \(Self.longestPath) bytes")
                }
                if let twin = seen.updateValue(name, forKey: name.foldedFileName) {
                    throw .invalidPackage(
                        "\(place.relativePath) is not distinguished by some file systems from \(twin.quoted)")
                }
                try add(path, at: place)
                if folders.last == path { waiting.append(path) }
                guard files.count + folders.count <= Self.mostEntries else {
                    throw .invalidPackage("\(root.relativePath) holds more than \(Self.mostEntries) files and folders")
                }
            }
        }
        folders.sort { $0.lexicographicallyPrecedes($1) }
        files.sort { $0.lexicographicallyPrecedes($1) }
    }

    static func url(_ path: [String], in root: URL) -> URL { path.reduce(root) { $0.appending(component: $1) } }

    private mutating func add(_ path: [String], at place: URL) throws(ContentError) {
        guard let status = try FolderTree.status(of: place) else { throw ContentError(lastAt: place) }
        switch status.kind {
        case .file: files.append(path)
        case .folder:
            guard path.count < Self.greatestDepth else {
                throw .invalidPackage("\(place.relativePath): more than \(Self.greatestDepth) nested folders")
            }
            folders.append(path)
        case .link:
            throw .invalidPackage("\(place.relativePath) is a symbolic link")
        case .other:
            throw .invalidPackage("\(place.relativePath) is neither a file nor a folder")
        }
    }

    private static func check(_ name: String, at place: URL) throws(ContentError) {
        guard !PackageName.isStrange(name) else {
            throw .invalidPackage(
                "\(place.relativePath): the name \(name.quoted) holds a control character or a backslash")
        }
    }
}
