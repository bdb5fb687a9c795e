internal import FileSystem
internal import Foundation
internal import ProductCatalog

/// Exchange of old content with new, and the way back if the new content does not get into place.
extension ContentDirectory {
    /// Exchanges content. After an interruption there is either the old content with the download or the new content
    /// without it, so that at most two copies take space.
    func exchange(
        _ content: URL, with place: URL, emptying download: URL?, aside staging: StagingFolder
    ) throws(ContentError) {
        let aside = { () throws(ContentError) in try staging.folderForReplaced() }
        guard let download else { return try FolderTree.place(content, at: place, aside: aside) }
        let taken = staging.url.appending(component: "download")
        try FolderTree.move(download, to: taken)
        do {
            try FolderTree.place(content, at: place, aside: aside)
        } catch {
            try? FolderTree.move(taken, to: download)
            throw error
        }
        // If this fails, the next launch does it.
        try? FolderTree.removeFolderIfEmpty(download.deletingLastPathComponent())
    }

    /// Creates the folders above a path. Content that an earlier catalog had installed at one of these folders is moved
    /// away as a whole: with other content inside it, it would not match its own list.
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
            throw ContentError(code: .invalidPlace, reason: "\(folder.relativePath) is missing")
        }
        return place
    }

    /// Moves old content back to its path, unless the new content is there: at once if the exchange failed, or at the
    /// next launch if the process ended before. Called while the directory is locked.
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
