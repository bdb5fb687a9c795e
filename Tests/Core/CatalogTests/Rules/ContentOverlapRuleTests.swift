import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct ContentOverlapRuleTests {
    private static func content(_ identifier: String, _ path: String) -> String {
        nonConsumable(identifier, "<key>hosted</key><true/><key>localContentPath</key>\(path)")
    }

    @Test(arguments: [
        RuleCase(
            "the same place",
            products: content("a", "▹<string>guides</string>") + content("b", "▸<string>guides</string>"),
            #"the content folder of "b" overlaps that of "a": installing one destroys the other"#,
            notes: [#"the folder of "a" is declared here"#], valid: []),
        RuleCase(
            "the folder after what lies in it",
            products: content("rome", "▸<string>guides/rome</string>") + content("all", "▹<string>guides</string>"),
            #"the content folder of "rome" overlaps that of "all": installing one destroys the other"#,
            notes: [#"the folder of "all" is declared here"#], valid: []),
        RuleCase(
            "two in one folder, and one beside it",
            products: content("all", "▹▹<string>guides</string>") + content("rome", "▸<string>guides/rome</string>")
                + content("athens", "▸<string>Guides/athens</string>") + content("map", "<string>maps</string>"),
            #"the content folder of "rome" overlaps that of "all": installing one destroys the other"#,
            #"the content folder of "athens" overlaps that of "all": installing one destroys the other"#,
            notes: [#"the folder of "all" is declared here"#, #"the folder of "all" is declared here"#], valid: ["map"]),
        RuleCase(
            "content that is not hosted",
            products: content("a", "<string>guides</string>")
                + nonConsumable("b", "<key>localContentPath</key><string>guides</string>"), valid: ["a", "b"]),
        RuleCase(
            "a consumable, whose content is ignored",
            products: content("a", "<string>guides</string>")
                + consumable(
                    "coins", "<key>hosted</key><true/><key>localContentPath</key><string>guides</string>"),
            also: ["content-path"], valid: ["a", "coins"]),
    ])
    func `overlapping content paths of two products are reported, with a note at the other path`(_ test: RuleCase)
        throws
    {
        try test.check("content-overlap", severity: .error)
    }

    private func hosted(_ name: String, at path: String) throws -> CatalogProduct {
        CatalogProduct(
            identifier: name, kind: .nonConsumable, localContentPath: try ContentPath(path), isHosted: true)
    }

    @Test func `a content path that is invalid by itself is not reported as overlapping`() throws {
        let catalog = Catalog(products: [try hosted("root", at: "."), try hosted("one", at: "one")])

        #expect(catalog.generalDiagnostics.map(\.rule) == ["content-path"])
        #expect(catalog.products.map(\.identifier) == ["one"])
    }

    @Test(
        arguments: [
            ("guides/rome", "guides/athens", false), ("guides", "guides2", false), ("guides", "guides/rome", true),
            ("guides/rome", "guides/rome", true), ("guides/rome", "Guides/Rome", true),
            ("guides", "guides/\u{338}x", true),
            ("cafe\u{301}", "caf\u{e9}/x", true), ("ΟΔΟΣ", "οδος", true), ("stra\u{df}e", "STRASSE", true),
        ]
    )
    func `content paths overlap if one equals or contains the other, regardless of case and Unicode normalization`(
        one: String, other: String, overlap: Bool
    ) throws {
        let catalog = Catalog(products: [
            try hosted("between", at: "guides!"), try hosted("other", at: other), try hosted("one", at: one),
        ])

        #expect(catalog.generalDiagnostics.map(\.rule) == (overlap ? ["content-overlap"] : []))
        #expect(catalog.products.map(\.identifier) == (overlap ? ["between"] : ["between", "other", "one"]))
    }
}
