internal import Crypto
internal import Foundation
internal import ProductCatalog

/// A package that is put together from files that another version of it has left on this device, and the files that are
/// missing.
struct PackageReuse {
    private let manifest: ContentManifest
    /// The folder of the server with files by themselves.
    let folderName: String
    /// What has to be fetched, each file once.
    private(set) var missing: [ContentManifest.File] = []
    private let folder: URL
    private let packageFolder: URL

    private static let filesName = "files"
    /// What a request costs beside what it brings, in bytes.
    private static let requestCost = 4 * 1024

    /// Copies what is on this device.
    ///
    /// - Returns: `nil` where it is less to fetch the archive.
    init?(_ manifest: ContentManifest, in folder: URL, installedFile: (String) -> URL?) throws(ContentError) {
        guard let folderName = manifest.filesFolder else { return nil }
        self.manifest = manifest
        self.folderName = folderName
        self.folder = folder
        packageFolder = folder.appending(component: "package-\(manifest.archive.digest)")
        var (absent, cost, wanted) = ([ContentManifest.File](), 0, Set<String>())
        for file in manifest.files where try !hasPlaced(file) {
            absent.append(file)
            guard Self.isFetched(file, installedFile), wanted.insert(file.digest).inserted else { continue }
            cost += file.length + Self.requestCost
        }
        guard cost < manifest.archive.length else { return nil }
        try FolderTree.remove(allBut: [packageFolder.lastPathComponent, Self.filesName], in: folder)
        try makeFolders()
        var seen = Set<String>()
        for file in absent {
            if let installed = installedFile(file.digest), try place(installed, of: file) { continue }
            if seen.insert(file.digest).inserted { missing.append(file) }
        }
    }

    /// In bytes.
    var missingLength: Int { missing.reduce(0) { $0 + $1.length } }

    /// Where a missing file is fetched to.
    func downloadFolder(for file: ContentManifest.File) throws(ContentError) -> URL {
        let files = folder.appending(component: Self.filesName)
        try FolderTree.makeFolder(files)
        let place = files.appending(component: file.digest)
        try FolderTree.makeFolder(place)
        return place
    }

    /// Puts a file that was missing everywhere it belongs.
    func place(_ url: URL, as fetched: ContentManifest.File) throws(ContentError) {
        for file in manifest.files where file.digest == fetched.digest {
            if try hasPlaced(file) { continue }
            guard try place(url, of: file) else {
                throw ContentError(code: .storage, reason: "\(url.relativePath) has changed")
            }
        }
        try FolderTree.remove(url.deletingLastPathComponent())
    }

    func package() throws(ContentError) -> ContentPackage { try ContentPackage(folder: packageFolder) }

    private static func isFetched(_ file: ContentManifest.File, _ installedFile: (String) -> URL?) -> Bool {
        guard let url = installedFile(file.digest), let status = try? FolderTree.status(of: url) else { return true }
        return status.kind != .file || status.length != file.length
    }

    private func url(_ path: String) -> URL { packageFolder.appending(path: path, directoryHint: .notDirectory) }

    private func makeFolders() throws(ContentError) {
        try FolderTree.makeFolder(packageFolder)
        let parents = manifest.files.map { $0.path.split(separator: "/").dropLast() }
        for path in manifest.emptyFolders.map({ $0.split(separator: "/")[...] }) + parents {
            for count in path.indices { try FolderTree.makeFolder(url(path[...count].joined(separator: "/"))) }
        }
    }

    /// It is there, as an earlier call left it.
    private func hasPlaced(_ file: ContentManifest.File) throws(ContentError) -> Bool {
        guard try FolderTree.status(of: url(file.path))?.length == file.length else { return false }
        return try ContentDigest.of(url(file.path)).digest == file.digest
    }

    /// - Returns: Whether what lies at the address is the file; if not, nothing is placed.
    private func place(_ source: URL, of file: ContentManifest.File) throws(ContentError) -> Bool {
        let place = url(file.path)
        try FolderTree.remove(place)
        var hash = SHA256()
        var isReadable = true
        try FileBlocks.write(place) { (write) throws(ContentError) in
            do throws(ContentError) {
                try FileBlocks.read(source) { (block) throws(ContentError) in
                    hash.update(data: block)
                    try write(block)
                }
            } catch {
                guard [.notFound, .invalidPackage, .storage].contains(error.code) else { throw error }
                isReadable = false
            }
        }
        guard isReadable, ContentDigest.text(hash.finalize()) == file.digest else {
            try FolderTree.remove(place)
            return false
        }
        if file.isExecutable, chmod(place.systemPath, 0o755) != 0 { throw ContentError(lastAt: place) }
        return true
    }
}
