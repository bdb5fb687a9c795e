public import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
public import VitrineSupport

/// Unpacker of archives of content: zip, and tar without compression or with gzip.
///
/// An archive may contain only regular files and folders, with relative paths that every file system accepts and
/// distinguishes. The permission to execute a file is the only one that is adopted from an archive.
public enum ContentUnpacker {
    /// Unpacks an archive, and makes all files durable. Each file is checked while it is written.
    ///
    /// After a failure the caller removes the files written so far. The digest of the archive itself is not checked,
    /// because it is checked while the archive is fetched.
    ///
    /// - Parameters:
    ///   - archive: File of the archive.
    ///   - manifest: Manifest with exactly the files of the archive; `nil` for any package, at the archive's top or in
    ///     one folder.
    ///   - folder: An empty folder that only the caller uses.
    ///   - limits: Limits of the package.
    /// - Returns: The package in the folder.
    /// - Throws: ``ContentError``: `invalidPackage` for an invalid archive, `wrongContent` if its files differ from the
    ///   manifest, `notFound` if the archive does not exist, `storage`, `noSpace` or `cancelled`.
    public static func unpack(
        _ archive: URL, manifest: ContentManifest? = nil, into folder: URL, limits: ContentLimits = ContentLimits()
    ) throws(ContentError) -> ContentPackage {
        try unpack(archive, manifest: manifest, into: folder, limits: limits, codec: nil)
    }

    /// Unpacks an archive, also one that is compressed with what only tools read.
    package static func unpack(
        _ archive: URL, manifest: ContentManifest?, into folder: URL, limits: ContentLimits = ContentLimits(),
        codec: (any TarCodec)?
    ) throws(ContentError) -> ContentPackage {
        var sink = FolderSink(folder: folder)
        _ = try PackageReader(archive, manifest: manifest, limits: limits, codec: codec).read(into: &sink)
        try sink.finish()
        return try ContentPackage(folder: folder)
    }

    /// Unpacks an archive as a folder, completely or not at all. With a manifest, the archive must match it byte for
    /// byte.
    ///
    /// - Parameters:
    ///   - archive: File of the archive.
    ///   - manifest: Manifest that the archive must match; `nil` for any package.
    ///   - folder: A missing or empty folder in an existing one.
    ///   - limits: Limits of the package.
    /// - Throws: ``ContentError``, as ``unpack(_:manifest:into:limits:)`` does; `invalidPlace` if the folder is not
    ///   empty.
    public static func unpack(
        _ archive: URL, manifest: ContentManifest? = nil, as folder: URL, limits: ContentLimits = ContentLimits()
    ) throws(ContentError) -> ContentPackage {
        try unpack(archive, manifest: manifest, as: folder, limits: limits, codec: nil)
    }

    /// Unpacks an archive as a folder, also one that is compressed with what only tools read.
    package static func unpack(
        _ archive: URL, manifest: ContentManifest? = nil, as folder: URL, limits: ContentLimits = ContentLimits(),
        codec: (any TarCodec)?
    ) throws(ContentError) -> ContentPackage {
        if let manifest { try manifest.archive.check(try ArchiveFile(archive)) }
        return try ContentPackage.create(at: folder) { (temporary) throws(ContentError) in
            _ = try unpack(archive, manifest: manifest, into: temporary, limits: limits, codec: codec)
        }
    }
}

extension ContentPackage {
    /// Creates a package, completely or not at all: it is written to a folder beside its own, which is then renamed.
    ///
    /// - Parameters:
    ///   - folder: A missing or empty folder in an existing one.
    ///   - write: Function that writes the package to an empty folder.
    /// - Throws: ``ContentError`` `invalidPlace` if the folder is not empty; otherwise as `write` and ``init(folder:)`` do.
    static func create(
        at folder: URL, _ write: (URL) throws(ContentError) -> Void
    ) throws(ContentError) -> ContentPackage {
        let parent = folder.deletingLastPathComponent()
        let temporary = parent.appending(component: ".\(UUID().uuidString)")
        try FolderTree.makeFolder(temporary)
        do throws(ContentError) {
            try write(temporary)
            guard rename(temporary.systemPath, folder.systemPath) == 0 else {
                guard ![ENOTEMPTY, EEXIST, ENOTDIR].contains(errno) else {
                    throw .invalidPlace("\(folder.relativePath) already exists and is not an empty folder")
                }
                throw ContentError(lastAt: folder)
            }
            try FolderTree.sync(parent)
            return try ContentPackage(folder: folder)
        } catch {
            // A folder that cannot be removed remains under its unique temporary name.
            try? FolderTree.remove(temporary)
            throw error
        }
    }
}

/// Destination that writes the files and folders of a package into a folder.
private struct FolderSink: PackageSink {
    let folder: URL
    private var made: Set<String> = []

    init(folder: URL) { self.folder = folder }

    mutating func addFolder(_ path: PackagePath) throws(ContentError) {
        for parent in path.parents + [path.text] where made.insert(parent).inserted {
            try FolderTree.makeFolder(url(parent))
        }
    }

    mutating func makeFile(_ path: PackagePath, isExecutable: Bool) throws(ContentError) -> NewFile? {
        if path.names.count > 1 { try addFolder(PackagePath(names: path.names.dropLast())) }
        return try NewFile(path.url(in: folder), permissions: isExecutable ? 0o755 : 0o644)
    }

    /// Syncs all created folders to disk, so that the files in them survive a power failure.
    func finish() throws(ContentError) {
        for path in made.sorted(by: >) { try FolderTree.sync(url(path)) }
        try FolderTree.sync(folder)
    }

    private func url(_ path: String) -> URL {
        PackagePath(names: path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }).url(in: folder)
    }
}
