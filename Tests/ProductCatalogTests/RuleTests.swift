import ProductCatalog
import PropertyList
import TestSupport
import Testing

@Suite struct RuleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        /// The root's content, with a mark where each finding is expected, in the order of the file.
        let marked: String
        /// Severity and rule of each.
        let findings: [String]
        /// The identifiers that stay in the catalog.
        let kept: [String]
        var testDescription: String { id }
    }

    @Test(arguments: [
        Case(
            id: "a product of each kind is fine",
            marked: """
                <dict><key>productIdentifier</key><string>guide</string><key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key><string>pack</string><key>type</key><string>nonConsumable</string>
                <key>childProducts</key><array><string>guide</string></array></dict>
                <dict><key>productIdentifier</key><string>coins</string><key>consumable</key><true/>
                <key>storageKey</key><string>c</string><key>productValue</key><integer>5</integer></dict>
                """,
            findings: [], kept: ["guide", "pack", "coins"]),
        Case(
            id: "no identifier",
            marked: "▸<dict><key>consumable</key><false/></dict>",
            findings: ["error missing-identifier"], kept: []),
        Case(
            id: "an empty identifier",
            marked: "▸<dict><key>productIdentifier</key>▸<string/><key>consumable</key><false/></dict>",
            findings: ["error missing-identifier", "warning empty-string"], kept: []),
        Case(
            id: "an identifier twice",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key>▸<string>a</string><key>consumable</key><false/></dict>
                """,
            findings: ["error duplicate-identifier"], kept: []),
        Case(
            id: "no kind",
            marked: "▸<dict><key>productIdentifier</key><string>a</string></dict>",
            findings: ["error missing-kind"], kept: []),
        Case(
            id: "a type that contradicts consumable",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                <key>type</key>▸<string>consumable</string><key>storageKey</key><string>c</string>
                <key>productValue</key><integer>5</integer></dict>
                """,
            findings: ["error contradictory-kind"], kept: []),
        Case(
            id: "a type that is none",
            marked: """
                <dict><key>productIdentifier</key><string>a</string>
                <key>type</key>▸<string>Non-Consumable</string></dict>
                """,
            findings: ["error contradictory-kind"], kept: []),
        Case(
            id: "a consumable without storageKey",
            marked: """
                ▸<dict><key>productIdentifier</key><string>a</string><key>consumable</key><true/>
                <key>productValue</key><integer>5</integer></dict>
                """,
            findings: ["error missing-storage-key"], kept: []),
        Case(
            id: "a consumable without productValue",
            marked: """
                ▸<dict><key>productIdentifier</key><string>a</string><key>consumable</key><true/>
                <key>storageKey</key><string>c</string></dict>
                """,
            findings: ["error product-value"], kept: []),
        Case(
            id: "a value of zero",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><true/>
                <key>storageKey</key><string>c</string><key>productValue</key>▸<integer>0</integer></dict>
                """,
            findings: ["error product-value"], kept: []),
        Case(
            id: "a value given as text",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><true/>
                <key>storageKey</key><string>c</string><key>productValue</key>▸<string>50</string></dict>
                """,
            findings: ["error value-type"], kept: []),
        Case(
            id: "a child that does not exist",
            marked: """
                <dict><key>productIdentifier</key><string>guide</string><key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key><string>pack</string><key>consumable</key><false/>
                <key>childProducts</key><array><string>guide</string>▸<string>giude</string></array></dict>
                """,
            findings: ["error unknown-child"], kept: ["guide"]),
        Case(
            id: "a consumable child",
            marked: """
                <dict><key>productIdentifier</key><string>coins</string><key>consumable</key><true/>
                <key>storageKey</key><string>c</string><key>productValue</key><integer>5</integer></dict>
                <dict><key>productIdentifier</key><string>pack</string><key>consumable</key><false/>
                <key>childProducts</key><array>▸<string>coins</string></array></dict>
                """,
            findings: ["error child-kind"], kept: ["coins"]),
        Case(
            id: "a subscription as a child",
            marked: """
                <dict><key>productIdentifier</key><string>club</string>
                <key>type</key><string>autoRenewableSubscription</string></dict>
                <dict><key>productIdentifier</key><string>pack</string><key>consumable</key><false/>
                <key>childProducts</key><array>▸<string>club</string></array></dict>
                """,
            findings: ["error child-kind"], kept: ["club"]),
        Case(
            id: "a child twice, and one without name",
            marked: """
                <dict><key>productIdentifier</key><string>guide</string><key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key><string>pack</string><key>consumable</key><false/>
                <key>childProducts</key><array><string>guide</string>▸<string>guide</string>▸<string/></array></dict>
                """,
            findings: ["warning duplicate-child", "warning empty-string"], kept: ["guide", "pack"]),
        Case(
            id: "a type without text",
            marked: """
                ▸<dict><key>productIdentifier</key><string>a</string><key>type</key>▸<string/></dict>
                """,
            findings: ["error missing-kind", "warning empty-string"], kept: []),
        Case(
            id: "a value past 64 bits",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><true/>
                <key>storageKey</key><string>c</string>
                <key>productValue</key>▸<integer>9223372036854775808</integer></dict>
                """,
            findings: ["error value-type"], kept: []),
        Case(
            id: "a number past 64 bits",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                <key>maxChildren</key>▸<integer>18446744073709551615</integer></dict>
                """,
            findings: ["error value-type"], kept: []),
        Case(
            id: "children of a consumable",
            marked: """
                <dict><key>productIdentifier</key><string>guide</string><key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key><string>coins</string><key>consumable</key><true/>
                <key>storageKey</key><string>c</string><key>productValue</key><integer>5</integer>
                <key>childProducts</key><array>▸<string>guide</string></array></dict>
                """,
            findings: ["error consumable-bundle"], kept: ["guide"]),
        Case(
            id: "two bundles that contain each other, and one that contains them",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                <key>childProducts</key><array>▸<string>b</string></array></dict>
                <dict><key>productIdentifier</key><string>b</string><key>consumable</key><false/>
                <key>childProducts</key><array><string>a</string></array></dict>
                <dict><key>productIdentifier</key><string>c</string><key>consumable</key><false/>
                <key>childProducts</key><array>▸<string>a</string></array></dict>
                <dict><key>productIdentifier</key><string>d</string><key>consumable</key><false/></dict>
                """,
            findings: ["error bundle-cycle", "note broken-child"], kept: ["d"]),
        Case(
            id: "a bundle that contains itself",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                <key>childProducts</key><array>▸<string>a</string></array></dict>
                """,
            findings: ["error bundle-cycle"], kept: []),
        Case(
            id: "maxChildren that is no limit",
            marked: """
                <dict><key>productIdentifier</key><string>guide</string><key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key><string>pack</string><key>consumable</key><false/>
                <key>childProducts</key><array><string>guide</string></array>
                <key>maxChildren</key>▸<integer>0</integer></dict>
                <dict><key>productIdentifier</key><string>box</string><key>consumable</key><false/>
                <key>childProducts</key><array><string>guide</string></array>
                <key>maxChildren</key>▸<integer>2</integer></dict>
                """,
            findings: ["warning max-children", "warning max-children"], kept: ["guide", "pack", "box"]),
        Case(
            id: "ownership in the file",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                ▸<key>purchased</key><true/></dict>
                """,
            findings: ["error ownership-key"], kept: []),
        Case(
            id: "a value of the wrong type, where money depends on it and where it does not",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key>▸<string>YES</string></dict>
                <dict><key>productIdentifier</key><string>b</string><key>consumable</key><false/>
                <key>productIcon</key>▸<integer>1</integer></dict>
                """,
            findings: ["error value-type", "warning value-type"], kept: ["b"]),
        Case(
            id: "a key twice",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                ▸<key>consumable</key><false/></dict>
                """,
            findings: ["error duplicate-key"], kept: []),
        Case(
            id: "a key that is misspelt, and one that nobody knows",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                ▸<key>childproduct</key><array/>▸<key>weather</key><true/></dict>
                """,
            findings: ["warning unknown-key", "warning unknown-key"], kept: ["a"]),
        Case(
            id: "the older spelling of storageKey",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><true/>
                ▸<key>localStorageKey</key><string>c</string><key>productValue</key><integer>5</integer></dict>
                """,
            findings: ["warning old-spelling"], kept: ["a"]),
        Case(
            id: "keys that nothing is done about yet",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                ▸<key>level</key><integer>1</integer>▸<key>localContentPath</key><string>a</string></dict>
                """,
            findings: ["note not-acted-on", "note not-acted-on"], kept: ["a"]),
        Case(
            id: "a product that is a number",
            marked: "▸<integer>1</integer><string>a</string>",
            findings: ["error root"], kept: ["a"]),
    ])
    func `a rule finds it, there and nowhere else`(_ test: Case) throws {
        let marked = MarkedText(PlistText.document("<array>\(test.marked)</array>"))
        let catalog = Catalog(document: try PlistText.read(marked.text))

        #expect(catalog.diagnostics.map { "\($0.severity) \($0.rule)" } == test.findings)
        #expect(catalog.diagnostics.map(\.position) == marked.positions)
        #expect(catalog.products.map(\.identifier) == test.kept)
        #expect(catalog.hasErrors == test.findings.contains { $0.hasPrefix("error") })
    }
}
