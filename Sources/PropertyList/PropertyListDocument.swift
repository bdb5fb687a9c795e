internal import Foundation
internal import Synchronization

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
            let utf8 = try TextEncoding.utf8(of: bytes)
            try PropertyListFormat.checkText(utf8)
            try TagScan.checkLengths(utf8)
            storage = try XMLReader.read(SourceText(utf8: utf8), limits: limits)
        }
    }

    /// The outermost value.
    public var root: PropertyListValue { PropertyListValue(storage: storage, index: 0) }
}

/// What a property list may ask for at most.
public struct PropertyListLimits: Sendable, Hashable {
    /// Bytes of the file: 16 MiB by default, and 1 GiB at most.
    public var size: Int { didSet { size = min(size, Self.largestSize) } }
    /// Arrays and dictionaries inside each other: 128 by default.
    public var depth: Int

    public init(size: Int = 16 * 1024 * 1024, depth: Int = 128) {
        self.size = min(size, Self.largestSize)
        self.depth = depth
    }

    /// Offsets are kept in 32 bits, and libxml2 counts in `Int32`.
    private static let largestSize = 1 << 30
}

/// The nodes of a document, the characters that they refer to, and the text that they came from.
final class DocumentStorage: Sendable {
    let nodes: [Node]
    let characters: [UInt8]
    let text: SourceText

    init(nodes: [Node], characters: [UInt8], text: SourceText) {
        self.nodes = nodes
        self.characters = characters
        self.text = text
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
    /// The value's bits for numbers, dates, booleans and UIDs; first byte and count in `characters` for the others.
    var payload: UInt64

    static func payload(start: Int, count: Int) -> UInt64 {
        UInt64(UInt32(start)) << 32 | UInt64(UInt32(count))
    }

    var characterRange: Range<Int> {
        let start = Int(payload >> 32)
        return start..<(start + Int(payload & 0xFFFF_FFFF))
    }
}
