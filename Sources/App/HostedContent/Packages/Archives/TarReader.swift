internal import Foundation
internal import VitrineCatalog
internal import VitrineSupport

/// Reader of a tar, limited to the length that the archive may have.
///
/// A few bytes may decompress to headers, or to bytes after the end of the tar, of any length. So all bytes are counted.
final class TarReader: ArchiveReader {
    private let file: ArchiveFile
    private let limits: ContentLimits
    private let bytes: any ByteStream
    /// Rest of the last block of `bytes`.
    private var rest = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Number of bytes of the tar that were read.
    private var count = 0
    private let most: Int
    /// Number of bytes of headers that the next entry, or of padding that the end of the tar may still have.
    private var headerAllowance = 0
    /// Length of the last entry's content that was not read yet, and of the padding after it.
    private var (unread, padding) = (0, 0)

    /// Maximum length of an entry's headers, or of the bytes after the last entry.
    private static let longestHeader = 1024 * 1024

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - bytes: Bytes of the tar, decompressed.
    ///   - file: File of the archive.
    init(_ bytes: any ByteStream, of file: ArchiveFile, limits: ContentLimits) {
        (self.bytes, self.file, self.limits) = (bytes, file, limits)
        let (most, overflows) = limits.most(from: file.length).addingReportingOverflow(Self.longestHeader)
        self.most = overflows ? .max : most
    }

    func next() throws(ContentError) -> ArchiveEntry? {
        try readContent { _ in }
        headerAllowance = Self.longestHeader
        var (longName, pax) = ([UInt8]?.none, PaxRecords?.none)
        while true {
            let block = try header()
            guard block.contains(where: { $0 != 0 }) else {
                guard longName == nil, pax == nil else { throw damaged }
                try readEnd()
                return nil
            }
            guard let header = TarHeader(block) else { throw damaged }
            switch header.type {
            case UInt8(ascii: "x"):
                guard pax == nil, let records = PaxRecords(try headerContent(header)) else { throw damaged }
                pax = records
            case UInt8(ascii: "g"):
                // Values for all entries that follow: only those, such as comments, that change no entry.
                guard let records = PaxRecords(try headerContent(header)), records.path == nil,
                    records.contentLength == nil, !records.isSparse
                else { throw damaged }
            case UInt8(ascii: "L"):
                guard longName == nil else { throw damaged }
                longName = Array(try headerContent(header).prefix { $0 != 0 })
            case UInt8(ascii: "K"): _ = try headerContent(header)
            default:
                guard longName == nil || pax?.path == nil else { throw damaged }
                return try entry(header, path: pax?.path ?? longName ?? header.name, pax)
            }
        }
    }

    private func entry(_ header: TarHeader, path: [UInt8], _ pax: PaxRecords?) throws(ContentError) -> ArchiveEntry {
        let path = try file.name(path)
        let length = pax?.contentLength ?? header.contentLength
        // In the first tars, only a slash after the name tells a folder.
        let isFolder = header.type == UInt8(ascii: "5") || path.utf8.last == UInt8(ascii: "/")
        let kind: ArchiveEntry.Kind =
            switch header.type {
            case _ where pax?.isSparse == true: .refused("is a sparse file")
            case 0, UInt8(ascii: "0"), UInt8(ascii: "5"), UInt8(ascii: "7"):
                if !isFolder {
                    .file(length: length, isExecutable: header.isExecutable)
                } else {
                    length == 0 ? .folder : .refused("is a folder with content")
                }
            case UInt8(ascii: "1"): .refused("is a hard link")
            case UInt8(ascii: "2"): .refused("is a symbolic link")
            case UInt8(ascii: "S"): .refused("is a sparse file")
            default: .refused("is neither a file nor a folder")
            }
        (unread, padding) = (length, Self.padding(after: length))
        return ArchiveEntry(path: path, kind: kind)
    }

    func readContent(_ body: (UnsafeRawBufferPointer) throws(ContentError) -> Void) throws(ContentError) {
        while unread > 0 {
            let part = try consume(unread)
            unread -= part.count
            try body(part)
        }
        while padding > 0 { padding -= try consume(padding).count }
    }

    // MARK: Blocks

    private var damaged: ContentError { file.error("a header of the tar is damaged") }

    private static func padding(after length: Int) -> Int {
        (TarHeader.length - length % TarHeader.length) % TarHeader.length
    }

    /// Reads a block of a header.
    private func header() throws(ContentError) -> [UInt8] { try headerBytes(TarHeader.length) }

    /// Reads the content of a header that belongs to the next entry.
    private func headerContent(_ header: TarHeader) throws(ContentError) -> [UInt8] {
        let content = try headerBytes(header.contentLength)
        _ = try headerBytes(Self.padding(after: header.contentLength))
        return content
    }

    private func headerBytes(_ length: Int) throws(ContentError) -> [UInt8] {
        guard length <= headerAllowance else { throw file.error("the headers of an entry of the archive are too long") }
        headerAllowance -= length
        var bytes: [UInt8] = []
        while bytes.count < length { bytes += try consume(length - bytes.count) }
        return bytes
    }

    /// Reads the rest of the tar, after the first of two blocks of zeros that end it.
    private func readEnd() throws(ContentError) {
        guard try header().allSatisfy({ $0 == 0 }) else { throw damaged }
        while try fill() {
            guard rest.allSatisfy({ $0 == 0 }) else {
                throw file.error("the archive has data after the end of the tar")
            }
            guard rest.count <= headerAllowance else { throw file.error("the end of the archive is too long") }
            headerAllowance -= rest.count
            rest = UnsafeRawBufferPointer(start: nil, count: 0)
        }
    }

    /// Reads up to the given number of bytes.
    ///
    /// - Throws: `invalidPackage` at the end of the tar.
    private func consume(_ length: Int) throws(ContentError) -> UnsafeRawBufferPointer {
        guard try fill() else { throw file.error("the tar is truncated") }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(length)) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(length))
    }

    /// Reads the next block if all bytes of the last one were taken.
    ///
    /// - Returns: `false` at the end.
    private func fill() throws(ContentError) -> Bool {
        guard rest.isEmpty else { return true }
        guard count < most else {
            throw file.error("the archive decompresses to more than \(limits.ratio) times its length")
        }
        rest = try bytes.next()
        count += rest.count
        return !rest.isEmpty
    }
}
