internal import VitrineSupport

#if canImport(CVitrineArchive)
    internal import CVitrineArchive
    internal import Foundation
    internal import VitrineCatalog

    /// Reader of zip and tar archives with libarchive, restricted to the format that was recognized by the first bytes.
    final class LibArchiveReader: ArchiveReader {
        private let file: ArchiveFile
        /// Stream with the bytes of a tar; `nil` for a zip.
        private let stream: TarStream?
        private let archive: OpaquePointer
        private let locale: UTF8Locale
        /// Byte offset in a tar archive after the content of the last entry.
        private var endOfContent: Int64 = 0
        /// Length in bytes of the last entry's content; 0 once any of it was read.
        private var unreadLength = 0

        private static let blockSize = 128 * 1024

        convenience init(zip file: ArchiveFile) throws(ContentError) {
            try self.init(file, stream: nil)
            try check(archive_read_support_format_zip_seekable(archive))
            try check(archive_read_set_format_option(archive, "zip", "mac-ext", nil))
            _ = try file.read(at: 0, count: 0)
            try check(archive_read_open_fd(archive, file.handle.fileDescriptor, Self.blockSize))
        }

        convenience init(tar stream: TarStream) throws(ContentError) {
            try self.init(stream.file, stream: stream)
            try check(archive_read_support_format_tar(archive))
            // Bytes after the end of a tar are read, too, to make sure that there are none.
            try check(archive_read_set_format_option(archive, "tar", "read_concatenated_archives", "1"))
            try check(archive_read_set_format_option(archive, "tar", "mac-ext", nil))
            // The stream is retained by this reader, which outlives libarchive's use of it.
            let context = Unmanaged.passUnretained(stream).toOpaque()
            try check(archive_read_open(archive, context, nil, TarStream.read, nil))
        }

        private init(_ file: ArchiveFile, stream: TarStream?) throws(ContentError) {
            guard let archive = archive_read_new() else {
                throw .storage("\(file.url.relativePath): there is not enough memory to read the archive")
            }
            do throws(ContentError) {
                locale = try UTF8Locale()
            } catch {
                archive_read_free(archive)
                throw error
            }
            (self.file, self.stream, self.archive) = (file, stream, archive)
        }

        deinit { archive_read_free(archive) }

        func next() throws(ContentError) -> ArchiveEntry? {
            try locale.use { () throws(ContentError) in try nextInLocale() }
        }

        private func nextInLocale() throws(ContentError) -> ArchiveEntry? {
            var entry: OpaquePointer?
            stream?.allowHeader(after: unreadLength)
            let status = archive_read_next_header(archive, &entry)
            if status == ARCHIVE_EOF, stream?.failure == nil {
                try checkEnd()
                return nil
            }
            try check(status)
            guard let entry, let path = archive_entry_pathname(entry).flatMap({ String(validatingCString: $0) }) else {
                throw .invalidPackage("\(file.url.relativePath) holds a name that is not UTF-8")
            }
            endOfContent = archive_filter_bytes(archive, 0)
            unreadLength = Int(archive_entry_size(entry))
            return ArchiveEntry(path: path, kind: Self.kind(of: entry))
        }

        func readContent(_ body: (UnsafeRawBufferPointer) throws(ContentError) -> Void) throws(ContentError) {
            var read: Int64 = 0
            stream?.allowContent()
            unreadLength = 0
            while true {
                try ContentError.checkCancellation()
                var (block, count, offset) = (UnsafeRawPointer?.none, 0, Int64(0))
                let status = archive_read_data_block(archive, &block, &count, &offset)
                if status == ARCHIVE_EOF, stream?.failure == nil { break }
                try check(status)
                guard offset == read || count == 0 else {
                    throw .invalidPackage("\(file.url.relativePath) holds a sparse file, which is not supported")
                }
                try body(UnsafeRawBufferPointer(start: block, count: count))
                read += Int64(count)
            }
            endOfContent = archive_filter_bytes(archive, 0)
        }

        private static func kind(of entry: OpaquePointer) -> ArchiveEntry.Kind {
            if archive_entry_hardlink(entry) != nil { return .refused("is a hard link") }
            if archive_entry_is_encrypted(entry) != 0 { return .refused("is encrypted") }
            if archive_entry_sparse_count(entry) > 0 { return .refused("is a sparse file") }
            switch archive_entry_filetype(entry) {
            case LibArchiveType.file:
                return .file(
                    length: archive_entry_size_is_set(entry) != 0 ? Int(archive_entry_size(entry)) : nil,
                    isExecutable: archive_entry_perm(entry) & 0o100 != 0)
            case LibArchiveType.folder: return .folder
            case LibArchiveType.link: return .refused("is a symbolic link")
            default: return .refused("is neither a file nor a folder")
            }
        }

        /// Checks that a tar ends with two blocks of zeros, as otherwise a truncated tar would not be noticed. A zip
        /// needs no such check, because its central directory lists all entries.
        private func checkEnd() throws(ContentError) {
            guard let stream else { return }
            guard archive_filter_bytes(archive, 0) - endOfContent >= 1_024 else {
                throw .invalidPackage("\(file.url.relativePath) is truncated")
            }
            guard stream.isReadWhole else {
                throw .invalidPackage("\(file.url.relativePath) has data after the end of the archive")
            }
        }

        private func check(_ status: Int32) throws(ContentError) {
            // If the stream has failed, libarchive reports only that the archive is truncated.
            if let failure = stream?.failure { throw failure }
            guard status != ARCHIVE_OK else { return }
            throw ContentError(ofArchive: archive, at: file)
        }
    }

    extension ContentError {
        /// Creates the error for the call of libarchive that has just failed.
        init(ofArchive archive: OpaquePointer, at file: ArchiveFile) {
            let reason =
                archive_error_string(archive).flatMap { String(validatingCString: $0) } ?? "the archive cannot be read"
            let isOfSystem = [EIO, EBADF, EACCES, ENOMEM].contains(archive_errno(archive))
            self.init(
                code: isOfSystem ? .storage : .invalidPackage, reason: "\(file.url.relativePath): \(reason)")
        }
    }

    /// Types of entries by the numbers of `archive_entry.h`, whose macros Swift cannot import.
    enum LibArchiveType {
        static let file: mode_t = 0o100000
        static let folder: mode_t = 0o040000
        static let link: mode_t = 0o120000
    }

    /// A locale in which libarchive reads and writes names in UTF-8, for one thread at a time.
    struct UTF8Locale: ~Copyable {
        private let locale: locale_t

        init() throws(ContentError) {
            guard let locale = vitrine_utf8_locale() else {
                throw .storage("the system has no locale with UTF-8, which is needed to read names in archives")
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
#endif
