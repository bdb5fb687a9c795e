internal import Synchronization

/// Where something stands in a text: 1-based line and column, the column counted in Unicode scalars.
public struct SourcePosition: Sendable, Hashable, Comparable, CustomStringConvertible {
    public var line: Int
    public var column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }

    /// `line:column`, as compilers write it.
    public var description: String { "\(line):\(column)" }
}

/// The text of a file as UTF-8, and the lines in it, which are looked for when the first position is asked for.
final class SourceText: Sendable {
    let bytes: [UInt8]
    private let lineStarts = Mutex<[Int]?>(nil)

    /// - Throws: ``PropertyListError`` for what is not an XML text that can be read.
    init(bytes: [UInt8]) throws(PropertyListError) {
        self.bytes = try FileFormat.xmlText(of: bytes)
    }

    func position(at offset: Int) -> SourcePosition {
        let starts = allLineStarts()
        let line = starts.partitioningIndex { $0 > offset } - 1
        let scalars = bytes[starts[line]..<min(offset, bytes.count)].count { !isContinuation($0) }
        return SourcePosition(line: line + 1, column: scalars + 1)
    }

    func line(_ number: Int) -> String? {
        let starts = allLineStarts()
        guard starts.indices.contains(number - 1) else { return nil }
        let end = number < starts.count ? starts[number] : bytes.count
        let line = bytes[starts[number - 1]..<end]
        let content = line.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return String(decoding: content, as: UTF8.self)
    }

    private func allLineStarts() -> [Int] {
        lineStarts.withLock { cached in
            if let cached { return cached }
            let starts = findLineStarts()
            cached = starts
            return starts
        }
    }

    /// Lines end with LF, CR LF or CR. A byte order mark is not part of the first line.
    private func findLineStarts() -> [Int] {
        var starts = [bytes.starts(with: FileFormat.utf8Mark) ? FileFormat.utf8Mark.count : 0]
        for (index, byte) in bytes.enumerated() {
            let endsLine =
                byte == UInt8(ascii: "\n")
                || byte == UInt8(ascii: "\r") && (index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\n"))
            if endsLine { starts.append(index + 1) }
        }
        return starts
    }

    private func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}

extension Array {
    /// The first index whose element the predicate holds for, in an array that it divides in two.
    fileprivate func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if predicate(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
