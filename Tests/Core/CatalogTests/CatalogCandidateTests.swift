import Foundation
import Testing
import VitrineCatalog
import VitrinePropertyList
import VitrineTestSupport

/// Files that are catalogs, and those that are passed over among others.
@Suite(.hangLimit) struct CatalogCandidateTests {
    enum Expected: Sendable, Equatable {
        case catalog, damaged, propertyList, empty, pointer, template, oldStyle, unreadable, tooLarge, undecodableName

        init(_ candidate: CatalogCandidate) {
            self =
                switch candidate {
                case .catalog: .catalog
                case .damagedCatalog: .damaged
                case .other(.propertyList): .propertyList
                case .other(.empty): .empty
                case .other(.pointer): .pointer
                case .other(.template): .template
                case .other(.oldStyle): .oldStyle
                case .other(.unreadable): .unreadable
                case .other(.tooLarge): .tooLarge
                case .other(.undecodableName): .undecodableName
                }
        }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let text: String
        let expected: Expected
    }

    private static let product =
        "<dict><key>productIdentifier</key><string>a.b</string><key>consumable</key><false/></dict>"
    private static let info = "<dict><key>CFBundleName</key><string>App</string></dict>"

    @Test(arguments: [
        Case(testDescription: "a catalog", text: PlistText.document("<array>\(product)</array>"), expected: .catalog),
        Case(
            testDescription: "a catalog with a misspelled key at its root",
            text: PlistText.document("<dict><key>prodcts</key><array>\(product)</array></dict>"), expected: .catalog),
        Case(testDescription: "an Info.plist", text: PlistText.document(info), expected: .propertyList),
        Case(testDescription: "no byte", text: "", expected: .empty),
        Case(testDescription: "white space", text: "\u{FEFF} \n\n", expected: .empty),
        Case(
            testDescription: "a pointer of Git LFS",
            text: "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 12345\n", expected: .pointer),
        Case(
            testDescription: "an old-style dictionary", text: "{\n    CFBundleName = App;\n}\n", expected: .oldStyle),
        Case(testDescription: "an old-style array", text: "(Apple, Pear)", expected: .oldStyle),
        Case(testDescription: "old-style texts", text: "/* Texts */\n{ title = \"Hello\"; }", expected: .oldStyle),
        Case(testDescription: "old-style texts after a line", text: "// !$*UTF8*$!\n{ a = b; }", expected: .oldStyle),
        Case(
            testDescription: "a template with a condition",
            text: PlistText.document("<dict>\n  {% if name %}\n<key>CFBundleName</key>{% endif %}</dict>"),
            expected: .template),
        Case(
            testDescription: "a template of products with a loop",
            text: PlistText.document(
                "<array>\n  {% for p in products %}<dict><key>productIdentifier</key></dict>{% endfor %}</array>"),
            expected: .template),
        Case(
            testDescription: "a template that begins with an instruction",
            text: "{{#ios}}<plist><dict/></plist>{{/ios}}",
            expected: .template),
        Case(
            testDescription: "a catalog that is cut off, with a placeholder at the beginning of a line",
            text: "<plist><array><dict><key>productIdentifier</key><string>Hi\n{{name}} you</string>",
            expected: .damaged),
        Case(
            testDescription: "a number that the build sets",
            text: PlistText.document("<dict><key>CFBundleVersion</key><integer>$(BUILD)</integer></dict>"),
            expected: .template),
        Case(
            testDescription: "two hyphens in a comment",
            text: PlistText.document("<!-- a -- b --><dict><key>CFBundleName</key><string>App</string></dict>"),
            expected: .unreadable),
        Case(testDescription: "a file that is cut off", text: "<plist><array>", expected: .unreadable),
        Case(testDescription: "plain text", text: "just text", expected: .unreadable),
        Case(
            testDescription: "a catalog that is cut off",
            text: "<plist><array><dict><key>productIdentifier</key><string>a.b</string>", expected: .damaged),
        Case(
            testDescription: "a catalog with two hyphens in a comment",
            text: PlistText.document("<!-- old -- new --><array>\(product)</array>"), expected: .damaged),
        Case(
            testDescription: "a catalog in the middle of a merge",
            text: "<<<<<<< HEAD\n" + PlistText.document("<array>\(product)\n=======\n</array>"), expected: .damaged),
        Case(
            testDescription: "a catalog with a placeholder in a text that is not escaped",
            text: PlistText.document(
                "<array><dict><key>productIdentifier</key><string>a</string><key>productTitle</key>"
                    + "<string>Hello {{name}} & all</string></dict></array>"), expected: .damaged),
        Case(
            testDescription: "a list of identifiers that is cut off",
            text: "<plist><array><string>com.example.gold</string>", expected: .damaged),
        Case(
            testDescription: "a catalog of MKStoreKit that is cut off",
            text: "<plist><dict><key>Consumables</key><dict><key>a</key><dict><key>ConsumableId</key>",
            expected: .damaged),
        Case(
            testDescription: "a catalog in JSON", text: #"[{"productIdentifier": "a.b", "consumable": false}]"#,
            expected: .catalog),
        Case(
            testDescription: "a catalog in JSON with a comma at its end",
            text: #"[{"productIdentifier": "a.b", "consumable": false},]"#, expected: .damaged),
        Case(
            testDescription: "a catalog in JSON after comments",
            text: "/* Shop */\n// Coins\n[{\"productIdentifier\": \"a.b\", \"consumable\": true}]", expected: .damaged),
        Case(
            testDescription: "a catalog in JSON with a comment before its first key",
            text: "{ // Shop\n\"products\": [{\"productIdentifier\": \"a.b\"}]}", expected: .damaged),
        Case(testDescription: "settings in JSON after a comment", text: "// a\n{ \"b\": 1 }", expected: .unreadable),
        Case(
            testDescription: "old-style texts with a comment before the first key",
            text: "{ /* Texts */ \"title\" = \"Hello\"; }", expected: .oldStyle),
        Case(testDescription: "a comment without an end", text: "/* Texts {", expected: .oldStyle),
        Case(testDescription: "JSON of something else", text: #"{"name": "app"}"#, expected: .propertyList),
        Case(
            testDescription: "JSON of something else with a comment", text: "{\n  // options\n  \"strict\": true\n}",
            expected: .unreadable),
        Case(
            testDescription: "more bytes than a catalog may have", text: String(repeating: " ", count: 16_777_217),
            expected: .tooLarge),
    ])
    func `a file is taken for a catalog by its content, also if it has a mistake or cannot be read`(_ test: Case) {
        #expect(Expected(CatalogCandidate(Array(test.text.utf8))) == test.expected)
    }

    @Test func `a binary property list that is cut off is a damaged catalog if it has keys of catalogs`() throws {
        func cut(_ body: String) throws -> Expected {
            let bytes = try PlistText.read(PlistText.document(body)).bytes(as: .binary)
            return Expected(CatalogCandidate(Array(bytes.dropLast(8))))
        }
        #expect(try cut("<array>\(Self.product)</array>") == .damaged)
        #expect(try cut(Self.info) == .unreadable)
    }

    @Test(arguments: [
        ("Shop.plist", true), ("SHOP.PLIST", true), (".plist", false), ("Shop.plist.tmpl", false), ("plist", false),
        ("Shop.xml", false), ("Shop.json", true),
    ])
    func `a file may be a catalog only if its name has an extension of catalogs`(name: String, mayBe: Bool) {
        #expect(CatalogCandidate.mayBe(fileName: name) == mayBe)
    }
}
