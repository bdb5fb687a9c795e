public import Foundation
internal import VitrineFileSystem
public import VitrineSupport

/// Verification of archives of content without unpacking them.
public enum ContentArchive {
    /// Reads a whole archive with all checks of ``ContentUnpacker``, and writes nothing.
    ///
    /// - Parameters:
    ///   - archive: File of the archive.
    ///   - manifest: Manifest that the archive must match; `nil` for any package.
    ///   - limits: Limits of the package.
    /// - Returns: Manifest of the archive's package.
    /// - Throws: ``ContentError``, as ``ContentUnpacker/unpack(_:manifest:into:limits:)`` does.
    public static func verify(
        _ archive: URL, manifest: ContentManifest? = nil, limits: ContentLimits = ContentLimits()
    ) throws(ContentError) -> ContentManifest {
        try verify(archive, manifest: manifest, limits: limits, codec: nil)
    }

    /// Verifies an archive that may be compressed with what only tools read.
    package static func verify(
        _ archive: URL, manifest: ContentManifest? = nil, limits: ContentLimits = ContentLimits(),
        codec: (any TarCodec)?
    ) throws(ContentError) -> ContentManifest {
        let reader = try PackageReader(archive, manifest: manifest, limits: limits, codec: codec)
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
    /// Checks that a file is the archive that the manifest describes, by its length and digest.
    ///
    /// - Throws: ``ContentError`` `wrongContent` for a different file.
    func check(_ file: ArchiveFile) throws(ContentError) {
        let (digest, length) = try ContentDigest.of(file.url)
        try check(file, digest: digest, length: length)
    }

    fileprivate func check(_ file: ArchiveFile, digest: String, length: Int) throws(ContentError) {
        let path = file.url.relativePath
        guard length == self.length else {
            throw .wrongContent("\(path) is \(length) bytes long, but has \(self.length) bytes in the manifest")
        }
        guard digest == self.digest else {
            throw .wrongContent("\(path) is not the archive that the manifest describes: the digests differ")
        }
    }
}

private struct NoSink: PackageSink {
    func addFolder(_ path: PackagePath) {}

    func makeFile(_ path: PackagePath, isExecutable: Bool) -> NewFile? { nil }
}

/// Limits of the content of an archive.
public struct ContentLimits: Sendable, Hashable {
    /// Maximum length of all files together in bytes: 4 GiB by default.
    public var size: Int
    /// Maximum number of files and folders: 100,000 by default.
    public var entries: Int
    /// Maximum ratio of the length of all files to the length of the archive: 200 by default. The ratio is not checked
    /// while all files together have at most 1 MiB.
    public var ratio: Int

    public init(size: Int = 4 * 1024 * 1024 * 1024, entries: Int = 100_000, ratio: Int = 200) {
        self.size = size
        self.entries = entries
        self.ratio = ratio
    }

    private static let uncounted = 1024 * 1024

    /// Returns the maximum length of all files from an archive of a given length, in bytes.
    func most(from archive: Int) -> Int {
        let (most, overflows) = archive.multipliedReportingOverflow(by: ratio)
        return overflows ? .max : max(most, Self.uncounted)
    }

    /// Returns an error message if the files of an archive, with the given lengths, exceed the limits; otherwise `nil`.
    func excess(of bytes: Int, from archive: Int) -> String? {
        guard bytes <= size else { return "the files of the archive have more than \(size) bytes together" }
        guard bytes <= most(from: archive) else {
            return "the files of the archive are more than \(ratio) times as long as the archive"
        }
        return nil
    }
}
