import Foundation
import Testing
import VitrinePropertyList
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct WritingTests {
    private static let xml = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>array</key>
        \t<array>
        \t\t<string>a &amp; &lt;b&gt; "c"&#13;
        \td</string>
        \t\t<integer>-9223372036854775808</integer>
        \t\t<integer>18446744073709551615</integer>
        \t\t<real>0.1</real>
        \t\t<real>1</real>
        \t\t<real>1e+300</real>
        \t\t<real>nan</real>
        \t\t<real>-infinity</real>
        \t\t<true/>
        \t\t<false/>
        \t\t<date>2026-01-31T12:00:00Z</date>
        \t\t<date>0001-01-01T00:00:00Z</date>
        \t\t<date>0000-12-30T00:00:00Z</date>
        \t\t<date>9999-12-31T23:59:59Z</date>
        \t\t<string></string>
        \t</array>
        \t<key>data</key>
        \t<data>
        \tAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEy
        \tMzQ1Njc4OTo7PD0+Pw==
        \t</data>
        \t<key>empty</key>
        \t<dict>
        \t\t<key>array</key>
        \t\t<array/>
        \t\t<key>data</key>
        \t\t<data>
        \t\t</data>
        \t\t<key>dict</key>
        \t\t<dict/>
        \t</dict>
        \t<key>ключ</key>
        \t<string>🗼</string>
        </dict>
        </plist>

        """

    @Test func `XML in the layout of the writer is read and written back byte for byte`() throws {
        let document = try PlistText.read(Self.xml)

        #expect(String(decoding: try document.bytes(as: .xml), as: UTF8.self) == Self.xml)
    }

    @Test func `a property list converted to binary and back to XML is unchanged`() throws {
        let document = try PlistText.read(Self.xml)
        let binary = try PropertyListDocument(bytes: document.bytes(as: .binary))

        #expect(binary.format == .binary)
        #expect(binary.root["array"]?.elements.count == 15)
        #expect(String(decoding: try binary.bytes(as: .xml), as: UTF8.self) == Self.xml)
        #expect(try binary.bytes(as: .binary) == document.bytes(as: .binary))
    }

    @Test func `key order and overridden duplicate keys do not affect the bytes of a written property list`() throws {
        let one = try PlistText.read(
            PlistText.document("<dict><key>b</key><true/><key>a</key><integer>1</integer></dict>"))
        let other = try PlistText.read(
            PlistText.document(
                "<dict><key>a</key><false/><key>a</key><integer>1</integer><key>b</key><true/></dict>"))

        for format in PropertyListFormat.allCases {
            #expect(try one.bytes(as: format) == other.bytes(as: format))
        }
    }

    @Test func `composed and decomposed accents remain different in keys and strings of a property list`() throws {
        let document = try PlistText.read(
            PlistText.document(
                "<dict><key>caf\u{e9}</key><string>caf\u{e9}</string><key>cafe\u{301}</key><string>cafe\u{301}</string></dict>"
            ))

        for format in PropertyListFormat.allCases {
            let again = try PropertyListDocument(bytes: document.bytes(as: format))
            #expect(again.root == document.root)
            #expect(again.root.entries.map { $0.key.utf8.count } == [6, 5])
            #expect(again.root.entries.map { $0.value.string?.utf8.count } == [6, 5])
        }
    }

    @Test func `property list content created in code is written like a document that was read`() throws {
        let content = PropertyListContent.dictionary([
            "text": .string("a & <b> \"c\"\r"), "é": .string(""), "number": .integer(-5), "yes": .boolean(true),
            "no": .boolean(false), "none": .array([]), "nothing": .dictionary([:]),
            "list": .array([.dictionary(["b": .integer(1), "a": .string("x")]), .array([.string("y")])]),
        ])
        let bytes = try content.bytes()

        #expect(try PropertyListDocument(bytes: bytes).bytes(as: .xml) == bytes)
        let root = try PropertyListDocument(bytes: bytes).root
        #expect(root["text"]?.string == "a & <b> \"c\"\r")
        #expect(root["é"]?.string == "")
        #expect(root["number"]?.integer == -5)
        #expect([root["yes"]?.boolean, root["no"]?.boolean] == [true, false])
        #expect([root["none"]?.count, root["nothing"]?.count] == [0, 0])
        #expect(root["list"]?.elements.first?["b"]?.integer == 1)
        #expect(throws: PropertyListError.self) { try PropertyListContent.string("\u{1}").bytes() }
    }

    @Test func `the sample catalogs are equal after conversion to binary and back to XML`() throws {
        for name in ["Voyager.plist", "ProductIDs.plist"] {
            let document = try PropertyListDocument(bytes: Array(Data(contentsOf: Repository.sample(name))))
            let binary = try PropertyListDocument(bytes: document.bytes(as: .binary))
            let again = try PropertyListDocument(bytes: binary.bytes(as: .xml))

            #expect(binary.root == document.root)
            #expect(again.root == document.root)
        }
    }

    @Test func `characters allowed in XML are written and read back, and others are refused with their position`()
        throws
    {
        for scalar in ["\t", "\n", "\r", " ", "\u{7F}", "\u{85}", "\u{D7FF}", "\u{E000}", "\u{FFFD}", "\u{10FFFF}"] {
            let text = Array("a\(scalar)b".utf16).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            let document = try PropertyListDocument(
                bytes: BinaryFile([0x60 | UInt8(text.count / 2)] + text).bytes)
            #expect(try PropertyListDocument(bytes: document.bytes(as: .xml)).root == document.root)
        }
        for object in [[0x51, 0x00], [0x51, 0x1B], [0x61, 0xFF, 0xFE], [0x61, 0xFF, 0xFF]] as [[UInt8]] {
            let document = try PropertyListDocument(bytes: BinaryFile(object).bytes)
            let error = #expect(throws: PropertyListError.self) { try document.bytes(as: .xml) }
            #expect(error?.code == .notRepresentable)
            #expect(error?.position?.byteOffset == 8)
        }
    }

    @Test func `a UID is written as a dictionary in XML and as a UID in binary`() throws {
        let document = try PropertyListDocument(bytes: BinaryFile([0xA1, 1], [0x80, 7]).bytes)

        #expect(try PropertyListDocument(bytes: document.bytes(as: .binary)).root.elements.first?.uid == 7)
        #expect(try PropertyListDocument(bytes: document.bytes(as: .xml)).root.elements.first?["CF$UID"]?.integer == 7)
    }

    @Test func `property list dates have fractions of a second in binary form and whole seconds in XML`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1_234_567.891)
        let bits = (0..<8).reversed().map {
            UInt8(truncatingIfNeeded: date.timeIntervalSinceReferenceDate.bitPattern >> (UInt64($0) * 8))
        }
        let document = try PropertyListDocument(bytes: BinaryFile([0x33] + bits).bytes)

        #expect(document.root.date == date)
        #expect(try PropertyListDocument(bytes: document.bytes(as: .binary)).root.date == date)
        #expect(
            try PropertyListDocument(bytes: document.bytes(as: .xml)).root.date
                == Date(timeIntervalSinceReferenceDate: 1_234_567))
    }

    @Test func `property list dates of all centuries are written and read back unchanged`() throws {
        var day = Date(timeIntervalSince1970: -62_135_596_800)
        let days = (0..<2_000).map { _ in
            defer { day += 1_825 * 86_400 }
            return "<date>\(PropertyListDates.text(day))</date>"
        }
        let document = try PlistText.read(PlistText.document("<array>\(days.joined())</array>"))
        let again = try PropertyListDocument(bytes: document.bytes(as: .xml))

        #expect(again.root == document.root)
        #expect(document.root.elements.last?.date == day - 1_825 * 86_400)
    }
}

/// Dates that are counted day by day from year 1, independently of Foundation's calendar.
private enum PropertyListDates {
    static func text(_ date: Date) -> String {
        var days = Int(date.timeIntervalSince1970 + 62_135_596_800) / 86_400
        var year = 1
        func length(_ year: Int) -> Int { isLeap(year) ? 366 : 365 }
        while days >= length(year) {
            days -= length(year)
            year += 1
        }
        var month = 0
        let lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        while days >= lengths[month] {
            days -= lengths[month]
            month += 1
        }
        return String(format: "%04d-%02d-%02dT00:00:00Z", year, month + 1, days + 1)
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }
}
