public import Foundation
public import VitrineCatalog
internal import VitrineFileSystem
public import VitrineSupport

/// Comparison of installed content with the list of files that was stored when it was installed.
public struct ContentCheck: Sendable, Hashable {
    public let content: InstalledContent
    /// `true` if the stored list of the content's files is readable, `false` if it is missing or damaged. Without it
    /// the other properties are empty, and the content should be installed again.
    public let isListed: Bool
    /// Files and empty folders that were installed and are missing now, as sorted paths in the content's folder.
    public private(set) var missing: [String] = []
    /// Files whose bytes have changed since the installation, or that are not regular files any more, as sorted paths
    /// in the content's folder.
    public private(set) var changed: [String] = []
    /// Files, links and other items that exist although they were not installed with the content, as sorted paths in
    /// the content's folder.
    public private(set) var extra: [String] = []

    /// `true` if each file of the content has the same bytes as when it was installed, and no file was added or
    /// removed.
    public var isWhole: Bool { isListed && missing.isEmpty && changed.isEmpty && extra.isEmpty }

    /// Maximum number of files in the folder of installed content that a check reads.
    private static let mostFiles = 1_000_000

    /// Reads all files of installed content and compares them with the list of files that was stored when the content
    /// was installed.
    ///
    /// - Throws: ``ContentError`` `storage` if something cannot be read, or `cancelled`.
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
            let url = FolderWalk.url(folder, in: content.url)
            for name in try FolderTree.namesIfPresent(in: url, most: Self.mostFiles) ?? [] {
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
    /// Reads all files of the content at a path and compares them with the stored list of files, without a network.
    ///
    /// - Throws: ``ContentError``: `notFound` if nothing is installed, `invalidPlace` for a path that cannot be used,
    ///   `storage` if something cannot be read, or `cancelled`.
    @concurrent
    public func check(at path: ContentPath) async throws(ContentError) -> ContentCheck {
        guard let content = try installedContent(at: path) else {
            throw ContentError(code: .notFound, reason: "no content is installed in \(path)")
        }
        return try ContentCheck(content)
    }

    /// Returns the files of all installed content, by their digests.
    ///
    /// - Throws: ``ContentError`` `storage` if something cannot be read.
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

/// Files of installed content by digest, which a download can copy instead of fetching them.
public struct InstalledFiles: Sendable {
    fileprivate let places: [String: [URL]]

    /// Returns an installed file that has a given digest. The whole file is read and its digest computed, and a changed
    /// file is not returned. Because the file may be replaced at any time, the caller must check its copy of the file.
    ///
    /// - Parameter digest: SHA-256 in 64 lowercase hexadecimal digits.
    /// - Returns: `nil` if there is no such file.
    public func file(withDigest digest: String) -> URL? {
        (places[digest] ?? []).first { (try? ContentDigest.of($0))?.digest == digest }
    }
}
