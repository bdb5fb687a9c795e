import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct ContentAddressRuleTests {
    private static let path = "<key>localContentPath</key><string>guides/rome</string>"
    private static let message =
        "\"first\" is hosted without a contentURL, and StoreKit 2 downloads no content: put the content on a web server with "
        + "'vitrine content pack --update-catalog', or deliver it with Apple's Background Assets"

    @Test(arguments: [
        RuleCase("hosted content without an address", "\(path)<key>hosted</key>▸<true/>", message),
        RuleCase(
            "hosted content with an address",
            "\(path)<key>hosted</key><true/><key>contentURL</key><string>https://example.com/rome.plist</string>"),
        RuleCase(
            "hosted content with an invalid address, which another rule reports",
            "\(path)<key>hosted</key><true/><key>contentURL</key><string>ftp://example.com/rome.plist</string>",
            also: ["self-hosted-content"]),
        RuleCase("content that is part of the app", path),
        RuleCase("no content"),
        RuleCase(
            "a path that no content can have, which another rule reports",
            "<key>hosted</key><true/><key>localContentPath</key><string>../rome</string>", also: ["content-path"],
            valid: []),
    ])
    func `hosted content that no app can download is reported`(_ test: RuleCase) throws {
        try test.check("content-address", severity: .note)
    }
}
