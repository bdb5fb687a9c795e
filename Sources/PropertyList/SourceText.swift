internal import Synchronization

/// The text of a file as UTF-8, and the lines in it, which are looked for when the first position is asked for.
final class SourceText: Sendable {
    let bytes: [UInt8]
    private let lines = Mutex<LineTable?>(nil)

    /// - Throws: ``PropertyListError`` for what is not an XML text that can be read.
    init(bytes: [UInt8]) throws(PropertyListError) {
        self.bytes = try FileFormat.xmlText(of: bytes)
    }

    func position(at offset: Int) -> SourcePosition { table.position(at: offset, in: bytes) }

    private var table: LineTable {
        lines.withLock { cached in
            if let cached { return cached }
            let table = LineTable(bytes)
            cached = table
            return table
        }
    }
}
