import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineTestSupport

/// Prices of subscriptions in each language.
@Suite struct SubscriptionPhraseTests {
    private func texts(of offer: StoreProduct.Subscription.Offer, _ period: String, in languages: [String]) throws
        -> (price: String, offer: String)
    {
        let plans = try ListedClub(
            products: [.plan("p", "5", "€5", period, currency: "EUR", intro: offer, isEligible: true)],
            languages: languages
        ).listings()
        let plan = try #require(plans["p"])
        return (
            try #require(plan.displayPricePerPeriod).withPlainSpaces,
            try #require(plan.introductoryOffer?.text).withPlainSpaces
        )
    }

    /// A month, three months with a trial of a week, and a year with a reduced price for five months.
    @Test(
        arguments: [
            ("en", "€5 a month", "1 week free, then €5 every 3 months", "€1 a month for 5 months, then €5 a year"),
            (
                "de", "€5 pro Monat", "1 Woche kostenlos, danach €5 alle 3 Monate",
                "€1 pro Monat für 5 Monate, danach €5 pro Jahr"
            ),
            (
                "fr", "€5 par mois", "gratuit pendant 1 semaine, puis €5 tous les 3 mois",
                "€1 par mois pendant 5 mois, puis €5 par an"
            ),
            (
                "es", "€5 al mes", "1 semana gratis, después €5 cada 3 meses",
                "€1 al mes durante 5 meses, después €5 al año"
            ),
            ("it", "€5 al mese", "1 settimana gratis, poi €5 ogni 3 mesi", "€1 al mese per 5 mesi, poi €5 all’anno"),
            (
                "pt-BR", "€5 por mês", "1 semana grátis, depois €5 a cada 3 meses",
                "€1 por mês durante 5 meses, depois €5 por ano"
            ),
            (
                "nl", "€5 per maand", "1 week gratis, daarna €5 per 3 maanden",
                "€1 per maand gedurende 5 maanden, daarna €5 per jaar"
            ),
            (
                "sv", "€5 per månad", "1 vecka gratis, därefter €5 per 3 månader",
                "€1 per månad i 5 månader, därefter €5 per år"
            ),
            (
                "da", "€5 pr. måned", "1 uge gratis, derefter €5 pr. 3 måneder",
                "€1 pr. måned i 5 måneder, derefter €5 pr. år"
            ),
            (
                "no", "€5 per måned", "1 uke gratis, deretter €5 per 3 måneder",
                "€1 per måned i 5 måneder, deretter €5 per år"
            ),
            (
                "fi", "€5 kuukaudessa", "1 viikko ilmaiseksi, sitten €5 / 3 kuukautta",
                "5 kuukautta hintaan €1 kuukaudessa, sitten €5 vuodessa"
            ),
            (
                "pl", "€5 miesięcznie", "1 tydzień za darmo, potem €5 co 3 miesiące",
                "€1 miesięcznie przez 5 miesięcy, potem €5 rocznie"
            ),
            (
                "cs", "€5 za měsíc", "1 týden zdarma, poté €5 za 3 měsíce",
                "€1 za měsíc na 5 měsíců, poté €5 za rok"
            ),
            ("hu", "€5 havonta", "1 hét ingyen, utána €5 / 3 hónap", "€1 havonta 5 hónapig, utána €5 évente"),
            (
                "ru", "€5 в месяц", "1 неделю бесплатно, затем €5 за 3 месяца",
                "€1 в месяц на 5 месяцев, затем €5 в год"
            ),
            (
                "uk", "€5 за місяць", "1 тиждень безкоштовно, потім €5 за 3 місяці",
                "€1 за місяць на 5 місяців, потім €5 за рік"
            ),
            ("tr", "ayda €5", "1 hafta ücretsiz, sonra 3 ay için €5", "5 ay boyunca ayda €1, sonra yılda €5"),
            ("ja", "€5/月", "1週間無料、その後€5/3か月", "5か月は€1/月、その後€5/年"),
            ("ko", "€5/월", "1주 무료, 이후 €5/3개월", "5개월 동안 €1/월, 이후 €5/년"),
            ("zh-Hans", "每月€5", "1周免费,之后每3个月€5", "前5个月每月€1,之后每年€5"),
            ("zh-TW", "每月€5", "1週免費,之後每3個月€5", "前5個月每月€1,之後每年€5"),
            (
                "ar", "€5 شهريًا", "مجانًا لمدة أسبوع واحد، ثم €5 كل 3 أشهر",
                "€1 شهريًا لمدة 5 أشهر، ثم €5 سنويًا"
            ),
            (
                "he", "€5 לחודש", "שבוע אחד חינם, ולאחר מכן €5 כל 3 חודשים",
                "€1 לחודש למשך 5 חודשים, ולאחר מכן €5 לשנה"
            ),
        ] as [(String, String, String, String)])
    func `subscription prices and offers are written in the customer's language`(
        language: String, month: String, trial: String, reduced: String
    ) throws {
        let free = StoreProduct.Subscription.Offer.intro(.free, "P1W")
        #expect(try texts(of: free, "P1M", in: [language]).price == month)
        #expect(try texts(of: free, "P3M", in: [language]).offer == trial)
        let cheap = StoreProduct.Subscription.Offer.intro(.payAsYouGo, "P1M", count: 5, "€1")
        #expect(try texts(of: cheap, "P1Y", in: [language]).offer == reduced)
    }

