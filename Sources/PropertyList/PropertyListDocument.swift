internal import FileSystem
internal import Foundation

/// A parsed property list: each value with its type and its position in the file.
///
/// The document is flat: all values are stored in one array in file order, and their characters in one buffer.
/// ``PropertyListValue`` is a lightweight view of one value. Parsing a file of any depth needs no recursion, and a
/// value needs no allocation of its own.
///
/// ```swift
/// let document = try PropertyListDocument(bytes: Array(data))
/// for product in document.root.elements {
///     print(product.position, product["productIdentifier"]?.string ?? "no identifier")
/// }
/// ```
public struct PropertyListDocument: Sendable {
    let storage: DocumentStorage

    /// Format of the file.
    public let format: PropertyListFormat

    /// Parses a property list in XML (Apple's PropertyList-1.0 document type, in any encoding that libxml2 supports) or
    /// in the binary format.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - limits: Maximum sizes, counts and depth that are accepted.
    /// - Throws: ``PropertyListError`` with the position of the first fault, or with the name of the file's actual
    ///   format. Only `bytes` is read: a document type declaration with an internal subset is rejected.
    public init(bytes: [UInt8], limits: PropertyListLimits = PropertyListLimits()) throws(PropertyListError) {
        guard bytes.count <= limits.size else {
            throw PropertyListError(
                code: .limitExceeded,
                reason: "the file has more than \(limits.size) bytes"
            )
        }
        format = try PropertyListFormat.of(bytes)
        switch format {
        case .binary: storage = try BinaryReader.read(bytes, limits: limits)
        case .xml:
            if let plain = PlainXMLReader.read(bytes, limits: limits) {
                storage = plain
                return
            }
            let utf8 = try TextEncoding.utf8(of: bytes)
            guard utf8.count <= PropertyListLimits.largestSize else {
                throw PropertyListError(
                    code: .limitExceeded,
                    reason: "the text has more than \(PropertyListLimits.largestSize) bytes in UTF-8")
            }
            try PropertyListFormat.checkText(utf8)
            try TagScan.checkLengths(utf8)
            storage = try XMLReader.read(SourceText(utf8: utf8), limits: limits)
        }
    }

    /// The text of an XML file in UTF-8, to which the source ranges of values refer; the bytes of a binary file.
    package var source: [UInt8] { storage.text.bytes }

    /// The outermost value.
    public var root: PropertyListValue { PropertyListValue(storage: storage, index: 0) }
}

/// Maximum sizes, counts and depth accepted when a property list is parsed.
public struct PropertyListLimits: Sendable, Hashable {
    /// Maximum file size in bytes: 16 MiB by default. Values above 1 GiB are reduced to 1 GiB.
    public var size: Int { didSet { size = min(size, Self.largestSize) } }
    /// Maximum nesting depth of arrays and dictionaries: 128 by default.
    public var depth: Int
    /// Maximum number of keys and values of all types together: 2,000,000 by default.
    public var nodes: Int
    /// Maximum length in bytes of a string (in UTF-8) and of a data value: 4 MiB by default.
    public var stringLength: Int
    /// Maximum length of a key in bytes of UTF-8: 64 KiB by default.
    public var keyLength: Int

    public init(
        size: Int = 16 * 1024 * 1024, depth: Int = 128, nodes: Int = 2_000_000, stringLength: Int = 4 * 1024 * 1024,
        keyLength: Int = 64 * 1024
    ) {
        self.size = min(size, Self.largestSize)
        self.depth = depth
        self.nodes = nodes
        self.stringLength = stringLength
        self.keyLength = keyLength
    }

    /// Returns the error reason for a key, string or data value of `count` bytes that exceeds its limit; `nil` if it
    /// does not.
    func excess(of kind: Node.Kind, _ count: Int) -> String? {
        switch kind {
        case .key: count <= keyLength ? nil : "a key is longer than \(keyLength) bytes"
        case .data: count <= stringLength ? nil : "a data value is longer than \(stringLength) bytes"
        default: count <= stringLength ? nil : "a string is longer than \(stringLength) bytes"
        }
    }

    /// Upper bound of ``size``: offsets are stored in 32 bits, and libxml2 counts in `Int32`.
    static let largestSize = 1 << 30
}

/// The nodes of a document, its source text, and the decoded characters that differ from the source text.
final class DocumentStorage: Sendable {
    let nodes: [Node]
    let characters: [UInt8]
    let text: SourceText

    init(nodes: [Node], characters: [UInt8], text: SourceText) {
        self.nodes = nodes
        self.characters = characters
        self.text = text
    }

    /// Direct access to the document's arrays, for reading many nodes at once.
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

/// One value or key. A container's content follows it directly, up to `end`; keys and values alternate in a
/// dictionary.
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
    /// in the text if the highest bit is set, otherwise in the document's characters. Both buffers are shorter than
    /// 2^31 bytes.
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
