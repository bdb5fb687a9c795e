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
        fileprivate let keyValue: PropertyListValue

        /// Where the key stands, worked out when it is asked for.
        public var keyPosition: SourcePosition { keyValue.position }
    }

    let storage: DocumentStorage
    let index: Int

    private var node: Node { storage.nodes[index] }

    /// What the value is.
    public var kind: Kind {
        switch node.kind {
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

    /// Where the value's element or object begins.
    public var position: SourcePosition { storage.text.position(at: Int(node.offset)) }

    /// The text of a string.
    public var string: String? {
        guard node.kind == .string || node.kind == .key else { return nil }
        return String(decoding: storage.characters[node.characterRange], as: UTF8.self)
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
    public var data: Data? { node.kind == .data ? Data(storage.characters[node.characterRange]) : nil }

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
            let key = content[index]
            return Entry(key: key.string ?? "", value: content[index + 1], keyValue: key)
        }
    }

    /// The value of a key in a dictionary. Of a key that stands there twice, the last.
    public subscript(key: String) -> PropertyListValue? {
        guard node.kind == .dictionary else { return nil }
        let wanted = Array(key.utf8)
        var found: PropertyListValue?
        var index = index + 1
        while index < node.end {
            let keyNode = storage.nodes[index]
            if storage.characters[keyNode.characterRange].elementsEqual(wanted) {
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
            return left.storage.characters[left.node.characterRange]
                .elementsEqual(right.storage.characters[right.node.characterRange])
        case .integer, .real, .boolean, .date, .uid:
            return left.node.kind == right.node.kind && left.node.payload == right.node.payload
        }
    }
}
