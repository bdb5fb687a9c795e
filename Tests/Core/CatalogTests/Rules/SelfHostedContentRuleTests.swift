import Testing
import VitrineTestSupport

@Suite(.hangLimit) struct SelfHostedContentRuleTests {
    private static let digest = String(repeating: "0123456789abcdef", count: 4)
    private static let hosted = "<key>hosted</key><true/><key>localContentPath</key><string>a</string>\n"

    @Test(arguments: [
        RuleCase(
            "all as it should be",
            hosted + "<key>contentURL</key><string>https://example.com/a.plist</string><key>contentDigest</key>"
                + "<string>sha256:\(digest)</string><key>contentLength</key><integer>5</integer>"),
        RuleCase(
            "http", hosted + "<key>contentURL</key>▸<string>http://example.com/a.plist</string>",
            #"contentURL "http://example.com/a.plist" is not encrypted: apps request it only from their own device"#),
        RuleCase(
            "a file", hosted + "<key>contentURL</key>▸<string>file:///etc/passwd</string>",
            #"contentURL "file:///etc/passwd" does not begin with https://: the product is not offered"#),
        RuleCase(
            "a name alone", hosted + "<key>contentURL</key>▸<string>guide.zip</string>",
            #"contentURL "guide.zip" does not begin with https://: the product is not offered"#),
        RuleCase(
            "no host", hosted + "<key>contentURL</key>▸<string>https:///a</string>",
            #"contentURL "https:///a" has no host: the product is not offered"#),
        RuleCase(
            "a password", hosted + "<key>contentURL</key>▸<string>https://me:secret@example.com/a.plist</string>",
            #"contentURL "https://…@example.com/a.plist" contains a user name or password: the product is not offered"#),
        RuleCase(
            "a port that does not exist",
            hosted + "<key>contentURL</key>▸<string>https://example.com:99999/a.plist</string>",
            #"contentURL "https://example.com:99999/a.plist" has a port that does not exist: the product is not offered"#
        ),
        RuleCase(
            "several servers",
            hosted + "<key>contentURL</key><array><string>https://a.example/a.plist</string>"
                + "▸<string>ftp://b.example/a.plist</string></array>",
            #"contentURL "ftp://b.example/a.plist" does not begin with https://: the product is not offered"#),
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
