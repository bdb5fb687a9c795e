import Foundation
import Testing
import VitrinePropertyList
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct JSONReadingTests {
    private func read(_ text: String) throws -> PropertyListDocument {
        try PropertyListDocument(bytes: Array(text.utf8))
    }

    @Test func `each type of JSON value is read as a property list value of the matching kind`() throws {
        let document = try read(
            #"""
            {
              "string": "Olá", "empty": "", "escapes": "\u0041\ud83d\ude00\"\\\/\b\f\n\r\t\u0000",
              "integer": 42, "zero": -0, "least": -9223372036854775808, "large": 18446744073709551615,
              "real": 1.5e3, "whole": 2.0, "tiny": 1E-400,
              "true": true, "false": false, "array": ["a", [], {}], "object": {"a": 1}
            }
            """#)
        let root = document.root

        #expect(document.format == .json)
        #expect(root.kind == .dictionary)
        #expect(root["string"]?.string == "Olá")
        #expect(root["empty"]?.string == "")
        #expect(root["escapes"]?.string == "A😀\"\\/\u{8}\u{C}\n\r\t\u{0}")
        #expect(root["integer"]?.integer == 42)
        #expect(root["zero"]?.integer == 0)
        #expect(root["least"]?.integer == Int.min)
        #expect(root["large"]?.unsignedInteger == UInt64.max)
        #expect(root["real"]?.real == 1_500)
        #expect(root["whole"]?.real == 2)
        #expect(root["tiny"]?.real == 0)
        #expect(root["true"]?.boolean == true)
        #expect(root["false"]?.boolean == false)
        #expect(root["array"]?.elements.map(\.kind) == [.string, .array, .dictionary])
        #expect(root["object"]?["a"]?.integer == 1)
    }

    @Test(arguments: [
        "[\n  1,\n  ▸\"ä\"]", "[\"äöü😀\", ▸{}]", "[1,\r\n ▸true]",
    ])
    func `the position of a JSON value is its line and column, counted in Unicode scalars`(text: String) throws {
        let marked = MarkedText(text)
        let value = try #require(read(marked.text).root.elements.last)

        #expect(value.position == marked.positions[0])
    }

    @Test func `keys and values of a JSON object have positions and source ranges of their own`() throws {
        let marked = MarkedText("{\n  ▸\"a\" : ▸\"b\"}")
        let entry = try #require(read(marked.text).root.entries.first)
        let bytes = Array(marked.text.utf8)

        #expect(entry.keyPosition == marked.positions[0])
        #expect(entry.value.position == marked.positions[1])
        #expect(entry.value.sourceRange.map { String(decoding: bytes[$0], as: UTF8.self) } == "\"b\"")
    }

    @Test func `a byte order mark in front of JSON is skipped and not counted in positions`() throws {
        let document = try PropertyListDocument(bytes: [0xEF, 0xBB, 0xBF] + Array("[1]".utf8))

        #expect(document.root.elements.first?.position == SourcePosition(line: 1, column: 2))
    }

    @Test func `a repeated key of a JSON object is reported, and its last value is used`() throws {
        let root = try read(#"{"a": 1, "b": 2, "\u0061": 3}"#).root

        #expect(root.entries.map(\.key) == ["a", "b", "a"])
        #expect(root["a"]?.integer == 3)
        #expect(root.repeatedKeys.map(\.position) == [SourcePosition(line: 1, column: 18)])
    }

    @Test func `texts under the keys of dates in catalogs are dates, except in data of the app`() throws {
        let root = try read(
            #"""
            {"expires": "2030-03-01T00:00:00Z", "rules": [{"beforeDate": "2030-03-01T00:00:00Z"}],
             "changed": "2030-03-01T00:00:00Z", "until": "2030-02-30T00:00:00Z", "list": {"until": " 2030-03-01T00:00:00Z"},
             "userInfo": {"until": "2030-03-01T00:00:00Z", "list": [{"expires": "2030-03-01T00:00:00Z"}]}}
            """#
        ).root
        let date = Date(timeIntervalSince1970: 1_898_553_600)

        #expect(root["expires"]?.date == date)
        #expect(root["rules"]?.elements.first?["beforeDate"]?.date == date)
        #expect(root["changed"]?.string == "2030-03-01T00:00:00Z")
        #expect(root["until"]?.string == "2030-02-30T00:00:00Z")
        #expect(root["list"]?["until"]?.string == " 2030-03-01T00:00:00Z")
        #expect(root["userInfo"]?["until"]?.kind == .string)
        #expect(root["userInfo"]?["list"]?.elements.first?["expires"]?.kind == .string)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Text with a mark at the position of the error.
        let marked: String
        let reason: String
        var code = PropertyListError.Code.malformedJSON
    }

    @Test(arguments: [
        Refusal(
            testDescription: "conflict of a merge", marked: "[\n▸<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> branch\n]",
            reason: "the file has conflict markers of a merge (<<<<<<<, =======, >>>>>>>): resolve the conflict"),
        Refusal(
            testDescription: "comma after the last entry", marked: "{\n \"a\": 1▸,\n}",
            reason: "JSON does not allow a comma after the last value"),
        Refusal(
            testDescription: "comma after the last element", marked: "[1▸, ]",
            reason: "JSON does not allow a comma after the last value"),
        Refusal(
            testDescription: "comma in front", marked: "[▸,1]", reason: "expected a value, but found \",\""),
        Refusal(
            testDescription: "comment", marked: "{\n▸// catalog\n}",
            reason:
                "expected a key in double quotation marks, but found a comment, which JSON does not have"),
        Refusal(
            testDescription: "comment at the beginning", marked: "▸/* catalog */ []",
            reason: "expected a value, but found a comment, which JSON does not have"),
        Refusal(
            testDescription: "comment after a value", marked: "[1 ▸/* one */]",
            reason: "expected , or ] after a value, but found a comment, which JSON does not have"),
        Refusal(
            testDescription: "key without quotation marks", marked: "{▸a: 1}",
            reason: "expected a key in double quotation marks, but found \"a\""),
        Refusal(
            testDescription: "single quotation marks", marked: "{▸'a': 1}",
            reason: "expected a key in double quotation marks, but found a single quotation mark"),
        Refusal(
            testDescription: "key without a value", marked: "{\"a\" ▸1}",
            reason: "expected : after a key, but found \"1\""),
        Refusal(
            testDescription: "missing comma", marked: "[1 ▸2]",
            reason: "expected , or ] after a value, but found \"2\""),
        Refusal(
            testDescription: "end in an array", marked: "[1▸",
            reason: "expected , or ] after a value, but found the end of the file"),
        Refusal(testDescription: "end before a value", marked: "{\"a\":▸", reason: "the JSON ends before a value"),
        Refusal(
            testDescription: "end in a string", marked: "[▸\"abc", reason: "a string has no closing quotation mark"),
        Refusal(
            testDescription: "second value", marked: "[] ▸[]",
            reason: "the file continues with \"[\" after the end of the JSON value"),
        Refusal(
            testDescription: "null", marked: "{\"a\": ▸null}",
            reason: "a property list has no null: leave the key or element out", code: .invalidValue),
        Refusal(testDescription: "NaN", marked: "[▸NaN]", reason: "expected a value, but found \"N\""),
        Refusal(testDescription: "leading zero", marked: "[▸01]", reason: "a number begins with a zero"),
        Refusal(testDescription: "plus sign", marked: "[▸+1]", reason: "expected a value, but found \"+\""),
        Refusal(
            testDescription: "minus sign alone", marked: "[▸-]", reason: "a digit is missing after a minus sign"),
        Refusal(
            testDescription: "no digit after the point", marked: "[▸1.]",
            reason: "a digit is missing after a decimal point"),
        Refusal(testDescription: "no digit in the exponent", marked: "[▸1e+]", reason: "a digit is missing after e"),
        Refusal(
            testDescription: "integer out of range", marked: "[▸18446744073709551616]",
            reason: "\"18446744073709551616\" is not a 64-bit integer", code: .invalidValue),
        Refusal(
            testDescription: "real out of range", marked: "[▸-1e400]", reason: "the number -1e400 is out of range",
            code: .invalidValue),
        Refusal(
            testDescription: "high surrogate alone", marked: #"["a▸\ud800b"]"#,
            reason: #"\ud800 is half of a surrogate pair, without the other half"#),
        Refusal(
            testDescription: "low surrogate alone", marked: #"["▸\udc00"]"#,
            reason: #"\udc00 is half of a surrogate pair, without the other half"#),
        Refusal(
            testDescription: "high surrogate before another character", marked: #"["▸\ud800\u0041"]"#,
            reason: #"\ud800 is half of a surrogate pair, without the other half"#),
        Refusal(
            testDescription: "unknown escape", marked: #"["▸\x"]"#,
            reason: #"a \ is not followed by one of the characters "\/bfnrtu"#),
        Refusal(
            testDescription: "escape with a letter", marked: #"["▸\u00g0"]"#,
            reason: #"\u is not followed by four hexadecimal digits"#),
        Refusal(
            testDescription: "tab in a string", marked: "[\"a▸\tb\"]",
            reason: "a string contains a control character, which must be escaped"),
        Refusal(
            testDescription: "line break in a string", marked: "[\"a▸\nb\"]",
            reason: "a string contains a line break, which must be escaped"),
    ])
    func `JSON that breaks RFC 8259, or has no counterpart in a property list, is refused with position and reason`(
        test: Refusal
    ) throws {
        let marked = MarkedText(test.marked)
        let error = #expect(throws: PropertyListError.self) { try read(marked.text) }

        #expect(error?.code == test.code)
        #expect(error?.reason == test.reason)
        #expect(error?.position == marked.positions.first)
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0x80],
        ] as [[UInt8]]
    )
    func `JSON with bytes that are not valid UTF-8 is refused at the first of them`(bytes: [UInt8]) throws {
        let error = #expect(throws: PropertyListError.self) {
            try PropertyListDocument(bytes: Array("[\"a".utf8) + bytes + Array("\"]".utf8))
        }

        #expect(error?.code == .unsupportedEncoding)
        #expect(error?.position == SourcePosition(line: 1, column: 4))
    }

    @Test func `JSON in UTF-16 is refused with the advice to save it as UTF-8`() throws {
        let error = #expect(throws: PropertyListError.self) {
            try PropertyListDocument(bytes: [0xFF, 0xFE] + "[1]".utf16.flatMap { [UInt8($0), 0] })
        }

        #expect(error?.code == .unsupportedEncoding)
        #expect(error?.reason == "the file is JSON in another encoding than UTF-8; save it as UTF-8")
    }

    @Test(arguments: [
        ("[▸[1]]", PropertyListLimits(depth: 1)), (#"[▸"abcd"]"#, PropertyListLimits(stringLength: 3)),
        (#"[▸"abc\u0064"]"#, PropertyListLimits(stringLength: 3)), (#"{▸"abcd": 1}"#, PropertyListLimits(keyLength: 3)),
        ("[1, 2, ▸3]", PropertyListLimits(nodes: 3)),
    ])
    func `JSON that exceeds a limit of property lists is refused at the value that does`(
        text: String, limits: PropertyListLimits
    ) throws {
        let marked = MarkedText(text)
        let error = #expect(throws: PropertyListError.self) {
            try PropertyListDocument(bytes: Array(marked.text.utf8), limits: limits)
        }

        #expect(error?.code == .limitExceeded)
        #expect(error?.position == marked.positions.first)
    }

    @Test func `a hundred thousand nested JSON arrays are refused without reading them all`() throws {
        let error = #expect(throws: PropertyListError.self) { try read(String(repeating: "[", count: 100_000)) }

        #expect(error?.code == .limitExceeded)
        #expect(error?.position == SourcePosition(line: 1, column: 129))
    }

    @Test(arguments: [
        "{ a = 1; }", #"{ "com.example.pack" = "Pack"; }"#, "{a;}", #"{"a\"b" = 1;}"#, "(a, b)",
    ])
    func `a property list in the format of NeXTSTEP is not taken for JSON`(text: String) throws {
        let error = #expect(throws: PropertyListError.self) { try read(text) }

        #expect(error?.code == .unsupportedFormat)
        #expect(error?.reason.hasPrefix("the file is an old-style property list") == true)
    }
}