    @Test(arguments: [
        (["eo", "fr-CA"], "€5 par mois"), (["eo"], "€5 a month"), ([], "€5 a month"), (["zh-HK"], "每月€5"),
        (["nn-NO"], "€5 per måned"),
    ])
    func `prices are written in the first preferred language that is supported, or in English if none is`(
        languages: [String], text: String
    ) throws {
        #expect(try texts(of: .intro(.free, "P1W"), "P1M", in: languages).price == text)
    }

    @Test func `numbers in subscription prices and offers have the digits of the customer's locale`() throws {
        #expect(try texts(of: .intro(.free, "P1W"), "P3M", in: ["ar-EG"]).price == "€5 كل ٣ أشهر")
        #expect(try texts(of: .intro(.free, "P1W"), "P3M", in: ["fa"]).price == "€5 every 3 months")
    }

    /// The plural forms of days and weeks that ICU has in a language, with `#` in place of the number.
    private func reference(_ count: Int, _ unit: String, _ language: String) -> String {
        let isDay = unit == "D"
        let style = Duration.UnitsFormatStyle.units(allowed: [isDay ? .days : .weeks], width: .wide)
        return Duration.seconds(count * 86_400 * (isDay ? 1 : 7))
            .formatted(style.locale(Locale(identifier: language))).withoutNumber
    }

    private static let languages = [
        "en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "nb", "fi", "pl", "cs", "hu", "ru", "uk", "tr", "ja",
        "ko",
        "zh-Hans", "zh-Hant", "ar", "he",
    ]

    /// ICU has another word for days in Swedish and Norwegian, without a plural form.
    private static let pluralCases =
        languages.map { ($0, "W") } + languages.filter { !["sv", "nb"].contains($0) }.map { ($0, "D") }

    @Test(arguments: pluralCases)
    func `plural forms in subscription offers change at the same numbers as in ICU`(language: String, unit: String)
        throws
    {
        var (own, others): ([String: Set<String>], [String: Set<String>]) = ([:], [:])
        for count in 1...130 {
            let text = try texts(of: .intro(.free, "P\(count)\(unit)"), "P1M", in: [language]).offer
            let (form, other) = (text.replacing("€5", with: "").withoutNumber, reference(count, unit, language))
            own[form, default: []].insert(other)
            others[other, default: []].insert(form)
        }
        #expect(own.filter { $0.value.count > 1 }.isEmpty)
        #expect(others.filter { $0.value.count > 1 }.isEmpty)
    }
}

extension String {
    /// The text with `#` in place of a number.
    fileprivate var withoutNumber: String { replacing(/\p{Nd}+/, with: "#") }
}
