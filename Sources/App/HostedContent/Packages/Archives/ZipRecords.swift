internal import CVitrineZlib

/// End record of a zip, with the position of the central directory.
struct ZipEnd {
    var count: Int
    var directoryLength: Int
    var directoryOffset: Int

    private static let fixedLength = 22
    private static let longestComment = 0xFFFF

    init(_ file: ArchiveFile) throws(ContentError) {
        let start = max(0, file.length - Self.fixedLength - Self.longestComment)
        let tail = try file.read(at: start, count: file.length - start)
        guard let found = Self.lastSignature(in: tail) else {
            throw file.error("the zip has no end record, and may be truncated")
        }
        var reader = LittleEndianBytes(Array(tail[found...]))
        guard reader.skip(4), let disk = reader.number(2), let directoryDisk = reader.number(2),
            let countHere = reader.number(2), let count = reader.number(2), let length = reader.number(4),
            let offset = reader.number(4), let commentLength = reader.number(2), reader.skip(commentLength),
            reader.isAtEnd
        else { throw file.error("the zip has data after its end record") }
        guard disk == 0, directoryDisk == 0, countHere == count else {
            throw file.error("the file is only one part of a split zip")
        }
        (self.count, directoryLength, directoryOffset) = (count, length, offset)
        let end = start + found
        let expected = try checkZip64(file, before: end)
        guard directoryLength >= 0, directoryOffset >= 0, directoryOffset <= expected,
            expected - directoryOffset == directoryLength
        else { throw file.error("the central directory of the zip is not where the end record states") }
    }

    private static func lastSignature(in tail: [UInt8]) -> Int? {
        let last = tail.count - fixedLength
        guard last >= 0 else { return nil }
        return (0...last).last { tail[$0..<($0 + 4)].elementsEqual([0x50, 0x4B, 0x05, 0x06]) }
    }

    /// Reads the Zip64 records, if there are any. A value that two records contain must be the same in both.
    ///
    /// - Returns: Position at which the central directory must end.
    private mutating func checkZip64(
        _ file: ArchiveFile, before end: Int
    ) throws(ContentError) -> Int {
        let locatorLength = 20
        // A count of 0xFFFF alone needs no record: there may be exactly 65,535 entries.
        let isNeeded = directoryLength == 0xFFFF_FFFF || directoryOffset == 0xFFFF_FFFF
        var locator = LittleEndianBytes(
            end >= locatorLength ? try file.read(at: end - locatorLength, count: locatorLength) : [])
        guard locator.number(4) == 0x0706_4B50 else {
            guard !isNeeded else {
                throw file.error("the end record of the zip refers to a zip64 record, which is missing")
            }
            return end
        }
        guard locator.skip(4), let offset = locator.number(8), let parts = locator.number(4), parts <= 1,
            offset >= 0, offset < end - locatorLength
        else { throw file.error("the zip64 records of the zip are damaged") }
        var record = LittleEndianBytes(try file.read(at: offset, count: end - locatorLength - offset > 65_536 ? 0 : 56))
        guard record.number(4) == 0x0606_4B50, let length = record.number(8),
            length == end - locatorLength - offset - 12, record.skip(12), let countHere = record.number(8),
            let count = record.number(8), count == countHere, let directoryLength = record.number(8),
            let directoryOffset = record.number(8)
        else { throw file.error("the zip64 records of the zip are damaged") }
        guard self.count == 0xFFFF || self.count == count,
            self.directoryLength == 0xFFFF_FFFF || self.directoryLength == directoryLength,
            self.directoryOffset == 0xFFFF_FFFF || self.directoryOffset == directoryOffset
        else { throw file.error("the zip64 record of the zip contradicts the end record") }
        (self.count, self.directoryLength, self.directoryOffset) = (count, directoryLength, directoryOffset)
        return offset
    }
}

/// Extra fields in a header of a zip entry.
struct ZipExtraFields {
    /// Values that do not fit in the header's 32 bits; `nil` without a zip64 field.
    private var long: [UInt8]?
    /// CRC-32 of the name in the header, 4 bytes, and the name in UTF-8; `nil` without such a field.
    private var unicodePath: [UInt8]?

    private static let zip64 = 0x0001
    private static let unicodePathIdentifier = 0x7075

    /// Reads the extra fields.
    ///
    /// - Returns: `nil` if they are damaged, or if one of those that are used occurs twice.
    init?(_ bytes: [UInt8]) {
        var reader = LittleEndianBytes(bytes)
        while !reader.isAtEnd {
            guard let identifier = reader.number(2), let length = reader.number(2), let value = reader.bytes(length)
            else { return nil }
            switch identifier {
            case Self.zip64:
                guard long == nil else { return nil }
                long = value
            case Self.unicodePathIdentifier:
                guard unicodePath == nil, value.count >= 5 else { return nil }
                // The first byte is the version of the field.
                if value[0] == 1 { unicodePath = Array(value.dropFirst()) }
            default: break
            }
        }
    }

    /// Returns the entry's name in UTF-8; `nil` without one, or if the entry was renamed later by a program that does not
    /// know the field.
    func unicodeName(insteadOf name: [UInt8]) -> [UInt8]? {
        guard let unicodePath else { return nil }
        var reader = LittleEndianBytes(unicodePath)
        let checksum = name.withUnsafeBufferPointer { crc32(0, $0.baseAddress, uInt($0.count)) }
        guard reader.number(4) == Int(checksum) else { return nil }
        return Array(unicodePath.dropFirst(4))
    }

    /// Replaces each placeholder (0xFFFFFFFF) for a value of more than 32 bits by the value in the zip64 field.
    ///
    /// - Returns: `false` if the field lacks such a value.
    func complete(_ values: inout [Int]) -> Bool {
        var reader = LittleEndianBytes(long ?? [])
        for index in values.indices where values[index] == 0xFFFF_FFFF {
            guard let value = reader.number(8), value >= 0 else { return false }
            values[index] = value
        }
        return true
    }
}

/// Reader of little-endian numbers, as in zips.
struct LittleEndianBytes {
    private let all: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { all = bytes }

    var isAtEnd: Bool { position == all.count }

    /// Reads a little-endian number of the given number of bytes.
    ///
    /// - Returns: `nil` if there are too few bytes; a negative number if 8 bytes contain a number above `Int.max`.
    mutating func number(_ count: Int) -> Int? {
        guard let bytes = bytes(count) else { return nil }
        return Int(truncatingIfNeeded: bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count <= all.count - position else { return nil }
        defer { position += count }
        return Array(all[position..<(position + count)])
    }

    mutating func skip(_ count: Int) -> Bool {
        guard count <= all.count - position else { return false }
        position += count
        return true
    }
}
