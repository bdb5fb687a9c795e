public import Foundation

/// A view of one value in a ``PropertyListDocument``, which it keeps alive.
///
/// Each accessor answers only for its own kind: `string` of an integer is `nil`. Equal are values of the same kind
/// with equal content, wherever they stand; dictionaries, whatever the order of their keys.
public struct PropertyListValue: Sendable {
    /// What a value is, in the terms of Apple's PropertyList-1.0 document type.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case array, dictionary, string, integer, real, boolean, date, data
        /// A reference inside a keyed archive, which only binary files have.
        case uid
    }

    /// A key of a dictionary and its value.
    public struct Entry: Sendable {
        public let key: String
        public let value: PropertyListValue
        /// The key, with its place.
        package let keyValue: PropertyListValue

        package init(key: PropertyListValue, value: PropertyListValue) {
            self.key = key.string ?? ""
            self.value = value
            keyValue = key
        }

        /// Where the key stands, worked out when it is asked for.
        public var keyPosition: SourcePosition { keyValue.position }
    }

    let storage: DocumentStorage
    let index: Int

    /// The key before a value in a dictionary. Keys hold nothing, and stand directly before their values.
    package var precedingKey: PropertyListValue { PropertyListValue(storage: storage, index: index - 1) }

    /// The value after a key in a dictionary.
    package var followingValue: PropertyListValue { PropertyListValue(storage: storage, index: index + 1) }

    /// The value of the same document that was glanced at.
    package func value(at glance: Glance) -> PropertyListValue {
        PropertyListValue(storage: storage, index: Int(glance.number))
    }

    /// Looks at the bytes of a string in UTF-8, without making a string of them; `nil` for any other kind.
    package func withUTF8<Value>(_ use: (UnsafeBufferPointer<UInt8>) -> Value) -> Value? {
        node.kind == .string || node.kind == .key ? storage.withBytes(of: node, use) : nil
    }

    /// The keys of a dictionary that stand there again, with the same bytes.
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

    /// Up to so many keys it costs least to compare each with each.
    private static let fewKeys = 16

    /// The strings with nothing in them among the value itself and what it holds directly, keys left out.
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

    /// What can be seen of a value without making a view of it.
    package struct Glance: Sendable {
        fileprivate let number: Int32
        package let kind: Kind
        /// The first byte of a string in UTF-8; 0 of an empty string and of any other kind.
        package let firstByte: UInt8

        package var isEmptyString: Bool { kind == .string && firstByte == 0 }
    }

    /// Goes over the keys of a dictionary as they stand in the file, each with its bytes in UTF-8 and a glance at its
    /// value.
    package func forEachKey(_ use: (_ key: UnsafeBufferPointer<UInt8>, _ value: Glance) -> Void) {
        guard node.kind == .dictionary else { return }
        let first = index + 1
        let end = node.end
        storage.withBuffers { buffers in
            var index = first
            while index < end {
                let value = buffers.nodes[index + 1]
                let firstByte = value.kind == .string ? buffers.bytes(of: value).first ?? 0 : 0
                use(
                    buffers.bytes(of: buffers.nodes[index]),
                    Glance(number: Int32(index + 1), kind: value.kind.described, firstByte: firstByte))
                index = Int(value.end)
            }
        }
    }

    /// Goes over the keys and values of a dictionary as they stand in the file; of any other kind, over none.
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

    private var node: Node { storage.nodes[index] }

    /// What the value is.
    public var kind: Kind { node.kind.described }

    /// Where the value's element or object begins.
    public var position: SourcePosition { storage.text.position(at: Int(node.offset)) }

    /// Whether a value of the same document stands further on in the file; `nil` for one of another document.
    package func isBefore(_ other: PropertyListValue) -> Bool? {
        storage === other.storage ? node.offset < other.node.offset : nil
    }

    /// The bytes of the element in the text as UTF-8, tags included; `nil` in a binary file.
    package var sourceRange: Range<Int>? {
        let node = node
        return node.endOffset == 0 ? nil : Int(node.offset)..<Int(node.endOffset)
    }

    /// There are comments or processing instructions in a part of the text.
    package func hasRemarks(in range: Range<Int>) -> Bool {
        let bytes = storage.text.bytes[range]
        return zip(bytes, bytes.dropFirst()).contains { first, second in
            first == UInt8(ascii: "<") && (second == UInt8(ascii: "!") || second == UInt8(ascii: "?"))
        }
    }

    /// The element together with the white space before it.
    package var sourceRangeWithIndentation: Range<Int>? {
        guard let range = sourceRange else { return nil }
        let before = storage.text.bytes[..<range.lowerBound].lastIndex { !$0.isXMLSpace }
        return (before.map { $0 + 1 } ?? 0)..<range.upperBound
    }

    /// The text of a string.
    public var string: String? {
        guard node.kind == .string || node.kind == .key else { return nil }
        return storage.withBytes(of: node) { String(decoding: $0, as: UTF8.self) }
    }

    /// A whole number, if it fits; see ``unsignedInteger`` for those above `Int.max`.
    public var integer: Int? {
        node.kind == .integer ? Int(exactly: Int64(bitPattern: node.payload)) : nil
    }

    /// A whole number that is not negative.
    public var unsignedInteger: UInt64? {
        switch node.kind {
        case .unsignedInteger: node.payload
        case .integer: UInt64(exactly: Int64(bitPattern: node.payload))
        default: nil
        }
    }

    /// A number with a fraction.
    public var real: Double? { node.kind == .real ? Double(bitPattern: node.payload) : nil }

    /// True or false.
    public var boolean: Bool? { node.kind == .boolean ? node.payload != 0 : nil }

    /// The number of a UID.
    public var uid: UInt64? { node.kind == .uid ? node.payload : nil }

    /// A moment; in XML to the second.
    public var date: Date? {
        node.kind == .date ? Date(timeIntervalSinceReferenceDate: Double(bitPattern: node.payload)) : nil
    }

    /// Bytes.
    public var data: Data? { node.kind == .data ? storage.withBytes(of: node) { Data($0) } : nil }

    /// The number of an array's values or of a dictionary's keys; of any other kind, 0.
    public var count: Int {
        var count = 0
        var index = index + 1
        while index < node.end {
            count += 1
            index = Int(storage.nodes[index].end)
        }
        return node.kind == .dictionary ? count / 2 : count
    }

    /// The values of an array, in order; of any other kind, none.
    public var elements: [PropertyListValue] {
        node.kind == .array ? content : []
    }

    /// The keys and values of a dictionary as they stand in the file, duplicates included; of any other kind, none.
    public var entries: [Entry] {
        guard node.kind == .dictionary else { return [] }
        let content = content
        return stride(from: 0, to: content.count, by: 2).map { index in
            Entry(key: content[index], value: content[index + 1])
        }
    }

    /// The value of a key in a dictionary. Of a key that stands there twice, the last.
    public subscript(key: String) -> PropertyListValue? {
        guard node.kind == .dictionary else { return nil }
        var found: PropertyListValue?
        var index = index + 1
        while index < node.end {
            if storage.withBytes(of: storage.nodes[index], { $0.elementsEqual(key.utf8) }) {
                found = PropertyListValue(storage: storage, index: index + 1)
            }
            index = Int(storage.nodes[index + 1].end)
        }
        return found
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
    fileprivate var described: PropertyListValue.Kind {
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
