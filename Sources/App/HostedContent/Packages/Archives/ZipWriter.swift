internal import CVitrineZlib
internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem

/// Writer of zips that are compressed with deflate. Equal content gives equal bytes, with the same version of zlib.
final class ZipWriter: ArchiveWriter {
    private let url: URL
    private let file: FileHandle
    /// Headers of the entries for the end of the zip.
    private var directory = LittleEndianWriter()
    private var count = 0
    private var position = 0

    /// Version of the format that a reader must know: 2.0 for folders and deflate, 4.5 for zip64.
    private static let (plainVersion, zip64Version) = (20, 45)
    private static let unix = 3
    /// Names are in UTF-8.
    private static let flags = 0x800
    /// 1 January 1980, the earliest date that a zip can contain.
    private static let time = 0x0021_0000
    private static let placeholder = 0xFFFF_FFFF
    /// Length from which a file has 64-bit lengths, because it could exceed 32 bits when it does not compress.
    private static let longestPlain = 0xF000_0000

    /// Creates an archive.
    ///
    /// - Parameter url: A path where no file exists yet.
    init(_ url: URL) throws(ContentError) {
        let descriptor = open(url.systemPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw ContentError(lastAt: url) }
        (self.url, file) = (url, FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }

    /// Values of an entry that are in both of its headers.
    private struct Entry {
        let name: [UInt8]
        let mode: Int
        let isZip64: Bool
        var method = 0
        var checksum = 0
        var compressedLength = 0
        var length = 0

        /// The header before the content, of the same length for all values.
        var header: LittleEndianWriter {
            var header = LittleEndianWriter()
            header.number(0x0403_4B50, 4)
            common(&header)
            header.number(name.count, 2)
            header.number(isZip64 ? 20 : 0, 2)
            header.bytes += name
            if isZip64 { long(&header, [length, compressedLength]) }
            return header
        }

        func common(_ header: inout LittleEndianWriter) {
            header.number(isZip64 ? ZipWriter.zip64Version : ZipWriter.plainVersion, 2)
            header.number(ZipWriter.flags, 2)
            header.number(method, 2)
            header.number(ZipWriter.time, 4)
            header.number(checksum, 4)
            header.number(isZip64 ? ZipWriter.placeholder : compressedLength, 4)
            header.number(isZip64 ? ZipWriter.placeholder : length, 4)
        }

        func long(_ header: inout LittleEndianWriter, _ values: [Int]) {
            header.number(0x0001, 2)
            header.number(8 * values.count, 2)
            for value in values { header.number(value, 8) }
        }
    }

    func addFolder(_ path: String) throws(ContentError) {
        try add(Entry(name: Array("\(path)/".utf8), mode: 0o040755, isZip64: false)) { (_) throws(ContentError) in }
    }

    func addFile(
        _ path: String, length: Int, isExecutable: Bool,
        _ content: ((Data) throws(ContentError) -> Void) throws(ContentError) -> Void
    ) throws(ContentError) {
        let entry = Entry(
            name: Array(path.utf8), mode: isExecutable ? 0o100755 : 0o100644, isZip64: length >= Self.longestPlain)
        try add(entry) { (entry) throws(ContentError) in
            guard length > 0 else { return }
            entry.method = 8
            let deflater = try Deflater(url)
            var checksum = crc32(0, nil, 0)
            try content { (block) throws(ContentError) in
                checksum = block.withUnsafeBytes {
                    crc32(checksum, $0.baseAddress?.assumingMemoryBound(to: Bytef.self), uInt($0.count))
                }
                entry.length += block.count
                try write(try deflater.compress(block, isLast: false))
            }
            try write(try deflater.compress(Data(), isLast: true))
            entry.checksum = Int(checksum)
        }
    }

    private func add(
        _ entry: Entry, _ writeContent: (inout Entry) throws(ContentError) -> Void
    ) throws(ContentError) {
        var entry = entry
        let offset = position
        try write(Data(entry.header.bytes))
        let start = position
        try writeContent(&entry)
        entry.compressedLength = position - start
        // The checksum and the length are known only now.
        try seek(to: offset)
        try write(Data(entry.header.bytes))
        try seek(to: start + entry.compressedLength)
        addToDirectory(entry, at: offset)
    }

    private func addToDirectory(_ entry: Entry, at offset: Int) {
        let isOffsetLong = offset >= Self.placeholder
        var long: [Int] = entry.isZip64 ? [entry.length, entry.compressedLength] : []
        if isOffsetLong { long.append(offset) }
        directory.number(0x0201_4B50, 4)
        directory.number(Self.unix << 8 | Self.zip64Version, 2)
        entry.common(&directory)
        directory.number(entry.name.count, 2)
        directory.number(long.isEmpty ? 0 : 4 + 8 * long.count, 2)
        // Comment, number of the disk, internal attributes.
        directory.number(0, 6)
        directory.number(entry.mode << 16, 4)
        directory.number(isOffsetLong ? Self.placeholder : offset, 4)
        directory.bytes += entry.name
        if !long.isEmpty { entry.long(&directory, long) }
        count += 1
    }

    func finish() throws(ContentError) {
        let (offset, length) = (position, directory.bytes.count)
        var end = LittleEndianWriter()
        if count > 0xFFFF || offset >= Self.placeholder || length >= Self.placeholder {
            end.number(0x0606_4B50, 4)
            end.number(44, 8)
            end.number(Self.unix << 8 | Self.zip64Version, 2)
            end.number(Self.zip64Version, 2)
            end.number(0, 8)
            end.number(count, 8)
            end.number(count, 8)
            end.number(length, 8)
            end.number(offset, 8)
            end.number(0x0706_4B50, 4)
            end.number(0, 4)
            end.number(offset + length, 8)
            end.number(1, 4)
        }
        end.number(0x0605_4B50, 4)
        end.number(0, 4)
        end.number(min(count, 0xFFFF), 2)
        end.number(min(count, 0xFFFF), 2)
        end.number(min(length, Self.placeholder), 4)
        end.number(min(offset, Self.placeholder), 4)
        end.number(0, 2)
        try write(Data(directory.bytes))
        try write(Data(end.bytes))
        try mapping {
            try file.synchronize()
            try file.close()
        }
    }

    private func write(_ bytes: Data) throws(ContentError) {
        try mapping { try file.write(contentsOf: bytes) }
        position += bytes.count
    }

    private func seek(to offset: Int) throws(ContentError) {
        try mapping { try file.seek(toOffset: UInt64(offset)) }
        position = offset
    }

    private func mapping(_ work: () throws -> Void) throws(ContentError) {
        do {
            try work()
        } catch {
            throw ContentError(error, at: url)
        }
    }
}

/// Compressor of one file with deflate at the highest level.
private final class Deflater {
    private let url: URL
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 * 1_024, alignment: 16)

