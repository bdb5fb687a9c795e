import Testing

@Suite(.timeLimit(.minutes(45))) struct SelfHostedContentRuleTests {
    private static let digest = String(repeating: "0123456789abcdef", count: 4)
    private static let hosted = "<key>hosted</key><true/><key>localContentPath</key><string>a</string>\n"

    @Test(arguments: [
        RuleCase(
            "all as it should be",
            hosted + "<key>contentURL</key><string>https://example.com/a.plist</string><key>contentDigest</key>"
                + "<string>sha256:\(digest)</string><key>contentLength</key><integer>5</integer>"),
        RuleCase(
            "http", hosted + "<key>contentURL</key>▸<string>http://example.com/a.plist</string>",
            #"contentURL "http://example.com/a.plist" is not an https address"#),
        RuleCase(
            "a file", hosted + "<key>contentURL</key>▸<string>file:///etc/passwd</string>",
            #"contentURL "file:///etc/passwd" is not an https address"#),
        RuleCase(
            "a name alone", hosted + "<key>contentURL</key>▸<string>guide.zip</string>",
            #"contentURL "guide.zip" is not an https address"#),
        RuleCase(
            "no host", hosted + "<key>contentURL</key>▸<string>https:///a</string>",
            #"contentURL "https:///a" is not an https address"#),
        RuleCase(
            "several servers",
            hosted + "<key>contentURL</key><array><string>https://a.example/a.plist</string>"
                + "▸<string>ftp://b.example/a.plist</string></array>",
            #"contentURL "ftp://b.example/a.plist" is not an https address"#),
        RuleCase(
            "an archive with a digest",
            hosted + "<key>contentURL</key><string>https://example.com/a.zip</string><key>contentDigest</key>"
                + "<string>sha256:\(digest)</string>"),
        RuleCase(
            "an archive without a digest",
            hosted + "<key>contentURL</key>▸<string>https://example.com/a.zip</string>",
            "contentURL names an archive, which is not fetched without a contentDigest; a manifest's name ends with .plist"
        ),
        RuleCase(
            "no algorithm", hosted + "<key>contentDigest</key>▸<string>\(digest)</string>",
            "contentDigest must be sha256: followed by 64 lowercase hexadecimal digits"),
        RuleCase(
            "too short", hosted + "<key>contentDigest</key>▸<string>sha256:0123</string>",
            "contentDigest must be sha256: followed by 64 lowercase hexadecimal digits"),
        RuleCase(
            "nothing to fetch", hosted + "<key>contentLength</key>▸<integer>0</integer>",
            "contentLength is 0, but must be greater than zero"),
        RuleCase(
            "not hosted", "<key>contentURL</key>▸<string>https://example.com/a.plist</string>",
            #""first" is not hosted: its contentURL has no effect"#),
        RuleCase("no address of what is not hosted", "<key>contentURL</key><array/>"),
    ])
    func `an invalid address, digest or length of hosted content is reported`(_ test: RuleCase) throws {
        try test.check("self-hosted-content")
    }
}
