internal import Foundation

/// End record of a zip, with the position of its directory.
struct ZipEnd {
    var count: Int
    var directoryLength: Int
    var directoryOffset: Int

    private static let fixedLength = 22
    private static let longestComment = 0xFFFF

    init(_ file: ArchiveFile) throws(ContentError) {
        func error(_ reason: String) -> ContentError {
            ContentError(code: .invalidPackage, reason: "\(file.url.relativePath): \(reason)")
        }
        let start = max(0, file.length - Self.fixedLength - Self.longestComment)
        let tail = try file.read(at: start, count: file.length - start)
        guard let found = Self.lastSignature(in: tail) else { throw error("it has no end, and may be cut off") }
        var reader = LittleEndianBytes(Array(tail[found...]))
        guard reader.skip(4), let disk = reader.number(2), let directoryDisk = reader.number(2),
            let countHere = reader.number(2), let count = reader.number(2), let length = reader.number(4),
            let offset = reader.number(4), let commentLength = reader.number(2), reader.skip(commentLength),
            reader.isAtEnd
        else { throw error("it has data after its end") }
        guard disk == 0, directoryDisk == 0, countHere == count else { throw error("it has more than one part") }
        (self.count, directoryLength, directoryOffset) = (count, length, offset)
        let end = start + found
        let expected = try checkZip64(file, before: end, error)
        guard directoryLength >= 0, directoryOffset >= 0, directoryOffset <= expected,
            expected - directoryOffset == directoryLength
        else { throw error("its directory is not where its end says") }
    }

    private static func lastSignature(in tail: [UInt8]) -> Int? {
        let last = tail.count - fixedLength
        guard last >= 0 else { return nil }
        return (0...last).last { tail[$0..<($0 + 4)].elementsEqual([0x50, 0x4B, 0x05, 0x06]) }
    }

    /// Reads the records of a long zip, if there are any; values that occur twice must be equal.
    ///
    /// - Returns: Position at which the directory must end.
    private mutating func checkZip64(
        _ file: ArchiveFile, before end: Int, _ error: (String) -> ContentError
    ) throws(ContentError) -> Int {
        let locatorLength = 20
        // A count of 0xFFFF alone needs no record: there may be exactly 65,535 entries.
        let isNeeded = directoryLength == 0xFFFF_FFFF || directoryOffset == 0xFFFF_FFFF
        var locator = LittleEndianBytes(
            end >= locatorLength ? try file.read(at: end - locatorLength, count: locatorLength) : [])
        guard locator.number(4) == 0x0706_4B50 else {
            guard !isNeeded else { throw error("its end names no length, and no record says it") }
            return end
        }
        guard locator.skip(4), let offset = locator.number(8), let parts = locator.number(4), parts <= 1,
            offset >= 0, offset < end - locatorLength
        else { throw error("the records of its length are damaged") }
        var record = LittleEndianBytes(try file.read(at: offset, count: end - locatorLength - offset > 65_536 ? 0 : 56))
        guard record.number(4) == 0x0606_4B50, let length = record.number(8),
            length == end - locatorLength - offset - 12, record.skip(12), let countHere = record.number(8),
            let count = record.number(8), count == countHere, let directoryLength = record.number(8),
            let directoryOffset = record.number(8)
        else { throw error("the records of its length are damaged") }
        guard self.count == 0xFFFF || self.count == count,
            self.directoryLength == 0xFFFF_FFFF || self.directoryLength == directoryLength,
            self.directoryOffset == 0xFFFF_FFFF || self.directoryOffset == directoryOffset
        else { throw error("the records of its length contradict each other") }
        (self.count, self.directoryLength, self.directoryOffset) = (count, directoryLength, directoryOffset)
        return offset
    }
}
