import Testing
import VitrineTestSupport

@Suite(.hangLimit) struct EmptyBundleRuleTests {
    @Test(arguments: [
        RuleCase(
            "nothing in it", "<key>childProducts</key>▸<array/>",
            #""first" is a bundle without children: childProducts is empty"#),
        RuleCase(
            "something in it", "<key>childProducts</key><array><string>x</string></array>", also: ["unknown-child"],
            valid: []),
        RuleCase("no bundle", ""),
        RuleCase("something else", "<key>childProducts</key><string>x</string>", also: ["value-type"], valid: []),
    ])
    func `a bundle without children is reported`(_ test: RuleCase) throws { try test.check("empty-bundle") }
}
