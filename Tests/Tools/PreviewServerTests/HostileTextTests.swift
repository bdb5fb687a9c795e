import Foundation
import Testing
import VitrineShopPreview
import VitrineTestSupport

@testable import VitrinePreviewServer

/// Texts of a catalog, which a page shows as text even if they contain markup.
struct HostileTextTests {
    struct Text: Sendable, CustomTestStringConvertible {
        let id: String
        let text: String

        var testDescription: String { id }
    }

    static let texts: [Text] = [
        Text(id: "an element", text: "<script src=x>alert(1)</script>"),
        Text(id: "an image", text: "<img src=x onerror=alert(1)>"),
        Text(id: "the end of an attribute", text: "\" onmouseover=\"alert(1)\" x=\""),
        Text(id: "the end of an attribute in single quotation marks", text: "' onmouseover='alert(1)"),
        Text(id: "a quotation mark with a combining mark", text: "\"\u{301} autofocus onfocus=alert(1) x="),
        Text(id: "an angle bracket with a combining mark", text: "<\u{301}b>bold</b>"),
        Text(id: "an ampersand with a joiner", text: "&\u{200D}lt;b>"),
        Text(id: "entities", text: "&lt;script&gt;&#60;b&#62;&quot;"),
        Text(id: "the ends of elements", text: "</bdi></h3></article></main></title></style></script>"),
        Text(id: "a comment", text: "<!-- --> --!> <![CDATA[ ]]>"),
        Text(id: "a template", text: "{{#cards}}{{>page}}{{{identifier}}}{{/cards}}"),
        Text(id: "from right to left", text: "\u{202E}evil\u{2066}שלום\u{200F}مرحبا"),
        Text(id: "emoji", text: "👩‍👩‍👧‍👦🇯🇵🏳️‍🌈🧑🏽‍🚀"),
        Text(id: "10,000 characters", text: String(repeating: "Wide <b>", count: 1_250)),
        Text(id: "one character of 10,000 marks", text: "e" + String(repeating: "\u{301}", count: 10_000)),
        Text(id: "an address", text: "javascript:alert(1)"),
    ]

