import Foundation
import Testing
import VitrinePropertyList
import VitrineTestSupport

@Suite(.hangLimit) struct PropertyListReadingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        let expected: String

        init(_ id: String, _ text: String, _ expected: String = "") {
            (testDescription, self.text, self.expected) = (id, text, expected)
        }
    }

    @Test func `every element type of an XML property list is read as a value of the matching kind`() throws {
        let root = try PlistText.read(
            PlistText.document(
                """
                <dict>
                <key>string</key><string>Olá</string>
                <key>empty</key><string/>
                <key>integer</key><integer> 42 </integer>
                <key>negative</key><integer>-9223372036854775808</integer>
                <key>large</key><integer>18446744073709551615</integer>
                <key>hexadecimal</key><integer>0xFF</integer>
                <key>real</key><real>1.5e3</real>
                <key>infinite</key><real>-inf</real>
                <key>true</key><true/>
                <key>false</key><false></false>
                <key>date</key><date>2024-02-29T23:59:59Z</date>
                <key>distantPast</key><date>0000-12-30T00:00:00Z</date>
                <key>data</key><data>
                aGVs bG8=
                </data>
                <key>array</key><array><string>a</string><array/></array>
                </dict>
                """)
        ).root

        #expect(root.kind == .dictionary)
        #expect(root["string"]?.string == "Olá")
        #expect(root["empty"]?.string == "")
        #expect(root["integer"]?.integer == 42)
        #expect(root["negative"]?.integer == Int.min)
        #expect(root["large"]?.unsignedInteger == UInt64.max)
        #expect(root["large"]?.integer == nil)
        #expect(root["hexadecimal"]?.integer == 255)
        #expect(root["real"]?.real == 1_500)
        #expect(root["infinite"]?.real == -Double.infinity)
        #expect(root["true"]?.boolean == true)
        #expect(root["false"]?.boolean == false)
        #expect(root["date"]?.date == Date(timeIntervalSince1970: 1_709_251_199))
        #expect(root["distantPast"]?.date == .distantPast)
        #expect(root["data"]?.data == Data("hello".utf8))
        #expect(root["array"]?.elements.map(\.kind) == [.string, .array])
        #expect(root["string"]?.integer == nil)
        #expect(root["missing"] == nil)
    }

    @Test(
        arguments: [
            Case("CDATA", "<string><![CDATA[a <b> & c]]></string>", "a <b> & c"),
            Case("predefined entities", "<string>&lt;&amp;&gt;&quot;&apos;</string>", "<&>\"'"),
            Case("character references", "<string>&#65;&#x1F600;</string>", "A😀"),
            Case("comments and instructions inside", "<string>a<!-- no -->b<?no no?>c</string>", "abc"),
            Case("white space is kept", "<string> a\n b </string>", " a\n b "),
            Case("CR LF becomes LF", "<string>a\r\nb</string>", "a\nb"),
        ]
    )
    func `strings with CDATA, entities, comments and white space are read according to XML`(_ test: Case) throws {
        #expect(try PlistText.read(PlistText.document(test.text)).root.string == test.expected)
    }

    @Test func `both entries of a repeated key are read, and the last value is used`() throws {
        let root = try PlistText.read(
            PlistText.document("<dict><key>a</key><true/><key>b</key><true/><key>a</key><false/></dict>")
        ).root

        #expect(root.entries.map(\.key) == ["a", "b", "a"])
        #expect(root["a"]?.boolean == false)
    }

    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian])
    func `XML in UTF-16 with a byte order mark is read`(encoding: String.Encoding) throws {
        let mark: [UInt8] = encoding == .utf16LittleEndian ? [0xFF, 0xFE] : [0xFE, 0xFF]
        let text = PlistText.document("<string>Köln 😀</string>").replacing("UTF-8", with: "UTF-16")
        let bytes = mark + (try #require(text.data(using: encoding)))

        #expect(try PropertyListDocument(bytes: bytes).root.string == "Köln 😀")
    }

    @Test func `a UTF-8 byte order mark is not counted in positions of the first line`() throws {
        let document = try PropertyListDocument(
            bytes: [0xEF, 0xBB, 0xBF] + Array("<plist><true/></plist>".utf8))

        #expect(document.root.position == SourcePosition(line: 1, column: 8))
    }

    @Test(
        arguments: [
            Case("indentation with tabs", "<plist>\n\t<array>\n\t\t▸<true/>\n\t</array>\n</plist>"),
            Case("CR LF", "<plist>\r\n<array>\r\n  ▸<true/></array></plist>"),
            Case("letters of several bytes before it", "<plist><!-- äöü😀 --><array>▸<true/></array></plist>"),
            Case("attributes with >", "<plist><array>▸<true a='>'/></array></plist>"),
            Case("a line far down", "<plist><array>\(String(repeating: "\n", count: 70_000))▸<true/></array></plist>"),
            Case("CDATA with < before it", "<plist><array><!-- < -->▸<true/></array></plist>"),
        ]
    )
    func `the position of a value is the line and column of its element, counted in Unicode scalars`(_ test: Case)
        throws
    {
        let marked = MarkedText(test.text)
        let value = try #require(PlistText.read(marked.text).root.elements.first)
        #expect(value.position == marked.positions[0])
    }

    @Test func `positions in a line of a million characters are counted in Unicode scalars`() throws {
        let element = "<string>äöü😀</string>"
        let document = try PlistText.read(
            "<plist><array>" + String(repeating: element, count: 50_000) + "</array></plist>")
        let elements = document.root.elements

        #expect(elements.count == 50_000)
        for index in stride(from: 0, to: 50_000, by: 777) {
            #expect(elements[index].position == SourcePosition(line: 1, column: 15 + index * 21))
        }
    }

    @Test func `keys and values of a property list dictionary have separate positions`() throws {
        let marked = MarkedText("<plist><dict>\n▸<key>a</key>\n▸<true/></dict></plist>")
        let entry = try #require(PlistText.read(marked.text).root.entries.first)

        #expect([entry.keyPosition, entry.value.position] == marked.positions)
    }

    @Test func `property list values are equal by content, regardless of position and key order`() throws {
        let one = try PlistText.read(
            PlistText.document("<dict><key>a</key><integer>1</integer><key>b</key><true/></dict>"))
        let other = try PlistText.read(
            PlistText.document("<dict><key>b</key><true/>\n<key>a</key><integer>01</integer></dict>"))
        let third = try PlistText.read(PlistText.document("<dict><key>b</key><true/></dict>"))

        #expect(one.root == other.root)
        #expect(one.root != third.root)
    }
}
