import Testing

@Suite(.timeLimit(.minutes(45))) struct ImageAddressRuleTests {
    @Test(arguments: [
        RuleCase("https", "<key>productIcon</key><string>https://example.com/a.png</string>"),
        RuleCase("a file of the app", "<key>featuredImage</key><string>Rome</string>"),
        RuleCase(
            "http", "<key>productIcon</key>▸<string>http://example.com/a.png</string>",
            #"productIcon "http://example.com/a.png" is not an https address"#),
        RuleCase(
            "another scheme", "<key>featuredImage</key>▸<string>ftp://example.com/a.png</string>",
            #"featuredImage "ftp://example.com/a.png" is not an https address"#),
    ])
    func `an image address with a scheme other than https is reported`(_ test: RuleCase) throws {
        try test.check("image-address")
    }
}
