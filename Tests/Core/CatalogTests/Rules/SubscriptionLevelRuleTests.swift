import Testing
import VitrineTestSupport

@Suite(.hangLimit) struct SubscriptionLevelRuleTests {
    /// Returns an auto-renewable subscription with further keys.
    private static func plan(
        _ identifier: String, _ keys: String, type: String = "autoRenewableSubscription"
    ) -> String {
        """
        <dict><key>productIdentifier</key><string>\(identifier)</string><key>type</key><string>\(type)</string>
        \(keys)</dict>

        """
    }

    private static let club = "<key>subscriptionGroup</key><string>club</string>"
    private static let duration = "<key>subscriptionDuration</key><string>P1M</string>"
    private static let another = "the other subscription has its level here"

    private static func level(_ level: Int, mark: String = "") -> String {
        "<key>level</key>\(mark)<integer>\(level)</integer>"
    }

    @Test(arguments: [
        RuleCase(
            "a level without group", products: plan("first", level(2, mark: "▸")),
            #""first" has level 2 and no subscriptionGroup to be ranked in"#),
        RuleCase(
            "some of a group",
            products: "▸" + plan("first", club) + plan("gold", club + level(1, mark: "▹"))
                + plan("silver", club + level(2)),
            #""first" has no level, unlike another subscription of the group "club""#, notes: [another],
            valid: ["first", "gold", "silver"]),
        RuleCase(
            "two of a group",
            products: plan("gold", club + level(1, mark: "▹▹")) + "▸" + plan("a", club) + "▸" + plan("b", club),
            #""a" has no level, unlike another subscription of the group "club""#,
            #""b" has no level, unlike another subscription of the group "club""#, notes: [another, another],
            valid: ["gold", "a", "b"]),
        RuleCase(
            "equal levels", products: plan("month", club + level(1)) + plan("year", club + level(1)),
            valid: ["month", "year"]),
        RuleCase("no level in a group", products: plan("month", club) + plan("year", club), valid: ["month", "year"]),
        RuleCase(
            "levels of another group",
            products: plan("month", club)
                + plan("news", "<key>subscriptionGroup</key><string>news</string>" + level(1)),
            valid: ["month", "news"]),
        RuleCase(
            "a level that has its own finding",
            products: plan("month", club + level(0)) + plan("year", club + level(1)),
            also: ["subscription"], valid: ["month", "year"]),
        RuleCase(
            "a level that is a word",
            products: plan("month", "\(club)<key>level</key><string>one</string>") + plan("year", club + level(1)),
            also: ["value-type"], valid: ["year"]),
        RuleCase(
            "one that does not renew",
            products: plan("month", club + duration, type: "nonRenewingSubscription") + plan("year", club + level(1))
                + plan("week", level(3) + duration, type: "nonRenewingSubscription"),
            valid: ["month", "year", "week"]),
        RuleCase(
            "a product that is no subscription", products: nonConsumable("first", level(1)), also: ["subscription"]),
    ])
    func `a subscription level without a group, and a missing level in a ranked group, are reported`(_ test: RuleCase)
        throws
    { try test.check("subscription-level") }
}
