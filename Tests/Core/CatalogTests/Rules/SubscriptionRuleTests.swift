import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct SubscriptionRuleTests {
    /// Returns a subscription `first` of a type, with further keys.
    private static func subscription(_ type: String, _ keys: String = "") -> String {
        """
        <dict><key>productIdentifier</key><string>first</string><key>type</key><string>\(type)</string>
        \(keys)</dict>
        """
    }

    private static func nonRenewing(_ keys: String) -> String { subscription("nonRenewingSubscription", keys) }

    private static func renewing(_ keys: String) -> String { subscription("autoRenewableSubscription", keys) }

    private static let duration = "<key>subscriptionDuration</key>"

    @Test(arguments: [
        RuleCase(
            "a word", products: nonRenewing("\(duration)▸<string>month</string>"),
            #"subscriptionDuration "month" is not a duration such as P7D, P1W, P1M or P1Y"#, valid: []),
        RuleCase(
            "no time at all", products: nonRenewing("\(duration)▸<string>P0D</string>"),
            #"subscriptionDuration "P0D" is not a duration such as P7D, P1W, P1M or P1Y"#, valid: []),
        RuleCase(
            "of a subscription without type",
            "<key>type</key><string>yearly</string>\(duration)▸<string>year</string>",
            #"subscriptionDuration "year" is not a duration such as P7D, P1W, P1M or P1Y"#,
            also: ["contradictory-kind"],
            valid: []),
        RuleCase("a month", products: nonRenewing("\(duration)<string>P1M</string>")),
    ])
    func `an invalid subscriptionDuration is reported as an error`(_ test: RuleCase) throws {
        try test.check("subscription", severity: .error)
    }

    @Test(arguments: [
        RuleCase(
            "keys of a non-consumable",
            "<key>subscriptionGroup</key>▸<string>club</string><key>level</key>▸<integer>1</integer>\n"
                + "\(duration)▸<string>P1M</string>",
            #""first" is not a subscription: subscriptionGroup is ignored"#,
            #""first" is not a subscription: level is ignored"#,
            #""first" is not a subscription: subscriptionDuration is ignored"#),
        RuleCase(
            "a level of a consumable", products: consumable("first", "<key>level</key>▸<integer>2</integer>"),
            #""first" is not a subscription: level is ignored"#),
        RuleCase("a duration where the store renews", products: renewing("\(duration)<string>P1M</string>")),
        RuleCase(
            "a duration that cannot be read, where the store renews",
            products: renewing("\(duration)▸<string>month</string>"),
            #"subscriptionDuration "month" is ignored: it is not a duration such as P7D, P1W, P1M or P1Y"#),
        RuleCase(
            "a duration that is a number, where the store renews",
            products: renewing("\(duration)<integer>30</integer>"), also: ["value-type"], valid: []),
        RuleCase(
            "no duration where nothing renews", products: "▸" + nonRenewing(""),
            #"the non-renewing subscription "first" has no subscriptionDuration: its end is unknown"#),
        RuleCase(
            "a duration without text", products: "▸" + nonRenewing("\(duration)<string/>"),
            #"the non-renewing subscription "first" has no subscriptionDuration: its end is unknown"#,
            also: ["empty-string"]),
        RuleCase(
            "a level of nothing", products: renewing("<key>level</key>▸<integer>0</integer>"),
            "level is 0 and is ignored: it must be greater than zero"),
        RuleCase(
            "a level below zero", products: renewing("<key>level</key>▸<integer>-3</integer>"),
            "level is -3 and is ignored: it must be greater than zero"),
        RuleCase(
            "a level of nothing where there is none", "<key>level</key>▸<integer>0</integer>",
            "level is 0 and is ignored: it must be greater than zero"),
        RuleCase(
            "a duration that is a number", products: nonRenewing("\(duration)<integer>30</integer>"),
            also: ["value-type"], valid: []),
        RuleCase(
            "a type that may have meant a subscription",
            "<key>type</key><string>yearly</string>\(duration)<string>P1Y</string>", also: ["contradictory-kind"],
            valid: []),
        RuleCase(
            "group and level of one that renews",
            products: renewing("<key>subscriptionGroup</key><string>club</string><key>level</key><integer>1</integer>")),
        RuleCase(
            "everything of one that does not",
            products: nonRenewing(
                "<key>subscriptionGroup</key><string>club</string><key>level</key><integer>1</integer>\n"
                    + "\(duration)<string>P7D</string>")),
    ])
    func `missing, invalid or inapplicable subscription keys of a product are reported as warnings`(_ test: RuleCase)
        throws
    {
        try test.check("subscription")
    }

    @Test func `the fix for a subscription level of zero removes the level, unless the key is repeated`() throws {
        func fixes(_ levels: String) throws -> [String?] {
            let text = PlistText.document("<array>\(Self.renewing(levels))</array>")
            return Catalog(document: try PlistText.read(text)).diagnostics.filter { $0.rule == "subscription" }
                .map { $0.fix?.description }
        }
        let level = "<key>level</key><integer>0</integer>"

        #expect(try fixes(level) == ["remove level"])
        #expect(try fixes(level + level) == [nil])
    }

    @Test func `subscription keys of products created in code are checked by the same rule as in catalog files`() {
        let catalog = Catalog(products: [
            CatalogProduct(identifier: "year", kind: .nonRenewingSubscription),
            CatalogProduct(identifier: "club", kind: .autoRenewableSubscription, level: 0),
            CatalogProduct(
                identifier: "guide", kind: .nonConsumable, subscriptionDuration: SubscriptionDuration("P1Y")),
            CatalogProduct(identifier: "map", subscriptionGroup: "club", level: 1),
        ])

        #expect(
            catalog.diagnostics.map(\.message) == [
                #"the non-renewing subscription "year" has no subscriptionDuration: its end is unknown"#,
                "level is 0 and is ignored: it must be greater than zero",
                #""guide" is not a subscription: subscriptionDuration is ignored"#,
            ])
        #expect(catalog.diagnostics.allSatisfy { $0.rule == "subscription" && $0.position == nil })
        #expect(catalog.products.map(\.level) == [nil, nil, nil, 1])
    }
}
