import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineCatalog

/// Former durations of non-renewing subscriptions, and what the rule about subscriptions says of them.
@Suite(.hangLimit) struct FormerDurationTests {
    /// Returns a pass `first` of 30 days with the entries of its former durations.
    private static func pass(_ entries: String) -> String {
        """
        <dict><key>productIdentifier</key><string>first</string><key>type</key><string>nonRenewingSubscription</string>
        <key>subscriptionDuration</key><string>P30D</string><key>formerDurations</key>\(entries)</dict>
        """
    }

    private static func entry(_ duration: String = "P60D", until date: String = "2030-01-01T00:00:00Z") -> String {
        "<dict><key>duration</key><string>\(duration)</string><key>until</key><date>\(date)</date></dict>"
    }

    @Test(arguments: [
        RuleCase("one entry", products: pass("<array>\(entry())</array>")),
        RuleCase(
            "two entries, the later one first",
            products: pass("<array>\(entry())\(entry("P1W", until: "2029-01-01T00:00:00Z"))</array>")),
        RuleCase("an empty list", products: pass("<array/>")),
        RuleCase(
            "a duration that is a word",
            products: pass(
                "<array><dict><key>duration</key>▸<string>month</string><key>until</key>"
                    + "<date>2030-01-01T00:00:00Z</date></dict></array>"),
            #"duration "month" is not a duration such as P7D, P1W, P1M or P1Y"#, valid: []),
        RuleCase(
            "a duration that is a number",
            products: pass(
                "<array><dict><key>duration</key>▸<integer>30</integer><key>until</key>"
                    + "<date>2030-01-01T00:00:00Z</date></dict></array>"),
            "duration is an integer and not a duration such as P7D, P1W, P1M or P1Y", valid: []),
        RuleCase(
            "a date that is a string",
            products: pass(
                "<array><dict><key>duration</key><string>P60D</string><key>until</key>▸<string>2030</string></dict></array>"
            ),
            "until must be a date, but this is a string", valid: []),
        RuleCase(
            "an entry without a date",
            products: pass("<array>▸<dict><key>duration</key><string>P60D</string></dict></array>"),
            "a former duration needs duration and until", valid: []),
        RuleCase(
            "an unknown key",
            products: pass(
                "<array><dict><key>duration</key><string>P60D</string><key>until</key><date>2030-01-01T00:00:00Z</date>"
                    + "▸<key>from</key><date>2029-01-01T00:00:00Z</date></dict></array>"),
            #""from" is not a key of a former duration; keys are duration, until"#, valid: []),
        RuleCase(
            "two entries with one date", products: pass("▸<array>\(entry())\(entry("P1W"))</array>"),
            "two of the formerDurations end at 2030-01-01T00:00:00Z", valid: []),
        RuleCase(
            "more entries than are read",
            products: pass("▸<array>\(String(repeating: entry(), count: 101))</array>"),
            "formerDurations has 101 entries, and at most 100 are read", valid: []),
    ])
    func `former durations that cannot be read, or contradict each other, are errors`(_ test: RuleCase) throws {
        try test.check("subscription", severity: .error)
    }

    @Test(arguments: [
        RuleCase(
            "a non-consumable", "<key>formerDurations</key>▸<array>\(entry())</array>",
            #""first" is not a non-renewing subscription: formerDurations is ignored"#),
        RuleCase(
            "an auto-renewable subscription",
            products: """
                <dict><key>productIdentifier</key><string>first</string>
                <key>type</key><string>autoRenewableSubscription</string>
                <key>formerDurations</key>▸<array>\(entry())</array></dict>
                """, #""first" is not a non-renewing subscription: formerDurations is ignored"#),
    ])
    func `former durations of products that are not non-renewing subscriptions are ignored with a warning`(
        _ test: RuleCase
    ) throws {
        try test.check("subscription")
    }

    @Test func `a catalog has the former durations of a file in the order of their dates`() throws {
        let text = PlistText.document(
            "<array>\(Self.pass("<array>\(Self.entry())\(Self.entry("P1W", until: "2029-01-01T00:00:00Z"))</array>"))</array>"
        )
        let product = try #require(Catalog(document: try PlistText.read(text))["first"])

        #expect(
            product.formerDurations.map(\.description) == [
                "P1W until 2029-01-01T00:00:00Z", "P60D until 2030-01-01T00:00:00Z",
            ])
        func days(_ date: String, quantity: Int = 1) throws -> Double? {
            let bought = try Date(date, strategy: .iso8601)
            return product.durations.end(boughtAt: bought, quantity: quantity).map {
                $0.timeIntervalSince(bought) / 86_400
            }
        }
        #expect(try days("2028-12-31T23:59:59Z") == 7)
        #expect(try days("2029-01-01T00:00:00Z") == 60)
        #expect(try days("2029-12-31T23:59:59Z", quantity: 10) == 600)
        #expect(try days("2030-01-01T00:00:00Z") == 30)
        #expect(product.durations.hasHistory)
    }

    @Test(
        arguments: [
            ("P1M", 1, "2026-02-28T10:00:00Z"), ("P1M", 2, "2026-03-31T10:00:00Z"), ("P30D", 3, "2026-05-01T10:00:00Z"),
            ("P1M", 0, nil), ("P1M", -1, nil), ("P1M", .max, "9999-12-31T23:59:59Z"),
            ("P9999Y", 1_000, "9999-12-31T23:59:59Z"), ("PT1S", .max, "9999-12-31T23:59:59Z"),
        ] as [(String, Int, String?)])
    func `a quantity multiplies the duration of a non-renewing subscription, within limits`(
        text: String, quantity: Int, end: String?
    ) throws {
        let product = CatalogProduct(
            identifier: "pass", kind: .nonRenewingSubscription, subscriptionDuration: SubscriptionDuration(text))
        let start = try Date("2026-01-31T10:00:00Z", strategy: .iso8601)
        #expect(
            try product.durations.end(boughtAt: start, quantity: quantity)
                == end.map { try Date($0, strategy: .iso8601) })
    }
}
