internal import Crypto
internal import FileSystem
public import Foundation
public import ProductCatalog

/// The folder in which downloaded content is installed, each product's in a place of its own, and which backups leave
/// out.
///
/// What stands in a place is always complete: content is put together and checked in a staging folder, made durable,
/// and renamed into place. Several processes may use one content directory.
public struct ContentDirectory: Sendable {
    /// The folder in which each product's content has its place.
    public let url: URL

    /// - Parameter url: A folder that is there, or that can be made in one that is.
    public init(url: URL) { self.url = url }

    /// Marks the folder once more, puts back what had gone aside for installations that were interrupted and removes what
    /// they have left in it, and downloads that do not say what they are for. Does nothing where there is no such folder yet: it is made by the first installation or
    /// download.
    ///
    /// - Returns: What the folder's marks leave open; `nil` where nothing is.
    /// - Throws: ``ContentError``.
    @discardableResult
    public func prepareIfPresent() throws(ContentError) -> BackupGap? {
        guard try FolderTree.status(of: url) != nil else { return nil }
        return try prepare()
    }

    /// Makes the folder, and marks it before anything lands in it.
    @discardableResult
    func prepare() throws(ContentError) -> BackupGap? {
        try FolderTree.makeFolder(url)
        let gap = try FolderLock.locking(url) { () throws(ContentError) in try BackupExclusion.mark(url) }
        try StagingFolder.removeAbandoned(in: url) { (folder) throws(ContentError) in try putBack(from: folder) }
        try removeUnknownDownloads()
        return gap
    }

    /// What is installed at a path.
    ///
    /// - Returns: `nil` where nothing is, or something that is no installed content.
    /// - Throws: ``ContentError`` `storage` where it cannot be read.
    public func installedContent(at path: ContentPath) throws(ContentError) -> InstalledContent? {
        guard let folder = try place(of: path) else { return nil }
        return try InstalledContent(folder: folder)
    }

    /// All that is installed, in the order of the paths.
    ///
    /// - Throws: ``ContentError`` `storage` where something cannot be read.
    public func contents() throws(ContentError) -> [PlacedContent] {
        guard try isFolder(url) else { return [] }
        var contents: [PlacedContent] = []
        var waiting: [[String]] = [[]]
        while let names = waiting.popLast() {
            let folder = FolderWalk.url(names, in: url)
            for name in try FolderTree.names(in: folder) {
                let (path, place) = (names + [name], folder.appending(component: name))
                guard try FolderTree.status(of: place)?.kind == .folder,
                    let contentPath = try? ContentPath(path.joined(separator: "/")), !isReserved(contentPath)
                else { continue }
                if let content = try InstalledContent(folder: place) {
                    contents.append(PlacedContent(path: contentPath, content: content))
                } else if path.count < Self.greatestDepth {
                    waiting.append(path)
                }
            }
        }
        return contents.sorted { $0.path.description < $1.path.description }
    }

    /// The length of all files of installed content, in bytes.
    ///
    /// - Throws: ``ContentError`` where they cannot be looked at.
    public func size(of content: InstalledContent) throws(ContentError) -> Int {
        var size = try FolderTree.size(of: content.url)
        for name in InstalledContent.ownNames {
            size -= try FolderTree.status(of: content.url.appending(component: name))?.length ?? 0
        }
        return size
    }

    /// Makes durable that the content at a path is where it is: what was renamed into place before an interruption may
    /// not be.
    ///
    /// - Throws: ``ContentError``.
    public func makeDurable(_ path: ContentPath) throws(ContentError) {
        var folder = url.deletingLastPathComponent()
        try FolderTree.sync(folder)
        folder = url
        try FolderTree.sync(folder)
        for name in path.components.dropLast() {
            folder.append(component: name)
            try FolderTree.sync(folder)
        }
    }

    // MARK: Places

    /// Folders in each other, at the most.
    private static let greatestDepth = 64

    /// Where a path leads: only through folders that are no links.
    ///
    /// - Returns: `nil` where a folder on the way is not there.
    /// - Throws: ``ContentError`` `invalidPlace` for a path through something that is none, or that the directory uses
    ///   itself.
    func place(of path: ContentPath) throws(ContentError) -> URL? {
        guard let last = path.components.last else {
            throw ContentError(code: .invalidPlace, reason: "content cannot take the place of \(url.relativePath)")
        }
        guard !isReserved(path) else {
            throw ContentError(
                code: .invalidPlace, reason: "content cannot be in \(path), which the directory uses itself")
        }
        var folder = url
        guard try isFolder(folder) else { return nil }
        for name in path.components.dropLast() {
            folder.append(component: name)
            guard try isFolder(folder) else { return nil }
        }
        return folder.appending(component: last)
    }

    /// The directory keeps something of its own there.
    private func isReserved(_ path: ContentPath) -> Bool {
        let first = path.components.first?.foldedFileName ?? ""
        let own = [StagingFolder.areaName, Self.downloadsName, Self.usesName, BackupExclusion.tagName]
        return own.contains { $0.foldedFileName == first }
    }

    /// - Returns: `false` where nothing is.
    func isFolder(_ place: URL) throws(ContentError) -> Bool {
        switch try FolderTree.status(of: place)?.kind {
        case .folder: return true
        case nil: return false
        case .link:
            throw ContentError(code: .invalidPlace, reason: "\(place.relativePath) is a symbolic link")
        case .file, .other:
            throw ContentError(code: .invalidPlace, reason: "\(place.relativePath) is not a folder")
        }
    }
}

/// Content with the place that it has in its directory.
public struct PlacedContent: Sendable, Hashable {
    /// The place in the content directory.
    public let path: ContentPath
    public let content: InstalledContent
}

extension ContentPath {
    /// A file name that stands for the path.
    var digest: String { ContentDigest.text(SHA256.hash(data: Array(description.utf8))) }
}
