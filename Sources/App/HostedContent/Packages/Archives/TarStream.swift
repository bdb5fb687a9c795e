internal import VitrineSupport

#if canImport(CVitrineArchive)
    internal import CVitrineArchive
    internal import Foundation

    /// Decompressed bytes of a tar, limited to the length that the archive may have.
    ///
    /// libarchive reads headers and bytes after the end of a tar without a limit: a few bytes may be inflated to any
    /// length. So the tar is inflated here first, block by block, and libarchive receives the counted bytes.
    final class TarStream {
        let file: ArchiveFile
        private let archive: OpaquePointer
        private let limits: ContentLimits
        /// Number of decompressed bytes provided to libarchive so far.
        private var count = 0
        /// Maximum number of decompressed bytes that libarchive may have read before it reports the next entry.
        private var mostNow = TarStream.longestHeader
        private let most: Int
        private(set) var failure: ContentError?

        private static let blockSize = 128 * 1024
        /// Maximum length of an entry's headers, or of the bytes after the last entry.
        private static let longestHeader = 1024 * 1024

        init(_ file: ArchiveFile, _ compression: TarCompression?, limits: ContentLimits) throws(ContentError) {
            guard let archive = archive_read_new() else {
                throw .storage("\(file.url.relativePath): there is not enough memory to read the archive")
            }
            (self.file, self.archive, self.limits) = (file, archive, limits)
            let (most, overflows) = limits.most(from: file.length).addingReportingOverflow(Self.longestHeader)
            self.most = overflows ? .max : most
            try check(archive_read_support_format_raw(archive))
            switch compression {
            case nil: break
            case .gzip: try check(archive_read_support_filter_gzip(archive))
            case .xz: try check(archive_read_support_filter_xz(archive))
            case .zstandard: try check(archive_read_support_filter_zstd(archive))
            }
            _ = try file.read(at: 0, count: 0)
            try check(archive_read_open_fd(archive, file.handle.fileDescriptor, Self.blockSize))
            // The file itself is one of the filters.
            let filters = archive_filter_count(archive)
            guard filters == (compression == nil ? 1 : 2) else {
                throw .invalidPackage(
                    "\(file.url.relativePath) is \(filters < 2 ? "damaged" : "compressed more than once")")
            }
            var entry: OpaquePointer?
            try check(archive_read_next_header(archive, &entry))
        }

        deinit { archive_read_free(archive) }

        /// Permits libarchive to read the bytes of the next entry's header.
        ///
        /// - Parameter content: Number of skipped bytes of the last entry's content.
        func allowHeader(after content: Int) {
            let (most, overflows) = count.addingReportingOverflow(max(0, content) &+ Self.longestHeader)
            mostNow = overflows || most < count ? .max : most
        }

        /// Permits libarchive to read the content of an entry. The reader of the content limits its length.
        func allowContent() { mostNow = .max }

        /// `true` if every byte of the archive file was read.
        var isReadWhole: Bool { archive_filter_bytes(archive, -1) == file.length }

        /// Callback with which libarchive requests the next block. Returns the number of bytes in the block, 0 at the
        /// end, or a negative number on failure.
        static let read:
            @convention(c) (
                OpaquePointer?, UnsafeMutableRawPointer?, UnsafeMutablePointer<UnsafeRawPointer?>?
            ) -> Int = { _, context, block in
                guard let context, let block else { return -1 }
                return Unmanaged<TarStream>.fromOpaque(context).takeUnretainedValue().read(&block.pointee)
            }

        private func read(_ block: inout UnsafeRawPointer?) -> Int {
            guard failure == nil else { return -1 }
            do throws(ContentError) {
                return try next(&block)
            } catch {
                failure = error
                return -1
            }
        }

        private func next(_ block: inout UnsafeRawPointer?) throws(ContentError) -> Int {
            try ContentError.checkCancellation()
            guard count < mostNow else { throw refusal("the headers of an entry of the archive are too long") }
            guard count < most else {
                throw refusal("the archive decompresses to more than \(limits.ratio) times its length")
            }
            var (length, offset) = (0, Int64(0))
            let status = archive_read_data_block(archive, &block, &length, &offset)
            if status == ARCHIVE_EOF { return 0 }
            try check(status)
            count += length
            return length
        }

        private func refusal(_ reason: String) -> ContentError {
            .invalidPackage("\(file.url.relativePath): \(reason)")
        }

        private func check(_ status: Int32) throws(ContentError) {
            guard status != ARCHIVE_OK else { return }
            throw ContentError(ofArchive: archive, at: file)
        }
    }
#endif
