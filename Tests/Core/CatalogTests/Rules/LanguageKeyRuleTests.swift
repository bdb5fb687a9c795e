import Testing
import VitrineTestSupport

@Suite(.hangLimit) struct LanguageKeyRuleTests {
    @Test(arguments: [
        RuleCase(
            "tags",
            "<key>productTitle</key><dict><key>en</key><string>a</string><key>pt-BR</key><string>a</string>"
                + "<key>zh_Hans</key><string>a</string><key>de-CH-1996</key><string>a</string><key>DEU</key><string>a</string></dict>"
        ),
        RuleCase(
            "names",
            "<key>longDescription</key><dict><key>English</key><string>a</string><key>german</key>"
                + "<string>a</string><key>Portuguese</key><string>a</string></dict>"),
        RuleCase(
            "neither",
            "<key>longDescription</key><dict>▸<key>Englisch</key><string>a</string>▸<key>xq</key><string>a</string>"
                + "▸<key>en-</key><string>a</string>▸<key></key><string>a</string></dict>",
            #""Englisch" in longDescription is not a language"#, #""xq" in longDescription is not a language"#,
            #""en-" in longDescription is not a language"#, #""" in longDescription is not a language"#),
        RuleCase(
            "names of more than one word",
            "<key>productTitle</key><dict><key>Portuguese (Brazil)</key><string>a</string>"
                + "<key>English(US)</key><string>a</string><key>Luba-Katanga</key><string>a</string>"
                + "<key>Laz</key><string>a</string><key>Chinese (Simplified)</key><string>a</string>"
                + "<key>Chinese, Traditional (Hong Kong)</key><string>a</string><key>Norwegian (Bokmål)</key>"
                + "<string>a</string><key>Spanish (Latin America)</key><string>a</string></dict>"),
        RuleCase(
            "a name with an unknown region",
            "<key>productTitle</key><dict>▸<key>English (Narnia)</key><string>a</string></dict>",
            #""English (Narnia)" in productTitle is not a language"#),
        RuleCase(
            "the name of a language beside its tag",
            "<key>productTitle</key><dict><key>pt-BR</key><string>a</string><key>English</key><string>a</string>"
                + "▸<key>Portuguese (Brazil)</key><string>b</string>▸<key>en</key><string>b</string></dict>",
            #""Portuguese (Brazil)" in productTitle is the same language as "pt-BR": the last text is used"#,
            #""en" in productTitle is the same language as "English": the last text is used"#),
        RuleCase(
            "more than anybody speaks",
            "<key>productTitle</key>▸<dict>" + (0...1_000).map { "<key>x\($0)</key><string>a</string>" }.joined()
                + "</dict>", "productTitle has texts in too many languages: 1001"),
        RuleCase(
            "tags for private use",
            "<key>productTitle</key><dict><key>x-pirate</key><string>a</string><key>X-a-b</key><string>a</string>"
                + "▸<key>x</key><string>a</string>▸<key>x-</key><string>a</string></dict>",
            #""x" in productTitle is not a language"#, #""x-" in productTitle is not a language"#),
        RuleCase(
            "one language in two spellings",
            "<key>productTitle</key><dict><key>en</key><string>a</string><key>pt-BR</key><string>a</string>"
                + "▸<key>EN</key><string>b</string>▸<key>pt_br</key><string>b</string></dict>",
            #""EN" in productTitle is the same language as "en": the last text is used"#,
            #""pt_br" in productTitle is the same language as "pt-BR": the last text is used"#),
        RuleCase(
            "one language twice in one spelling",
            "<key>productTitle</key><dict><key>en</key><string>a</string><key>en</key><string>b</string></dict>",
            also: ["duplicate-key"]),
        RuleCase("one text for all", "<key>productTitle</key><string>a</string>"),
    ])
    func `a key of a localized text that is not a language is reported`(_ test: RuleCase) throws {
        try test.check("language-key")
    }
}
