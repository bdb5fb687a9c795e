import Testing
import VitrineCatalog
import VitrineTestSupport

/// Settings of a team for `vitrine lint`.
@Suite(.hangLimit) struct LintSettingsTests {
    /// Catalog with a warning of `unknown-key`, a note of `content-address` and an error of `duplicate-key`.
    private static let catalog = """
        <array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
        <key>colour</key><true/><key>hosted</key><true/><key>localContentPath</key><string>a</string></dict>
        <dict><key>productIdentifier</key><string>b</string><key>consumable</key><false/>
        <key>consumable</key><false/></dict></array>
        """

    private func report(_ settings: String) throws -> [String] {
        let settings = LintSettings(document: try PlistText.read(PlistText.document(settings)))
        #expect(settings.diagnostics.isEmpty)
        let catalog = Catalog(document: try PlistText.read(PlistText.document(Self.catalog)))
        return settings.applied(to: catalog.diagnostics).map { "\($0.severity) \($0.rule)" }
    }

    @Test func `settings turn off rules and change severities, but those of errors stay`() throws {
        #expect(try report("<dict/>") == ["warning unknown-key", "note content-address", "error duplicate-key"])
        #expect(
            try report(
                "<dict><key>disabledRules</key><array><string>unknown-key</string><string>duplicate-key</string></array></dict>"
            ) == ["note content-address", "error duplicate-key"])
        #expect(
            try report(
                """
                <dict><key>severities</key><dict><key>unknown-key</key><string>error</string>
                <key>content-address</key><string>warning</string>
                <key>duplicate-key</key><string>note</string></dict></dict>
                """) == ["error unknown-key", "warning content-address", "error duplicate-key"])
    }

    @Test func `a bundle that is excluded because of its child is reported whatever the settings are`() throws {
        let catalog = Catalog(
            document: try PlistText.read(
                PlistText.document(
                    """
                    <array><dict><key>productIdentifier</key><string>a</string></dict>
                    <dict><key>productIdentifier</key><string>b</string><key>consumable</key><false/>
                    <key>childProducts</key><array><string>a</string></array></dict></array>
                    """)))
        let rules = catalog.diagnostics.map(\.rule)
        #expect(rules.contains("broken-child"))
        let names = rules.map { "<string>\($0)</string>" }.joined()
        let settings = LintSettings(
            document: try PlistText.read(
                PlistText.document("<dict><key>disabledRules</key><array>\(names)</array></dict>")))
        #expect(settings.applied(to: catalog.diagnostics).map(\.rule) == rules)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let body: String
        let messages: [String]
    }

    @Test(arguments: [
        Case(
            testDescription: "no dictionary", body: "▸<array/>",
            messages: ["error: settings must be a dictionary, but this is an array"]),
        Case(
            testDescription: "an unknown key", body: "<dict>▸<key>disabled_rules</key><array/></dict>",
            messages: [#"warning: the settings have the unknown key "disabled_rules"; did you mean "disabledRules"?"#]),
        Case(
            testDescription: "a key like nothing", body: "<dict>▸<key>color</key><true/></dict>",
            messages: [
                #"warning: the settings have the unknown key "color"; known keys are disabledRules, severities, excluded"#
            ]),
        Case(
            testDescription: "a rule that does not exist",
            body: "<dict><key>disabledRules</key><array>▸<string>unknown-keys</string></array></dict>",
            messages: [#"warning: there is no rule "unknown-keys"; did you mean "unknown-key"?"#]),
        Case(
            testDescription: "rules that are no array",
            body: "<dict><key>disabledRules</key>▸<string>unknown-key</string></dict>",
            messages: ["error: disabledRules must be an array of strings, but this is a string"]),
        Case(
            testDescription: "a pattern that is no string",
            body: "<dict><key>excluded</key><array>▸<integer>1</integer></array></dict>",
            messages: ["error: excluded must contain strings, but this is an integer"]),
        Case(
            testDescription: "patterns that match no path",
            body: "<dict><key>excluded</key><array>▸<string>../Old</string>▸<string/><string>a</string></array></dict>",
            messages: [
                #"warning: "../Old" matches no path: a pattern is a name or a path, without "..""#,
                #"warning: "" matches no path: a pattern is a name or a path, without "..""#,
            ]),
        Case(
            testDescription: "severities that are no dictionary", body: "<dict><key>severities</key>▸<array/></dict>",
            messages: ["error: severities must be a dictionary from rules to severities, but this is an array"]),
        Case(
            testDescription: "a severity that does not exist",
            body: "<dict><key>severities</key><dict><key>unknown-key</key>▸<string>off</string></dict></dict>",
            messages: [#"error: the severity of "unknown-key" must be one of error, warning, note"#]),
        Case(
            testDescription: "a severity of a rule that does not exist",
            body: "<dict><key>severities</key><dict>▸<key>weather</key><string>note</string></dict></dict>",
            messages: [#"warning: there is no rule "weather""#]),
        Case(
            testDescription: "a key twice",
            body: "<dict><key>excluded</key><array/>▸<key>excluded</key><array/></dict>",
            messages: [#"error: the key "excluded" is repeated"#]),
    ])
    func `settings that cannot be used are reported at their position`(_ test: Case) throws {
        let marked = MarkedText(PlistText.document(test.body))
        let diagnostics = LintSettings(document: try PlistText.read(marked.text)).diagnostics

        #expect(diagnostics.map { "\($0.severity): \($0.message)" } == test.messages)
        #expect(diagnostics.map(\.position) == marked.positions)
        #expect(diagnostics.allSatisfy { $0.rule == "lint-settings" })
    }

    @Test func `settings with more than 1000 patterns exclude nothing`() throws {
        let patterns = (0...1_000).map { "<string>a\($0)</string>" }.joined()
        let settings = LintSettings(
            document: try PlistText.read(
                PlistText.document("<dict><key>excluded</key><array>\(patterns)</array></dict>")))
        #expect(settings.excluded.isEmpty)
        #expect(settings.diagnostics.map(\.message) == ["excluded may contain at most 1000 patterns, not 1001"])
    }
}
