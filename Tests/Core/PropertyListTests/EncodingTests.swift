import Foundation
import Testing
import VitrinePropertyList
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct EncodingTests {
    private static let text =
        "<plist><array><string>Führer</string><string>東京</string><string>🗼</string></array></plist>"

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let declaration: String
        let mark: [UInt8]
        let encoding: String.Encoding
    }

    @Test(arguments: [
        Case(testDescription: "UTF-8", declaration: "", mark: [], encoding: .utf8),
        Case(testDescription: "UTF-8 with a mark", declaration: "", mark: [0xEF, 0xBB, 0xBF], encoding: .utf8),
        Case(
            testDescription: "UTF-16, little end first, with a mark", declaration: "", mark: [0xFF, 0xFE],
            encoding: .utf16LittleEndian),
        Case(
            testDescription: "UTF-16, big end first, with a mark", declaration: "UTF-16", mark: [0xFE, 0xFF],
            encoding: .utf16BigEndian),
        Case(
            testDescription: "UTF-16, little end first", declaration: "UTF-16", mark: [], encoding: .utf16LittleEndian),
        Case(testDescription: "UTF-16, big end first", declaration: "UTF-16", mark: [], encoding: .utf16BigEndian),
        Case(testDescription: "UTF-16 without declaration", declaration: "", mark: [], encoding: .utf16BigEndian),
        Case(
            testDescription: "UTF-32, little end first, with a mark", declaration: "", mark: [0xFF, 0xFE, 0, 0],
            encoding: .utf32LittleEndian),
        Case(
            testDescription: "UTF-32, big end first, with a mark", declaration: "", mark: [0, 0, 0xFE, 0xFF],
            encoding: .utf32BigEndian),
        Case(
            testDescription: "UTF-32, little end first", declaration: "UTF-32", mark: [], encoding: .utf32LittleEndian),
        Case(testDescription: "UTF-32, big end first", declaration: "UTF-32", mark: [], encoding: .utf32BigEndian),
    ])
    func `XML in UTF-8, UTF-16 and UTF-32 is read with the same text and positions`(_ test: Case) throws {
        let declaration = test.declaration.isEmpty ? "" : "<?xml version='1.0' encoding='\(test.declaration)'?>\n"
        let data = try #require((declaration + Self.text).data(using: test.encoding))
        let root = try PropertyListDocument(bytes: test.mark + Array(data)).root

        #expect(root.elements.map(\.string) == ["Führer", "東京", "🗼"])
        let line = declaration.isEmpty ? 1 : 2
        #expect(root.elements[1].position == SourcePosition(line: line, column: 38))
        #expect(root.elements[2].position == SourcePosition(line: line, column: 57))
    }

    @Test(
        arguments: [
            ("ISO-8859-1", [0x46, 0xFC, 0x68, 0x72, 0x65, 0x72], "Führer"),
            ("iso-8859-15", [0xA4], "€"),
            ("windows-1252", [0x80, 0x93], "€“"),
            ("Shift_JIS", [0x93, 0x8C, 0x8B, 0x9E], "東京"),
            ("EUC-JP", [0xC5, 0xEC, 0xB5, 0xFE], "東京"),
            ("KOI8-R", [0xED], "М"),
            ("macintosh", [0x8A], "ä"),
            ("US-ASCII", [0x61], "a"),
        ] as [(String, [UInt8], String)]
    )
    func `XML is decoded with the encoding that it declares`(name: String, bytes: [UInt8], string: String) throws {
        let head = Array("<?xml version=\"1.0\" encoding=\"\(name)\"?><plist><array><string>".utf8)
        let tail = Array("</string><integer>7</integer></array></plist>".utf8)
        let root = try PropertyListDocument(bytes: head + bytes + tail).root

        #expect(root.elements.first?.string == string)
        #expect(root.elements.last?.position.column == head.count + string.unicodeScalars.count + 10)
    }

    @Test(
        arguments: [
            ("Shift_JIS", [0x93]), ("EUC-JP", [0xFF, 0xFF]), ("UTF-7", [0x2B, 0xFF]), ("UCS-4", [0x61]),
            ("UTF-32", [0x61]), ("EBCDIC", [0x61]), ("", [0x61]), ("../../etc/passwd", [0x61]),
        ] as [(String, [UInt8])]
    )
    func `XML that does not match its declared encoding, or declares an unknown one, is refused`(
        name: String, bytes: [UInt8]
    ) {
        let text =
            Array("<?xml version=\"1.0\" encoding=\"\(name)\"?><plist><string>".utf8) + bytes
            + Array("</string></plist>".utf8)
        let error = #expect(throws: PropertyListError.self) { try PropertyListDocument(bytes: text) }

        #expect(
            error.map { [.unsupportedEncoding, .malformedXML].contains($0.code) } == true,
            "\(String(describing: error))")
    }

    @Test(
        arguments: [
            [0xFF, 0xFE, 0x3C], [0xFF, 0xFE, 0x3C, 0, 0, 0xD8, 0x3E, 0], [0xFF, 0xFE, 0, 0, 0x3C],
            [0, 0, 0xFE, 0xFF, 0, 0x11, 0, 0], [0x3C, 0, 0x70], [0, 0x3C, 0, 0x70, 0xD8, 0],
        ] as [[UInt8]]
    )
    func `XML with an incomplete or invalid UTF-16 or UTF-32 character is refused`(bytes: [UInt8]) {
        let error = #expect(throws: PropertyListError.self) { try PropertyListDocument(bytes: bytes) }
        #expect(error?.code == .unsupportedEncoding || error?.code == .malformedXML)
    }

    @Test(
        arguments: [
            ([0x1F, 0x8B, 0x08], "compressed with gzip"), ([0x50, 0x4B, 0x03, 0x04], "a zip archive"),
            ([0x28, 0xB5, 0x2F, 0xFD], "compressed with zstd"),
            (Array("{ a = 1; }".utf8), "an old-style property list"),
            (Array("(a, b)".utf8), "an old-style property list"),
            (Array("// !$*UTF8*$!\n{}".utf8), "an old-style property list"),
            (Array("<0fbd77>".utf8), "an old-style property list"),
            (Array("<!DOCTYPE html><html>".utf8), "an HTML page"),
            (Array("  <HTML>".utf8), "an HTML page"), (Array("hello".utf8), "plain text"),
            (Array("\u{89}PNG\r\n".unicodeScalars.map { UInt8($0.value) }), "an image"),
            ([0xFF, 0xD8, 0xFF, 0xE0], "an image"),
            (Array("GIF89a".utf8), "an image"), (Array("RIFF1234WEBPVP8 ".utf8), "an image"),
            (Array(" \n".utf8), "empty except for white space"),
        ] as [([UInt8], String)]
    )
    func `the error for an unsupported file format names the format`(bytes: [UInt8], name: String) {
        let error = #expect(throws: PropertyListError.self) { try PropertyListDocument(bytes: bytes) }

        #expect(error?.code == .unsupportedFormat)
        #expect(error?.reason.hasPrefix("the file is \(name)") == true, "\(error?.reason ?? "")")
    }
}
