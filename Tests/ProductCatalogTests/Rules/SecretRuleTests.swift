import ProductCatalog
import TestSupport
import Testing

@Suite struct SecretRuleTests {
    @Test(arguments: [
        RuleCase(
            "a shared secret", "▸<key>SharedSecret</key><string>abc123</string>",
            #""SharedSecret" holds a secret, which every customer gets with the catalog"#),
        RuleCase(
            "a private key under another name", "▸<key>userInfo</key><string>-----BEGIN PRIVATE KEY-----</string>",
            #""userInfo" holds a secret, which every customer gets with the catalog"#),
        RuleCase(
            "written otherwise", "▸<key>api_secret</key><string>abc123</string>",
            #""api_secret" holds a secret, which every customer gets with the catalog"#),
        RuleCase("a public key", "<key>userInfo</key><string>-----BEGIN PUBLIC KEY-----</string>"),
        RuleCase("a guide to secrets", "<key>productTitle</key><string>Secret Lisbon</string>"),
    ])
    func `a secret is told, and never shown`(_ test: RuleCase) throws {
        try test.check("secret")
        let text = PlistText.document(
            "<array><dict><key>productIdentifier</key><string>a</string>\(test.keys.replacing("▸", with: ""))</dict></array>"
        )
        let messages = Catalog(document: try PlistText.read(text)).diagnostics.map(\.message)
        #expect(messages.allSatisfy { !$0.contains("abc123") && !$0.contains("BEGIN") })
    }
}
