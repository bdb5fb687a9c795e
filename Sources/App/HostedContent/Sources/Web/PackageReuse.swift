internal import Crypto
internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineSupport

/// A package that is assembled from installed files of another version and from fetched files.
struct PackageReuse {
    private let manifest: ContentManifest
    private let places: [String: [ContentManifest.File]]
    /// Name of the server's folder that contains each file of the package.
    let folderName: String
    /// Files of the package to fetch from the server, each once.
    private(set) var missing: [ContentManifest.File] = []
    private let folder: URL
    private let packageFolder: URL

    private static let filesName = "files"
    /// Estimated overhead of one request, in bytes, for the comparison with fetching the archive.
    private static let requestCost = 4 * 1024

    /// Copies the manifest's files that are already installed on this device, and determines which files to fetch.
    /// Received bytes of the manifest's archive are kept, because the archive is fetched if the server does not have
    /// the files.
    ///
    /// - Returns: `nil` if fetching the rest of the archive takes fewer bytes, or if the server does not have the files
    ///   separately.
    init?(
        _ manifest: ContentManifest, archive: RemoteFile, in folder: URL, installedFile: (String) -> URL?
    ) throws(ContentError) {
        guard let folderName = manifest.filesFolder else { return nil }
        let most = ContentLimits().size
        guard manifest.files.reduce(0, { $0 + $1.length }) <= most else {
            throw .wrongContent("the files that the manifest lists have more than \(most) bytes together")
        }
        self.manifest = manifest
        places = Dictionary(grouping: manifest.files, by: \.digest)
        self.folderName = folderName
        self.folder = folder
        packageFolder = folder.appending(component: "package-\(manifest.archive.digest)")
        var (absent, cost, wanted, sources) = ([ContentManifest.File](), 0, Set<String>(), [String: URL]())
        for file in manifest.files where try !hasPlaced(file) {
            absent.append(file)
            guard wanted.insert(file.digest).inserted else { continue }
            // Each installed file is looked for once, because its whole content is read.
            if let installed = installedFile(file.digest), Self.hasLength(installed, of: file) {
                sources[file.digest] = installed
            } else {
                cost += file.length + Self.requestCost
            }
        }
        let hasBegun = try PartFile.hasBegun(archive, in: folder)
        let received = try hasBegun ? PartFile.progress(in: folder)?.received ?? 0 : 0
        guard cost < manifest.archive.length - received else { return nil }
        var retained: Set = [
            packageFolder.lastPathComponent, Self.filesName, TransferFolder.resumptionName(archive.digest),
        ]
        if hasBegun { retained.formUnion(PartFile.names) }
        try FolderTree.remove(allBut: retained, in: folder)
        try makeFolders()
        var seen = Set<String>()
        for file in absent {
            if let installed = sources[file.digest], try place(installed, of: file) { continue }
            if seen.insert(file.digest).inserted { missing.append(file) }
        }
        let files = folder.appending(component: Self.filesName)
        if try FolderTree.status(of: files)?.kind == .folder {
            try FolderTree.remove(allBut: Set(missing.map(\.digest)), in: files)
        }
    }

    /// Length of all files to fetch from the server, in bytes.
    var missingLength: Int { missing.reduce(0) { $0 + $1.length } }

    /// Returns the folder that receives a missing file.
    func downloadFolder(for file: ContentManifest.File) throws(ContentError) -> URL {
        let files = folder.appending(component: Self.filesName)
        try FolderTree.makeFolder(files)
        let place = files.appending(component: file.digest)
        try FolderTree.makeFolder(place)
        return place
    }

    /// Copies a fetched file to each of its paths in the package, except those with another length in the manifest.
    func place(_ url: URL, as fetched: ContentManifest.File) throws(ContentError) {
        for file in places[fetched.digest] ?? [] where file.length == fetched.length {
            if try hasPlaced(file) { continue }
            guard try place(url, of: file) else {
                throw .storage("\(url.relativePath) changed after it was downloaded")
            }
        }
        try FolderTree.remove(url.deletingLastPathComponent())
    }

    /// Opens the assembled package, and compares it with the manifest.
    ///
    /// - Throws: ``ContentError`` `wrongContent` if the folder is not a package or differs from the manifest; the
    ///   folder is then removed.
    func package() throws(ContentError) -> ContentPackage {
        let package: ContentPackage
        do throws(ContentError) {
            package = try ContentPackage(folder: packageFolder)
        } catch {
            guard error.code == .invalidPackage else { throw error }
            throw try discarded("the package that was assembled from single files is invalid: \(error.reason)")
        }
        let files = package.contents.files.map { ([PackagePath.contents] + $0).joined(separator: "/") }
        guard Set(files + [ContentInfo.fileName]) == Set(manifest.files.map(\.path)) else {
            throw try discarded(
                "the package that was assembled from single files does not have exactly the files of the manifest"
            )
        }
        return package
    }

    private func discarded(_ reason: String) throws(ContentError) -> ContentError {
        try FolderTree.remove(packageFolder)
        return ContentError.wrongContent(reason)
    }

    /// Returns `true` if a file has the length that the manifest states. A hostile manifest may state the digest of a
    /// large file with a small length any number of times, and only the sum of the lengths is limited.
    private static func hasLength(_ url: URL, of file: ContentManifest.File) -> Bool {
        guard let status = try? FolderTree.status(of: url) else { return false }
        return status.kind == .file && status.length == file.length
    }

    private func url(_ path: String) -> URL { packageFolder.appending(path: path, directoryHint: .notDirectory) }

    private func makeFolders() throws(ContentError) {
        try FolderTree.makeFolder(packageFolder)
        let parents = manifest.files.map { Self.names($0.path).dropLast() }
        var made: Set<String> = []
        for path in manifest.emptyFolders.map({ Self.names($0)[...] }) + parents {
            for count in path.indices {
                let folder = path[...count].joined(separator: "/")
                if made.insert(folder).inserted { try FolderTree.makeFolder(url(folder)) }
            }
        }
    }

    /// Returns the components of a path, separated at each byte of a slash, as a file system does. Swift treats a slash
    /// with a combining accent as another character.
    private static func names(_ path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }

    /// Returns `true` if an earlier call has already placed the file in the package.
    private func hasPlaced(_ file: ContentManifest.File) throws(ContentError) -> Bool {
        guard let status = try FolderTree.status(of: url(file.path)), status.kind == .file,
            status.length == file.length, status.isExecutable == file.isExecutable
        else { return false }
        return try ContentDigest.of(url(file.path)).digest == file.digest
    }

    /// Copies a file into the package, and checks its length and digest.
    ///
    /// - Returns: `true` if the source has the length and digest of the manifest's file; otherwise no copy remains.
    private func place(_ source: URL, of file: ContentManifest.File) throws(ContentError) -> Bool {
        let place = url(file.path)
        try FolderTree.remove(place)
        guard Self.hasLength(source, of: file) else { return false }
        var hash = SHA256()
        var isReadable = true
        let copy = try NewFile(place, permissions: file.isExecutable ? 0o755 : 0o644)
        do throws(ContentError) {
            try FileBlocks.read(source) { (block) throws(ContentError) in
                hash.update(data: block)
                try copy.write(block)
            }
        } catch {
            guard [.notFound, .invalidPackage, .storage].contains(error.code) else { throw error }
            isReadable = false
        }
        try copy.finish()
        guard isReadable, hash.finalize().hexadecimal == file.digest else {
            try FolderTree.remove(place)
            return false
        }
        return true
    }
}
