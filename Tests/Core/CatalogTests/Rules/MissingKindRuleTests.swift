import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct MissingKindRuleTests {
    @Test(arguments: [
        RuleCase(
            "no kind", products: "▸<dict><key>productIdentifier</key><string>a</string></dict>",
            #""a" declares neither type nor consumable"#, valid: []),
        RuleCase(
            "nothing at all", products: "\n▸<dict/>",
            "a product without identifier declares neither type nor consumable", also: ["missing-identifier"],
            valid: []),
        RuleCase("consumable", products: consumable("coins"), valid: ["coins"]),
        RuleCase("not consumable", ""),
        RuleCase(
            "type",
            products: """
                <dict><key>productIdentifier</key><string>a</string><key>type</key><string>nonConsumable</string></dict>
                """, valid: ["a"]),
        RuleCase(
            "a type that is none",
            products: """
                <dict><key>productIdentifier</key><string>a</string><key>type</key><string>book</string></dict>
                """, also: ["contradictory-kind"], valid: []),
        RuleCase(
            "a type that is no text",
            products: """
                <dict><key>productIdentifier</key><string>a</string><key>type</key><true/></dict>
                """, also: ["value-type"], valid: []),
        RuleCase(
            "consumable as a number",
            products: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><integer>1</integer></dict>
                """, also: ["value-type"], valid: []),
        RuleCase("an identifier by itself", products: "<string>a</string>", valid: ["a"]),
    ])
    func `a product with neither the key type nor the key consumable is reported`(_ test: RuleCase) throws {
        try test.check("missing-kind", severity: .error)
    }
}
