internal import FileSystem
internal import Foundation

/// A property list that was read: each value with its kind and its position in the text.
///
/// The document is flat. All values stand in one array in the order of the file, their characters in one buffer;
/// ``PropertyListValue`` is a light view of one of them. Reading a file of any depth needs no recursion, and a value
/// costs no allocation of its own.
///
/// ```swift
/// let document = try PropertyListDocument(bytes: Array(data))
/// for product in document.root.elements {
///     print(product.position, product["productIdentifier"]?.string ?? "no identifier")
/// }
/// ```
public struct PropertyListDocument: Sendable {
    let storage: DocumentStorage

    /// How the file was written.
    public let format: PropertyListFormat

    /// Reads a property list: in XML (Apple's PropertyList-1.0 document type) of any encoding that libxml2 knows, or in
    /// binary.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - limits: What the file may ask for at most.
    /// - Throws: ``PropertyListError`` with the position of the first thing that is wrong, or the name of the other
    ///   format that the file has. Nothing is read from anywhere but `bytes`: a document type with declarations of its
    ///   own is refused.
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

    /// The text of a file in XML as UTF-8, which the places of values are counted in; of a binary file, its bytes.
    package var source: [UInt8] { storage.text.bytes }

    /// The outermost value.
    public var root: PropertyListValue { PropertyListValue(storage: storage, index: 0) }
}

/// What a property list may ask for at most.
public struct PropertyListLimits: Sendable, Hashable {
    /// Bytes of the file: 16 MiB by default, and 1 GiB at most.
    public var size: Int { didSet { size = min(size, Self.largestSize) } }
    /// Arrays and dictionaries inside each other: 128 by default.
    public var depth: Int
    /// Keys and values of all kinds together: 2,000,000 by default.
    public var nodes: Int
    /// Bytes of a string in UTF-8, and of a data value: 4 MiB by default.
    public var stringLength: Int
    /// Bytes of a key in UTF-8: 64 KiB by default.
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

    /// Why a key, string or data value of so many bytes is too long; `nil` where it is not.
    func excess(of kind: Node.Kind, _ count: Int) -> String? {
        switch kind {
        case .key: count <= keyLength ? nil : "a key is longer than \(keyLength) bytes"
        case .data: count <= stringLength ? nil : "a data value is longer than \(stringLength) bytes"
        default: count <= stringLength ? nil : "a string is longer than \(stringLength) bytes"
        }
    }

    /// Offsets are kept in 32 bits, and libxml2 counts in `Int32`.
    static let largestSize = 1 << 30
}

/// The nodes of a document, the text that they came from, and the characters that do not stand in it as they are meant.
final class DocumentStorage: Sendable {
    let nodes: [Node]
    let characters: [UInt8]
    let text: SourceText

    init(nodes: [Node], characters: [UInt8], text: SourceText) {
        self.nodes = nodes
        self.characters = characters
        self.text = text
    }

    /// The document's parts, for whoever looks at many nodes at once.
    struct Buffers {
        let nodes: UnsafeBufferPointer<Node>
        fileprivate let text: UnsafeBufferPointer<UInt8>
        fileprivate let characters: UnsafeBufferPointer<UInt8>

        /// The characters of a key or string, the bytes of a data value.
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

    /// The characters of a key or string, the bytes of a data value.
    func withBytes<Value>(of node: Node, _ use: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        (node.isInText ? text.bytes : characters).withUnsafeBufferPointer { bytes in
            use(UnsafeBufferPointer(start: bytes.baseAddress.map { $0 + node.start }, count: node.count))
        }
    }
}

/// One value or key. A container's content follows it directly, up to `end`; in a dictionary keys and values
/// alternate.
struct Node: Sendable {
    enum Kind: UInt8 {
        case array, dictionary, key, string, integer, unsignedInteger, real, boolean, date, data, uid
    }

    var kind: Kind
    /// Where the element begins in the text, or the object in a binary file.
    var offset: UInt32
    /// The index of the first node after this one and its content.
    var end: UInt32
    /// Where the element ends in the text; 0 in a binary file.
    var endOffset: UInt32
    /// The value's bits for numbers, dates, booleans and UIDs. For the others first byte and count: in the text if the
    /// highest bit says so, else in the document's characters. Neither has 2^31 bytes.
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
