public import Foundation

/// View of one value in a ``PropertyListDocument``. A view retains its document.
///
/// Each accessor returns `nil` for a value of another type: `string` of an integer is `nil`. Values are equal if their
/// type and content are equal, regardless of their positions. The order of keys in dictionaries is ignored too.
public struct PropertyListValue: Sendable {
    /// Type of a value, in the terms of Apple's PropertyList-1.0 document type.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case array, dictionary, string, integer, real, boolean, date, data
        /// A reference inside an archive of `NSKeyedArchiver`, found only in binary files.
        case uid
    }

    /// A key of a dictionary and its value.
    public struct Entry: Sendable {
        public let key: String
        public let value: PropertyListValue
        /// The key as a value, with its position.
        package let keyValue: PropertyListValue

        package init(key: PropertyListValue, value: PropertyListValue) {
            self.key = key.string ?? ""
            self.value = value
            keyValue = key
        }

        /// Position of the key, computed on access.
        public var keyPosition: SourcePosition { keyValue.position }
    }

    @usableFromInline let storage: DocumentStorage
    @usableFromInline let index: Int

    @inlinable init(storage: DocumentStorage, index: Int) {
        self.storage = storage
        self.index = index
    }

    /// The key of this value in a dictionary. A key is the node directly before its value.
    package var precedingKey: PropertyListValue { PropertyListValue(storage: storage, index: index - 1) }

    /// The value of this key in a dictionary.
    package var followingValue: PropertyListValue { PropertyListValue(storage: storage, index: index + 1) }

    /// Returns the value with a given number, as in ``Glance/number``, in the same document.
    @inlinable package func value(numbered number: UInt32) -> PropertyListValue {
        PropertyListValue(storage: storage, index: Int(number))
    }

    /// Calls `use` with the UTF-8 bytes of a string, without creating a `String`.
    ///
    /// - Returns: The result of `use`; `nil` for a value of another type.
    @inlinable package func withUTF8<Value>(_ use: (UnsafeBufferPointer<UInt8>) -> Value) -> Value? {
        node.kind == .string || node.kind == .key ? storage.withBytes(of: node, use) : nil
    }

    /// Repeated keys in a dictionary: each key with the same bytes as an earlier one.
    package var repeatedKeys: [PropertyListValue] {
        let count = count
        guard node.kind == .dictionary, count > 1 else { return [] }
        var found: [Int] = []
        let first = index + 1
        let end = Int(node.end)
        storage.withBuffers { buffers in
            let nodes = buffers.nodes
            func bytes(_ index: Int) -> UnsafeBufferPointer<UInt8> { buffers.bytes(of: nodes[index]) }
            var seen: Set<[UInt8]> = []
            var index = first
            while index < end {
                if count > Self.fewKeys {
                    if !seen.insert(Array(bytes(index))).inserted { found.append(index) }
                } else {
                    var earlier = first
                    while earlier < index, !bytes(earlier).elementsEqual(bytes(index)) {
                        earlier = Int(nodes[earlier + 1].end)
                    }
                    if earlier < index { found.append(index) }
                }
                index = Int(nodes[index + 1].end)
            }
        }
        return found.map { PropertyListValue(storage: storage, index: $0) }
    }

    /// Maximum number of keys for which comparing all pairs is cheaper than hashing.
    private static let fewKeys = 16

    /// Empty strings among the value itself and its direct content, not including keys.
    package var emptyStrings: [PropertyListValue] {
        storage.nodes.withUnsafeBufferPointer { nodes in
            func isEmptyString(_ index: Int) -> Bool { nodes[index].kind == .string && nodes[index].count == 0 }
            var found = isEmptyString(index) ? [index] : []
            if nodes[index].kind == .array || nodes[index].kind == .dictionary {
                var next = index + 1
                while next < nodes[index].end {
                    if isEmptyString(next) { found.append(next) }
                    next = Int(nodes[next].end)
                }
            }
            return found.map { PropertyListValue(storage: storage, index: $0) }
        }
    }

    /// Summary of a value that is available without creating a ``PropertyListValue``.
    @usableFromInline package struct Glance: Sendable {
        /// Index of the value in its document.
        @usableFromInline package let number: UInt32
        @usableFromInline package let kind: Kind
        /// First byte of a string in UTF-8; 0 for an empty string and for any other type.
        @usableFromInline package let firstByte: UInt8
        @usableFromInline package let isEmptyString: Bool
        /// `true` for an integer above `Int64.max`.
        @usableFromInline package let isAboveInt64: Bool

        @inlinable @inline(__always) init(_ index: Int, _ buffers: DocumentStorage.Buffers) {
            let node = buffers.nodes[index]
            number = UInt32(index)
            kind = node.kind.described
            let isString = node.kind == .string
            firstByte = isString ? buffers.bytes(of: node).first ?? 0 : 0
            isEmptyString = isString && node.count == 0
            isAboveInt64 = node.kind == .unsignedInteger
        }

        @inlinable package var isContainer: Bool { kind == .array || kind == .dictionary }
    }

    /// Summary of this value.
    package var glance: Glance { storage.withBuffers { Glance(index, $0) } }

    /// Calls `use` for each key of a dictionary in file order, with the key's UTF-8 bytes and a summary of its value.
    @inlinable package func forEachKey(_ use: (_ key: UnsafeBufferPointer<UInt8>, _ value: Glance) -> Void) {
        if node.kind == .dictionary { forEachContent(use) }
    }

    /// Calls `use` for each value of an array or dictionary in file order, with the UTF-8 bytes of its key and a
    /// summary of the value. The key of an array element is empty.
    @inlinable package func forEachContent(_ use: (_ key: UnsafeBufferPointer<UInt8>, _ value: Glance) -> Void) {
        forEachContent(ofValueNumbered: UInt32(index), use)
    }

    /// Calls `use` for the content of another value of the same document, as ``forEachContent(_:)`` does.
    @inlinable package func forEachContent(
        ofValueNumbered number: UInt32, _ use: (_ key: UnsafeBufferPointer<UInt8>, _ value: Glance) -> Void
    ) {
        storage.withBuffers { buffers in
            var index = Int(number)
            let (kind, end) = (buffers.nodes[index].kind, buffers.nodes[index].end)
            guard kind == .array || kind == .dictionary else { return }
            let keyCount = kind == .dictionary ? 1 : 0
            index += 1
            while index < end {
                let key =
                    kind == .dictionary
                    ? buffers.bytes(of: buffers.nodes[index]) : UnsafeBufferPointer(start: nil, count: 0)
                use(key, Glance(index + keyCount, buffers))
                index = Int(buffers.nodes[index + keyCount].end)
            }
        }
    }

    /// Calls `use` for each key and value of a dictionary in file order; never for a value of another type.
    package func forEachEntry(_ use: (_ key: PropertyListValue, _ value: PropertyListValue) -> Void) {
        guard node.kind == .dictionary else { return }
        var index = index + 1
        let end = node.end
        while index < end {
            use(
                PropertyListValue(storage: storage, index: index), PropertyListValue(storage: storage, index: index + 1)
            )
            index = Int(storage.nodes[index + 1].end)
        }
    }

    @inlinable var node: Node { storage.nodes[index] }

    /// Type of the value.
    public var kind: Kind { node.kind.described }

    /// Position of the start of the value's element or object.
    public var position: SourcePosition { storage.text.position(at: Int(node.offset)) }

    /// Position after the end of the value's XML element; `nil` in a binary file.
    package var endPosition: SourcePosition? {
        let end = node.endOffset
        return end == 0 ? nil : storage.text.position(at: Int(end))
    }

    /// Returns `true` if this value precedes another value of the same document in the file; `nil` if the other value
    /// belongs to another document.
    package func isBefore(_ other: PropertyListValue) -> Bool? {
        storage === other.storage ? node.offset < other.node.offset : nil
    }

    /// Byte range of the value's XML element, including its tags, in the UTF-8 text; `nil` in a binary file.
    package var sourceRange: Range<Int>? {
        let node = node
        return node.endOffset == 0 ? nil : Int(node.offset)..<Int(node.endOffset)
    }

    /// Returns `true` if a range of the text contains a comment, a CDATA section or a processing instruction.
    package func hasRemarks(in range: Range<Int>) -> Bool {
        let bytes = storage.text.bytes[range]
        return zip(bytes, bytes.dropFirst()).contains { first, second in
            first == UInt8(ascii: "<") && (second == UInt8(ascii: "!") || second == UInt8(ascii: "?"))
        }
    }

    /// Byte range of the value's XML element and the white space before it; `nil` in a binary file.
    package var sourceRangeWithIndentation: Range<Int>? {
        guard let range = sourceRange else { return nil }
        let before = storage.text.bytes[..<range.lowerBound].lastIndex { !$0.isXMLSpace }
        return (before.map { $0 + 1 } ?? 0)..<range.upperBound
    }

    /// String of a value of the kind `string`, or of a key; `nil` for a value of another kind.
    public var string: String? {
        guard node.kind == .string || node.kind == .key else { return nil }
        return storage.withBytes(of: node) { String(decoding: $0, as: UTF8.self) }
    }

    /// Number of a value of the kind `integer`; `nil` for a value of another kind, and for a number that does not fit
    /// in an `Int`. See ``unsignedInteger`` for larger numbers.
    public var integer: Int? {
        node.kind == .integer ? Int(exactly: Int64(bitPattern: node.payload)) : nil
    }

    /// Number of a value of the kind `integer`; `nil` for a value of another kind and for a negative number.
    public var unsignedInteger: UInt64? {
        switch node.kind {
        case .unsignedInteger: node.payload
        case .integer: UInt64(exactly: Int64(bitPattern: node.payload))
        default: nil
        }
    }

    /// Number of a value of the kind `real`; `nil` for a value of another kind.
    public var real: Double? { node.kind == .real ? Double(bitPattern: node.payload) : nil }

    /// Value of the kind `boolean`; `nil` for a value of another kind.
    public var boolean: Bool? { node.kind == .boolean ? node.payload != 0 : nil }

    /// Number of a value of the kind `uid`; `nil` for a value of another kind.
    public var uid: UInt64? { node.kind == .uid ? node.payload : nil }

    /// Date of a value of the kind `date`, precise to the second in XML; `nil` for a value of another kind.
    public var date: Date? {
        node.kind == .date ? Date(timeIntervalSinceReferenceDate: Double(bitPattern: node.payload)) : nil
    }

    /// Bytes of a value of the kind `data`; `nil` for a value of another kind.
    public var data: Data? { node.kind == .data ? storage.withBytes(of: node) { Data($0) } : nil }

    /// Number of values in an array, or of keys in a dictionary; 0 for any other type.
    public var count: Int {
        switch node.kind {
        case .array: Int(node.payload)
        case .dictionary: Int(node.payload) / 2
        default: 0
        }
    }

    /// Values of an array, in order; empty for any other type.
    public var elements: [PropertyListValue] {
        node.kind == .array ? content : []
    }

    /// Keys and values of a dictionary in file order, including duplicates; empty for any other type.
    public var entries: [Entry] {
        guard node.kind == .dictionary else { return [] }
        let content = content
        return stride(from: 0, to: content.count, by: 2).map { index in
            Entry(key: content[index], value: content[index + 1])
        }
    }

    /// Returns the value of a key in a dictionary; the last one if the key is repeated.
    public subscript(key: String) -> PropertyListValue? {
        var (key, number): (String, UInt32?) = (key, nil)
        key.withUTF8 { wanted in
            forEachKey { name, value in
                if name.count == wanted.count, name.elementsEqual(wanted) { number = value.number }
            }
        }
        return number.map(value(numbered:))
    }

    private var content: [PropertyListValue] {
        var values: [PropertyListValue] = []
        var index = index + 1
        while index < node.end {
            values.append(PropertyListValue(storage: storage, index: index))
            index = Int(storage.nodes[index].end)
        }
        return values
    }
}

extension Node.Kind {
    @inlinable var described: PropertyListValue.Kind {
        switch self {
        case .array: .array
        case .dictionary: .dictionary
        case .key, .string: .string
        case .integer, .unsignedInteger: .integer
        case .real: .real
        case .boolean: .boolean
        case .date: .date
        case .data: .data
        case .uid: .uid
        }
    }
}

extension PropertyListValue: Equatable {
    public static func == (left: PropertyListValue, right: PropertyListValue) -> Bool {
        guard left.kind == right.kind else { return false }
        switch left.kind {
        case .array: return left.elements == right.elements
        case .dictionary:
            let (left, right) = (left.canonicalEntries, right.canonicalEntries)
            return left.count == right.count
                && zip(left, right).allSatisfy { $0.key.utf8.elementsEqual($1.key.utf8) && $0.value == $1.value }
        case .string, .data:
            return left.storage.withBytes(of: left.node) { bytes in
                right.storage.withBytes(of: right.node) { bytes.elementsEqual($0) }
            }
        case .integer, .real, .boolean, .date, .uid:
            return left.node.kind == right.node.kind && left.node.payload == right.node.payload
        }
    }
}
