internal import VitrinePropertyList
internal import VitrineSupport

/// Reads a text again with a byte order mark before it, which changes nothing that is read, and where.
///
/// A reader that takes a shorter way for texts without such a mark is held to what the longer way finds.
public struct MarkCheck {
    private let bytes: [UInt8]

    /// - Returns: `nil` for a text in UTF-16 or UTF-32, and for one that has its mark.
    public init?(_ bytes: [UInt8]) {
        guard let first = bytes.first, first != 0, first < 0x80, bytes.dropFirst().first != 0 else { return nil }
        self.bytes = bytes
    }

    public func run() {
        let plain = read(bytes)
        let marked = read([0xEF, 0xBB, 0xBF] + bytes)
        switch (plain, marked) {
        case (.success(let plain), .success(let marked)): compare(plain.root, marked.root)
        // A text in another encoding cannot have the mark.
        case (_, .failure(let error)) where error.code == .unsupportedEncoding: return
        case (.failure(let plain), .failure(let marked)):
            require(plain == marked, "a mark changes what is wrong: \(plain), and then \(marked)")
        case (.success, .failure(let error)): fatalError("broken: with a mark it is \(error)")
        case (.failure(let error), .success): fatalError("broken: without a mark it is \(error)")
        }
    }

    private func read(_ bytes: [UInt8]) -> Result<PropertyListDocument, PropertyListError> {
        Result { () throws(PropertyListError) in try PropertyListDocument(bytes: bytes, limits: .ofInputs) }
    }

    private func compare(_ plain: PropertyListValue, _ marked: PropertyListValue) {
        require(plain == marked, "a mark changes what is read")
        var waiting = [(plain, marked)]
        while let (plain, marked) = waiting.popLast() {
            require(plain.position == marked.position, "with a mark \(plain.position) is \(marked.position)")
            let (entries, markedEntries) = (plain.entries, marked.entries)
            let keys = zip(entries.map(\.keyPosition), markedEntries.map(\.keyPosition))
            require(keys.allSatisfy { $0 == $1 }, "a mark changes where keys are")
            waiting += zip(plain.elements, marked.elements)
            waiting += zip(entries.map(\.value), markedEntries.map(\.value))
        }
    }
}
