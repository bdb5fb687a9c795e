import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct ContentPathRuleTests {
    @Test(arguments: [
        RuleCase(
            "a path that leads out", "<key>localContentPath</key>▸<string>../../etc</string>",
            #"localContentPath "../../etc" leaves its folder"#, valid: []),
        RuleCase(
            "an absolute path", "<key>localContentPath</key>▸<string>/etc</string>",
            #"localContentPath "/etc" is absolute"#, valid: []),
        RuleCase(
            "the content directory itself",
            "<key>hosted</key><true/><key>localContentPath</key>▸<string>a/..</string>",
            #"localContentPath "a/.." is the content directory itself"#, valid: []),
        RuleCase(
            "the content directory's own tag",
            "<key>hosted</key><true/><key>localContentPath</key>▸<string>cachedir.tag</string>",
            #"localContentPath "cachedir.tag" contains a name reserved in the content directory"#, valid: []),
        RuleCase(
            "the staging area",
            "<key>hosted</key><true/><key>localContentPath</key>▸<string>.STAGING/x</string>",
            #"localContentPath ".STAGING/x" contains a name reserved in the content directory"#, valid: []),
        RuleCase(
            "the area of downloads",
            "<key>hosted</key><true/><key>localContentPath</key>▸<string>.downloads/athens</string>",
            #"localContentPath ".downloads/athens" contains a name reserved in the content directory"#, valid: []),
        RuleCase(
            "the area of uses",
            "<key>hosted</key><true/><key>localContentPath</key>▸<string>.Uses</string>",
            #"localContentPath ".Uses" contains a name reserved in the content directory"#, valid: []),
        RuleCase(
            "the list of the files of installed content",
            "<key>hosted</key><true/><key>localContentPath</key>▸<string>guides/.contentManifest.plist</string>",
            #"localContentPath "guides/.contentManifest.plist" contains a name reserved in the content directory"#,
            valid: []),
        RuleCase(
            "a folder with the name of a file of installed content",
            "<key>hosted</key><true/><key>localContentPath</key>▸<string>guides/.ContentInfo.plist/rome</string>",
            #"localContentPath "guides/.ContentInfo.plist/rome" contains a name reserved in the content directory"#,
            valid: []),
        RuleCase(
            "hosted without a path", products: "▸\(nonConsumable("a", "<key>hosted</key><true/>"))",
            #""a" is hosted, but has no localContentPath"#, valid: []),
        RuleCase(
            "hosted with an empty path",
            products: "▸\(nonConsumable("a", "<key>hosted</key><true/><key>localContentPath</key><string/>"))",
            #""a" is hosted, but has no localContentPath"#, also: ["empty-string"], valid: []),
        RuleCase(
            "hosted with a path that is none",
            "<key>hosted</key><true/><key>localContentPath</key><integer>1</integer>", also: ["value-type"], valid: []),
        RuleCase(
            "hosted with a path", "<key>hosted</key><true/><key>localContentPath</key><string>a</string>"),
        RuleCase(
            "such names elsewhere",
            "<key>hosted</key><true/><key>localContentPath</key><string>a/.staging/cachedir.tag</string>"),
        RuleCase(
            "a name that begins like one",
            "<key>hosted</key><true/><key>localContentPath</key><string>.staging2</string>"),
        RuleCase(
            "a whole folder that is not hosted", "<key>localContentPath</key><string>.</string>"),
        RuleCase("not hosted", "<key>hosted</key><false/>"),
    ])
    func `a content path that is missing, absolute, reserved or outside the content folder is reported`(
        _ test: RuleCase
    ) throws { try test.check("content-path", severity: .error) }

    @Test(arguments: [
        RuleCase(
            "without a path", products: "▸\(consumable("coins", "<key>hosted</key><true/>"))",
            #""coins" is a consumable and never owned: its hosted content is ignored"#, valid: ["coins"]),
        RuleCase(
            "with a path",
            products:
                "▸\(consumable("coins", "<key>hosted</key><true/><key>localContentPath</key><string>a</string>"))",
            #""coins" is a consumable and never owned: its hosted content is ignored"#, valid: ["coins"]),
        RuleCase("not hosted", products: consumable("coins", "<key>hosted</key><false/>"), valid: ["coins"]),
    ])
    func `hosted content of a consumable is reported as ignored`(_ test: RuleCase) throws {
        try test.check("content-path")
    }
}
