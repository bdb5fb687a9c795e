import Testing
import VitrineCatalog
import VitrinePropertyList
import VitrineTestSupport

@Suite(.hangLimit) struct SignedCatalogCheckTests {
    private func messages(_ root: String) throws -> [String] {
        let marked = MarkedText(PlistText.document("▸" + root))
        let document = try PlistText.read(marked.text)
        let findings = SignedCatalogCheck.diagnostics(
            of: Catalog(document: document), root: document.root.position)
        #expect(findings.allSatisfy { $0.position == marked.positions[0] && $0.severity == .warning })
        return findings.map(\.message)
    }

    @Test func `a catalog to be signed is reported if it lacks a version or an expiration date`() throws {
        #expect(
            try messages("<array/>") == [
                "a catalog to be signed must have catalogVersion, but this one has none",
                "a catalog to be signed must have expires, but this one has none",
            ])
        #expect(
            try messages("<dict><key>catalogVersion</key><integer>1</integer><key>products</key><array/></dict>")
                == ["a catalog to be signed must have expires, but this one has none"])
        #expect(
            try messages(
                """
                <dict><key>catalogVersion</key><integer>1</integer><key>expires</key>
                <date>2030-01-01T00:00:00Z</date><key>products</key><array/></dict>
                """) == [])
        #expect(CatalogRuleDescription.all.contains { $0.identifier == "signed-catalog" })
    }
}
