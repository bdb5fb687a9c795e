import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct GrandfatheredRuleTests {
    private static func rule(_ conditions: String) -> String {
        "<key>grandfathered</key><array><dict><key>beforeBuild</key><string>7</string></dict>▸<dict>\(conditions)</dict></array>"
    }

    @Test(arguments: [
        RuleCase(
            "no rule", "<key>grandfathered</key>▸<array/>", "grandfathered contains no rule: no customer qualifies"),
        RuleCase(
            "below nothing", rule("<key>beforeBuild</key><integer>0</integer>"),
            "no customer can meet \"a build before 0\": no version or build number is below 0"),
        RuleCase(
            "before there was a store", rule("<key>beforeDate</key><date>2001-01-01T00:00:00Z</date>"),
            "no customer can meet \"a date before 2001-01-01\": the App Store opened later, in July 2008"),
        RuleCase(
            "in a hundred years", rule("<key>beforeDate</key><date>2150-01-01T00:00:00Z</date>"),
            "every customer meets \"a date before 2150-01-01\""),
        RuleCase(
            "a version for a build", rule("<key>beforeBuild</key><string>2.0</string>"),
            "a build before 2.0: this looks like a version, but the store reports versions only on macOS, and builds "
                + "elsewhere"
        ),
        RuleCase(
            "a build with a dot that is no version",
            "<key>grandfathered</key><dict><key>beforeBuild</key><string>2026.11</string></dict>"),
    ])
    func `an implausible grandfathering rule is reported as a warning at its position`(_ test: RuleCase) throws {
        try test.check("grandfathered")
    }

    @Test(arguments: [
        RuleCase(
            "nothing", "<key>grandfathered</key>▸<dict/>",
            "a grandfathering rule needs beforeBuild, beforeVersion or beforeDate", valid: []),
        RuleCase(
            "a platform alone",
            "<key>grandfathered</key>▸<dict><key>platform</key><string>iOS</string></dict>",
            "a grandfathering rule needs beforeBuild, beforeVersion or beforeDate", valid: []),
        RuleCase(
            "a build that is a word",
            "<key>grandfathered</key><dict><key>beforeBuild</key>▸<string>soon</string></dict>",
            "beforeBuild must be a build number", valid: []),
        RuleCase(
            "a build that is true", "<key>grandfathered</key><dict><key>beforeBuild</key>▸<true/></dict>",
            "beforeBuild must be a build number", valid: []),
        RuleCase(
            "a version that is no text",
            "<key>grandfathered</key><dict><key>beforeVersion</key>▸<integer>2</integer></dict>",
            "beforeVersion must be a version number", valid: []),
        RuleCase(
            "a date that is a text",
            "<key>grandfathered</key><dict><key>beforeDate</key>▸<string>2020</string></dict>",
            "beforeDate must be a date, but this is a string", valid: []),
        RuleCase(
            "a platform that nobody knows",
            "<key>grandfathered</key><dict><key>beforeBuild</key><string>2</string>"
                + "<key>platform</key>▸<string>Mac</string></dict>",
            "platform must be one of iOS, macOS, tvOS, visionOS", valid: []),
        RuleCase(
            "a condition that nobody knows",
            "<key>grandfathered</key><dict><key>beforeBuild</key><string>2</string>"
                + "▸<key>beforDate</key><date>2020-01-01T00:00:00Z</date></dict>",
            #""beforDate" is not a condition of a grandfathering rule; "#
                + "conditions are beforeBuild, beforeVersion, beforeDate, platform",
            valid: []),
        RuleCase(
            "a condition twice",
            "<key>grandfathered</key><dict><key>beforeBuild</key><string>2</string>"
                + "▸<key>beforeBuild</key><string>3</string></dict>",
            #""beforeBuild" is repeated"#, valid: []),
        RuleCase(
            "the second of two rules",
            "<key>grandfathered</key><array><dict><key>beforeBuild</key><string>2</string></dict>\n▸<dict/></array>",
            "a grandfathering rule needs beforeBuild, beforeVersion or beforeDate", valid: []),
        RuleCase(
            "at the root",
            root: """
                <dict><key>products</key><array><string>a</string></array>
                <key>grandfathering</key><dict><key>a</key>▸<dict/></dict></dict>
                """,
            "a grandfathering rule needs beforeBuild, beforeVersion or beforeDate", valid: []),
        RuleCase("a build", "<key>grandfathered</key><dict><key>beforeBuild</key><integer>2</integer></dict>"),
        RuleCase("no rule", "<key>grandfathered</key><true/>", also: ["value-type"], valid: []),
    ])
    func `an invalid grandfathering rule is reported as an error`(_ test: RuleCase) throws {
        try test.check("grandfathered", severity: .error)
    }

    @Test(arguments: [
        RuleCase(
            "a build and a version",
            "<key>grandfathered</key>▸<dict><key>beforeBuild</key><string>200</string>"
                + "<key>beforeVersion</key><string>2.0</string></dict>",
            "no customer can meet \"a build before 200 and a version before 2.0\": "
                + "the store reports a version only on macOS, and a build number only elsewhere"),
        RuleCase(
            "a build on a Mac",
            "<key>grandfathered</key>▸<dict><key>beforeBuild</key><string>200</string>"
                + "<key>platform</key><string>macOS</string></dict>",
            "no customer can meet \"a build before 200 on macOS\": "
                + "the store reports a version only on macOS, and a build number only elsewhere"),
        RuleCase(
            "a version on a phone",
            "<key>grandfathered</key>▸<dict><key>beforeVersion</key><string>2.0</string>"
                + "<key>platform</key><string>iOS</string></dict>",
            "no customer can meet \"a version before 2.0 on iOS\": "
                + "the store reports a version only on macOS, and a build number only elsewhere"),
        RuleCase(
            "a consumable",
            products: consumable(
                "coins", "<key>grandfathered</key>▸<dict><key>beforeBuild</key><string>2</string></dict>"),
            #""coins" is a consumable and never owned: grandfathered is ignored"#, valid: ["coins"]),
        RuleCase(
            "a build on a phone",
            "<key>grandfathered</key><dict><key>beforeBuild</key><string>200</string>"
                + "<key>platform</key><string>iOS</string></dict>"),
        RuleCase(
            "a version", "<key>grandfathered</key><dict><key>beforeVersion</key><string>2.0</string></dict>"),
        RuleCase(
            "a version on a Mac",
            "<key>grandfathered</key><dict><key>beforeVersion</key><string>2.0</string>"
                + "<key>platform</key><string>macOS</string></dict>"),
    ])
    func `a grandfathering rule that no customer can meet is reported at its position`(_ test: RuleCase) throws {
        try test.check("grandfathered")
    }

    @Test func `problems in grandfathering rules of products created in code are reported without a position`() {
        let build = GrandfatheringRule(beforeBuild: VersionNumber("200"))
        let never = GrandfatheringRule(beforeBuild: VersionNumber("200"), platform: .macOS)
        let catalog = Catalog(products: [
            CatalogProduct(identifier: "a", kind: .nonConsumable, grandfathered: [GrandfatheringRule(platform: .iOS)]),
            CatalogProduct(identifier: "b", kind: .nonConsumable, grandfathered: [never]),
            CatalogProduct(identifier: "c", kind: .nonConsumable, grandfathered: [build]),
            CatalogProduct(
                identifier: "coins", kind: .consumable, storageKey: "coins", productValue: 1, grandfathered: [build]),
        ])

        #expect(
            catalog.diagnostics.map(\.message) == [
                "a grandfathering rule needs beforeBuild, beforeVersion or beforeDate",
                "no customer can meet \"a build before 200 on macOS\": "
                    + "the store reports a version only on macOS, and a build number only elsewhere",
                #""coins" is a consumable and never owned: grandfathered is ignored"#,
            ])
        #expect(catalog.diagnostics.map(\.severity) == [.error, .warning, .warning])
        #expect(catalog.diagnostics.allSatisfy { $0.rule == "grandfathered" && $0.position == nil })
        #expect(catalog.products.map(\.identifier) == ["b", "c", "coins"])
    }
}
