internal import CVitrineZlib
internal import Foundation

/// Bytes that are read one block after the other.
package protocol ByteStream: AnyObject {
    /// Reads the next block.
    ///
    /// - Returns: Bytes that are valid until the next call; no bytes at the end.
    /// - Throws: ``ContentError``: `invalidPackage` for damaged data, `storage` if it cannot be read, `cancelled`.
    func next() throws(ContentError) -> UnsafeRawBufferPointer
}

/// Bytes of a range of a file.
final class FileBytes: ByteStream {
    private let file: ArchiveFile
    private var rest: Range<Int>
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 * 1_024, alignment: 16)

    init(_ file: ArchiveFile, _ range: Range<Int>) { (self.file, rest) = (file, range) }

    deinit { buffer.deallocate() }

    /// Starts again at the beginning of another range.
    func start(_ range: Range<Int>) { rest = range }

    func next() throws(ContentError) -> UnsafeRawBufferPointer {
        try ContentError.checkCancellation()
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(rest.count))
        let count = try file.read(at: rest.lowerBound, into: part)
        guard count > 0 || rest.isEmpty else { throw file.error("the file is truncated") }
        rest = (rest.lowerBound + count)..<rest.upperBound
        return UnsafeRawBufferPointer(rebasing: part.prefix(count))
    }
}

/// Decompressed bytes of deflate data ([RFC 1951](https://www.rfc-editor.org/rfc/rfc1951)), or of gzip members that
/// follow each other ([RFC 1952](https://www.rfc-editor.org/rfc/rfc1952)). No bytes may follow the compressed ones.
final class InflatedBytes: ByteStream {
    enum Format: Int32 {
        /// Deflate data without a header, with a window of up to 32 KiB.
        case deflate = -15
        /// Members of gzip, whose header and checksum zlib checks.
        case gzip = 31
    }

    private let format: Format
    private let compressed: FileBytes
    private let file: ArchiveFile
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 * 1_024, alignment: 16)
    /// `true` at the start and between two members, where the data may end.
    private var isBetweenMembers = true
    private var hasMember = false
    private var isAtEnd = false

    /// Creates a decompressor.
    ///
    /// - Parameters:
    ///   - file: File that errors name.
    ///   - compressed: Compressed bytes of the file.
    init(_ format: Format, of file: ArchiveFile, _ compressed: FileBytes) throws(ContentError) {
        (self.format, self.file, self.compressed) = (format, file, compressed)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, format.rawValue, ZLIB_VERSION, size) == Z_OK else {
            throw .storage("\(file.url.relativePath): there is not enough memory to read the archive")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        buffer.deallocate()
    }

    /// Starts again with other compressed bytes of the file.
    func start(_ range: Range<Int>) {
        compressed.start(range)
        stream.pointee.avail_in = 0
        (isBetweenMembers, hasMember, isAtEnd) = (true, false, false)
    }

    func next() throws(ContentError) -> UnsafeRawBufferPointer {
        stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: Bytef.self)
        stream.pointee.avail_out = uInt(buffer.count)
        while !isAtEnd, stream.pointee.avail_out > 0 { try inflateOnce() }
        return UnsafeRawBufferPointer(rebasing: buffer.prefix(buffer.count - Int(stream.pointee.avail_out)))
    }

    private func inflateOnce() throws(ContentError) {
        if stream.pointee.avail_in == 0 {
            let block = try compressed.next()
            if block.isEmpty, hasMember, isBetweenMembers {
                isAtEnd = true
                return
            }
            // Even without a further byte, what zlib has taken already may still be decompressed.
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: block.baseAddress?.assumingMemoryBound(to: Bytef.self))
            stream.pointee.avail_in = uInt(block.count)
        }
        let isAtEndOfInput = stream.pointee.avail_in == 0
        if isBetweenMembers {
            inflateReset(stream)
            isBetweenMembers = false
        }
        switch inflate(stream, Z_NO_FLUSH) {
        case Z_OK: break
        case Z_BUF_ERROR where isAtEndOfInput: throw file.error("compressed data is truncated")
        case Z_BUF_ERROR where stream.pointee.avail_in == 0: break
        case Z_STREAM_END: try endMember()
        case Z_MEM_ERROR: throw .storage("\(file.url.relativePath): there is not enough memory to read the archive")
        default:
            let isAfterEnd = hasMember && stream.pointee.total_out == 0
            throw file.error(
                isAfterEnd ? "bytes follow the end of compressed data" : "compressed data is damaged")
        }
    }

    private func endMember() throws(ContentError) {
        (isBetweenMembers, hasMember) = (true, true)
        guard format == .deflate else { return }
        guard stream.pointee.avail_in == 0, try compressed.next().isEmpty else {
            throw file.error("bytes follow the end of compressed data")
        }
        isAtEnd = true
    }
}
