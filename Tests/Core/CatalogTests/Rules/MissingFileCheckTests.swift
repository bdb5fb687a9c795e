import Foundation
import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct MissingFileCheckTests {
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

    /// Checks that missing files are reported for exactly the given numbers.
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

    @Test
    func `if all files of a catalog are missing, they are reported only if the folder must contain them`()
        throws
    {
        try expectMissing("")
        try expectMissing(
            "1234", isCertain: true, #"localContentPath "guides/a" does not exist"#,
            #"localContentPath "guides/b" does not exist"#, #"productIcon "a.png" does not exist"#,
            #"productIcon "b" does not exist"#)
    }

    @Test func `missing files are reported if other files of the catalog exist`() throws {
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "guides/a"), withIntermediateDirectories: true)
        try folder.write("", to: "b@2x.png")

        try expectMissing("23", #"localContentPath "guides/b" does not exist"#, #"productIcon "a.png" does not exist"#)
    }

    @Test func `the check for missing files has no findings if all files exist`() throws {
        for name in ["guides/a", "guides/b"] {
            try FileManager.default.createDirectory(
                at: folder.url.appending(path: name), withIntermediateDirectories: true)
        }
        for name in ["a@3x.png", "b.pdf"] { try folder.write("", to: name) }

        try expectMissing("")
    }
}
