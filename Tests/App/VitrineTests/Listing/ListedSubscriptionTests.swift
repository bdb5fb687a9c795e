import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

/// Subscriptions in the listing: prices of a period and a month, savings, and offers.
@Suite struct ListedSubscriptionTests {
    @Test func `a subscription is listed with its group, level, period and prices`() throws {
        let plans = try ListedClub(products: [
            .plan("month", "4.99", "$4.99", "P1M", level: 2), .plan("year", "29.99", "$29.99", "P1Y", level: 2),
            .plan("quarter", "9.99", "$9.99", "P3M"), .plan("week", "0.99", "$0.99", "P1W"),
            .plan("days", "0.99", "$0.99", "P3D"), .plan("years", "50", "$50.00", "P2Y", group: "other"),
        ]).listings()

        #expect(
            plans.mapValues(\.displayPricePerPeriod) == [
                "month": "$4.99 a month", "year": "$29.99 a year", "quarter": "$9.99 every 3 months",
                "week": "$0.99 a week", "days": "$0.99 every 3 days", "years": "$50.00 every 2 years",
            ])
        #expect(
            plans.compactMapValues(\.displayPricePerMonth) == [
                "year": "$2.50 a month", "quarter": "$3.33 a month", "years": "$2.08 a month",
            ])
        #expect(plans["year"]?.pricePerMonth == Decimal(string: "2.5"))
        #expect(plans["years"]?.pricePerMonth == Decimal(string: "2.08"))
        let year = try #require(plans["year"])
        #expect((year.group, year.groupName, year.level, year.period) == ("club", "The Club", 2, .of("P1Y")))
        #expect((year.saving, year.displaySaving) == (Decimal(string: "29.89"), "$29.89"))
        #expect(year.savedFraction.map { Int(($0 * 100).rounded()) } == 50)
        #expect(plans["quarter"]?.displaySaving == "$4.98")
        #expect(plans["month"]?.saving == nil)
        #expect(plans["years"]?.saving == nil)
    }

    @Test(arguments: [
        ("1 %", "59.40", "1%"), ("99 %", "0.60", "99%"), ("less than 1 %", "59.41", nil),
        ("more than 99 %", "0.59", nil),
        ("nothing", "60", nil), ("less than nothing", "61", nil),
    ])
    func `a saving is shown if it is from 1 to 99 percent of the monthly subscription`(
        id: String, price: String, percentage: String?
    ) throws {
        let plans = try ListedClub(products: [
            .plan("month", "5", "$5.00", "P1M"), .plan("year", price, "$\(price)", "P1Y"),
        ]).listings()
        #expect(plans["year"]?.displaySavedPercentage == percentage)
        #expect((plans["year"]?.saving == nil) == (percentage == nil))
        #expect((plans["year"]?.savedFraction == nil) == (percentage == nil))
    }

    @Test(arguments: [
        ("en", "20%"), ("de", "20 %"), ("nl", "20%"), ("sv", "20 %"), ("da", "20 %"), ("nb", "20 %"), ("fr", "20 %"),
        ("es", "20 %"), ("it", "20%"), ("pt", "20%"), ("pl", "20%"), ("cs", "20 %"), ("ru", "20 %"), ("fi", "20 %"),
        ("tr", "%20"), ("he", "20%"), ("ja", "20%"), ("ko", "20%"), ("zh-Hans", "20%"),
    ])
    func `a percentage has its sign at the place, and with the space, of the customer's language`(
        language: String, percentage: String
    ) throws {
        let plans = try ListedClub(
            products: [.plan("month", "5", "$5.00", "P1M"), .plan("year", "48", "$48.00", "P1Y")], languages: [language]
        ).listings()
        let text = try #require(plans["year"]?.displaySavedPercentage)
        // The space does not permit a line break; its width differs between versions of Unicode's CLDR.
        #expect(!text.contains(" "))
        #expect(text.map { $0.isWhitespace ? " " : String($0) }.joined() == percentage)
    }

    @Test(
        arguments: [
            (
                "of the same level", [.plan("a", "5", "$5", "P1M", level: 1), .plan("b", "4", "$4", "P1M", level: 2)],
                10
            ),
            ("the cheapest of the same level", [.plan("a", "6", "$6", "P1M"), .plan("b", "5", "$5", "P1M")], 10),
            ("the only one", [.plan("a", "5", "$5", "P1M", level: 3)], 10),
            (
                "one of several of other levels",
                [.plan("a", "5", "$5", "P1M", level: 2), .plan("b", "6", "$6", "P1M", level: 3)], nil
            ),
            ("of another group", [.plan("a", "5", "$5", "P1M", group: "news")], nil),
            ("in another currency", [.plan("a", "5", "5 €", "P1M", currency: "EUR")], nil),
            ("not dearer", [.plan("a", "4.1", "$4.10", "P1M")], nil), ("none", [], nil),
            ("only a weekly one", [.plan("a", "5", "$5", "P1W")], nil),
        ] as [(String, [StoreProduct], Int?)])
    func `the saving of a yearly subscription is compared with a monthly subscription of the same group`(
        id: String, others: [StoreProduct], saving: Int?
    ) throws {
        let plans = try ListedClub(products: [.plan("year", "50", "$50.00", "P1Y")] + others).listings()
        #expect(plans["year"]?.saving == saving.map { Decimal($0) })
        #expect(plans["year"]?.displaySaving == saving.map { "$\($0).00" })
    }

    @Test(
        arguments: [
            (.intro(.free, "P1W"), "1 week free, then $4.99 a month"),
            (.intro(.free, "P3D"), "3 days free, then $4.99 a month"),
            (.intro(.free, "P1M", count: 2), "2 months free, then $4.99 a month"),
            (.intro(.payAsYouGo, "P1M", count: 3, "$0.99"), "$0.99 a month for 3 months, then $4.99 a month"),
            (.intro(.payAsYouGo, "P1M", "$0.99"), "$0.99 for 1 month, then $4.99 a month"),
            (.intro(.payAsYouGo, "P2W", count: 2, "$0.99"), "$0.99 every 2 weeks for 4 weeks, then $4.99 a month"),
            (.intro(.payUpFront, "P6M", "$9.99"), "$9.99 for 6 months, then $4.99 a month"),
        ] as [(StoreProduct.Subscription.Offer, String)])
    func `the text of an introductory offer states the regular price that follows`(
        offer: StoreProduct.Subscription.Offer, text: String
    ) throws {
        let plans = try ListedClub(products: [
            .plan("month", "4.99", "$4.99", "P1M", intro: offer, isEligible: true)
        ]).listings()
        #expect(plans["month"]?.introductoryOffer?.text == text)
        #expect(plans["month"]?.introductoryOffer?.terms == offer)
    }

    /// Purchase of a product, valid for 30 days from the day after the store's response.
    private static func bought(_ product: String, isFamilyShared: Bool = false) -> [Fact] {
        [
            .bought(
                product, transaction: "1", kind: .autoRenewableSubscription,
                until: Fact.Period(expirationDate: ListedClub.answered + 31 * 86_400),
                at: ListedClub.answered + 86_400, isFamilyShared: isFamilyShared)
        ]
    }

    @Test(
        arguments: [
            ("the store says yes", true, [], true), ("the store says no: lapsed in the group", false, [], false),
            ("unknown", nil, [], false), ("bought meanwhile", true, bought("month"), false),
            ("another one of the group bought meanwhile", true, bought("other"), false),
            ("one of another group bought", true, bought("news"), true),
            ("shared by the family", true, bought("other", isFamilyShared: true), true),
            (
                "granted", true,
                [.grant(Fact.Grant(token: "1", productIdentifier: "other", reason: "a present"))], true
            ),
        ] as [(String, Bool?, [Fact], Bool)])
    func `an offer is shown only to customers who are eligible for it`(
        id: String, isEligible: Bool?, facts: [Fact], isShown: Bool
    ) throws {
        let (trial, again) = (
            StoreProduct.Subscription.Offer.intro(.free, "P1W"), StoreProduct.Subscription.Offer.winBack("again", "$1")
        )
        let plans = try ListedClub(
            products: [
                .plan(
                    "month", "4.99", "$4.99", "P1M", intro: trial, isEligible: isEligible,
                    winBack: [.winBack("never", "$0"), again], eligible: isEligible == true ? ["again"] : []),
                .plan("other", "4.99", "$4.99", "P1M"), .plan("news", "4.99", "$4.99", "P1M", group: "news"),
            ], facts: facts, date: ListedClub.answered + 2 * 86_400
        ).listings()
        #expect(plans["month"]?.introductoryOffer?.terms == (isShown ? trial : nil))
        #expect(plans["month"]?.winBackOffers.map(\.text) == (isShown ? ["$1 for 2 months, then $4.99 a month"] : []))
        #expect(plans["month"]?.displayPricePerPeriod == "$4.99 a month")
        #expect(plans["month"]?.terms?.winBackOffers.count == 2)
    }

    @Test func `a subscription's group and level are read from the catalog until the store has sent them`() throws {
        let plain = StoreProduct(
            identifier: "month", kind: .autoRenewableSubscription, displayName: "", description: "", price: 5,
            currencyCode: "USD", displayPrice: "$5.00")
        let plan = try #require(try ListedClub(products: [plain]).listings()["month"])
        #expect((plan.group, plan.groupName, plan.level) == ("group of the catalog", nil, 7))
        #expect((plan.period, plan.displayPricePerPeriod, plan.pricePerMonth) == (nil, nil, nil))
    }

    @Test(
        arguments: [("de", "en", nil), ("en", "en-US", "The Club"), (nil, "de", "The Club")]
            as [(String?, String, String?)])
    func `the name of a subscription group is shown only if it is in the customer's language`(
        storeLanguage: String?, language: String, name: String?
    ) throws {
        let plans = try ListedClub(
            products: [.plan("month", "5", "$5.00", "P1M")], languages: [language], storeLanguage: storeLanguage
        ).listings()
        #expect(plans["month"]?.groupName == name)
    }
}
