internal import Foundation
public import VitrineCatalog
internal import VitrineFileSystem
public import VitrineSupport

/// Operations that replace installed content by new content, and restore the old content if the new content cannot be
/// put in its place.
extension ContentDirectory {
    /// Puts new content at a path and moves the old content away. After an interruption and ``putBack(from:)``, the path
    /// has either the old content and the download folder still exists, or the new content and the download folder is
    /// removed. No copy is made, so only the old and the new content use storage.
    func exchange(
        _ content: URL, with place: URL, emptying download: URL?, aside staging: StagingFolder
    ) throws(ContentError) {
        let aside = { () throws(ContentError) in try staging.folderForReplaced() }
        guard let download else { return try FolderTree.place(content, at: place, aside: aside) }
        try staging.note(content)
        try FolderTree.move(download, to: staging.url.appending(component: download.lastPathComponent))
        try FolderTree.place(content, at: place, aside: aside)
        // If this fails, the next launch does it.
        try? FolderTree.removeFolderIfEmpty(download.deletingLastPathComponent())
    }

    /// Creates the folders that contain a path. If content is installed at one of these folders, because an earlier
    /// catalog named that path, this content is moved away as a whole: with other content inside its folder, it would
    /// no longer match its list of files.
    func makeWay(to path: ContentPath, aside staging: StagingFolder) throws(ContentError) -> URL {
        var folder = url
        for (depth, name) in path.components.dropLast().enumerated() {
            folder.append(component: name)
            let record = folder.appending(component: InstalledContent.recordName)
            if try isFolder(folder), try FolderTree.status(of: record) != nil {
                try FolderTree.move(folder, to: staging.folderForContent(inTheWay: depth))
            }
            if try FolderTree.status(of: folder) == nil { try FolderTree.makeFolder(folder) }
        }
        guard let place = try place(of: path) else {
            throw .invalidPlace("the folder \(folder.relativePath), in which content is to be installed, is missing")
        }
        return place
    }

    /// Moves replaced content from a staging folder back to its path, and the download of the new content to the other
    /// downloads, unless the new content is installed. Called while the directory is locked: at once if the new content
    /// could not be installed, or at the next launch if the process ended before.
    func putBack(from staging: URL) throws(ContentError) {
        guard let path = try StagingFolder.path(of: staging) else { return }
        for depth in path.components.indices {
            let isLast = depth == path.components.count - 1
            let aside =
                isLast ? StagingFolder.replaced(in: staging) : StagingFolder.content(inTheWay: depth, in: staging)
            guard try FolderTree.status(of: aside) != nil else { continue }
            guard try hasOnlyFolders(path.components[..<depth]) else { continue }
            // Folders that were created for the new content.
            for last in (depth..<path.components.count - 1).reversed() {
                let made = FolderWalk.url(Array(path.components[...last]), in: url)
                if try FolderTree.status(of: made)?.kind == .folder { try FolderTree.removeFolderIfEmpty(made) }
            }
            let place = FolderWalk.url(Array(path.components[...depth]), in: url)
            guard try FolderTree.status(of: place) == nil else { continue }
            try FolderTree.move(aside, to: place)
            try FolderTree.sync(place.deletingLastPathComponent())
        }
        if try !StagingFolder.isInstalled(FolderWalk.url(path.components, in: url), from: staging) {
            try putBackDownload(from: staging)
        }
    }

    private func hasOnlyFolders(_ names: ArraySlice<String>) throws(ContentError) -> Bool {
        var folder = url
        for name in names {
            folder.append(component: name)
            guard try FolderTree.status(of: folder)?.kind == .folder else { return false }
        }
        return true
    }
}

extension ContentDirectory {
    /// Removes the content at a path in one step, even if it is in use.
    ///
    /// - Returns: Content that was removed; `nil` if there was none.
    /// - Throws: ``ContentError``: `invalidPlace` for a path that cannot be used, or `storage`.
    @discardableResult
    public func remove(at path: ContentPath) throws(ContentError) -> InstalledContent? {
        guard try installedContent(at: path) != nil else { return nil }
        try prepare()
        return try moveAway { (staging) throws(ContentError) in
            guard let place = try place(of: path), let content = try InstalledContent(folder: place) else { return nil }
            try FolderTree.move(place, to: staging.url.appending(component: "removed"))
            try makeDurable(path)
            try forgetUse(of: path)
            return content
        }
    }

    /// Removes the least recently used content until the rest is within a quota. Content that is in use by any process,
    /// is being installed or replaced, or has one of the spared paths stays, even if it exceeds the quota.
    ///
    /// - Returns: Removed content, in the order of removal.
    /// - Throws: ``ContentError`` `storage`.
    @discardableResult
    public func evict(
        to quota: ContentQuota, sparing spared: Set<ContentPath> = []
    ) throws(ContentError) -> [PlacedContent] {
        guard try isFolder(url) else { return [] }
        try prepare()
        return try moveAway { (staging) throws(ContentError) in
            var candidates: [(placed: PlacedContent, size: Int, lastUse: Date)] = []
            for placed in try contents() {
                candidates.append((placed, try size(of: placed.content), try lastUse(of: placed)))
            }
            var size = candidates.reduce(0) { $0 + $1.size }
            var evicted: [PlacedContent] = []
            for candidate in candidates.sorted(by: { $0.lastUse < $1.lastUse }) where size > quota.bytes {
                let (path, content) = (candidate.placed.path, candidate.placed.content)
                guard !spared.contains(path), try !isInUse(path), try !StagingFolder.isOpen(for: path, in: url)
                else { continue }
                try FolderTree.move(content.url, to: staging.url.appending(component: "\(evicted.count)"))
                try makeDurable(path)
                try forgetUse(of: path)
                size -= candidate.size
                evicted.append(candidate.placed)
            }
            return evicted
        }
    }

    /// Moves installed content to a staging folder while the directory is locked, and then removes it.
    private func moveAway<Moved>(
        _ body: (StagingFolder) throws(ContentError) -> Moved
    ) throws(ContentError) -> Moved {
        let staging = try StagingFolder(in: url)
        do {
            let moved = try FolderLock.locking(url) { () throws(ContentError) in try body(staging) }
            try staging.remove()
            return moved
        } catch {
            // A folder that cannot be removed now is removed at the next launch.
            try? staging.remove()
            throw error
        }
    }
}

/// Maximum size of all installed content.
public struct ContentQuota: Sendable, Hashable {
    /// Maximum length of all files of installed content together, in bytes.
    public var bytes: Int

    public init(bytes: Int) { self.bytes = bytes }
}
