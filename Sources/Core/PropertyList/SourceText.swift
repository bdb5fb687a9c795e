internal import VitrineSupport

/// Source of a document: a UTF-8 text with its line table, which is created when a position is first requested, or a
/// binary file.
@usableFromInline final class SourceText: Sendable {
    @usableFromInline let bytes: [UInt8]
    private let isBinary: Bool
    private let lines = Locked<LineTable?>(nil)

    init(_ bytes: [UInt8], isBinary: Bool = false) {
        self.bytes = bytes
        self.isBinary = isBinary
    }

    func position(at offset: Int) -> SourcePosition {
        isBinary ? SourcePosition(byteOffset: offset) : table.position(at: offset, in: bytes)
    }

    private var table: LineTable {
        lines.withLock { cached in
            if let cached { return cached }
            let table = LineTable(bytes)
            cached = table
            return table
        }
    }
}
