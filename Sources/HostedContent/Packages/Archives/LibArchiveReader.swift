#if canImport(CLibArchive)
    internal import CLibArchive
    internal import Foundation
    internal import ProductCatalog

    /// Reads with libarchive, which is let nothing but the format that the archive's first bytes tell.
    final class LibArchiveReader: ArchiveReader {
        private let file: ArchiveFile
        private let kind: ArchiveKind
        private let archive: OpaquePointer
        private let locale: UTF8Locale
        /// How far the archive, without its compression, was read when the last entry's content ended.
        private var endOfContent: Int64 = 0

        private static let blockSize = 128 * 1024

        init(_ file: ArchiveFile, kind: ArchiveKind) throws(ContentError) {
            guard let archive = archive_read_new() else {
                throw ContentError(code: .storage, reason: "\(file.url.relativePath): there is no memory to read it")
            }
            do throws(ContentError) {
                locale = try UTF8Locale()
            } catch {
                archive_read_free(archive)
                throw error
            }
            (self.file, self.kind, self.archive) = (file, kind, archive)
            let formats: [Int32] =
                switch kind {
                case .zip: [archive_read_support_format_zip_seekable(archive)]
                case .xar: [archive_read_support_format_xar(archive)]
                case .tar: [archive_read_support_format_tar(archive)]
                case .tarGzip:
                    [archive_read_support_format_tar(archive), archive_read_support_filter_gzip(archive)]
                case .tarXZ: [archive_read_support_format_tar(archive), archive_read_support_filter_xz(archive)]
                case .tarZstandard:
                    [archive_read_support_format_tar(archive), archive_read_support_filter_zstd(archive)]
                }
            for status in formats { try check(status) }
            if kind.isTar {
                // What lies behind the end of a tar is read too, so that it is found to be none.
                try check(archive_read_set_format_option(archive, "tar", "read_concatenated_archives", "1"))
            }
            if kind != .xar {
                try check(archive_read_set_format_option(archive, kind.isTar ? "tar" : "zip", "mac-ext", nil))
            }
            _ = try file.read(at: 0, count: 0)
            try check(archive_read_open_fd(archive, file.handle.fileDescriptor, Self.blockSize))
        }

        deinit { archive_read_free(archive) }

        func next() throws(ContentError) -> ArchiveEntry? {
            try locale.use { () throws(ContentError) in try nextInLocale() }
        }

        private func nextInLocale() throws(ContentError) -> ArchiveEntry? {
            var entry: OpaquePointer?
            let status = archive_read_next_header(archive, &entry)
            if status == ARCHIVE_EOF {
                try checkEnd()
                return nil
            }
            try check(status)
            guard let entry, let path = archive_entry_pathname(entry).flatMap({ String(validatingCString: $0) }) else {
                throw ContentError(
                    code: .invalidPackage, reason: "\(file.url.relativePath) holds a name that is not UTF-8")
            }
            endOfContent = archive_filter_bytes(archive, 0)
            return ArchiveEntry(path: path, kind: Self.kind(of: entry))
        }

        func readContent(_ body: (UnsafeRawBufferPointer) throws(ContentError) -> Void) throws(ContentError) {
            var read: Int64 = 0
            while true {
                guard !Task.isCancelled else {
                    throw ContentError(code: .cancelled, reason: "the installation was cancelled")
                }
                var (block, count, offset) = (UnsafeRawPointer?.none, 0, Int64(0))
                let status = archive_read_data_block(archive, &block, &count, &offset)
                if status == ARCHIVE_EOF { break }
                try check(status)
                guard offset == read || count == 0 else {
                    throw ContentError(
                        code: .invalidPackage, reason: "\(file.url.relativePath) holds a file with holes")
                }
                try body(UnsafeRawBufferPointer(start: block, count: count))
                read += Int64(count)
            }
            endOfContent = archive_filter_bytes(archive, 0)
        }

        private static func kind(of entry: OpaquePointer) -> ArchiveEntry.Kind {
            if archive_entry_hardlink(entry) != nil { return .refused("is a hard link") }
            if archive_entry_is_encrypted(entry) != 0 { return .refused("is encrypted") }
            if archive_entry_sparse_count(entry) > 0 { return .refused("is a file with holes") }
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

        /// A tar ends with two blocks of zeros, and nothing comes after them; other kinds say themselves what they hold.
        private func checkEnd() throws(ContentError) {
            guard kind.isTar else { return }
            guard archive_filter_bytes(archive, 0) - endOfContent >= 1_024 else {
                throw ContentError(code: .invalidPackage, reason: "\(file.url.relativePath) is cut off")
            }
            guard archive_filter_bytes(archive, -1) == file.length else {
                throw ContentError(
                    code: .invalidPackage, reason: "\(file.url.relativePath) goes on after its end")
            }
        }

        private func check(_ status: Int32) throws(ContentError) {
            guard status != ARCHIVE_OK else { return }
            let reason = archive_error_string(archive).flatMap { String(validatingCString: $0) } ?? "it cannot be read"
            let isOfSystem = [EIO, EBADF, EACCES, ENOMEM].contains(archive_errno(archive))
            throw ContentError(
                code: isOfSystem ? .storage : .invalidPackage, reason: "\(file.url.relativePath): \(reason)")
        }
    }

    /// What an entry is, in the numbers of `archive_entry.h`, whose macros Swift cannot read.
    enum LibArchiveType {
        static let file: mode_t = 0o100000
        static let folder: mode_t = 0o040000
        static let link: mode_t = 0o120000
    }

    /// A locale in which libarchive gives and takes names in UTF-8, for one thread at a time.
    struct UTF8Locale: ~Copyable {
        private let locale: locale_t

        init() throws(ContentError) {
            guard let locale = vitrine_utf8_locale() else {
                throw ContentError(code: .storage, reason: "the system has no locale with UTF-8")
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
