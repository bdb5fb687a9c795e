import Foundation
import ProductCatalog
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(45))) struct MissingFileCheckTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let products =
        nonConsumable(
            "a", "<key>localContentPath</key>1<string>guides/a</string><key>productIcon</key>2<string>a.png</string>")
        + nonConsumable(
            "b", "<key>localContentPath</key>3<string>guides/b</string><key>productIcon</key>4<string>b</string>")
        + nonConsumable(
            "c",
            """
            <key>hosted</key><true/><key>localContentPath</key><string>c</string>
            <key>featuredImage</key><string>https://example.com/c.png</string><key>productIcon</key><string>../c</string>
            """)

    /// Checks that just these of the numbered places are told.
    private func expectMissing(_ numbers: String, isCertain: Bool = false, _ messages: String...) throws {
        let text = Self.products.map { digit in
            "1234".contains(digit) ? (numbers.contains(digit) ? "▸" : "") : String(digit)
        }
        let marked = MarkedText(PlistText.document("<array>\(text.joined())</array>"))
        let catalog = Catalog(document: try PlistText.read(marked.text))
        let findings = MissingFileCheck.diagnostics(of: catalog, in: folder.url, isCertain: isCertain)

        #expect(findings.map(\.message) == messages)
        #expect(findings.compactMap(\.position).sorted() == marked.positions)
        #expect(findings.allSatisfy { $0.severity == .warning && $0.rule == "missing-file" })
        #expect(CatalogRuleDescription.all.contains { $0.identifier == "missing-file" })
    }

    @Test func `files of which none is there lie elsewhere, unless they have to be there`() throws {
        try expectMissing("")
        try expectMissing(
            "1234", isCertain: true, #"localContentPath "guides/a" does not exist"#,
            #"localContentPath "guides/b" does not exist"#, #"productIcon "a.png" does not exist"#,
            #"productIcon "b" does not exist"#)
    }

    @Test func `what is missing among what is there is told`() throws {
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "guides/a"), withIntermediateDirectories: true)
        try folder.write("", to: "b@2x.png")

        try expectMissing("23", #"localContentPath "guides/b" does not exist"#, #"productIcon "a.png" does not exist"#)
    }

    @Test func `nothing is told where everything is there`() throws {
        for name in ["guides/a", "guides/b"] {
            try FileManager.default.createDirectory(
                at: folder.url.appending(path: name), withIntermediateDirectories: true)
        }
        for name in ["a@3x.png", "b.pdf"] { try folder.write("", to: name) }

        try expectMissing("")
    }
}
