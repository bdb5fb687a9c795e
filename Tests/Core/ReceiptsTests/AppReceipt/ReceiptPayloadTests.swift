import Foundation
import SwiftASN1
import Testing
import VitrineSupport
import VitrineTestSupport

@testable import VitrineReceipts

/// Attributes of receipts, and invalid attributes.
@Suite(.hangLimit) struct ReceiptPayloadTests {
    private func read(_ attributes: [ReceiptAttribute]) throws(RejectionReason) -> AppReceipt {
        try AppReceipt(payload: ReceiptAttribute.set(attributes)[...])
    }

    private func detail(_ attributes: [ReceiptAttribute]) throws -> String {
        let reason = try #require(throws: RejectionReason.self) { try read(attributes) }
        #expect(reason.code == .payload)
        return reason.reason
    }

    @Test func `a receipt with only the required attributes is read`() throws {
        let receipt = try read(ReceiptAttribute.required)

        #expect(receipt.type == .production)
        #expect(receipt.appIdentifier == 0)
        #expect(receipt.bundleIdentifier == "com.example.app")
        #expect(receipt.applicationVersion == "1")
        #expect(receipt.creationDate == .sample)
        #expect(receipt.opaqueValue == Data([1, 2]))
        #expect(receipt.deviceHash == Data(count: 20))
        #expect(receipt.purchases == [])
        #expect(receipt.attributes.sorted { $0.type < $1.type } == ReceiptAttribute.required)
    }

    @Test(arguments: [0, 2, 3, 4, 5, 12])
    func `a receipt without a required attribute is refused`(type: Int) throws {
        #expect(try detail(ReceiptAttribute.required.filter { $0.type != type }).hasSuffix(" is missing or empty"))
    }

    @Test(arguments: [0, 2, 3, 12])
    func `a receipt with an empty required attribute is refused`(type: Int) throws {
        let others = ReceiptAttribute.required.filter { $0.type != type }
        #expect(try detail(others + [.text(type, "")]).hasSuffix(" is missing or empty"))
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 10, 12, 18, 19, 21])
    func `a receipt attribute that occurs twice is refused, even with equal values`(type: Int) throws {
        let value = ReceiptAttribute.required.first { $0.type == type } ?? .text(type, "")
        let others = ReceiptAttribute.required.filter { $0.type != type }

        #expect(try detail(others + [value, value]).hasSuffix(" twice"))
    }

    @Test(arguments: [1_701, 1_702, 1_703, 1_704, 1_705, 1_706, 1_707, 1_708, 1_711, 1_712, 1_713, 1_719, 1_721])
    func `a receipt's purchase with a repeated attribute is refused`(type: Int) throws {
        let value = ReceiptAttribute.purchase.first { $0.type == type } ?? .text(type, "")
        let others = ReceiptAttribute.purchase.filter { $0.type != type }

        #expect(try detail(ReceiptAttribute.required + [.set(17, others + [value, value])]).hasSuffix(" twice"))
    }

    @Test(arguments: [1_701, 1_702, 1_703, 1_704])
    func `a receipt's purchase without a required attribute is refused`(type: Int) throws {
        let purchase = ReceiptAttribute.purchase.filter { $0.type != type }

        #expect(try detail(ReceiptAttribute.required + [.set(17, purchase)]).hasSuffix(" is missing or empty"))
    }

    @Test func `unknown receipt attributes may repeat and are retained`() throws {
        let unknown = [
            ReceiptAttribute(type: 6, value: Data([1])), ReceiptAttribute(type: 6, value: Data([2])),
            ReceiptAttribute(type: -3, version: 9, value: Data([0x30, 0x80])),
        ]
        #expect(try read(ReceiptAttribute.required + unknown).attributes.count { unknown.contains($0) } == 3)
    }

    @Test func `empty dates and offer identifiers in a receipt are read as absent`() throws {
        let purchase = ReceiptAttribute.purchase + [.date(1_708, ""), .date(1_712, ""), .text(1_721, "")]
        let read = try read(ReceiptAttribute.required + [.set(17, purchase), .date(21, "")])

        #expect(read.expirationDate == nil)
        #expect(read.purchases[0].expirationDate == nil)
        #expect(read.purchases[0].cancellationDate == nil)
        #expect(read.purchases[0].promotionalOfferIdentifier == nil)
    }

    @Test(arguments: ["com.example\u{0}.app", "com.example.app\n", "\u{7F}", "\u{85}", "com.example.app\u{0}"])
    func `a receipt with a control character in a text attribute is refused`(text: String) throws {
        for type in [2, 3, 10, 19] {
            let others = ReceiptAttribute.required.filter { $0.type != type }
            #expect(try detail(others + [.text(type, text)]).hasSuffix("contains a control character"))
        }
        for type in [1_702, 1_703, 1_705, 1_721] {
            let others = ReceiptAttribute.purchase.filter { $0.type != type }
            let purchase = ReceiptAttribute.set(17, others + [.text(type, text)])
            #expect(try detail(ReceiptAttribute.required + [purchase]).hasSuffix("contains a control character"))
        }
    }

    @Test func `a receipt with a text attribute that is too long or not a string is refused`() throws {
        let others = ReceiptAttribute.required.filter { $0.type != 2 }
        func detail(_ bytes: [UInt8]) throws -> String {
            try self.detail(others + [ReceiptAttribute(type: 2, value: Data(bytes))])
        }

        #expect(
            try self.detail(others + [.text(2, String(repeating: "a", count: 1_025))])
                == "the receipt attribute bundleIdentifier has more than 1024 bytes")
        let noText: [[UInt8]] = [
            [], [0x0C], [0x0C, 0x01, 0xFF], [0x0C, 0x02, 0xC0, 0x80], [0x0C, 0x01, 0x41, 0x00], [0x04, 0x01, 0x41],
            [0x02, 0x01, 0x41], [0x2C, 0x03, 0x0C, 0x01, 0x41], [0x0C, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
        ]
        for bytes in noText {
            #expect(try detail(bytes) == "the receipt attribute bundleIdentifier is not a string", "\(bytes)")
        }
    }

    @Test func `a receipt with an integer attribute that is out of range or not an integer is refused`() throws {
        let noNumbers: [[UInt8]] = [
            [], [0x02, 0x00], [0x02, 0x09, 1, 0, 0, 0, 0, 0, 0, 0, 0], [0x04, 0x01, 0x00],
            [0x22, 0x03, 0x02, 0x01, 0x01],
        ]
        for bytes in noNumbers {
            #expect(
                try detail(ReceiptAttribute.required + [ReceiptAttribute(type: 1, value: Data(bytes))])
                    == "the receipt attribute appIdentifier is not an integer", "\(bytes)")
        }
        let greatest: [UInt8] = [0x02, 0x08, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        let receipt = try read(ReceiptAttribute.required + [ReceiptAttribute(type: 1, value: Data(greatest))])
        #expect(receipt.appIdentifier == .max)
    }

    @Test(arguments: [0, -1, Int64.min])
    func `a receipt's purchase with a quantity below one is refused`(quantity: Int64) throws {
        let others = ReceiptAttribute.purchase.filter { $0.type != 1_701 }
        let purchase = ReceiptAttribute.set(17, others + [.number(1_701, quantity)])

        #expect(
            try detail(ReceiptAttribute.required + [purchase]) == "a purchase in the receipt has a quantity below 1")
    }

    @Test func `a receipt with an impossible date in a date attribute is refused`() throws {
        let others = ReceiptAttribute.required.filter { $0.type != 12 }
        #expect(
            try detail(others + [.date(12, "2026-02-30T00:00:00Z")])
                == "the receipt attribute creationDate is not a date from 1970 to 9999: 2026-02-30T00:00:00Z")
    }

    @Test(
        arguments: [
            ("nothing", []), ("a sequence", [0x30, 0x00]), ("a number", [0x02, 0x01, 0x00]),
            ("a set of numbers", [0x31, 0x03, 0x02, 0x01, 0x00]),
            ("an attribute of two values", [0x31, 0x08, 0x30, 0x06, 0x02, 0x01, 0x00, 0x02, 0x01, 0x01]),
            (
                "an attribute of four values",
                [0x31, 0x0D, 0x30, 0x0B, 0x02, 0x01, 0x00, 0x02, 0x01, 0x01, 0x04, 0x00, 0x02, 0x01, 0x00]
            ),
            ("a set and more", [0x31, 0x00, 0x00]),
        ] as [(String, [UInt8])]
    )
    func `a receipt payload that is not a set of attributes is refused`(id: String, bytes: [UInt8]) throws {
        let reason = try #require(throws: RejectionReason.self) { try AppReceipt(payload: bytes[...]) }
        #expect(reason.code == .payload)
    }
}

