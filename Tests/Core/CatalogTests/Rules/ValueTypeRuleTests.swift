import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct ValueTypeRuleTests {
    @Test(arguments: [
        RuleCase("an empty text counts as none", "<key>hosted</key><string></string>", also: ["empty-string"]),
        RuleCase(
            "the app's own number", "<key>userInfo</key><integer>9223372036854775808</integer>"),
        RuleCase(
            "a truth as text",
            products: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key>▸<string>YES</string></dict>
                """,
            "consumable must be true or false, but this is a string", valid: []),
        RuleCase(
            "an identifier as number",
            products: """
                <dict><key>productIdentifier</key>▸<integer>1</integer><key>consumable</key><false/></dict>
                """,
            "productIdentifier must be a string, but this is an integer", valid: []),
        RuleCase(
            "a value as text",
            products: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><true/>
                <key>storageKey</key><string>c</string><key>productValue</key>▸<string>50</string></dict>
                """,
            "productValue must be an integer, but this is a string", valid: []),
        RuleCase(
            "a value past 64 bits",
            products: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><true/>
                <key>storageKey</key><string>c</string>
                <key>productValue</key>▸<integer>9223372036854775808</integer></dict>
                """,
            "productValue must be below 2^63, but this is an integer", valid: []),
        RuleCase(
            "a number past 64 bits", "<key>maxChildren</key>▸<integer>18446744073709551615</integer>",
            "maxChildren must be below 2^63, but this is an integer", valid: []),
        RuleCase(
            "children that are one", "<key>childProducts</key>▸<string>guide</string>",
            "childProducts must be an array, but this is a string", valid: []),
        RuleCase(
            "two children that are none",
            products: nonConsumable("guide")
                + bundle("pack", "▸<integer>1</integer><string>guide</string>▸<array/>"),
            "childProducts must contain strings, but this is an integer",
            "childProducts must contain strings, but this is an array",
            valid: ["guide"]),
        RuleCase(
            "a rule among others that is none", "<key>grandfathered</key><array>▸<string>200</string></array>",
            "grandfathered must contain dictionaries, but this is a string", valid: []),
        RuleCase(
            "a rule that is none", "<key>grandfathered</key>▸<string>200</string>",
            "grandfathered must be an array or a dictionary, but this is a string", valid: []),
        RuleCase(
            "content", "<key>hosted</key>▸<date>2020-01-01T00:00:00Z</date><key>localContentPath</key>▸<data></data>",
            "hosted must be true or false, but this is a date", "localContentPath must be a string, but this is data",
            valid: []),
    ])
    func `a catalog value of the wrong type is an error for keys other than texts and images`(_ test: RuleCase) throws {
        try test.check("value-type", severity: .error)
    }

    @Test(arguments: [
        RuleCase(
            "an image", "<key>productIcon</key>▸<integer>1</integer>",
            "productIcon must be a string, but this is an integer"),
        RuleCase(
            "a title", "<key>productTitle</key>▸<array/>",
            "productTitle must be a dictionary or a string, but this is an array"),
        RuleCase(
            "a title in one of two languages",
            "<key>productTitle</key><dict><key>en</key>▸<real>1.5</real><key>de</key><string>a</string></dict>",
            "productTitle must contain strings, but this is a real"),
        RuleCase(
            "a description in two languages",
            "<key>longDescription</key><dict><key>en</key>▸<data></data><key>de</key>▸<dict/></dict>",
            "longDescription must contain strings, but this is data",
            "longDescription must contain strings, but this is a dictionary"),
        RuleCase(
            "all as it should be",
            """
            <key>productIcon</key><string>a</string><key>featuredImage</key><string>a</string>
            <key>productTitle</key><string>a</string>
            <key>longDescription</key><dict><key>en</key><string>a</string></dict>
            <key>grandfathered</key><array><dict><key>beforeBuild</key><string>2</string></dict></array>
            <key>hosted</key><true/><key>localContentPath</key><string>a</string>
            """),
        RuleCase("the app's own", "<key>userInfo</key><array><true/><real>1.5</real><dict/></array>"),
        RuleCase("a key that nobody knows", "<key>weather</key><integer>1</integer>", also: ["unknown-key"]),
    ])
    func `a catalog value of the wrong type is a warning for texts and images`(_ test: RuleCase) throws {
        try test.check("value-type")
    }
}
