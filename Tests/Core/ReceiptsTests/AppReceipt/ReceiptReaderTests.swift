import Foundation
import SwiftASN1
import Testing
import VitrineTestSupport

@testable import VitrineReceipts

/// Values in receipts, which are read or refused as by SwiftASN1.
@Suite(.hangLimit) struct ReceiptReaderTests {
    /// Forms in which BER can encode the same values.
    enum Form: CaseIterable {
        case shortest, long, indefinite

        /// Encodes a value in the constructed form.
        func constructed(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            self == .indefinite ? [tag, 0x80] + content + [0, 0] : primitive(tag, content)
        }

        func primitive(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            precondition(content.count < 0x80)
            return self == .long
                ? [tag, 0x83, 0, 0, UInt8(content.count)] + content : [tag, UInt8(content.count)] + content
        }

        func octetString(_ content: [UInt8]) -> [UInt8] {
            guard self == .indefinite else { return primitive(0x04, content) }
            let parts = primitive(0x04, Array(content.prefix(2))) + primitive(0x04, Array(content.dropFirst(2)))
            return constructed(0x24, primitive(0x04, []) + constructed(0x24, parts))
        }

        func attribute(_ type: [UInt8], _ value: [UInt8]) -> [UInt8] {
            constructed(0x30, primitive(0x02, type) + primitive(0x02, [1]) + octetString(value))
        }

        /// A set of an integer, two strings and bytes.
        var attributes: [UInt8] {
            let values = [
                primitive(0x02, [0x00, 0xFF]), primitive(0x0C, [0x63, 0xC3, 0xA9]), primitive(0x16, [0x37]),
            ]
            let fields = values.enumerated().flatMap { attribute([0x06, 0xA5 + UInt8($0)], $1) }
            return constructed(0x31, fields + attribute([0xFF], [1, 2, 3]))
        }
    }

    @Test(arguments: Form.allCases)
    func `all BER encodings of the same receipt attributes are read alike`(form: Form) throws {
        let read = try #require(Reading(form.attributes).attributes)

        #expect(read.map(\.type) == [1701, 1702, 1703, -1])
        #expect(read.last?.value == Data([1, 2, 3]))
        #expect(read.map { Reading($0.value).integer } == [255, nil, nil, nil])
        #expect(read.map { Reading($0.value).string } == [nil, Data("cé".utf8), Data("7".utf8), nil])
    }

    @Test(arguments: Form.allCases)
    func `the value of an attribute that is read from a part of other data begins at index 0`(form: Form) throws {
        let bytes = form.attributes
        let part = Data([0x31, 0x80, 0x04] + bytes + [0, 0])[3..<bytes.count + 3]

        let read = try #require(Reading(part).attributes)

        #expect(read == Reading(bytes).attributes)
        #expect(read.map(\.value.startIndex) == [0, 0, 0, 0])
        #expect(read.last.map { Array($0.value) } == [1, 2, 3])
        #expect(read.last?.value[0] == 1)
    }

    @Test
    func `a changed value of a receipt attribute leaves the others unchanged`() throws {
        let read = try #require(Reading(Form.shortest.attributes).attributes)
        var changed = read

        changed[0].value[0] = 0x04
        changed[3].value = Data([9, 9, 9, 9])

        #expect(changed[0].value == Data([0x04, 0x02, 0x00, 0xFF]))
        #expect(changed[1...2] == read[1...2])
        #expect(changed[3].value == Data([9, 9, 9, 9]))
        #expect(read == Reading(Form.shortest.attributes).attributes)
        #expect(read[0].value == Data([0x02, 0x02, 0x00, 0xFF]))
    }

    @Test(arguments: Form.allCases)
    func `randomly changed BER bytes are read with the same result as by SwiftASN1`(form: Form) {
        var generator = SeededGenerator(seed: 27)
        let (set, value) = (form.attributes, form.primitive(0x02, [0x7F, 0x00, 0x01]))
        var (acceptedSets, acceptedValues) = (0, 0)
        for _ in 0..<600 {
            let changed = (Self.changed(set, by: &generator), Self.changed(value, by: &generator))
            for bytes in [changed.0, changed.1] {
                #expect(Reading(bytes) == Reading(withSwiftASN1: bytes), "\(bytes)")
            }
            if Reading(changed.0).attributes != nil { acceptedSets += 1 }
            if Reading(changed.1).integer != nil { acceptedValues += 1 }
        }
        // Both answers have been compared.
        #expect((30..<570).contains(acceptedSets), "\(acceptedSets)")
        #expect((30..<570).contains(acceptedValues), "\(acceptedValues)")
    }

