import Foundation
import Testing
import VitrinePropertyList
import VitrineSupport
import VitrineTestSupport

/// Two XML readers, which must give the same results: one of our own for plain XML, and libxml2 for the rest. A byte
/// order mark is ignored, does not change positions, and makes a file not plain.
@Suite(.hangLimit) struct EngineTests {
    /// Returns all values of a file with their kinds and positions, or the error.
    private func reading(_ bytes: [UInt8]) -> String {
        do {
            return describe(try PropertyListDocument(bytes: bytes).root)
        } catch {
            return "\(error.code) \(error)"
        }
    }

    private func describe(_ value: PropertyListValue) -> String {
        let content =
            switch value.kind {
            case .array: value.elements.map(describe).joined(separator: ",")
            case .dictionary:
                value.entries.map { "\($0.key)@\($0.keyPosition)=\(describe($0.value))" }.joined(separator: ",")
            case .string: value.string?.debugDescription ?? "?"
            case .integer: value.unsignedInteger.map(String.init) ?? value.integer.map(String.init) ?? "?"
            case .real: "\(value.real ?? 0)"
            case .boolean: "\(value.boolean ?? false)"
            case .date: "\(value.date?.timeIntervalSinceReferenceDate ?? 0)"
            case .data: value.data?.base64EncodedString() ?? "?"
            case .uid: "\(value.uid ?? 0)"
            }
        return "\(value.kind)@\(value.position)(\(content))"
    }

    private func expectSame(_ bytes: [UInt8], _ comment: Comment? = nil) {
        #expect(reading(bytes) == reading([0xEF, 0xBB, 0xBF] + bytes), comment)
    }

    private static let small = Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>é&amp;&#x41;</key> <!-- a – b -->
        \t<array><string/><string>a]b&lt;日本 😀</string><true/><false/><dict/><array/></array>
        \t<key>n</key><integer>-0x10</integer><key>r</key><real>1.5e3</real>
        \t<key>d</key><date>2026-01-31T12:00:00Z</date><key>b</key><data>
        \tAAEC
        \t</data>
        </dict>
        </plist>

        """.utf8)

    @Test func `our XML reader and libxml2 give the same result for a small property list`() {
        #expect(reading(Self.small).hasPrefix("dictionary@4:1(é&A@5:2=array@6:2(string@6:9(\"\"),string@6:18("))
        expectSame(Self.small)
    }

    @Test func `our XML reader and libxml2 give the same result for a file truncated at any byte`() {
        for count in 1..<Self.small.count { expectSame(Array(Self.small[..<count]), "\(count) bytes") }
    }

    @Test func `our XML reader and libxml2 give the same result for a file with any bit flipped`() {
        // A mark contradicts another encoding in the first line, and hides what else begins like the first bytes.
        for index in Self.small.indices.dropFirst(38) {
            for bit in 0..<8 {
                var bytes = Self.small
                bytes[index] ^= 1 << bit
                expectSame(bytes, "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test(arguments: [
        "", "<!---->", "<!-- a -- b -->", "<!--->", "<!-- \u{FFFE} -->", "]]>", "a]]b", "]", "a\rb", "\r\n", "&#13;",
        "&#0;", "&#xD800;", "&#x110000;", "&#x10FFFF;", "&#xFFFE;", "&#;", "&#x;", "&#1", "&amp", "&nbsp;",
        "&apos;&quot;&gt;",
        "\u{FFFE}", "\u{7F}\u{85}", "<![CDATA[x]]>", "<?pi?>", "<string>x</string>", "<b/>", "\u{0}", "\u{1}", "\t\n",
        "&#00000000000000000000000065;", "&#x1F600;",
    ])
    func `our XML reader and libxml2 give the same result for unusual text in each element`(_ text: String) {
        for element in ["string", "key", "integer", "real", "date", "data"] {
            let body =
                element == "key"
                ? "<dict><key>\(text)</key><true/></dict>" : "<\(element)>\(text)</\(element)>"
            expectSame(Array(PlistText.document(body).utf8), "in <\(element)>")
        }
        expectSame(Array(PlistText.document("<array>\(text)</array>").utf8), "in <array>")
    }

    @Test(arguments: [
        "<plist><true/></plist>", "<plist ><true/></plist>", "<plist version='1.0'><true/></plist>",
        "<plist version=\"2.0\"><true/></plist>", "<plist><true></true></plist>", "<plist><true /></plist>",
        "<plist><string >a</string ></plist>", "<plist><dict><key/><true/></dict></plist>", "<plist><integer/></plist>",
        "<plist><data/></plist>", "<plist><true/></plist>x", "<plist><true/></plist><!-- a -->", "<plist/>",
        "<plist></plist>",
        "<true/>", "<plist><true/><true/></plist>", "<plist><dict><true/></dict></plist>",
        "<plist><key>a</key></plist>",
        "<plist><dict><key>a</key></dict></plist>", "<plist><dict><key>a</key><key>b</key></dict></plist>",
        "<plist><array></dict></plist>", "<plist><array></plist>", "<plist><plist/></plist>",
        "<?xml version=\"1.1\"?><plist><true/></plist>", "<?xml version=\"1.0\"?><!-- a --><plist><true/></plist>",
        " <plist><true/></plist>", "<!DOCTYPE plist><plist><true/></plist>",
        "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><true/></plist>",
    ])
    func `our XML reader and libxml2 give the same result for unusual document structures`(_ text: String) {
        expectSame(Array(text.utf8))
    }

    @Test(.enabled(if: Repository.corpus("plists") != nil, "the corpus is not here"))
    func `our XML reader and libxml2 give the same result for every XML file of the corpus`() throws {
        var compared = 0
        for folder in ["plists", "plist-conformance"] {
            for file in try Repository.corpusFiles(below: folder) {
                let bytes = Array(try Data(contentsOf: file))
                let head = String(decoding: bytes.prefix(100), as: UTF8.self).lowercased()
                // What says that it has another encoding contradicts the mark.
                let isUTF8 = !head.contains("encoding=") || head.contains("utf-8")
                guard head.hasPrefix("<?xml") || head.hasPrefix("<plist"), isUTF8 else { continue }
                compared += 1
                expectSame(bytes, "\(file.lastPathComponent)")
            }
        }
        #expect(compared > 100)
    }
}
