import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct SecretRuleTests {
    @Test(arguments: [
        RuleCase(
            "a shared secret", "▸<key>SharedSecret</key><string>abc123</string>",
            #""SharedSecret" contains a secret, which every customer gets with the catalog"#, also: ["unknown-key"]),
        RuleCase(
            "a private key under another name", "▸<key>userInfo</key><string>-----BEGIN PRIVATE KEY-----</string>",
            #""userInfo" contains a secret, which every customer gets with the catalog"#),
        RuleCase(
            "written otherwise", "▸<key>api_secret</key><string>abc123</string>",
            #""api_secret" contains a secret, which every customer gets with the catalog"#, also: ["unknown-key"]),
        RuleCase(
            "a secret in a file of MKStoreKit",
            root: """
                <dict><key>Others</key><array><string>guide</string></array>
                ▸<key>SharedSecret</key><string>abc123</string></dict>
                """,
            #""SharedSecret" contains a secret, which every customer gets with the catalog"#, valid: ["guide"]),
        RuleCase(
            "deep inside",
            "<key>userInfo</key><dict><key>a</key><array><dict>▸<key>sharedSecret</key><string>abc123</string></dict></array></dict>",
            #""sharedSecret" contains a secret, which every customer gets with the catalog"#),
        RuleCase(
            "after a line feed", "▸<key>userInfo</key><string>\n-----BEGIN EC PRIVATE KEY-----</string>",
            #""userInfo" contains a secret, which every customer gets with the catalog"#),
        RuleCase(
            "beside the products",
            root:
                "<dict><key>products</key><array><string>first</string></array>▸<key>SharedSecret</key><string>abc123</string></dict>",
            #""SharedSecret" contains a secret, which every customer gets with the catalog"#),
        RuleCase("an empty one", "<key>password</key><string></string>", also: ["unknown-key"]),
        RuleCase("a public key", "<key>userInfo</key><string>-----BEGIN PUBLIC KEY-----</string>"),
        RuleCase("a guide to secrets", "<key>productTitle</key><string>Secret Lisbon</string>"),
    ])
    func `a secret in a catalog is reported, and messages do not show its value`(_ test: RuleCase) throws {
        try test.check("secret")
        let text = PlistText.document(test.root.replacing("▸", with: ""))
        let messages = Catalog(document: try PlistText.read(text)).diagnostics.map(\.message)
        #expect(messages.allSatisfy { !$0.contains("abc123") && !$0.contains("BEGIN") })
    }
}
