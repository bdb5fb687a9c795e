import ProductCatalog
import Testing

@Suite struct IdentifierFormatRuleTests {
    @Test(
        arguments: [
            ("com.example.app.guide_1", nil), ("com.example.My-App", nil), ("GUIDE", nil), ("com.example.guide ", " "),
            ("com.example/guide", "/"), ("führer", "ü"), ("a\nb", #"\n"#), ("com.example.🗼", "🗼"),
        ] as [(String, String?)]
    )
    func `a letter that no store takes is told`(identifier: String, strange: String?) {
        let catalog = Catalog(identifiers: [identifier])

        #expect(catalog.diagnostics.map(\.rule) == (strange == nil ? [] : ["identifier-format"]))
        #expect(catalog.diagnostics.allSatisfy { $0.severity == .warning })
        if let strange { #expect(catalog.diagnostics.first?.message.contains("has \"\(strange)\" in it") == true) }
        #expect(catalog.products.count == 1)
    }
}
