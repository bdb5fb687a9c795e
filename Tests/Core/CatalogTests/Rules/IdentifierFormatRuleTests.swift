import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct IdentifierFormatRuleTests {
    @Test(
        arguments: [
            ("com.example.app.guide_1", nil), ("com.example.My-App", nil), ("GUIDE", nil), ("com.example.guide ", " "),
            ("com.example/guide", "/"), ("führer", "ü"), ("a\nb", #"\n"#), ("com.example.🗼", "🗼"),
        ] as [(String, String?)]
    )
    func `a character that no store accepts in a product identifier is reported`(identifier: String, strange: String?) {
        let catalog = Catalog(identifiers: [identifier])

        #expect(catalog.diagnostics.map(\.rule) == (strange == nil ? [] : ["identifier-format"]))
        #expect(catalog.diagnostics.allSatisfy { $0.severity == .warning })
        if let strange { #expect(catalog.diagnostics.first?.message.contains("contains \"\(strange)\",") == true) }
        #expect(catalog.products.count == 1)
    }

    @Test(arguments: [
        RuleCase(
            "of a product",
            products: """
                <dict><key>consumable</key><false/>
                <key>productIdentifier</key>▸<string>city guide!</string></dict>
                """,
            #"the identifier "city guide!" contains " ", which no store accepts"#, valid: ["city guide!"]),
        RuleCase(
            "by itself", products: "<string>guide</string>\n▸<string>map#1</string>",
            ##"the identifier "map#1" contains "#", which no store accepts"##, valid: ["guide", "map#1"]),
        RuleCase(
            "in a child alone", products: bundle("pack", "<string>city guide</string>"), also: ["unknown-child"],
            valid: []),
    ])
    func `an invalid character of a product identifier is reported at the identifier's position`(_ test: RuleCase)
        throws
    {
        try test.check("identifier-format")
    }
}
