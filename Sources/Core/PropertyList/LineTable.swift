internal import Foundation

/// Index for finding lines and columns in a text. It contains the numbers of lines and Unicode scalars before each
/// block of 256 bytes. Finding the line and column of a byte reads at most two blocks, regardless of the number and
/// length of lines.
struct LineTable: Sendable {
    private static let blockSize = 256

    private struct Block {
        /// Number of Unicode scalars before the block of 256 bytes.
        var scalars = 0
        /// Number of lines that end before the block of 256 bytes.
        var lines = 0
        /// Offset of the start of the line that contains the first byte of the block.
        var lineStart: Int
    }

    private let textStart: Int
    private var blocks: [Block] = []

    /// Creates the line table of a text in UTF-8. Lines end with LF, CR LF or CR. A byte order mark is not part of the
    /// first line.
    init(_ bytes: [UInt8]) {
        textStart = bytes.starts(with: TextEncoding.utf8Mark) ? TextEncoding.utf8Mark.count : 0
        bytes.withUnsafeBufferPointer { addBlocks($0) }
    }

    func position(at offset: Int, in bytes: [UInt8]) -> SourcePosition {
        let offset = max(textStart, min(offset, bytes.count))
        let number = offset / Self.blockSize
        var block = blocks[number]
        for index in (number * Self.blockSize)..<offset where bytes.endsLine(at: index) {
            block.lines += 1
            block.lineStart = index + 1
        }
        let column = scalars(before: offset, in: bytes) - scalars(before: block.lineStart, in: bytes)
        return SourcePosition(line: block.lines + 1, column: column + 1)
    }

    private func scalars(before offset: Int, in bytes: [UInt8]) -> Int {
        let number = offset / Self.blockSize
        return blocks[number].scalars + bytes[(number * Self.blockSize)..<offset].count { !$0.continuesScalar }
    }

    private mutating func addBlocks(_ bytes: UnsafeBufferPointer<UInt8>) {
        let hasCarriageReturns = bytes.baseAddress.map { memchr($0, 0x0D, bytes.count) != nil } ?? false
        var block = Block(lineStart: textStart)
        blocks.reserveCapacity(bytes.count / Self.blockSize + 1)
        for start in stride(from: 0, through: bytes.count, by: Self.blockSize) {
            blocks.append(block)
            let end = min(start + Self.blockSize, bytes.count)
            let lineEnds: Int
            (block.scalars, lineEnds) = Self.count(bytes, start..<end, after: block.scalars)
            if hasCarriageReturns {
                for index in start..<end where bytes.endsLine(at: index) {
                    block.lines += 1
                    block.lineStart = index + 1
                }
            } else if lineEnds > 0 {
                block.lines += lineEnds
                var last = end - 1
                while bytes[last] != 0x0A { last -= 1 }
                block.lineStart = last + 1
            }
        }
    }

    /// Counts the Unicode scalars and line feeds in a block of a text.
    ///
    /// - Returns: The number of scalars of the text up to the end of the block, and the number of line feeds in the
    ///   block.
    private static func count(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, after scalars: Int
    ) -> (scalars: Int, lineFeeds: Int) {
        // Eight sums, one for each byte of a word. The 32 words of a block cannot overflow a sum.
        var (continuing, lineFeeds): (UInt64, UInt64) = (0, 0)
        var index = range.lowerBound
        while index + 8 <= range.upperBound, let base = bytes.baseAddress {
            let word = UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self)
            continuing &+= word.continuingBytes
            lineFeeds &+= word.lineFeeds
            index += 8
        }
        for byte in bytes[index..<range.upperBound] {
            continuing &+= byte.continuesScalar ? 1 : 0
            lineFeeds &+= byte == 0x0A ? 1 : 0
        }
        return (scalars + range.count - continuing.sumOfBytes, lineFeeds.sumOfBytes)
    }
}

extension RandomAccessCollection where Element == UInt8, Index == Int {
    fileprivate func endsLine(at index: Int) -> Bool {
        switch self[index] {
        case 0x0A: true
        case 0x0D: index + 1 == endIndex || self[index + 1] != 0x0A
        default: false
        }
    }
}

extension UInt64 {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let lowBits: UInt64 = 0x7F7F_7F7F_7F7F_7F7F

    /// Integer with the value 1 in each byte that is a UTF-8 continuation byte (its highest bit is set, the next bit is
    /// not), and 0 in all other bytes.
    fileprivate var continuingBytes: UInt64 { (self >> 7) & ~(self >> 6) & Self.ones }

    /// Integer with the value 1 in each byte that is a line feed, and 0 in all other bytes.
    fileprivate var lineFeeds: UInt64 {
        let difference = self ^ 0x0A0A_0A0A_0A0A_0A0A
        return (~(((difference & Self.lowBits) &+ Self.lowBits) | difference) >> 7) & Self.ones
    }

    /// Sum of the eight bytes of the integer.
    fileprivate var sumOfBytes: Int {
        withUnsafeBytes(of: self) { $0.reduce(0) { $0 + Int($1) } }
    }
}

extension UInt8 {
    /// `true` if the byte is a UTF-8 continuation byte.
    fileprivate var continuesScalar: Bool { self & 0xC0 == 0x80 }
}