    @Test(
        arguments: [
            ("an empty set", [0x31, 0x00]), ("an empty set of indefinite length", [0x31, 0x80, 0x00, 0x00]),
            ("nothing", []), ("a tag", [0x31]), ("no end", [0x31, 0x80]), ("half an end", [0x31, 0x80, 0x00]),
            ("a set without its form", [0x11, 0x00]), ("a set of another class", [0x71, 0x00]),
            ("a long tag", [0x3F, 0x11, 0x00]), ("more", [0x31, 0x00, 0x00]), ("an end within", [0x31, 0x02, 0, 0]),
            ("eight octets of length", [0x31, 0x88, 0, 0, 0, 0, 0, 0, 0, 0]),
            ("nine octets of length", [0x31, 0x89, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
            ("a length beyond the bytes", [0x31, 0x81, 0x80]), ("a length beyond integers", [0x31, 0x88] + .ones(8)),
            ("an integer of indefinite length", [0x02, 0x80, 0x00, 0x00]), ("an empty integer", [0x02, 0x00]),
            ("a constructed integer", [0x22, 0x03, 0x02, 0x01, 0x01]), ("minus one", [0x02, 0x08] + .ones(8)),
            ("nine octets", [0x02, 0x09] + .ones(9)), ("the least", [0x02, 0x08, 0x80, 0, 0, 0, 0, 0, 0, 0]),
            ("minus 128", [0x02, 0x01, 0x80]), ("minus 128 in three octets", [0x02, 0x03, 0xFF, 0xFF, 0x80]),
            ("an empty string", [0x0C, 0x00]), ("a constructed string", [0x2C, 0x03, 0x0C, 0x01, 0x41]),
            ("bytes that are no string", [0x16, 0x01, 0xFF]), ("octets", [0x04, 0x01, 0x41]),
            ("a string of indefinite length", [0x0C, 0x80, 0x00, 0x00]),
            ("octets of indefinite length", set(of: [0x04, 0x80, 0x00, 0x00])),
            ("octets of indefinite length before parts", set(of: [0x04, 0x80, 0x24, 0x00])),
            ("no parts", set(of: [0x24, 0x00])), ("no parts and no length", set(of: [0x24, 0x80, 0x00, 0x00])),
            ("parts that are no octets", set(of: [0x24, 0x02, 0x05, 0x00])),
            ("a part that is longer", set(of: [0x24, 0x02, 0x04, 0x01])),
            ("something after the octets", set(of: [0x04, 0x00, 0x05, 0x00])),
        ] as [(String, [UInt8])]
    )
    func `a BER edge case is read with the same result as by SwiftASN1`(id: String, bytes: [UInt8]) {
        #expect(Reading(bytes) == Reading(withSwiftASN1: bytes))
    }

    @Test(arguments: [46, 47, 48, 49, 100_000])
    func `nested octet strings are read up to the depth limit of SwiftASN1`(depth: Int) {
        let open = [UInt8]([[UInt8]](repeating: [0x24, 0x80], count: depth).joined())
        let closed = [UInt8](repeating: 0, count: 2 * depth)
        for part in [[], [0x04, 0x01, 0x41]] as [[UInt8]] {
            let bytes =
                [0x31, 0x80, 0x30, 0x80, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01] + open + part + closed + .end + .end
            #expect(Reading(bytes) == Reading(withSwiftASN1: bytes))
            // The depth of the outermost octet string is 3, and the limit 50.
            #expect((Reading(bytes).attributes != nil) == (depth + (part.isEmpty ? 0 : 1) <= 48))
        }
    }

    private static func set(of value: [UInt8]) -> [UInt8] {
        let sequence = [0x02, 0x01, 0x01, 0x02, 0x01, 0x01] + value
        return [0x31, UInt8(sequence.count + 2), 0x30, UInt8(sequence.count)] + sequence
    }

    /// Changes, removes or inserts one or two bytes; half of the new ones are tags and lengths.
    private static func changed(_ bytes: [UInt8], by generator: inout SeededGenerator) -> [UInt8] {
        let telling: [UInt8] = [
            0x00, 0x01, 0x02, 0x04, 0x0C, 0x16, 0x22, 0x24, 0x30, 0x31, 0x80, 0x81, 0x83, 0x88, 0x89, 0xFF,
        ]
        var changed = bytes
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            let index = changed.indices.randomElement(using: &generator) ?? 0
            let byte =
                Bool.random(using: &generator)
                ? telling.randomElement(using: &generator) ?? 0 : UInt8.random(in: 0...255, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: changed.remove(at: index)
            case 1: changed.insert(byte, at: index)
            default: changed[index] = byte
            }
        }
        return changed
    }
}

/// Bytes decoded as a set of attributes, as an integer and as a string.
private struct Reading: Equatable {
    var attributes: [ReceiptAttribute]?
    var integer: Int64?
    var string: Data?

    init(_ bytes: [UInt8]) { self.init(Data(bytes)) }

    init(_ data: Data) {
        attributes = Self.read(data) { $0.attributes(of: data) }
        integer = Self.read(data) { $0.integer(Int64.self) }
        string = Self.read(data) { reader in reader.string().map { Data($0) } }
    }

    private static func read<Value>(_ data: Data, _ read: (inout ReceiptReader) -> Value?) -> Value? {
        data.withUnsafeBytes { bytes in
            var reader = ReceiptReader(bytes)
            guard let value = read(&reader), reader.isAtEnd else { return nil }
            return value
        }
    }

    init(withSwiftASN1 bytes: [UInt8]) {
        guard let node = try? BER.parse(bytes) else { return }
        attributes = try? BER.set(
            node,
            of: { node in
                try BER.sequence(node, identifier: .sequence) { nodes in
                    ReceiptAttribute(
                        type: try Int(berEncoded: &nodes), version: try Int(berEncoded: &nodes),
                        value: Data(try ASN1OctetString(berEncoded: &nodes).bytes))
                }
            })
        integer = try? Int64(berEncoded: node)
        if [.utf8String, .ia5String].contains(node.identifier), case .primitive(let content) = node.content {
            string = Data(content)
        }
    }
}

extension [UInt8] {
    /// End of a value of indefinite length.
    fileprivate static let end: [UInt8] = [0, 0]

    fileprivate static func ones(_ count: Int) -> [UInt8] { [UInt8](repeating: 0xFF, count: count) }
}
