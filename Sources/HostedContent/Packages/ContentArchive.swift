public import Foundation

/// Looks into archives of content without unpacking them.
public enum ContentArchive {
    /// Reads an archive through, with all the checks of ``ContentUnpacker``, and writes nothing.
    ///
    /// - Parameter manifest: What the archive has to be and to hold; `nil` for whatever package it holds.
    /// - Returns: What it holds, as a manifest says it.
    /// - Throws: ``ContentError``, as ``ContentUnpacker/unpack(_:manifest:into:limits:)`` does.
    public static func verify(
        _ archive: URL, manifest: ContentManifest? = nil, limits: ContentLimits = ContentLimits()
    ) throws(ContentError) -> ContentManifest {
        let reader = try PackageReader(archive, manifest: manifest, limits: limits)
        let (digest, length) = try ContentDigest.of(archive)
        if let expected = manifest?.archive {
            guard length == expected.length else {
                throw reader.error(
                    "it is \(length) bytes long, and \(expected.length) in the manifest", code: .wrongContent)
            }
            guard digest == expected.digest else {
                throw reader.error("it is not the archive that the manifest is about", code: .wrongContent)
            }
        }
        var nowhere = NoSink()
        let read = try reader.read(into: &nowhere)
        return ContentManifest(
            productIdentifier: read.info.productIdentifier, version: read.info.version,
            archive: ContentManifest.Archive(name: archive.lastPathComponent, length: length, digest: digest),
            files: read.files, emptyFolders: read.emptyFolders, filesFolder: manifest?.filesFolder)
    }
}

private struct NoSink: PackageSink {
    func addFolder(_ path: PackagePath) {}

    func makeFile(_ path: PackagePath, isExecutable: Bool) -> NewFile? { nil }
}