extension ReceiptAttribute {
    static let required: [ReceiptAttribute] = [
        .text(0, "Production"), .text(2, "com.example.app"), .text(3, "1"),
        ReceiptAttribute(type: 4, version: 2, value: Data([1, 2])), ReceiptAttribute(type: 5, value: Data(count: 20)),
        .date(12, Date.sample.formatted(.iso8601)),
    ]

    static let purchase: [ReceiptAttribute] = [
        .number(1_701, 1), .text(1_702, "com.example.app.coins"), .text(1_703, "1"),
        .date(1_704, Date.sample.formatted(.iso8601)),
    ]

    static func text(_ type: Int, _ text: String) -> ReceiptAttribute {
        ReceiptAttribute(type: type, value: node(0x0C, Array(text.utf8)))
    }

    static func date(_ type: Int, _ text: String) -> ReceiptAttribute {
        ReceiptAttribute(type: type, value: node(0x16, Array(text.utf8)))
    }

    static func number(_ type: Int, _ number: Int64) -> ReceiptAttribute {
        ReceiptAttribute(type: type, value: node(0x02, integer(number)))
    }

    static func set(_ type: Int, _ attributes: [ReceiptAttribute]) -> ReceiptAttribute {
        ReceiptAttribute(type: type, value: Data(set(attributes)))
    }

    /// Returns a SET OF attributes in the given order.
    static func set(_ attributes: [ReceiptAttribute]) -> [UInt8] {
        Array(node(0x31, attributes.flatMap(\.encoded)))
    }

    private var encoded: [UInt8] {
        let type = Self.node(0x02, Self.integer(Int64(type)))
        let version = Self.node(0x02, Self.integer(Int64(version)))
        return Array(Self.node(0x30, Array(type + version + Self.node(0x04, Array(value)))))
    }

    /// Returns all eight bytes of an integer, which BER allows.
    private static func integer(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    private static func node(_ tag: UInt8, _ content: [UInt8]) -> Data {
        let length = withUnsafeBytes(of: UInt32(content.count).bigEndian) { Array($0) }
        return Data([tag, 0x84] + length + content)
    }
}
