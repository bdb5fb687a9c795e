import Foundation
import Testing

@testable import ProductCatalog

/// The reader of plain JSON against `JSONSerialization`.
@Suite(.timeLimit(.minutes(45))) struct PlainJSONTests {
    @Test(arguments: [
        #"{}"#, #" [ ] "#, #"{"a":[1,0,-1,12,true,false,null,"x"],"é":"üñ😀","o":{"k":{}}, "l" : [ ] }"#,
        #"{"text":"\n\/\"\\\t\b\f\r","empty":""}"#, "[999999999999999999,-999999999999999999]",
    ])
    func `plain JSON is read as Foundation reads it`(text: String) throws {
        let plain = try #require(PlainJSONReader.read(Data(text.utf8)))
        #expect(Self.words(plain) == Self.words(try Self.byFoundation(Data(text.utf8))))
    }

    @Test(arguments: [
        "", "1", #""a""#, "{", "[1,]", "[1 2]", #"{"a":1,}"#, #"{"a" 1}"#, "[01]", "[-0]", "[--1]", "[+1]", "[.5]",
        "[1.5]",
        "[1e3]", "[1000000000000000000]", #"{"a":1,"a":2}"#, #"["\u00e9"]"#, #"["\x"]"#, "[\"a\nb\"]", "[tru]",
        "[nulll]",
        "[] []", "\u{FEFF}[]", String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
        "{" + (0..<65).map { "\"\($0)\":0" }.joined(separator: ",") + "}",
    ])
    func `everything else is declined`(text: String) {
        #expect(PlainJSONReader.read(Data(text.utf8)) == nil)
    }

    @Test func `bytes that are not UTF-8 are declined`() {
        for bytes: [UInt8] in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF4, 0x90, 0x80, 0x80]] {
            #expect(PlainJSONReader.read(Data(Array("[\"a".utf8) + bytes + Array("\"]".utf8))) == nil)
            #expect(PlainJSONReader.read(Data(Array("[\"\\n".utf8) + bytes + Array("\"]".utf8))) == nil)
        }
    }

    @Test func `what the plain reader declines is read by Foundation`() throws {
        let value = try JSONValue(Data(#"{"a":1.5,"b":4.0,"c":"\u00e9","d":[null,{"e":1e2}]}"#.utf8))
        let root = try #require(value.object)
        #expect(root["a"]?.integer == nil)
        #expect(root["b"]?.integer == 4)
        #expect(root["c"]?.text == "é")
        #expect(root["d"]?.list?.first?.isNull == true)
        #expect(root["d"]?.list?.last?.object?["e"]?.integer == 100)
        #expect(throws: (any Error).self) { try JSONValue(Data("{".utf8)) }
    }

    /// Mutations of plain documents: what the plain reader accepts, Foundation reads with the same result.
    @Test func `the plain reader accepts nothing that Foundation reads otherwise`() throws {
        var random = SystemRandomNumberGenerator()
        let alphabet =
            Array("{}[]\",:0123456789-+.eEtruefalsn \n\\/bu".utf8) + [0xC3, 0xA9, 0xFF, 0, 0x1F, 0xE2, 0x80, 0xED]
        let seed = Array(#"{"a":[1,0,-12,true,false,null,"x\n\/é"],"o":{"k":{}}, "l" : [ ] }"#.utf8)
        for _ in 0..<20_000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let (place, byte) = (
                    Int.random(in: 0..<bytes.count, using: &random), alphabet.randomElement(using: &random)
                )
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.insert(try #require(byte), at: place)
                case 1: bytes.remove(at: place)
                default: bytes[place] = try #require(byte)
                }
            }
            guard let plain = PlainJSONReader.read(Data(bytes)) else { continue }
            let other = try #require(try? Self.byFoundation(Data(bytes)), "\(String(decoding: bytes, as: UTF8.self))")
            #expect(Self.words(plain) == Self.words(other), "\(String(decoding: bytes, as: UTF8.self))")
        }
    }

    private static func byFoundation(_ data: Data) throws -> JSONValue {
        JSONValue(any: try JSONSerialization.jsonObject(with: data))
    }

    /// Description of a value in which numbers and Booleans have their conversions.
    private static func words(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .text(let text): "\(Array(text.utf8))"
        case .list(let elements): "[\(elements.map(words).joined(separator: ","))]"
        case .object(let object):
            "{\(object.entries.sorted { $0.key < $1.key }.map { "\($0.key):\(words($0.value))" }.joined(separator: ","))}"
        case .flag, .integer, .number: "\(value.integer.map(String.init) ?? "-") \(value.flag.map(String.init) ?? "-")"
        }
    }
}
