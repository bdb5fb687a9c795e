import Foundation
import Testing
import VitrineCatalog
import VitrinePropertyList
import VitrineTestSupport

@Suite(.hangLimit) struct StoreDriftRuleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        /// Products of the catalog, with a mark at the position of each expected diagnostic.
        let products: String
        /// Products of the `.storekit` file, in JSON.
        let store: [String]
        /// Messages of the diagnostics: first those with a position in the catalog, then the others.
        let messages: [String]
        var testDescription: String { id }
    }

    /// Returns a product of the `.storekit` file.
    private static func item(
        _ identifier: String, type: String = "NonConsumable", price: String = "1.99", name: String = "A"
    ) -> String {
        #"{"productID": "\#(identifier)", "type": "\#(type)", "displayPrice": "\#(price)", "#
            + #""localizations": [{"locale": "en_US", "displayName": "\#(name)"}]}"#
    }

    @Test func `an unknown key of a .storekit file is reported with the known key that it resembles`() throws {
        let store = """
            {"version": {"major": 4, "minor": 0}, "weather": 1, "products": [{"productID": "guide",
             "type": "NonConsumable", "displayPricee": "1.99", "localizations": [{"locale": "en", "displayNam": "A"}]}]}
            """
        let found = StoreDrift.diagnostics(
            of: Catalog(document: try PlistText.read(PlistText.document("<array/>"))),
            against: try StoreConfiguration(data: Data(store.utf8)))
        #expect(
            found.filter { $0.severity == .note }.map(\.message) == [
                #"the .storekit file has the unknown key "products[0].displayPricee"; did you mean "displayPrice"?"#,
                "the .storekit file has the unknown key \"products[0].localizations[0].displayNam\"; "
                    + #"did you mean "displayName"?"#,
                #"the .storekit file has the unknown key "weather""#,
            ])
    }

    @Test func `a store product that an error excludes from the catalog is not reported as missing`() throws {
        let catalog = Catalog(
            document: try PlistText.read(
                PlistText.document("<array><dict><key>productIdentifier</key><string>guide</string></dict></array>")))
        let store = #"{"version": {"major": 4, "minor": 0}, "products": [\#(Self.item("guide"))]}"#

        #expect(catalog.products.isEmpty)
        #expect(
            StoreDrift.diagnostics(of: catalog, against: try StoreConfiguration(data: Data(store.utf8))).isEmpty)
    }

    @Test(arguments: [
        ("<array><string>guide</string><string>coins</string></array>", 4, 30),
        ("<dict><key>a.coins</key><string>🪙</string></dict>", 4, 7),
    ])
    func `a consumable in a list of identifiers is reported with a note about its missing wallet and value`(
        root: String, line: Int, column: Int
    ) throws {
        let catalog = Catalog(document: try PlistText.read(PlistText.document(root)))
        let identifier = try #require(catalog.products.last?.identifier)
        let items = [Self.item("guide"), Self.item(identifier, type: "Consumable")].suffix(catalog.products.count)
        let store = #"{"version": {"major": 4, "minor": 0}, "products": [\#(items.joined(separator: ", "))]}"#
        let findings = StoreDrift.diagnostics(of: catalog, against: try StoreConfiguration(data: Data(store.utf8)))

        #expect(findings.map(\.severity) == [.note])
        #expect(
            findings.map(\.message) == [
                "\"\(identifier)\" is a consumable in the .storekit file, and the catalog has no storageKey or productValue "
                    + "for it: it is sold only by an app that delivers it itself"
            ])
        #expect(findings.map(\.position) == [SourcePosition(line: line, column: column)])
    }

    /// Keys of the subscription `club` in the catalog, with the messages about differences from the store, where it has
    /// level 2 of the group `Club` (identifier `21`) and a period of a month.
    @Test(
        arguments: [
            ("", []), ("<key>level</key><integer>2</integer>", []),
            ("<key>subscriptionGroup</key><string>Club</string><key>level</key><integer>2</integer>", []),
            ("<key>subscriptionGroup</key><string>21</string>", []),
            (
                "<key>subscriptionGroup</key>▸<string>club</string>",
                [#""club" has subscriptionGroup "club" in the catalog and the group "Club" in the .storekit file"#]
            ),
            (
                "<key>subscriptionGroup</key><string>Club</string><key>level</key>▸<integer>1</integer>",
                [#""club" has level 1 in the catalog and level 2 in the .storekit file"#]
            ),
            ("<key>subscriptionDuration</key><string>P1M</string>", []),
            (
                "<key>subscriptionDuration</key>▸<string>P30D</string>",
                [#""club" has subscriptionDuration P30D in the catalog and the period P1M in the .storekit file"#]
            ),
            (
                """
                <key>subscriptionGroup</key>▸<string>News</string><key>level</key>▸<integer>3</integer>
                <key>subscriptionDuration</key>▸<string>P1Y</string>
                """,
                [
                    #""club" has subscriptionGroup "News" in the catalog and the group "Club" in the .storekit file"#,
                    #""club" has level 3 in the catalog and level 2 in the .storekit file"#,
                    #""club" has subscriptionDuration P1Y in the catalog and the period P1M in the .storekit file"#,
                ]
            ),
        ] as [(String, [String])])
    func `a subscription group, level or duration that differs from the .storekit file is reported at its key`(
        keys: String, messages: [String]
    ) throws {
        let findings = try Self.check(
            "<key>productIdentifier</key><string>club</string>\n"
                + "<key>type</key><string>autoRenewableSubscription</string>\(keys)", messages)
        #expect(findings.allSatisfy { $0.rule == "store-drift" && $0.severity == .warning })
    }

    @Test func `a product without a type is compared with a subscription of the .storekit file`() throws {
        let store = """
            {"version": {"major": 4, "minor": 0}, "subscriptionGroups": [{"id": "21", "name": "Club", "subscriptions": [
            \(Self.item("club", type: "RecurringSubscription").replacing(
                #""type""#, with: #""recurringSubscriptionPeriod": "P1M", "type""#))]}]}
            """
        let catalog = Catalog(products: [CatalogProduct(identifier: "club", subscriptionGroup: "News", level: 1)])

        #expect(
            StoreDrift.diagnostics(of: catalog, against: try StoreConfiguration(data: Data(store.utf8))).map(\.message)
                == [#""club" has subscriptionGroup "News" in the catalog and the group "Club" in the .storekit file"#])
    }

    @Test(arguments: [("P12M", "P1Y"), ("P7D", "P1W"), ("P1W", "P7D"), ("P1Y", "P12M")])
    func `equivalent durations such as P12M and P1Y are not reported as a difference to the .storekit file`(
        duration: String, period: String
    ) throws {
        _ = try Self.check(
            """
            <key>productIdentifier</key><string>club</string><key>type</key><string>autoRenewableSubscription</string>
            <key>subscriptionDuration</key><string>\(duration)</string>
            """, period: period, [])
    }

    @Test
    func `a subscription that renews only in the .storekit file is reported for its kind and not for its other keys`()
        throws
    {
        _ = try Self.check(
            """
            <key>productIdentifier</key><string>club</string><key>type</key><string>nonRenewingSubscription</string>
            <key>subscriptionDuration</key><string>P1Y</string><key>level</key><integer>1</integer>
            """,
            [
                #""club" is nonRenewingSubscription in the catalog and autoRenewableSubscription in the .storekit file"#
            ], isAtKey: false)
    }

    /// Compares a product of the catalog with the store's `club`. The keys have a mark at the position of each expected
    /// diagnostic.
    private static func check(
        _ keys: String, period: String = "P1M", _ messages: [String], isAtKey: Bool = true
    ) throws -> [Diagnostic] {
        let marked = MarkedText(PlistText.document("<array><dict>\(keys)</dict></array>"))
        let sold = item("club", type: "RecurringSubscription").replacing(
            #""type""#, with: #""recurringSubscriptionPeriod": "\#(period)", "groupNumber": 2, "type""#)
        let store = """
            {"version": {"major": 4, "minor": 0},
             "subscriptionGroups": [{"id": "21", "name": "Club", "subscriptions": [\(sold)]}]}
            """
        let findings = StoreDrift.diagnostics(
            of: Catalog(document: try PlistText.read(marked.text)),
            against: try StoreConfiguration(data: Data(store.utf8)))
        #expect(findings.map(\.message) == messages)
        if isAtKey { #expect(findings.map(\.position) == marked.positions) }
        return findings
    }

    @Test(arguments: [
        Case(
            id: "both the same", products: nonConsumable("guide") + consumable("coins"),
            store: [item("coins", type: "Consumable"), item("guide")], messages: []),
        Case(
            id: "not in the .storekit file", products: nonConsumable("guide") + "▸" + nonConsumable("map"),
            store: [item("guide")], messages: [#""map" is not in the .storekit file"#]),
        Case(
            id: "not in the catalog", products: nonConsumable("guide"), store: [item("guide"), item("map")],
            messages: [#"the .storekit file sells "map", which is not in the catalog"#]),
        Case(
            id: "by case alone", products: "▸" + nonConsumable("guide"), store: [item("Guide")],
            messages: [
                #""guide" is not in the .storekit file"#,
                #"the .storekit file sells "Guide", which is not in the catalog"#,
            ]),
        Case(
            id: "another kind", products: "▸" + nonConsumable("guide"), store: [item("guide", type: "Consumable")],
            messages: [#""guide" is nonConsumable in the catalog and consumable in the .storekit file"#]),
        Case(
            id: "a kind that the catalog does not tell", products: "<string>guide</string>",
            store: [item("guide", type: "NonRenewingSubscription")], messages: []),
        Case(
            id: "neither price nor name", products: "▸▸" + nonConsumable("guide"),
            store: [item("guide", price: "", name: "")],
            messages: [
                #""guide" has no price in the .storekit file and is not sold"#,
                #""guide" has no name in any language in the .storekit file"#,
            ]),
        Case(
            id: "no language at all", products: "▸" + nonConsumable("guide"),
            store: [#"{"productID": "guide", "type": "NonConsumable", "displayPrice": "0.99"}"#],
            messages: [#""guide" has no name in any language in the .storekit file"#]),
        Case(
            id: "a subscription that is renewed, and is not there",
            products: """
                ▸<dict><key>productIdentifier</key><string>club</string>
                <key>type</key><string>autoRenewableSubscription</string></dict>
                """,
            store: [], messages: [#""club" is not in the .storekit file"#]),
        Case(
            id: "a consumable for the family", products: "▸" + consumable("coins"),
            store: [
                item("coins", type: "Consumable").replacing(#""type""#, with: #""familyShareable": true, "type""#)
            ],
            messages: [#""coins" is family-shareable in the .storekit file, which a consumable cannot be"#]),
    ])
    func `differences between a catalog and a .storekit file are reported at the product`(_ test: Case) throws {
        let marked = MarkedText(PlistText.document("<array>\(test.products)</array>"))
        let catalog = Catalog(document: try PlistText.read(marked.text))
        let store = #"{"version": {"major": 4, "minor": 0}, "products": [\#(test.store.joined(separator: ", "))]}"#
        let findings = StoreDrift.diagnostics(
            of: catalog, against: try StoreConfiguration(data: Data(store.utf8)))

        #expect(catalog.diagnostics.allSatisfy { $0.severity == .note })
        #expect(findings.map(\.message) == test.messages)
        #expect(findings.compactMap(\.position) == marked.positions)
        #expect(findings.prefix(marked.positions.count).allSatisfy { $0.position != nil })
        #expect(findings.allSatisfy { $0.rule == "store-drift" && $0.severity == .warning && $0.notes.isEmpty })
        #expect(CatalogRuleDescription.all.contains { $0.identifier == "store-drift" })
    }
}
