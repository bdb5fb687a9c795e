/// Nodes (keys and values) of a document, its source text, and the decoded characters that differ from the source text.
///
/// The members for ``PropertyListValue/forEachKey(_:)`` are `@usableFromInline`, so that loops over the keys of a large
/// catalog are compiled into the calling module.
@usableFromInline final class DocumentStorage: Sendable {
    @usableFromInline let nodes: [Node]
    @usableFromInline let characters: [UInt8]
    @usableFromInline let text: SourceText
    /// Bytes of the text. Reaching them through ``text`` would retain that object for each value that is read.
    @usableFromInline let source: [UInt8]

    init(nodes: [Node], characters: [UInt8], text: SourceText) {
        self.nodes = nodes
        self.characters = characters
        self.text = text
        source = text.bytes
    }

    /// Pointers to the document's arrays, for reading many nodes without repeated array accesses.
    @usableFromInline struct Buffers {
        @usableFromInline let nodes: UnsafeBufferPointer<Node>
        @usableFromInline let text: UnsafeBufferPointer<UInt8>
        @usableFromInline let characters: UnsafeBufferPointer<UInt8>

        @inlinable init(
            nodes: UnsafeBufferPointer<Node>, text: UnsafeBufferPointer<UInt8>, characters: UnsafeBufferPointer<UInt8>
        ) {
            self.nodes = nodes
            self.text = text
            self.characters = characters
        }

        /// Returns the characters of a key or string, or the bytes of a data value.
        @inlinable func bytes(of node: Node) -> UnsafeBufferPointer<UInt8> {
            let base = (node.isInText ? text : characters).baseAddress
            return UnsafeBufferPointer(start: base.map { $0 + node.start }, count: node.count)
        }
    }

    @inlinable func withBuffers<Value>(_ use: (Buffers) -> Value) -> Value {
        nodes.withUnsafeBufferPointer { nodes in
            source.withUnsafeBufferPointer { text in
                characters.withUnsafeBufferPointer { characters in
                    use(Buffers(nodes: nodes, text: text, characters: characters))
                }
            }
        }
    }

    /// Calls `use` with the characters of a key or string, or the bytes of a data value.
    @inlinable func withBytes<Value>(of node: Node, _ use: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        (node.isInText ? source : characters).withUnsafeBufferPointer { bytes in
            use(UnsafeBufferPointer(start: bytes.baseAddress.map { $0 + node.start }, count: node.count))
        }
    }
}

/// One value or key of a document. The content of a container directly follows it, up to `end`. In a dictionary, keys
/// and values alternate.
@usableFromInline struct Node: Sendable {
    @usableFromInline enum Kind: UInt8, Sendable {
        case array, dictionary, key, string, integer, unsignedInteger, real, boolean, date, data, uid
    }

    @usableFromInline var kind: Kind
    /// Offset of the element's first byte in the text, or of the object in a binary file.
    @usableFromInline var offset: UInt32
    /// Index of the first node after this one and its content.
    @usableFromInline var end: UInt32
    /// Offset of the first byte after the element in the text; 0 in a binary file.
    @usableFromInline var endOffset: UInt32
    /// Value of the node, by type:
    /// - number, date, Boolean or UID: its bits;
    /// - container: the number of keys and values directly in it;
    /// - other types: the offset of the first byte and the byte count. They refer to the source text if the highest bit
    ///   is set, otherwise to the document's decoded characters. Both are shorter than 2^31 bytes.
    @usableFromInline var payload: UInt64

    /// Highest bit, which marks an offset in the source text.
    @inlinable static var inText: UInt64 { 1 << 63 }

    static func payload(start: Int, count: Int) -> UInt64 {
        UInt64(UInt32(start)) << 32 | UInt64(UInt32(count))
    }

    static func payload(inText range: Range<Int>) -> UInt64 {
        inText | payload(start: range.lowerBound, count: range.count)
    }

    @inlinable var isInText: Bool { payload & Self.inText != 0 }

    @inlinable var start: Int { Int((payload & ~Self.inText) >> 32) }

    @inlinable var count: Int { Int(payload & 0xFFFF_FFFF) }
}
