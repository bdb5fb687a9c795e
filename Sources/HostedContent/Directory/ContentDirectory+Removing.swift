internal import FileSystem
internal import Foundation
public import ProductCatalog

extension ContentDirectory {
    /// Removes what is installed at a path: all of it in one moment, whatever interrupts it. What is in use goes as well.
    ///
    /// - Returns: What was there; `nil` where nothing was, or no installed content.
    /// - Throws: ``ContentError``: `invalidPlace` for a place that cannot be one, or `storage`.
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

    /// Removes what was used least recently until what is left is within a quota. What is in use by any process, is being
    /// installed or replaced, or is to be spared, stays, even where that is too much.
    ///
    /// - Returns: What was removed, in that order.
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

    /// Has something moved to a staging folder while the directory is locked, and removes it then.
    private func moveAway<Moved>(
        _ body: (StagingFolder) throws(ContentError) -> Moved
    ) throws(ContentError) -> Moved {
        let staging = try StagingFolder(in: url)
        do {
            let moved = try FolderLock.locking(url) { () throws(ContentError) in try body(staging) }
            try staging.remove()
            return moved
        } catch {
            // What cannot be removed now is removed at the next launch.
            try? staging.remove()
            throw error
        }
    }
}

/// How much room installed content may take.
public struct ContentQuota: Sendable, Hashable {
    /// The length of all files, in bytes.
    public var bytes: Int

    public init(bytes: Int) { self.bytes = bytes }
}
