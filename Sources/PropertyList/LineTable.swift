internal import Foundation

/// Where the lines of a text begin, and how many Unicode scalars come before each block of it: enough to tell the
/// line and column of any byte without reading more than a block, however long a line is.
struct LineTable: Sendable {
    private static let blockSize = 256

    private var lineStarts: [Int]
    /// For each block of bytes, the scalars before it.
    private var scalarsBefore: [Int] = []

    /// Lines end with LF, CR LF or CR. A byte order mark is not part of the first line.
    init(_ bytes: [UInt8]) {
        lineStarts = [bytes.starts(with: TextEncoding.utf8Mark) ? TextEncoding.utf8Mark.count : 0]
        bytes.withUnsafeBufferPointer { bytes in
            addLines(bytes)
            countScalars(bytes)
        }
    }

    private mutating func addLines(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let base = bytes.baseAddress else { return }
        let hasCarriageReturns = memchr(base, Int32(UInt8(ascii: "\r")), bytes.count) != nil
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if hasCarriageReturns {
                let isAlone = index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\n")
                if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") && isAlone { lineStarts.append(index + 1) }
                index += 1
            } else {
                guard let next = memchr(base + index, Int32(UInt8(ascii: "\n")), bytes.count - index) else { return }
                index = next - UnsafeMutableRawPointer(mutating: base) + 1
                lineStarts.append(index)
            }
        }
    }

    private mutating func countScalars(_ bytes: UnsafeBufferPointer<UInt8>) {
        var scalars = 0
        var start = 0
        scalarsBefore.reserveCapacity(bytes.count / Self.blockSize + 2)
        while start < bytes.count {
            scalarsBefore.append(scalars)
            let end = min(start + Self.blockSize, bytes.count)
            for index in start..<end { scalars &+= bytes[index].continuesScalar ? 0 : 1 }
            start = end
        }
        if bytes.count.isMultiple(of: Self.blockSize) { scalarsBefore.append(scalars) }
    }

    func position(at offset: Int, in bytes: [UInt8]) -> SourcePosition {
        let offset = max(lineStarts[0], min(offset, bytes.count))
        let line = firstLine(after: offset) - 1
        let column = scalars(before: offset, in: bytes) - scalars(before: lineStarts[line], in: bytes)
        return SourcePosition(line: line + 1, column: column + 1)
    }

    private func scalars(before offset: Int, in bytes: [UInt8]) -> Int {
        let block = offset / Self.blockSize
        return scalarsBefore[block] + bytes[(block * Self.blockSize)..<offset].count { !$0.continuesScalar }
    }

    /// The index of the first line that begins after a byte.
    private func firstLine(after offset: Int) -> Int {
        var low = 0
        var high = lineStarts.count
        while low < high {
            let middle = (low + high) / 2
            if lineStarts[middle] > offset { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension UInt8 {
    /// The byte is not the first of a scalar in UTF-8.
    fileprivate var continuesScalar: Bool { self & 0xC0 == 0x80 }
}
