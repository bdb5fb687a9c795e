internal import FileSystem
public import Foundation
internal import ProductCatalog

/// Unpacks archives of content: zip and tar (plain, or with gzip, xz or zstd).
///
/// An archive may hold regular files and folders alone, each with a path that stays inside and that every file system
/// takes and tells from the others. Of its modes nothing is taken but whether a file can be executed.
public enum ContentUnpacker {
    /// Unpacks an archive, and makes everything durable that it writes. Each file is checked while it is written.
    ///
    /// What it has written when it fails is the caller's to remove. Whether the archive has the digest that a manifest
    /// has of it is not looked at: who fetches it has done so while it came.
    ///
    /// - Parameters:
    ///   - archive: The archive's file.
    ///   - manifest: What the archive has to hold, no more and no less; `nil` for whatever package it holds, at its top
    ///     or in one folder.
    ///   - folder: An empty folder of the caller's alone.
    ///   - limits: What the package may have.
    /// - Returns: The package in the folder.
    /// - Throws: ``ContentError``: `invalidPackage` for an archive that no package may be in, `wrongContent` where it does
    ///   not hold what the manifest lists, `notFound` where there is none, `storage`, `noSpace` or `cancelled`.
    public static func unpack(
        _ archive: URL, manifest: ContentManifest? = nil, into folder: URL, limits: ContentLimits = ContentLimits()
    ) throws(ContentError) -> ContentPackage {
        var sink = FolderSink(folder: folder)
        _ = try PackageReader(archive, manifest: manifest, limits: limits).read(into: &sink)
        try sink.finish()
        return try ContentPackage(folder: folder)
    }

    /// Unpacks an archive as a folder, whole or not at all. With a manifest, the archive has to be the one that the
    /// manifest is about, to the byte.
    ///
    /// - Parameters:
    ///   - archive: The archive's file.
    ///   - manifest: What the archive has to be and to hold; `nil` for whatever package it holds.
    ///   - folder: There is none yet, or an empty one, in a folder that is there.
    ///   - limits: What the package may have.
    /// - Throws: ``ContentError``, as ``unpack(_:manifest:into:limits:)`` does; `invalidPlace` where something is in the
    ///   folder.
    public static func unpack(
        _ archive: URL, manifest: ContentManifest? = nil, as folder: URL, limits: ContentLimits = ContentLimits()
    ) throws(ContentError) -> ContentPackage {
        if let manifest { try manifest.archive.check(try ArchiveFile(archive)) }
        let parent = folder.deletingLastPathComponent()
        let temporary = parent.appending(component: ".\(UUID().uuidString)")
        try FolderTree.makeFolder(temporary)
        do throws(ContentError) {
            _ = try unpack(archive, manifest: manifest, into: temporary, limits: limits)
            guard rename(temporary.systemPath, folder.systemPath) == 0 else {
                guard ![ENOTEMPTY, EEXIST, ENOTDIR].contains(errno) else {
                    throw ContentError(code: .invalidPlace, reason: "\(folder.relativePath) is there already")
                }
                throw ContentError(lastAt: folder)
            }
            try FolderTree.sync(parent)
            return try ContentPackage(folder: folder)
        } catch {
            // What cannot be removed is left under a name of its own.
            try? FolderTree.remove(temporary)
            throw error
        }
    }
}

/// Writes a package into a folder.
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

    /// Makes durable that everything is where it is.
    func finish() throws(ContentError) {
        for path in made.sorted(by: >) { try FolderTree.sync(url(path)) }
        try FolderTree.sync(folder)
    }

    private func url(_ path: String) -> URL {
        PackagePath(names: path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }).url(in: folder)
    }
}
