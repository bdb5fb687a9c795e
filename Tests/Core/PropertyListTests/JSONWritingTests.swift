import Foundation
import Testing
import VitrinePropertyList
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct JSONWritingTests {
    private static let text = #"""
        {
          "array" : [
            "a \" \\ / \u0001\u001f\b\t\n\f\r\#u{7f}",
            -9223372036854775808,
            18446744073709551615,
            0.1,
            1.0,
            1e+300,
            true,
            false
          ],
          "empty" : {
            "array" : [],
            "object" : {}
          },
          "expires" : "2030-03-01T00:00:00Z",
          "ключ" : "🗼"
        }

        """#

    @Test func `JSON in the layout of the writer is read and written back byte for byte`() throws {
        let document = try PropertyListDocument(bytes: Array(Self.text.utf8))

        #expect(try String(decoding: document.bytes(as: .json), as: UTF8.self) == Self.text)
    }

    @Test func `a property list is equal after conversion to JSON and back`() throws {
        for name in ["Voyager.plist", "Club.plist", "ProductIDs.plist"] {
            let document = try PropertyListDocument(bytes: Array(Data(contentsOf: Repository.sample(name))))
            let json = try PropertyListDocument(bytes: document.bytes(as: .json))
            let again = try PropertyListDocument(bytes: json.bytes(as: .xml))

            #expect(json.format == .json)
            #expect(json.root == document.root)
            #expect(again.root == document.root)
        }
    }

    @Test func `random property lists are equal after conversion to JSON and back`() throws {
        var generator = SeededGenerator(seed: 56)
        for number in 0..<300 {
            let body = RandomElements.container(depth: 0, &generator)
            let document = try PlistText.read(PlistText.document(body))
            let json = try PropertyListDocument(bytes: document.bytes(as: .json))

            #expect(json.root == document.root, "property list \(number): \(body)")
            #expect(try PropertyListDocument(bytes: json.bytes(as: .xml)).root == document.root)
            #expect(try json.bytes(as: .json) == document.bytes(as: .json))
        }
    }

    @Test(arguments: [
        ("<array>▸<data>AA==</data></array>", "JSON has no data"),
        ("<array>▸<real>nan</real></array>", "JSON has no number that is not finite"),
        (
            "<dict><key>changed</key>▸<date>2030-03-01T00:00:00Z</date></dict>",
            "JSON has no dates, except as text under expires, beforeDate and until of a catalog"
        ),
        (
            "<dict><key>userInfo</key><dict><key>until</key>▸<date>2030-03-01T00:00:00Z</date></dict></dict>",
            "JSON has no dates, except as text under expires, beforeDate and until of a catalog"
        ),
        (
            "<dict><key>until</key>▸<string>2030-03-01T00:00:00Z</string></dict>",
            "JSON reads this text under a key of dates as a date; it has to be written as a date first"
        ),
        ("▸<string>a</string>", "a catalog in JSON is an array or an object, but this is a single value"),
    ])
    func `values that JSON cannot represent are refused with their position`(body: String, reason: String) throws {
        let marked = MarkedText(PlistText.document(body))
        let document = try PlistText.read(marked.text)
        let error = #expect(throws: PropertyListError.self) { try document.bytes(as: .json) }

        #expect(error?.code == .notRepresentable)
        #expect(error?.reason == reason)
        #expect(error?.position == marked.positions.first)
    }

    @Test(arguments: [
        "<dict><key>until</key><string>2030-03-01</string></dict>",
        "<dict><key>until</key><array><string>2030-03-01T00:00:00Z</string></array></dict>",
        "<dict><key>userInfo</key><dict><key>until</key><string>2030-03-01T00:00:00Z</string></dict></dict>",
    ])
    func `texts that JSON does not read as dates are equal after conversion to JSON and back`(body: String) throws {
        let document = try PlistText.read(PlistText.document(body))

        #expect(try PropertyListDocument(bytes: document.bytes(as: .json)).root == document.root)
    }

    @Test func `a UID is refused by the JSON writer`() throws {
        let document = try PropertyListDocument(bytes: BinaryFile([0xA1, 1], [0x80, 7]).bytes)
        let error = #expect(throws: PropertyListError.self) { try document.bytes(as: .json) }

        #expect(error?.reason == "JSON has no UIDs")
    }
}

/// Random elements of property lists that JSON can represent.
private enum RandomElements {
    private static let keys = ["a", "é", "e\u{301}", "&lt;b&gt;", "key 😀", "", "userInfo", "\\", "\""]
    private static let texts = ["", "text", " \n\t\"\\/", "\u{7F}\u{2028}", "&amp;😀", "2030-03-01T00:00:00Z", "null"]
    private static let numbers = ["0", "-1", "9223372036854775807", "-9223372036854775808", "18446744073709551615"]
    private static let reals = ["0", "-0.0", "1", "0.1", "1e21", "-1.5e-7", "5e-324", "1.7976931348623157e308"]

    private static let dates = ["2030-03-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]

    static func container(
        depth: Int, isInAppData: Bool = false, _ generator: inout SeededGenerator
    ) -> String {
        let count = Int.random(in: 0...5, using: &generator)
        guard Bool.random(using: &generator) else {
            return "<array>" + (0..<count).map { _ in value(depth, isInAppData, &generator) }.joined() + "</array>"
        }
        var body = "<dict>"
        // Keys of dates have dates, where JSON can represent them.
        if !isInAppData, Int.random(in: 0..<4, using: &generator) == 0 {
            body += "<key>until</key><date>\(dates.randomElement(using: &generator) ?? "")</date>"
        }
        for _ in 0..<count {
            let key = keys.randomElement(using: &generator) ?? ""
            body += "<key>\(key)</key>" + value(depth, isInAppData || key == "userInfo", &generator)
        }
        return body + "</dict>"
    }

    private static func value(_ depth: Int, _ isInAppData: Bool, _ generator: inout SeededGenerator) -> String {
        switch Int.random(in: 0..<(depth < 5 ? 7 : 4), using: &generator) {
        case 0: return "<string>\(texts.randomElement(using: &generator) ?? "")</string>"
        case 1: return "<integer>\(numbers.randomElement(using: &generator) ?? "")</integer>"
        case 2: return "<real>\(reals.randomElement(using: &generator) ?? "")</real>"
        case 3: return Bool.random(using: &generator) ? "<true/>" : "<false/>"
        default: return container(depth: depth + 1, isInAppData: isInAppData, &generator)
        }
    }
}
