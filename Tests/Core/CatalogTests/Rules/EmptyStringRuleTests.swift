import Testing
import VitrineCatalog
import VitrinePropertyList
import VitrineTestSupport

@Suite(.hangLimit) struct EmptyStringRuleTests {
    @Test(arguments: [
        RuleCase(
            "a text", "<key>productIcon</key>▸<string/>", "an empty string in productIcon is treated as absent"),
        RuleCase(
            "one of several languages",
            "<key>productTitle</key><dict><key>en</key><string>a</string><key>de</key>▸<string></string></dict>",
            "an empty string in productTitle is treated as absent"),
        RuleCase(
            "a child",
            products: nonConsumable("guide") + bundle("pack", "<string>guide</string>▸<string/>"),
            "an empty string in childProducts is treated as absent", valid: ["guide", "pack"]),
        RuleCase(
            "two of three",
            "<key>productIcon</key>▸<string/><key>featuredImage</key><string>a</string>"
                + "<key>longDescription</key>▸<string/>",
            "an empty string in productIcon is treated as absent",
            "an empty string in longDescription is treated as absent"),
        RuleCase(
            "a wallet",
            products: """
                <dict><key>productIdentifier</key><string>coins</string><key>consumable</key><true/>
                <key>storageKey</key>▸<string/><key>productValue</key><integer>5</integer></dict>
                """,
            "an empty string in storageKey is treated as absent", also: ["missing-storage-key"], valid: []),
        RuleCase("a blank", "<key>productIcon</key><string> </string>"),
        RuleCase("the app's own", "<key>userInfo</key><dict><key>a</key><string/></dict>"),
        RuleCase("a key that nobody knows", "<key>weather</key><string/>", also: ["unknown-key"]),
        RuleCase("no text at all", "<key>maxChildren</key><integer>0</integer>", also: ["max-children"]),
    ])
    func `an empty string as the value of a known catalog key is reported`(_ test: RuleCase) throws {
        try test.check("empty-string")
    }

    /// The title begins with U+0000, which only a binary property list can contain.
    @Test(arguments: [[0x52, 0x00, 0x61], [0xD1, 8, 9]] as [[UInt8]])
    func `a title that begins with a NUL character is not treated as empty`(title: [UInt8]) throws {
        let file = BinaryFile(
            [0xA1, 1], [0xD3, 2, 3, 4, 5, 6, 7], [0x5F, 0x10, 17] + Array("productIdentifier".utf8),
            [0x5A] + Array("consumable".utf8), [0x5C] + Array("productTitle".utf8), [0x51, 0x61], [0x08], title,
            [0x52] + Array("en".utf8), [0x52, 0x00, 0x61])
        let catalog = Catalog(document: try PropertyListDocument(bytes: file.bytes))

        #expect(catalog.diagnostics.isEmpty)
        #expect(catalog["a"]?.productTitle?.text(for: ["en"]) == "\u{0}a")
    }
}
