import Foundation
import Testing
import VitrinePropertyList
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct PropertyListErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        let code: PropertyListError.Code
        /// Text with a mark at the position of the error, if it has one.
        let marked: String
        var testDescription: String { id }
    }

    @Test(arguments: [
        Case(id: "nothing", code: .empty, marked: ""),
        Case(id: "white space", code: .unsupportedFormat, marked: " \n"),
        Case(id: "plain text", code: .unsupportedFormat, marked: "com.example.product"),
        Case(id: "JSON with a mistake", code: .malformedJSON, marked: "{\"a\": ▸x}"),
        Case(id: "old style", code: .unsupportedFormat, marked: "(a, b)"),
        Case(id: "HTML", code: .unsupportedFormat, marked: "<!DOCTYPE html><html></html>"),
        Case(
            id: "an encoding that nobody knows", code: .unsupportedEncoding,
            marked: "<?xml version=\"1.0\" encoding=\"KLINGON\"?><plist><true/></plist>"),
        Case(
            id: "UTF-8 that says it is UTF-16", code: .unsupportedEncoding,
            marked: "<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist><true/></plist>"),
        Case(id: "another root", code: .invalidStructure, marked: "▸<svg/>"),
        Case(id: "a value without plist", code: .invalidStructure, marked: "▸<true/>"),
        Case(id: "no value", code: .invalidStructure, marked: "▸<plist/>"),
        Case(id: "two values", code: .invalidStructure, marked: "<plist><true/>▸<true/></plist>"),
        Case(id: "an unknown element", code: .invalidStructure, marked: "<plist><array>\n▸<bool/></array></plist>"),
        Case(id: "an element in a string", code: .invalidStructure, marked: "<plist><string>▸<true/></string></plist>"),
        Case(id: "a key in an array", code: .invalidStructure, marked: "<plist><array>▸<key>a</key></array></plist>"),
        Case(
            id: "a value without key", code: .invalidStructure,
            marked: "<plist><dict>▸<true/></dict></plist>"),
        Case(
            id: "two keys", code: .invalidStructure,
            marked: "<plist><dict>▸<key>a</key><key>b</key><true/></dict></plist>"),
        Case(
            id: "a last key without value", code: .invalidStructure,
            marked: "<plist><dict>▸<key>a</key></dict></plist>"),
        Case(
            id: "text between elements", code: .invalidStructure,
            marked: "<plist><array>▸x<true/></array></plist>"),
        Case(
            id: "text on a line of its own", code: .invalidStructure,
            marked: "<plist><array>\n  ▸x y\n<true/></array></plist>"),
        Case(
            id: "text of letters of several bytes", code: .invalidStructure,
            marked: "<plist><array>\n<true/> ▸äö\n</array></plist>"),
        Case(
            id: "a tag as long as no property list has one", code: .limitExceeded,
            marked: "<plist><array>\n▸<true \(String(repeating: "a='>' ", count: 1_000))/></array></plist>"),
        Case(
            id: "more namespaces than any property list has", code: .limitExceeded,
            marked: "<plist>\(String(repeating: "<array xmlns:a='urn:a'>", count: 16))▸<array xmlns:b='urn:b'>"
                + "\(String(repeating: "</array>", count: 17))</plist>"),
        Case(
            id: "a plist in a plist", code: .invalidStructure,
            marked: "<plist><array>▸<plist><true/></plist></array></plist>"),
        Case(id: "an integer with letters", code: .invalidValue, marked: "<plist>▸<integer>12a</integer></plist>"),
        Case(id: "an empty integer", code: .invalidValue, marked: "<plist>▸<integer/></plist>"),
        Case(
            id: "an integer past 64 bits", code: .invalidValue,
            marked: "<plist>▸<integer>18446744073709551616</integer></plist>"),
        Case(
            id: "an integer below 64 bits", code: .invalidValue,
            marked: "<plist>▸<integer>-9223372036854775809</integer></plist>"),
        Case(id: "a sign twice", code: .invalidValue, marked: "<plist>▸<integer>--1</integer></plist>"),
        Case(id: "a real that is a word", code: .invalidValue, marked: "<plist>▸<real>two</real></plist>"),
        Case(
            id: "a day that does not exist", code: .invalidValue,
            marked: "<plist>▸<date>2023-02-29T00:00:00Z</date></plist>"),
        Case(id: "a date without time", code: .invalidValue, marked: "<plist>▸<date>2023-02-28</date></plist>"),
        Case(id: "data that is no base64", code: .invalidValue, marked: "<plist>▸<data>a*b</data></plist>"),
        Case(
            id: "a comment without end", code: .malformedXML,
            marked: "<plist><!-- a --><array>\n  ▸<!-- b\n<true/></array></plist>\n"),
        Case(
            id: "a comment without end before another one", code: .malformedXML,
            marked: "<plist><!-- a --><array>\n  ▸<!-- é\n<true/><!-- c --></array></plist>\n"),
        Case(
            id: "a comment without end directly before another one", code: .malformedXML,
            marked: "<plist><array>\n▸<!-- b\n<!-- c --><true/></array></plist>\n"),
        Case(
            id: "CDATA without end", code: .malformedXML,
            marked: "<plist><array>\n  <string>▸<![CDATA[ b </string></array></plist>"),
        Case(
            id: "an instruction without end", code: .malformedXML,
            marked: "<plist><array>\n  ▸<?keep this <true/></array></plist>"),
        Case(
            id: "a merge that was not completed", code: .malformedXML,
            marked: "<plist><array>\n▸<<<<<<< HEAD\n<true/>\n=======\n<false/>\n>>>>>>> branch\n</array></plist>"),
        Case(
            id: "the end of a merge that was not completed", code: .malformedXML,
            marked: "<plist><array>\n<true/>\n▸>>>>>>> branch\n</array></plist>"),
        Case(id: "an end that is missing", code: .malformedXML, marked: "<plist><array>"),
        Case(id: "ends that cross", code: .malformedXML, marked: "<plist><array><true></array></true></plist>"),
        Case(id: "a NUL character", code: .malformedXML, marked: "<plist><string>&#0;</string></plist>"),
        Case(id: "something after the end", code: .malformedXML, marked: "<plist><true/></plist><plist/>"),
        Case(
            id: "a declaration", code: .declaration,
            marked: "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>"),
        Case(
            id: "an entity that nobody declared", code: .malformedXML,
            marked: "<!DOCTYPE plist PUBLIC \"a\" \"b\"><plist><string>&file;</string></plist>"),
    ])
    func `an invalid property list is refused with an error code, a reason and a position`(_ test: Case) throws {
        let marked = MarkedText(test.marked)
        let error = #expect(throws: PropertyListError.self) { try PlistText.read(marked.text) }

        #expect(error?.code == test.code, "\(error?.description ?? "")")
        if let position = marked.positions.first { #expect(error?.position == position) }
        #expect(error?.reason.isEmpty == false)
    }

    @Test(arguments: [
        ("<plist><array><true></array></true></plist>", "<true> in line 1 is closed by </array>"),
        ("<plist>\n<array>", "<array> in line 2 is not closed"),
        ("<plist><string>&file;</string></plist>", "the entity &file; is not declared"),
        ("<plist a='1' a='2'><true/></plist>", "the attribute a is repeated"),
        ("<plist><string>&#0;</string></plist>", "the file contains a character that XML does not allow"),
        (
            "<plist><string>a & b</string></plist>",
            "the name of a tag, attribute or entity is missing, or a & is not escaped as &amp;"
        ),
        ("<plist><string>a &b c</string></plist>", "an entity reference does not end with a semicolon"),
        ("<plist><!-- a -- b --><true/></plist>", "a comment contains --"),
        ("<plist><!-- a <true/></plist>", "a comment does not end with -->"),
        ("<plist><!-- a <!-- b --><true/></plist>", "a comment does not end with -->"),
        (
            "<plist>\n<<<<<<< HEAD\n<true/>\n=======\n<false/>\n>>>>>>> branch\n</plist>",
            "the file has conflict markers of a merge (<<<<<<<, =======, >>>>>>>): resolve the conflict"
        ),
        ("<plist a=1><true/></plist>", "the value of an attribute is not in quotation marks"),
        (
            "<plist><true/></plist><plist/>",
            "the file continues after the end of the root element, or the end tag of that element is missing"
        ),
    ])
    func `a syntax error in XML is described by a specific reason`(text: String, reason: String) {
        let error = #expect(throws: PropertyListError.self) { try PlistText.read(text) }
        #expect(error?.reason == reason)
    }

    @Test func `XML values nested deeper than the limit are refused`() throws {
        func nested(_ depth: Int) -> String {
            PlistText.document(
                String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth))
        }

        #expect(try PlistText.read(nested(128)).root.kind == .array)
        #expect(throws: PropertyListError.self) { try PlistText.read(nested(129)) }
        let error = #expect(throws: PropertyListError.self) { try PlistText.read(nested(10_000)) }
        #expect(error?.code == .limitExceeded)
    }

    @Test func `a property list file larger than the size limit is refused`() throws {
        let error = #expect(throws: PropertyListError.self) {
            try PropertyListDocument(
                bytes: Array(PlistText.document("<true/>").utf8), limits: PropertyListLimits(size: 20))
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test func `a property list that declares a few namespaces is read`() throws {
        let text = "<plist xmlns='urn:a' xmlns:b='urn:b'><array xmlns:c='urn:c'><true/></array></plist>"

        #expect(try PlistText.read(text).root.elements.map(\.boolean) == [true])
    }

    @Test func `long comments, instructions and CDATA sections do not exceed the limit for tags`() throws {
        let long = String(repeating: "<a b='c'> ", count: 1_000)
        let text = "<?xml version='1.0'?><!--\(long)--><plist><?x \(long)?><string><![CDATA[\(long)]]></string></plist>"

        #expect(try PlistText.read(text).root.string == long)
    }

    @Test func `UTF-16 with an incomplete surrogate pair is refused`() throws {
        let error = #expect(throws: PropertyListError.self) {
            try PropertyListDocument(bytes: [0xFF, 0xFE, 0x3C, 0x00, 0x00, 0xD8, 0x3E, 0x00])
        }
        #expect(error?.code == .unsupportedEncoding)
    }

    @Test func `an XML property list truncated at any byte is refused`() throws {
        let bytes = Array(Self.small.utf8)
        for count in 0..<(bytes.count - 2) {
            #expect(throws: PropertyListError.self, "cut off after \(count) bytes") {
                try PropertyListDocument(bytes: Array(bytes[..<count]))
            }
        }
    }

    @Test func `an XML property list with any bit flipped is read or refused without a crash`() throws {
        let bytes = Array(Self.small.utf8)
        var refused = 0
        for bit in 0..<(bytes.count * 8) {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            do {
                let root = try PropertyListDocument(bytes: flipped).root
                #expect(root.position.line ?? 0 >= 1)
            } catch {
                #expect(!error.reason.isEmpty)
                refused += 1
            }
        }
        #expect(refused > bytes.count)
    }

    private static let small = PlistText.document(
        "<array><dict><key>a</key><string>é&amp;</string></dict><integer>7</integer><data>aGk=</data></array>")

    /// Returns the same property list as plain XML, as XML with a byte order mark, and in binary form.
    private func inEachForm(_ body: String) throws -> [[UInt8]] {
        let plain = Array(PlistText.document(body).utf8)
        return [
            plain, [0xEF, 0xBB, 0xBF] + plain, try PropertyListDocument(bytes: plain).bytes(as: .binary),
        ]
    }

    @Test(
        arguments: [
            (
                "<array><true/><true/><true/></array>", PropertyListLimits(nodes: 3),
                "the file contains more than 3 keys and values"
            ),
            ("<dict><key>abcde</key><true/></dict>", PropertyListLimits(keyLength: 4), "a key is longer than 4 bytes"),
            ("<string>\u{e9}\u{e9}a</string>", PropertyListLimits(stringLength: 4), "a string is longer than 4 bytes"),
            ("<data>AAECAwQ=</data>", PropertyListLimits(stringLength: 4), "a data value is longer than 4 bytes"),
            (
                "<array><array><array/></array></array>", PropertyListLimits(depth: 2),
                "arrays and dictionaries are nested more than 2 levels deep"
            ),
        ]
    )
    func `the error for an exceeded limit names the limit, and a higher limit accepts the file`(
        body: String, limits: PropertyListLimits, reason: String
    ) throws {
        var wider = limits
        wider.nodes += 1
        wider.keyLength += 1
        wider.stringLength += 1
        wider.depth += 1
        for bytes in try inEachForm(body) {
            let error = #expect(throws: PropertyListError.self) {
                try PropertyListDocument(bytes: bytes, limits: limits)
            }
            #expect(error?.code == .limitExceeded)
            #expect(error?.reason == reason)
            #expect(error?.position != nil)
            _ = try PropertyListDocument(bytes: bytes, limits: wider)
        }
    }
}