    init(_ url: URL) throws(ContentError) {
        self.url = url
        stream.initialize(to: z_stream())
        let (windowBits, memoryLevel, size) = (Int32(-15), Int32(8), Int32(MemoryLayout<z_stream>.size))
        let status = deflateInit2_(
            stream, Z_BEST_COMPRESSION, Z_DEFLATED, windowBits, memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        guard status == Z_OK else {
            throw .storage("\(url.relativePath): there is not enough memory to write the archive")
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        buffer.deallocate()
    }

    /// Returns the compressed bytes that are ready after a block of the file.
    func compress(_ block: Data, isLast: Bool) throws(ContentError) -> Data {
        var compressed = Data()
        let status: Int32 = block.withUnsafeBytes { bytes in
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: bytes.baseAddress?.assumingMemoryBound(to: Bytef.self))
            stream.pointee.avail_in = uInt(bytes.count)
            var status = Z_OK
            repeat {
                stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: Bytef.self)
                stream.pointee.avail_out = uInt(buffer.count)
                status = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                compressed.append(contentsOf: buffer.prefix(buffer.count - Int(stream.pointee.avail_out)))
            } while stream.pointee.avail_out == 0
            return status
        }
        // Z_BUF_ERROR means that there was nothing left to do.
        guard (isLast ? [Z_STREAM_END] : [Z_OK, Z_BUF_ERROR]).contains(status) else {
            throw .storage("\(url.relativePath): the archive cannot be compressed")
        }
        return compressed
    }
}

/// Writer of little-endian numbers, as in zips.
private struct LittleEndianWriter {
    var bytes: [UInt8] = []

    mutating func number(_ value: Int, _ count: Int) {
        for index in 0..<count { bytes.append(index < 8 ? UInt8(truncatingIfNeeded: value >> (8 * index)) : 0) }
    }
}
