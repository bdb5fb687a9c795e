internal import Foundation
internal import VitrineCatalog
internal import VitrineSupport

/// Layout of a zip as its records describe it ([APPNOTE](https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT),
/// section 4).
///
/// A zip describes each entry twice, in the central directory and in a header before the entry's content, and some
/// readers of zips use the first description, some the second. A zip is accepted only if both descriptions of each
/// entry agree, and if the entries follow each other from the first byte to the last: without overlaps, and without
/// bytes between them, before them or after them.
struct ZipLayout {
    private let file: ArchiveFile
    private let limits: ContentLimits

    private static let longestDirectory = 128 * 1024 * 1024

    /// Reads the descriptions of all entries of a zip, and checks its layout.
    ///
    /// - Returns: Entries by their positions.
    /// - Throws: ``ContentError``: `invalidPackage` for an invalid zip, `storage`.
    static func entries(of file: ArchiveFile, limits: ContentLimits) throws(ContentError) -> [ZipEntry] {
        let layout = ZipLayout(file: file, limits: limits)
        let end = try ZipEnd(file)
        guard end.directoryLength <= longestDirectory else {
            throw file.error("the central directory of the zip is too long")
        }
        let bytes = try file.read(at: end.directoryOffset, count: end.directoryLength)
        guard bytes.count == end.directoryLength else { throw file.error("the zip is truncated") }
        let headers = try layout.headers(in: bytes, count: end.count)
        var (entries, position) = ([ZipEntry](), 0)
        for header in headers.sorted(by: { $0.offset < $1.offset }) {
            guard header.offset == position else {
                throw file.error(
                    header.offset < position
                        ? "two entries of the zip overlap" : "the zip holds bytes that belong to none of its entries")
            }
            let content = try layout.content(of: header)
            entries.append(try layout.entry(header, content))
            position = content.upperBound + (try layout.descriptorLength(after: content, of: header))
        }
        guard position == end.directoryOffset else {
            throw file.error(
                position > end.directoryOffset
                    ? "an entry of the zip overlaps the central directory"
                    : "the zip holds bytes that belong to none of its entries")
        }
        return entries
    }

    /// Header of an entry in the central directory at the end of a zip.
    private struct Header {
        var flags: Int
        var method: Int
        var checksum: Int
        var compressedLength: Int
        var length: Int
        var name: [UInt8]
        var offset: Int
        /// The entry's Unix mode; 0 if the zip has none.
        var mode: Int
        /// `true` if the attributes of MS-DOS say that the entry is a folder.
        var isFolderOfDOS: Bool
        /// The entry's name in UTF-8 in an extra field ([APPNOTE](https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT),
        /// 4.6.9); `nil` without one.
        var unicodeName: [UInt8]?

        /// Upper four bits of the Unix mode, which name the type of file.
        var fileType: Int { mode >> 12 }

        /// `true` if the lengths and the checksum of a zip entry follow its content, and may be missing in the header
        /// before the content.
        var hasDescriptor: Bool { flags & 0x8 != 0 }
    }

    // MARK: The directory

    private func headers(in bytes: [UInt8], count: Int) throws(ContentError) -> [Header] {
        var headers: [Header] = []
        var reader = LittleEndianBytes(bytes)
        while !reader.isAtEnd {
            guard headers.count < min(count, limits.entries) else {
                throw file.error(
                    headers.count >= count
                        ? "the central directory of the zip has another number of entries than the end record states"
                        : "the zip holds more than \(limits.entries) files and folders")
            }
            guard let header = header(&reader) else { throw file.error("the central directory of the zip is damaged") }
            try check(header)
            headers.append(header)
        }
        guard headers.count == count else {
            throw file.error(
                "the central directory of the zip has another number of entries than the end record states")
        }
        return headers
    }

    /// Numbers of the systems (Unix and macOS) that store the Unix mode in the upper half of an entry's attributes.
    private static let unixMakers = [3, 19]
    /// Numbers of the systems (MS-DOS, NTFS and VFAT) that store the attributes of MS-DOS.
    private static let dosMakers = [0, 10, 14]

    private func header(_ reader: inout LittleEndianBytes) -> Header? {
        guard reader.number(4) == 0x0201_4B50, let maker = reader.number(2), reader.skip(2),
            let flags = reader.number(2),
            let method = reader.number(2), reader.skip(4), let checksum = reader.number(4),
            let compressedLength = reader.number(4), let length = reader.number(4), let nameLength = reader.number(2),
            let extraLength = reader.number(2), let commentLength = reader.number(2), let disk = reader.number(2),
            reader.skip(2), let attributes = reader.number(4), let offset = reader.number(4),
            let name = reader.bytes(nameLength),
            let extra = reader.bytes(extraLength), reader.skip(commentLength)
        else { return nil }
        var values = [length, compressedLength, offset]
        guard disk == 0, let fields = ZipExtraFields(extra), fields.complete(&values) else { return nil }
        return Header(
            flags: flags, method: method, checksum: checksum, compressedLength: values[1], length: values[0],
            name: name, offset: values[2], mode: Self.unixMakers.contains(maker >> 8) ? attributes >> 16 : 0,
            isFolderOfDOS: Self.dosMakers.contains(maker >> 8) && attributes & 0x10 != 0,
            unicodeName: fields.unicodeName(insteadOf: name))
    }