    @Test(arguments: texts)
    func `hostile titles and descriptions are shown as text and not as markup`(_ text: Text) async throws {
        let plain = try await Markup(page(of: "Plain"))
        let hostile = try await Markup(page(of: text.text))
        #expect(
            Set(hostile.elements).subtracting(plain.elements) == [], "an element or an attribute comes from the text")
        let beginning = Data(String(String.UnicodeScalarView(text.text.unicodeScalars.prefix(60))).utf8)
        #expect(Data(hostile.text.utf8).firstRange(of: beginning) != nil)
    }

    @Test(arguments: texts)
    func `hostile titles are text in the thumbnail of a scene`(_ text: Text) async throws {
        let plain = try await Markup(thumbnail(of: "Plain"))
        let hostile = try await Markup(thumbnail(of: text.text))
        #expect(Set(hostile.elements).subtracting(plain.elements) == [])
        #expect(!hostile.text.unicodeScalars.contains { $0 == "\u{FFFE}" || $0 == "\u{FFFF}" })
    }

    private func thumbnail(of text: String) async throws -> String {
        try await ServedPreview.run(catalog: catalog(of: text)) { preview in
            try await preview.shop.save(scene: "Scene", view: PreviewView())
            return try await preview.send("GET", "thumbnail?scene=Scene").body
        }
    }

    /// Returns a text with escaped characters, as the content of a property list element.
    static func escaped(_ text: String) -> String {
        [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")].reduce(text) { text, change in
            text.replacingOccurrences(of: change.0, with: change.1, options: .literal)
        }
    }

    private func page(of text: String) async throws -> String {
        try await ServedPreview.run(catalog: catalog(of: text)) { try await $0.send().body }
    }

    /// Returns a catalog whose only product has a title and a description.
    private func catalog(of text: String) -> String {
        let escaped = Self.escaped(text)
        return PlistText.document(
            """
            <array><dict><key>productIdentifier</key><string>com.example.hostile</string><key>consumable</key><false/>
            <key>productTitle</key><string>\(escaped)</string><key>longDescription</key><string>\(escaped)</string></dict></array>
            """)
    }

    @Test func `each markup character is escaped, even before a combining mark`() {
        let text = PageText().escapeText("<\u{301}>\u{301}&\u{301}\"\u{301}'\u{301}")
        #expect(
            text.unicodeScalars.elementsEqual(
                "&lt;\u{301}&gt;\u{301}&amp;\u{301}&quot;\u{301}&#39;\u{301}".unicodeScalars))
    }

    @Test func `control characters and noncharacters in page texts are replaced, except tabs and line breaks`() {
        #expect(
            PageText().escapeText("a\u{0}b\u{1B}c\u{7F}d\u{9B}e\tf\ng\u{FFFE}\u{FFFF}")
                == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}e\tf\ng\u{FFFD}\u{FFFD}")
    }

    @Test func `page templates write no unescaped text`() {
        for (name, bytes) in PageTemplates.sources {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("{{{") && !text.contains("{{&"), "\(name)")
            #expect(text.matches(of: /\s(on[a-z]+|style)=/).isEmpty, "\(name)")
            #expect(text.matches(of: /\s[a-z-]+=\{\{/).isEmpty, "\(name): an attribute without quotation marks")
        }
    }

    @Test(arguments: [
        ("fits", "Lisbon", 40.0, "Lisbon"), ("is too long", "Lisbon Guide", 40, "Lisbon …"),
        ("is wide", "東京ガイド", 40, "東京ガ…"), ("is of emoji", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 30, "👩‍👩‍👧‍👦👩‍👩‍👧‍👦…"), ("has no room", "Lisbon", 2, "…"),
    ])
    func `a text of a thumbnail that is too wide is cut between characters`(
        id: String, text: String, width: Double, fitted: String
    ) {
        #expect(SceneThumbnail.fitted(text, width, 5) == fitted)
    }

    @Test func `the initial of a title is its first visible character`() {
        #expect(CardValues.initial("lisbon") == "L")
        #expect(CardValues.initial("\u{202E}\u{2066} שלום") == "ש")
        #expect(CardValues.initial("👩‍👩‍👧‍👦 family") == "👩‍👩‍👧‍👦")
        #expect(CardValues.initial("e" + String(repeating: "\u{301}", count: 10_000)) == "e")
        #expect(CardValues.initial("") == "" && CardValues.initial(" \u{200B}") == "")
    }

    @Test func `a long text is shortened to a number of bytes without splitting a character`() {
        #expect("👩‍👩‍👧‍👦👩‍👩‍👧‍👦".shortened(to: 30) == "👩‍👩‍👧‍👦…")
        #expect("שלום🇯🇵🇯🇵".shortened(to: 21) == "שלום🇯🇵…")
        let marks = String(repeating: "\u{301}", count: 10)
        #expect(("abcdefgh" + "e" + marks).shortened(to: 12) == "abcdefgh…")
        #expect(("e" + marks).shortened(to: 5) == "e\u{301}\u{301}…")
        #expect("abc".shortened(to: 3) == "abc")
        #expect("abcd".shortened(to: 3) == "abc…")
        #expect("aé".shortened(to: 2) == "a…")
    }
}

/// Elements and texts of a page that tests of escaping need.
private struct Markup {
    /// Tags with the names of their attributes, in order.
    var elements: [String] = []
    var text = ""

    init(_ page: String) {
        var rest = page.unicodeScalars[...]
        while let start = rest.firstIndex(of: "<") {
            text.unicodeScalars.append(contentsOf: rest[..<start])
            rest = rest[start...].dropFirst()
            var (tag, quote) = (String.UnicodeScalarView(), nil as Unicode.Scalar?)
            while let scalar = rest.popFirst() {
                if let open = quote {
                    if scalar == open { quote = nil }
                } else if scalar == "\"" || scalar == "'" {
                    quote = scalar
                } else if scalar == ">" {
                    break
                } else {
                    tag.append(scalar)
                }
            }
            elements.append(String(tag))
        }
        text.unicodeScalars.append(contentsOf: rest)
        for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
            text = text.replacingOccurrences(of: entity, with: character, options: .literal)
        }
    }
}
