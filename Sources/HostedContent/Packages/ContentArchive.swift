internal import FileSystem
public import Foundation

/// Looks into archives of content without unpacking them.
public enum ContentArchive {
    /// Reads an archive through, with all the checks of ``ContentUnpacker``, and writes nothing.
    ///
    /// - Parameters:
    ///   - archive: The archive's file.
    ///   - manifest: What the archive has to be and to hold; `nil` for whatever package it holds.
    ///   - limits: What the package may have.
    /// - Returns: What it holds, as a manifest says it.
    /// - Throws: ``ContentError``, as ``ContentUnpacker/unpack(_:manifest:into:limits:)`` does.
    public static func verify(
        _ archive: URL, manifest: ContentManifest? = nil, limits: ContentLimits = ContentLimits()
    ) throws(ContentError) -> ContentManifest {
        let reader = try PackageReader(archive, manifest: manifest, limits: limits)
        let (digest, length) = try ContentDigest.of(archive)
        try manifest?.archive.check(reader.file, digest: digest, length: length)
        var nowhere = NoSink()
        let read = try reader.read(into: &nowhere)
        return ContentManifest(
            productIdentifier: read.info.productIdentifier, version: read.info.version,
            archive: ContentManifest.Archive(name: archive.lastPathComponent, length: length, digest: digest),
            files: read.files, emptyFolders: read.emptyFolders, filesFolder: manifest?.filesFolder)
    }
}

extension ContentManifest.Archive {
    /// - Throws: ``ContentError`` `wrongContent` for a file that is another.
    func check(_ file: ArchiveFile) throws(ContentError) {
        let (digest, length) = try ContentDigest.of(file.url)
        try check(file, digest: digest, length: length)
    }

    fileprivate func check(_ file: ArchiveFile, digest: String, length: Int) throws(ContentError) {
        let path = file.url.relativePath
        guard length == self.length else {
            throw ContentError(
                code: .wrongContent,
                reason: "\(path): it is \(length) bytes long, and \(self.length) in the manifest")
        }
        guard digest == self.digest else {
            throw ContentError(
                code: .wrongContent, reason: "\(path): it is not the archive that the manifest is about")
        }
    }
}

private struct NoSink: PackageSink {
    func addFolder(_ path: PackagePath) {}

    func makeFile(_ path: PackagePath, isExecutable: Bool) -> NewFile? { nil }
}
