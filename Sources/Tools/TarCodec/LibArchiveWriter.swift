internal import CVitrineArchive
internal import Foundation
internal import VitrineFileSystem
internal import VitrineHostedContent
internal import VitrineSupport

/// Writer of tars, compressed with Zstandard. Equal content gives equal bytes, with the same versions of libarchive and of
/// the compression library.
final class LibArchiveWriter: ArchiveWriter {
    private let url: URL
    private let file: FileHandle
    private let archive: OpaquePointer
    private let locale: UTF8Locale

    private static let compressionLevel = "9"
    // Types of entries by the numbers of `archive_entry.h`, whose macros Swift cannot import.
    private static let (fileType, folderType): (mode_t, mode_t) = (0o100000, 0o040000)
    /// Modification date of every entry: 1 January 1980, as in zips.
    private static let time: time_t = 315_532_800

    /// Creates an archive.
    ///
    /// - Parameter url: A path where no file exists yet.
    init(_ url: URL) throws(ContentError) {
        let descriptor = open(url.systemPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw ContentError(lastAt: url) }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let archive = archive_write_new() else {
            throw .storage("\(url.relativePath): there is not enough memory to write the archive")
        }
        do throws(ContentError) {
            locale = try UTF8Locale()
        } catch {
            archive_write_free(archive)
            throw error
        }
        (self.url, self.archive) = (url, archive)
        try check(archive_write_set_format_pax_restricted(archive))
        try check(archive_write_add_filter_zstd(archive))
        try check(archive_write_set_filter_option(archive, "zstd", "compression-level", Self.compressionLevel))
        try check(archive_write_set_bytes_in_last_block(archive, 1))
        try check(archive_write_open_fd(archive, descriptor))
    }

    deinit { archive_write_free(archive) }

    func addFolder(_ path: String) throws(ContentError) {
        try addHeader("\(path)/", type: Self.folderType, permissions: 0o755, length: 0)
    }

    func addFile(
        _ path: String, length: Int, isExecutable: Bool,
        _ content: ((Data) throws(ContentError) -> Void) throws(ContentError) -> Void
    ) throws(ContentError) {
        try addHeader(
            path, type: Self.fileType, permissions: isExecutable ? 0o755 : 0o644, length: length)
        try content { (block) throws(ContentError) in
            let written = block.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) }
            guard written == block.count else { throw failure }
        }
    }

    func finish() throws(ContentError) {
        try locale.use { () throws(ContentError) in try check(archive_write_close(archive)) }
        do {
            try file.synchronize()
            try file.close()
        } catch {
            throw ContentError(error, at: url)
        }
    }

    private func addHeader(
        _ path: String, type: mode_t, permissions: mode_t, length: Int
    ) throws(ContentError) {
        guard let entry = archive_entry_new() else { throw failure }
        defer { archive_entry_free(entry) }
        archive_entry_set_pathname(entry, path)
        archive_entry_set_filetype(entry, UInt32(type))
        archive_entry_set_perm(entry, permissions)
        archive_entry_set_size(entry, Int64(length))
        archive_entry_set_mtime(entry, Self.time, 0)
        try locale.use { () throws(ContentError) in try check(archive_write_header(archive, entry)) }
    }

    private func check(_ status: Int32) throws(ContentError) {
        guard status == ARCHIVE_OK else { throw failure }
    }

    /// Error of the last call of libarchive, which has failed.
    private var failure: ContentError {
        let reason =
            archive_error_string(archive).flatMap { String(validatingCString: $0) }
            ?? "the archive cannot be written"
        let isFull = [ENOSPC, EDQUOT].contains(archive_errno(archive))
        return ContentError(code: isFull ? .noSpace : .storage, reason: "\(url.relativePath): \(reason)")
    }
}

/// A locale in which libarchive writes names in UTF-8, for one thread at a time.
private struct UTF8Locale: ~Copyable {
    private let locale: locale_t

    init() throws(ContentError) {
        guard let locale = vitrine_utf8_locale() else {
            throw .storage("the system has no locale with UTF-8, which is needed to write names in archives")
        }
        self.locale = locale
    }

    deinit { freelocale(locale) }

    func use<Value>(_ body: () throws(ContentError) -> Value) throws(ContentError) -> Value {
        let before = uselocale(locale)
        defer { _ = uselocale(before) }
        return try body()
    }
}