    private func check(_ header: Header) throws(ContentError) {
        let name = String(decoding: header.name, as: UTF8.self).quoted
        guard [0, 0o04, 0o10].contains(header.fileType) else {
            throw file.error(
                "\(name) is \(header.fileType == 0o12 ? "a symbolic link" : "neither a file nor a folder")")
        }
        guard header.flags & (0x1 | 0x40 | 0x2000) == 0 else { throw file.error("\(name) is encrypted") }
        guard [0, 8].contains(header.method), header.flags & 0x20 == 0 else {
            throw file.error("\(name) is compressed with a method that is not supported")
        }
        guard header.method != 0 || header.compressedLength == header.length else {
            throw file.error("\(name) is not compressed, but has two different lengths")
        }
        guard !header.name.contains(0), !header.name.contains(UInt8(ascii: "\\")) else {
            throw file.error("the name \(name) holds a control character or a backslash")
        }
    }

    /// Returns the entry that a header describes.
    ///
    /// - Parameter content: Positions of the entry's bytes.
    private func entry(_ header: Header, _ content: Range<Int>) throws(ContentError) -> ZipEntry {
        // Without the flag for UTF-8 a name is in a character set that zips do not state; most systems write UTF-8 all
        // the same.
        let name = try file.name(header.unicodeName ?? header.name)
        let isFolder = name.utf8.last == UInt8(ascii: "/") || header.fileType == 0o04 || header.isFolderOfDOS
        guard !isFolder || header.length == 0 else { throw file.error("\(name.quoted) is a folder with content") }
        return ZipEntry(
            name: name, isFolder: isFolder, isExecutable: header.mode & 0o100 != 0, isDeflated: header.method == 8,
            content: content, length: header.length, checksum: header.checksum)
    }

    // MARK: The entries

    /// Returns the positions of an entry's bytes, and checks that the header before them agrees with the one in the
    /// central directory.
    private func content(of header: Header) throws(ContentError) -> Range<Int> {
        let name = String(decoding: header.name, as: UTF8.self).quoted
        let fixedLength = 30
        var reader = LittleEndianBytes(try file.read(at: header.offset, count: fixedLength))
        guard reader.number(4) == 0x0403_4B50, reader.skip(2), let flags = reader.number(2),
            let method = reader.number(2), reader.skip(4), let checksum = reader.number(4),
            let compressedLength = reader.number(4), let length = reader.number(4), let nameLength = reader.number(2),
            let extraLength = reader.number(2)
        else { throw file.error("\(name) is not at the position that the central directory of the zip states") }
        var names = LittleEndianBytes(
            try file.read(at: header.offset + fixedLength, count: nameLength + extraLength))
        guard let localName = names.bytes(nameLength), let extra = names.bytes(extraLength) else {
            throw file.error("\(name) is truncated")
        }
        var values = [length, compressedLength]
        let fields = ZipExtraFields(extra)
        let isSame =
            fields?.complete(&values) == true && localName == header.name && method == header.method
            && flags == header.flags
            && [nil, header.unicodeName].contains(fields?.unicodeName(insteadOf: localName))
            && [(checksum, header.checksum), (values[0], header.length), (values[1], header.compressedLength)]
                .allSatisfy { $0.0 == $0.1 || header.hasDescriptor && $0.0 == 0 }
        guard isSame else {
            throw file.error(
                "the central directory of the zip describes \(name) differently than the header before its content")
        }
        let start = header.offset + fixedLength + nameLength + extraLength
        let (end, overflows) = start.addingReportingOverflow(header.compressedLength)
        guard !overflows, end <= file.length else { throw file.error("\(name) is truncated") }
        return start..<end
    }

    /// Returns the length of the data descriptor after an entry's content; 0 for an entry without one.
    private func descriptorLength(after content: Range<Int>, of header: Header) throws(ContentError) -> Int {
        guard header.hasDescriptor else { return 0 }
        guard let length = Self.descriptorLength(try file.read(at: content.upperBound, count: 24), of: header) else {
            let name = String(decoding: header.name, as: UTF8.self).quoted
            throw file.error(
                "the central directory of the zip describes \(name) differently than the header before its content")
        }
        return length
    }

    /// Returns the length of the data descriptor after an entry's content. A descriptor may have a signature, and has
    /// lengths of 4 or of 8 bytes. `nil` if the bytes are not a descriptor of the entry.
    private static func descriptorLength(_ bytes: [UInt8], of header: Header) -> Int? {
        for (signature, width) in [(4, 4), (4, 8), (0, 4), (0, 8)] {
            var reader = LittleEndianBytes(bytes)
            if signature > 0, reader.number(4) != 0x0807_4B50 { continue }
            if reader.number(4) == header.checksum, reader.number(width) == header.compressedLength,
                reader.number(width) == header.length
            {
                return signature + 4 + 2 * width
            }
        }
        return nil
    }
}
