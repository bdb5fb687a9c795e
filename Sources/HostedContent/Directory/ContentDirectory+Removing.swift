internal import FileSystem
internal import Foundation
public import ProductCatalog

extension ContentDirectory {
    /// Removes the content at a path in one step, also if it is in use.
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
    /// is being installed or replaced, or is to be spared stays, even beyond the quota.
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

    /// Moves content to a staging folder while the directory is locked, and then removes it.
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
    /// The length of all files, in bytes.
    public var bytes: Int

    public init(bytes: Int) { self.bytes = bytes }
}
