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
        RuleCase(
            "an address without a host", "<key>productIcon</key>▸<string>https://</string>",
            #"productIcon "https://" has no host"#),
        RuleCase(
            "an address without slashes", "<key>productIcon</key>▸<string>https:a.png</string>",
            #"productIcon "https:a.png" is not an https address"#),
        RuleCase(
            "the image itself", "<key>productIcon</key>▸<string>data:image/png;base64,AA==</string>",
            #"productIcon "data:image/png;base64,AA==" is not an https address"#),
        RuleCase(
            "a file outside the folder", "<key>productIcon</key>▸<string>../up.png</string>",
            #"productIcon "../up.png" leaves its folder"#),
        RuleCase(
            "a file outside the folder, after a folder in it",
            "<key>productIcon</key>▸<string>Icons/../../up.png</string>",
            #"productIcon "Icons/../../up.png" leaves its folder"#),
        RuleCase(
            "a control character", "<key>productIcon</key>▸<string>Icons/&#x85;.png</string>",
            #"productIcon "Icons/\u{0085}.png" contains a control character"#),
        RuleCase(
            "an absolute path", "<key>featuredImage</key>▸<string>/abs.png</string>",
            #"featuredImage "/abs.png" is absolute"#),
        RuleCase(
            "the folder itself", "<key>featuredImage</key>▸<string>.</string>",
            #"featuredImage "." is the folder of the images"#),
        RuleCase("a file in a folder", "<key>productIcon</key><string>Icons/../Rome@2x.png</string>"),
        RuleCase("a file whose name is not ASCII", "<key>productIcon</key><string>Icons/Zürich.png</string>"),
        RuleCase("a port", "<key>productIcon</key><string>https://example.com:8443/a.png</string>"),
    ])
    func `an image that apps cannot show is reported`(_ test: RuleCase) throws {
        try test.check("image-address")
    }
}
