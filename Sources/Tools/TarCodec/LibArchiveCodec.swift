internal import CVitrineArchive
package import Foundation
package import VitrineHostedContent
internal import VitrineSupport

/// Compression of tars by libarchive: reads xz and Zstandard, and writes Zstandard.
package struct LibArchiveCodec: TarCodec {
    package init() {}

    package var fileExtension: String { "tar.zst" }

    package func decompress(
        _ file: ArchiveFile, _ compression: TarCompression
    ) throws(ContentError) -> any ByteStream {
        try LibArchiveBytes(file, compression)
    }

    package func writer(_ url: URL) throws(ContentError) -> any ArchiveWriter { try LibArchiveWriter(url) }
}

/// Decompressed bytes of a file.
private final class LibArchiveBytes: ByteStream {
    private let file: ArchiveFile
    private let archive: OpaquePointer

    private static let blockSize = 128 * 1024

    init(_ file: ArchiveFile, _ compression: TarCompression) throws(ContentError) {
        guard let archive = archive_read_new() else {
            throw .storage("\(file.url.relativePath): there is not enough memory to read the archive")
        }
        (self.file, self.archive) = (file, archive)
        try check(archive_read_support_format_raw(archive))
        switch compression {
        case .xz: try check(archive_read_support_filter_xz(archive))
        case .zstandard: try check(archive_read_support_filter_zstd(archive))
        }
        guard lseek(file.descriptor, 0, SEEK_SET) == 0 else { throw ContentError(lastAt: file.url) }
        try check(archive_read_open_fd(archive, file.descriptor, Self.blockSize))
        // The file itself is one of the filters.
        let filters = archive_filter_count(archive)
        guard filters == 2 else {
            throw file.error("the archive is \(filters < 2 ? "damaged" : "compressed more than once")")
        }
        var entry: OpaquePointer?
        try check(archive_read_next_header(archive, &entry))
    }

    deinit { archive_read_free(archive) }

    func next() throws(ContentError) -> UnsafeRawBufferPointer {
        try ContentError.checkCancellation()
        var (block, length, offset) = (UnsafeRawPointer?.none, 0, Int64(0))
        repeat {
            let status = archive_read_data_block(archive, &block, &length, &offset)
            if status == ARCHIVE_EOF {
                guard archive_filter_bytes(archive, -1) == file.length else {
                    throw file.error("bytes follow the end of compressed data")
                }
                return UnsafeRawBufferPointer(start: nil, count: 0)
            }
            try check(status)
        } while length == 0
        return UnsafeRawBufferPointer(start: block, count: length)
    }

    private func check(_ status: Int32) throws(ContentError) {
        guard status != ARCHIVE_OK else { return }
        let isOfSystem = [EIO, EBADF, EACCES, ENOMEM].contains(archive_errno(archive))
        guard isOfSystem else { throw file.error("compressed data is damaged") }
        throw .storage("\(file.url.relativePath): the file cannot be read")
    }
}
