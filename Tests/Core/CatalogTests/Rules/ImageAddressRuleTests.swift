import Testing
import VitrineTestSupport

@Suite(.hangLimit) struct ImageAddressRuleTests {
    @Test(arguments: [
        RuleCase("https", "<key>productIcon</key><string>https://example.com/a.png</string>"),
        RuleCase("a file of the app", "<key>featuredImage</key><string>Rome</string>"),
        RuleCase(
            "http", "<key>productIcon</key>▸<string>http://example.com/a.png</string>",
            #"productIcon "http://example.com/a.png" is not an https address"#),
        RuleCase(
            "another scheme", "<key>featuredImage</key>▸<string>ftp://example.com/a.png</string>",
            #"featuredImage "ftp://example.com/a.png" is not an https address"#),
        RuleCase(
            "a password", "<key>productIcon</key>▸<string>https://me:secret@example.com/a.png</string>",
            #"productIcon "https://…@example.com/a.png" contains a user name or password"#),
        RuleCase(
            "a port that does not exist", "<key>productIcon</key>▸<string>https://example.com:0/a.png</string>",
            #"productIcon "https://example.com:0/a.png" has a port that does not exist"#),
        RuleCase("a port", "<key>productIcon</key><string>https://example.com:8443/a.png</string>"),
    ])
    func `an image address that apps do not request is reported`(_ test: RuleCase) throws {
        try test.check("image-address")
    }
}
