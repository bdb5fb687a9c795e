import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct MinimumAppVersionRuleTests {
    @Test(arguments: [
        RuleCase(
            "a word", "<key>minimumAppVersion</key>▸<string>latest</string>",
            #"minimumAppVersion "latest" is not a version number such as 2.10 and is ignored"#),
        RuleCase(
            "a letter behind", "<key>minimumAppVersion</key>▸<string>2.0b1</string>",
            #"minimumAppVersion "2.0b1" is not a version number such as 2.10 and is ignored"#),
        RuleCase(
            "a sign", "<key>minimumAppVersion</key>▸<string>>= 2.0</string>",
            #"minimumAppVersion ">= 2.0" is not a version number such as 2.10 and is ignored"#),
        RuleCase("one number", "<key>minimumAppVersion</key><string>2</string>"),
        RuleCase("three numbers", "<key>minimumAppVersion</key><string>2.10.1</string>"),
        RuleCase("nothing", "<key>minimumAppVersion</key><string/>", also: ["empty-string"]),
        RuleCase(
            "a number in place of a text", "<key>minimumAppVersion</key><real>2.1</real>", also: ["value-type"],
            valid: []),
    ])
    func `a minimumAppVersion that is not a version number is reported and ignored`(_ test: RuleCase) throws {
        try test.check("minimum-app-version")
    }
}
