internal import Crypto
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

    /// Marks the folder once more and removes what interrupted installations have left in it. Does nothing where there
    /// is no such folder yet: it is made by the first installation.
    ///
    /// - Throws: ``ContentError``.
    public func prepareIfPresent() throws(ContentError) {
        guard try FolderTree.status(of: url) != nil else { return }
        try prepare()
    }

    /// Makes the folder, and marks it before anything lands in it.
    private func prepare() throws(ContentError) {
        try FolderTree.makeFolder(url)
        try FolderLock.locking(url) { () throws(ContentError) in try BackupExclusion.mark(url) }
        try StagingFolder.removeAbandoned(in: url)
    }

    /// What is installed at a path.
    ///
    /// - Returns: `nil` where nothing is, or something that is no installed content.
    /// - Throws: ``ContentError`` `storage` where it cannot be read.
    public func installedContent(at path: ContentPath) throws(ContentError) -> InstalledContent? {
        guard let folder = try place(of: path), try FolderTree.status(of: folder)?.kind == .folder else { return nil }
        do {
            let info = try ContentInfo(file: folder.appending(component: InstalledContent.recordName))
            return InstalledContent(productIdentifier: info.productIdentifier, version: info.version, url: folder)
        } catch {
            guard error.code == .storage else { return nil }
            throw error
        }
    }

    /// The length of all files of installed content, in bytes.
    ///
    /// - Throws: ``ContentError`` where they cannot be looked at.
    public func size(of content: InstalledContent) throws(ContentError) -> Int {
        let record = content.url.appending(component: InstalledContent.recordName)
        return try FolderTree.size(of: content.url) - (FolderTree.status(of: record)?.length ?? 0)
    }

    /// Installs a package at a path, where it takes the place of what is there, and makes that durable. A package whose
    /// version is there already, with all its files, is not installed again.
    ///
    /// - Throws: ``ContentError``: `invalidPlace` where a link or a file stands on the way, `invalidPackage` where the
    ///   package changes while it is copied, `storage`, or `cancelled`. In each case what was at the path before still is,
    ///   or all of the package.
    @concurrent
    public func install(_ package: ContentPackage, at path: ContentPath) async throws(ContentError) -> InstalledContent
    {
        if let present = try present(package, at: path) {
            try makeDurable(path)
            return present
        }
        let digests = try package.digests()
        try prepare()
        let staging = try StagingFolder(in: url)
        do {
            let content = try copy(package, digests: digests, into: staging)
            let place = try FolderLock.locking(url) { () throws(ContentError) in
                let place = try makeWay(to: path, aside: staging)
                if try present(package, at: path) == nil {
                    try FolderTree.place(content, at: place, aside: staging.url.appending(component: "old"))
                }
                return place
            }
            try makeDurable(path)
            try staging.remove()
            return InstalledContent(
                productIdentifier: package.info.productIdentifier, version: package.info.version, url: place)
        } catch {
            // What cannot be removed now is removed at the next launch.
            try? staging.remove()
            throw error
        }
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

    /// The same version of the same product's content, where it is installed with all its files.
    private func present(_ package: ContentPackage, at path: ContentPath) throws(ContentError) -> InstalledContent? {
        guard let installed = try installedContent(at: path),
            installed.productIdentifier == package.info.productIdentifier, installed.version == package.info.version
        else { return nil }
        for file in package.contents.files {
            let length = try FolderTree.status(of: FolderWalk.url(file, in: package.contentsFolder))?.length
            let status = try FolderTree.status(of: FolderWalk.url(file, in: installed.url))
            guard status?.kind == .file, status?.length == length else { return nil }
        }
        return installed
    }

    /// Puts the package together in a staging folder and makes all of it durable. What is written has to have the digests
    /// that were taken before.
    private func copy(
        _ package: ContentPackage, digests: [[String]: SHA256.Digest], into staging: StagingFolder
    ) throws(ContentError) -> URL {
        let content = staging.url.appending(component: "content")
        try FolderTree.makeFolder(content)
        for folder in package.contents.folders { try FolderTree.makeFolder(FolderWalk.url(folder, in: content)) }
        for file in package.contents.files {
            let source = FolderWalk.url(file, in: package.contentsFolder)
            var hash = SHA256()
            try FileBlocks.write(FolderWalk.url(file, in: content)) { (write) throws(ContentError) in
                try FileBlocks.read(source) { (block) throws(ContentError) in
                    hash.update(data: block)
                    try write(block)
                }
            }
            guard hash.finalize() == digests[file] else {
                throw ContentError(
                    code: .invalidPackage, reason: "\(source.relativePath) has changed while it was copied")
            }
        }
        try FileBlocks.write(content.appending(component: InstalledContent.recordName)) {
            (write) throws(ContentError) in try write(Data(package.info.bytes))
        }
        for folder in package.contents.folders { try FolderTree.sync(FolderWalk.url(folder, in: content)) }
        try FolderTree.sync(content)
        return content
    }

    /// Makes the folders in which the place lies. Content that was installed in one of them, by a catalog that had it
    /// there, is taken away as a whole: with somebody else's in it, it would not be what it says that it is.
    private func makeWay(to path: ContentPath, aside staging: StagingFolder) throws(ContentError) -> URL {
        var folder = url
        for (depth, name) in path.components.dropLast().enumerated() {
            folder.append(component: name)
            let record = folder.appending(component: InstalledContent.recordName)
            if try isFolder(folder), try FolderTree.status(of: record) != nil {
                try FolderTree.move(folder, to: staging.url.appending(component: "in-the-way-\(depth)"))
            }
            if try FolderTree.status(of: folder) == nil { try FolderTree.makeFolder(folder) }
        }
        guard let place = try place(of: path) else {
            throw ContentError(code: .invalidPlace, reason: "\(folder.relativePath) is gone")
        }
        return place
    }

    /// Where a path leads: only through folders that are no links.
    ///
    /// - Returns: `nil` where a folder on the way is not there.
    private func place(of path: ContentPath) throws(ContentError) -> URL? {
        guard let last = path.components.last else {
            throw ContentError(code: .invalidPlace, reason: "content cannot take the place of \(url.relativePath)")
        }
        var folder = url
        guard try isFolder(folder) else { return nil }
        for name in path.components.dropLast() {
            folder.append(component: name)
            guard try isFolder(folder) else { return nil }
        }
        return folder.appending(component: last)
    }

    /// - Returns: `false` where nothing is.
    private func isFolder(_ place: URL) throws(ContentError) -> Bool {
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
