import CVitrineArchive
import Crypto
import Foundation
import VitrineHostedContent
import VitrineTestSupport

/// Small package `rome`, version 1.0, as the entries of archives.
enum SampleArchive {
    static let info = PlistText.document(
        """
        <dict><key>IAPProductIdentifier</key><string>rome</string><key>ContentVersion</key><string>1.0</string></dict>
        """)
    static let guide = "# Rome\n"

    static var zipEntries: [ZipBytes.Entry] {
        [ZipBytes.Entry("ContentInfo.plist", info), ZipBytes.Entry("Contents/guide.md", guide)]
    }

    /// Returns a ZIP archive of the package with further entries.
    static func zip(_ more: ZipBytes.Entry...) -> ZipBytes { ZipBytes(zipEntries + more) }

    /// Returns a TAR archive of the package with further entries.
    static func tar(_ more: [UInt8]..., end: Int = 1_024) -> [UInt8] {
        TarBytes(
            TarBytes.entry("ContentInfo.plist", info), TarBytes.entry("Contents/guide.md", guide),
            more.flatMap(\.self), end: end
        ).bytes
    }

    static func file(_ path: String, _ content: String, isExecutable: Bool = false) -> ContentManifest.File {
        ContentManifest.File(
            path: path, isExecutable: isExecutable, length: content.utf8.count, digest: digest(Array(content.utf8)))
    }

    /// Returns a manifest of the package with further files.
    static func manifest(
        _ more: ContentManifest.File..., emptyFolders: [String] = [], product: String = "rome"
    ) -> ContentManifest {
        ContentManifest(
            productIdentifier: product, version: "1.0",
            archive: ContentManifest.Archive(name: "rome.zip", length: 1, digest: digest([])),
            files: [file("ContentInfo.plist", info), file("Contents/guide.md", guide)] + more,
            emptyFolders: emptyFolders)
    }

    static func digest(_ bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    enum Format { case zip, tarGzip, tarZstandard, xar }

    /// Returns an archive of the package with one more file, compressed by libarchive.
    static func compressed(_ format: Format, _ path: String, count: Int, in file: URL) throws -> [UInt8] {
        let archive = archive_write_new()
        defer { archive_write_free(archive) }
        switch format {
        case .zip: archive_write_set_format_zip(archive)
        case .xar: archive_write_set_format_xar(archive)
        case .tarGzip:
            archive_write_set_format_ustar(archive)
            archive_write_add_filter_gzip(archive)
        case .tarZstandard:
            archive_write_set_format_ustar(archive)
            archive_write_add_filter_zstd(archive)
        }
        archive_write_set_bytes_in_last_block(archive, 1)
        archive_write_open_filename(archive, file.path())
        let entries = [
            ("ContentInfo.plist", Array(info.utf8)), ("Contents/guide.md", Array(guide.utf8)),
            (path, [UInt8](repeating: 0, count: count)),
        ]
        for (path, content) in entries {
            let entry = archive_entry_new()
            defer { archive_entry_free(entry) }
            archive_entry_set_pathname(entry, path)
            archive_entry_set_filetype(entry, 0o100000)
            archive_entry_set_perm(entry, 0o644)
            archive_entry_set_size(entry, Int64(content.count))
            archive_write_header(archive, entry)
            _ = content.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) }
        }
        archive_write_close(archive)
        return Array(try Data(contentsOf: file))
    }

    /// Compresses bytes with libarchive, once for each filter.
    static func compressed(_ bytes: [UInt8], _ filters: Filter..., in file: URL) throws -> [UInt8] {
        let archive = archive_write_new()
        defer { archive_write_free(archive) }
        archive_write_set_format_raw(archive)
        for filter in filters {
            switch filter {
            case .gzip: archive_write_add_filter_gzip(archive)
            case .xz: archive_write_add_filter_xz(archive)
            case .zstandard: archive_write_add_filter_zstd(archive)
            }
        }
        archive_write_set_bytes_in_last_block(archive, 1)
        archive_write_open_filename(archive, file.path())
        let entry = archive_entry_new()
        defer { archive_entry_free(entry) }
        archive_entry_set_filetype(entry, 0o100000)
        archive_write_header(archive, entry)
        _ = bytes.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) }
        archive_write_close(archive)
        return Array(try Data(contentsOf: file))
    }

    enum Filter { case gzip, xz, zstandard }
}
