/// Nodes (keys and values) of a document, its source text, and the decoded characters that differ from the source text.
final class DocumentStorage: Sendable {
    let nodes: [Node]
    let characters: [UInt8]
    let text: SourceText

    init(nodes: [Node], characters: [UInt8], text: SourceText) {
        self.nodes = nodes
        self.characters = characters
        self.text = text
    }

    /// Pointers to the document's arrays, for reading many nodes without repeated array accesses.
    struct Buffers {
        let nodes: UnsafeBufferPointer<Node>
        fileprivate let text: UnsafeBufferPointer<UInt8>
        fileprivate let characters: UnsafeBufferPointer<UInt8>

        /// Returns the characters of a key or string, or the bytes of a data value.
        func bytes(of node: Node) -> UnsafeBufferPointer<UInt8> {
            let base = (node.isInText ? text : characters).baseAddress
            return UnsafeBufferPointer(start: base.map { $0 + node.start }, count: node.count)
        }
    }

    func withBuffers(_ use: (Buffers) -> Void) {
        nodes.withUnsafeBufferPointer { nodes in
            text.bytes.withUnsafeBufferPointer { text in
                characters.withUnsafeBufferPointer { characters in
                    use(Buffers(nodes: nodes, text: text, characters: characters))
                }
            }
        }
    }

    /// Calls `use` with the characters of a key or string, or the bytes of a data value.
    func withBytes<Value>(of node: Node, _ use: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        (node.isInText ? text.bytes : characters).withUnsafeBufferPointer { bytes in
            use(UnsafeBufferPointer(start: bytes.baseAddress.map { $0 + node.start }, count: node.count))
        }
    }
}

/// One value or key of a document. A container's content follows it directly, up to `end`; keys and values alternate in
/// a dictionary.
struct Node: Sendable {
    enum Kind: UInt8 {
        case array, dictionary, key, string, integer, unsignedInteger, real, boolean, date, data, uid
    }

    var kind: Kind
    /// Offset of the element's first byte in the text, or of the object in a binary file.
    var offset: UInt32
    /// Index of the first node after this one and its content.
    var end: UInt32
    /// Offset of the first byte after the element in the text; 0 in a binary file.
    var endOffset: UInt32
    /// The bits of a number, date, Boolean or UID. For other types, the offset of the first byte and the byte count:
    /// in the source text if the highest bit is set, otherwise in the document's decoded characters. The source text
    /// and the decoded characters are each shorter than 2^31 bytes.
    var payload: UInt64

    private static let inText: UInt64 = 1 << 63

    static func payload(start: Int, count: Int) -> UInt64 {
        UInt64(UInt32(start)) << 32 | UInt64(UInt32(count))
    }

    static func payload(inText range: Range<Int>) -> UInt64 {
        inText | payload(start: range.lowerBound, count: range.count)
    }

    var isInText: Bool { payload & Self.inText != 0 }

    var start: Int { Int((payload & ~Self.inText) >> 32) }

    var count: Int { Int(payload & 0xFFFF_FFFF) }
}
