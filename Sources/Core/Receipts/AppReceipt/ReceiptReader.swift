internal import Foundation

/// Fast reader of the values in a receipt's content, in BER (X.690, section 8).
///
/// A receipt contains thousands of small values. `BER.parse` allocates several nodes for each value, which took three
/// quarters of the time of verifying a receipt with 187 purchases. This reader supports only the types in the content,
/// and allocates only what consists of several parts. It accepts the same values as `BER.parse` and the types of
/// SwiftASN1; a test compares both.
///
/// A function that returns `nil` or `false` has found an unexpected value. The reader must not be used afterwards.
struct ReceiptReader {
    /// First octets of the supported values: class, form and number of a tag (X.690, section 8.1.2).
    private enum Tag {
        static let integer: UInt8 = 0x02
        static let octetString: UInt8 = 0x04
        static let constructedOctetString: UInt8 = 0x24
        static let utf8String: UInt8 = 0x0C
        static let ia5String: UInt8 = 0x16
        static let sequence: UInt8 = 0x30
        static let set: UInt8 = 0x31
    }

    private enum Length {
        case definite(Int)
        /// The content ends with two zero octets.
        case indefinite
    }

    /// Maximum depth of a value, as in `BER.parse`.
    private static let depthLimit = 50

    private let bytes: UnsafeRawBufferPointer
    private var index: Int
    /// Index after the last byte of the values. For values that are terminated by two zero octets, it is the end of
    /// their container.
    private let end: Int
    private let isIndefinite: Bool

    /// Creates a reader.
    ///
    /// - Parameter bytes: Bytes that must outlive the reader.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(bytes, from: 0, to: bytes.count, isIndefinite: false)
    }

    private init(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int, isIndefinite: Bool) {
        self.bytes = bytes
        index = start
        self.end = end
        self.isIndefinite = isIndefinite
    }

    /// `true` if all values have been read.
    var isAtEnd: Bool {
        guard isIndefinite else { return index == end }
        return end - index >= 2 && bytes[index] == 0 && bytes[index + 1] == 0
    }

    // MARK: Values

    /// Reads a set of attributes.
    ///
    /// - Parameter data: The data that has the reader's bytes. The values of the attributes are parts of it.
    mutating func attributes(of data: Data) -> [ReceiptAttribute]? {
        guard var set = open(Tag.set) else { return nil }
        var attributes: [ReceiptAttribute] = []
        attributes.reserveCapacity(16)
        while !set.isAtEnd {
            guard let attribute = set.attribute(of: data) else { return nil }
            attributes.append(attribute)
        }
        return close(set) ? attributes : nil
    }

    private mutating func attribute(of data: Data) -> ReceiptAttribute? {
        // The set has the depth 1, the sequence the depth 2.
        guard var sequence = open(Tag.sequence), let type = sequence.integer(Int.self),
            let version = sequence.integer(Int.self), let value = sequence.octetString(of: data, depth: 3),
            close(sequence)
        else { return nil }
        return ReceiptAttribute(type: type, version: version, value: value)
    }

    /// Reads an integer. It must have at most as many octets as the type, but may have more than necessary.
    mutating func integer<Value: FixedWidthInteger & SignedInteger>(_: Value.Type) -> Value? {
        guard let content = primitive(Tag.integer), (1...Value.bitWidth / 8).contains(content.count) else { return nil }
        let sign: Value = content[0] & 0x80 == 0 ? 0 : -1
        return content.reduce(sign) { $0 << 8 | Value($1) }
    }

    /// Reads the bytes of a UTF-8 or IA5 string, without validating them.
    mutating func string() -> UnsafeRawBufferPointer? {
        primitive(nextTag == Tag.utf8String ? Tag.utf8String : Tag.ia5String)
    }

    /// Reads an octet string, which may consist of several parts.
    private mutating func octetString(of data: Data, depth: Int) -> Data? {
        if nextTag == Tag.octetString {
            guard let count = primitive(Tag.octetString)?.count else { return nil }
            let end = data.startIndex + index
            return data[end - count..<end]
        }
        var octets = Data()
        return appendOctets(to: &octets, depth: depth) ? octets : nil
    }

    private mutating func appendOctets(to octets: inout Data, depth: Int) -> Bool {
        guard depth <= Self.depthLimit else { return false }
        guard nextTag == Tag.constructedOctetString else {
            guard let content = primitive(Tag.octetString) else { return false }
            octets.append(contentsOf: content)
            return true
        }
        guard var parts = open(Tag.constructedOctetString) else { return false }
        while !parts.isAtEnd {
            guard parts.appendOctets(to: &octets, depth: depth + 1) else { return false }
        }
        return close(parts)
    }

    // MARK: Octets

    private var nextTag: UInt8? { index < end ? bytes[index] : nil }

    private mutating func next() -> UInt8? {
        guard index < end else { return nil }
        defer { index += 1 }
        return bytes[index]
    }

    /// Reads the content of a primitive value, whose length is always definite.
    private mutating func primitive(_ tag: UInt8) -> UnsafeRawBufferPointer? {
        guard case .definite(let length) = length(after: tag) else { return nil }
        defer { index += length }
        return UnsafeRawBufferPointer(rebasing: bytes[index..<index + length])
    }

    /// Returns a reader of the values in a constructed value. ``close(_:)`` ends reading them.
    private mutating func open(_ tag: UInt8) -> ReceiptReader? {
        switch length(after: tag) {
        case .definite(let length):
            defer { index += length }
            return ReceiptReader(bytes, from: index, to: index + length, isIndefinite: false)
        case .indefinite:
            return ReceiptReader(bytes, from: index, to: end, isIndefinite: true)
        case nil:
            return nil
        }
    }

    /// Ends reading contained values. Returns `true` if all of them were read.
    private mutating func close(_ contained: ReceiptReader) -> Bool {
        guard contained.isAtEnd else { return false }
        if contained.isIndefinite { index = contained.index + 2 }
        return true
    }

    /// Reads the tag and the length of a value (X.690, section 8.1.3). A definite length is checked against the
    /// remaining bytes.
    private mutating func length(after tag: UInt8) -> Length? {
        guard nextTag == tag else { return nil }
        index += 1
        guard let first = next() else { return nil }
        guard first != 0x80 else { return .indefinite }
        var length = UInt(first)
        if first & 0x80 != 0 {
            let count = Int(first & 0x7F)
            guard count <= UInt.bitWidth / 8 else { return nil }
            length = 0
            for _ in 0..<count {
                guard let octet = next() else { return nil }
                length = length << 8 | UInt(octet)
            }
        }
        return length <= UInt(end - index) ? .definite(Int(length)) : nil
    }
}
