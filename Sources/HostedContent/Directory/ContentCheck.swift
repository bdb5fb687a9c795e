internal import FileSystem
public import Foundation
public import ProductCatalog

/// What installed content has, compared with what was installed.
public struct ContentCheck: Sendable, Hashable {
    public let content: InstalledContent
    /// It is known which files there have to be. It is not for content that an earlier version of Vitrine has installed,
    /// or whose list is damaged; then nothing more is said, and installing it again is what helps.
    public let isListed: Bool
    /// Files and empty folders that are not there, as paths in the content's folder, in order.
    public private(set) var missing: [String] = []
    /// Files that have other bytes, or are no regular files, as paths in the content's folder, in order.
    public private(set) var changed: [String] = []
    /// What nobody has installed, as paths in the content's folder, in order: files, links and the like.
    public private(set) var extra: [String] = []

    /// It is, to the byte, what was installed.
    public var isWhole: Bool { isListed && missing.isEmpty && changed.isEmpty && extra.isEmpty }

    /// Files in the content's folder, at the most.
    private static let mostFiles = 1_000_000

    /// Reads all of it.
    ///
    /// - Throws: ``ContentError`` `storage` where something cannot be read, or `cancelled`.
    init(_ content: InstalledContent) throws(ContentError) {
        self.content = content
        let manifest = content.url.appending(component: InstalledContent.manifestName)
        guard let record = try ContentRecord(file: manifest) else {
            isListed = false
            return
        }
        isListed = true
        var known = Set([InstalledContent.manifestName, InstalledContent.digestName].map { [$0] })
        for file in record.files {
            guard let names = ContentRecord.installedPath(of: file.path) else { continue }
            known.insert(names)
            try compare(names, with: file)
        }
        for folder in record.emptyFolders {
            guard let names = ContentRecord.installedPath(of: folder) else { continue }
            if try FolderTree.status(of: FolderWalk.url(names, in: content.url))?.kind != .folder {
                missing.append(names.joined(separator: "/"))
            }
        }
        try findExtra(besides: known)
        missing.sort()
        extra.sort()
    }

    private mutating func compare(_ names: [String], with file: ContentManifest.File) throws(ContentError) {
        let place = FolderWalk.url(names, in: content.url)
        let path = names.joined(separator: "/")
        switch try FolderTree.status(of: place) {
        case nil: missing.append(path)
        case let status? where status.kind == .file && status.length == file.length:
            if try ContentDigest.of(place).digest != file.digest { changed.append(path) }
        default: changed.append(path)
        }
    }

    private mutating func findExtra(besides known: Set<[String]>) throws(ContentError) {
        var waiting: [[String]] = [[]]
        while let folder = waiting.popLast() {
            let names = try FolderTree.names(in: FolderWalk.url(folder, in: content.url), most: Self.mostFiles)
            for name in names {
                let path = folder + [name]
                guard !known.contains(path) else { continue }
                if try FolderTree.status(of: FolderWalk.url(path, in: content.url))?.kind == .folder {
                    waiting.append(path)
                } else {
                    extra.append(path.joined(separator: "/"))
                }
            }
        }
    }
}

extension ContentDirectory {
    /// Reads all files of the content at a path again and compares them with what was installed. Nobody else is needed
    /// for it.
    ///
    /// - Throws: ``ContentError``: `notFound` where nothing is installed, `invalidPlace` for a place that cannot be one,
    ///   `storage` where something cannot be read, or `cancelled`.
    @concurrent
    public func check(at path: ContentPath) async throws(ContentError) -> ContentCheck {
        guard let content = try installedContent(at: path) else {
            throw ContentError(code: .notFound, reason: "nothing is installed in \(path)")
        }
        return try ContentCheck(content)
    }

    /// The files of all that is installed, by their digests.
    ///
    /// - Throws: ``ContentError`` `storage` where something cannot be read.
    public func installedFiles() throws(ContentError) -> InstalledFiles {
        var places: [String: [URL]] = [:]
        for placed in try contents() {
            let folder = placed.content.url
            let manifest = folder.appending(component: InstalledContent.manifestName)
            for file in try ContentRecord(file: manifest)?.files ?? [] {
                guard let names = ContentRecord.installedPath(of: file.path) else { continue }
                places[file.digest, default: []].append(FolderWalk.url(names, in: folder))
            }
        }
        return InstalledFiles(places: places)
    }
}

/// Files that are installed already, and need not be fetched again.
public struct InstalledFiles: Sendable {
    fileprivate let places: [String: [URL]]

    /// An installed file with a digest. It is read to its end: what was changed since is not answered. It may be replaced
    /// at any time, so what was copied from it is to be checked.
    ///
    /// - Parameter digest: SHA-256 in 64 small hexadecimal digits.
    /// - Returns: `nil` where there is none.
    public func file(withDigest digest: String) -> URL? {
        (places[digest] ?? []).first { (try? ContentDigest.of($0))?.digest == digest }
    }
}
