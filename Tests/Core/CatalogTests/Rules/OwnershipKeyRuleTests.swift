import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct OwnershipKeyRuleTests {
    @Test(arguments: [
        RuleCase(
            "owned", "▸<key>purchased</key><true/>",
            #""purchased" declares a product as owned, which a catalog cannot do"#, valid: []),
        RuleCase(
            "not owned", "▸<key>purchased</key><false/>",
            #""purchased" declares a product as owned, which a catalog cannot do"#, valid: []),
        RuleCase(
            "of one of two", products: nonConsumable("a", "▸<key>purchased</key><true/>") + nonConsumable("b"),
            #""purchased" declares a product as owned, which a catalog cannot do"#, valid: ["b"]),
        RuleCase("written otherwise", "<key>Purchased</key><true/>", also: ["unknown-key"]),
        RuleCase("the app's own", "<key>userInfo</key><dict><key>purchased</key><true/></dict>"),
        RuleCase("a text", "<key>productTitle</key><string>purchased</string>"),
    ])
    func `a key that declares a product as owned is reported`(_ test: RuleCase) throws {
        try test.check("ownership-key", severity: .error)
    }
}
