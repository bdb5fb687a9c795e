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
        var scalars = 0
        for (index, byte) in bytes.enumerated() {
            if index.isMultiple(of: Self.blockSize) { scalarsBefore.append(scalars) }
            if !byte.continuesScalar { scalars += 1 }
            let endsLine =
                byte == UInt8(ascii: "\n")
                || byte == UInt8(ascii: "\r") && (index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\n"))
            if endsLine { lineStarts.append(index + 1) }
        }
        scalarsBefore.append(scalars)
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
