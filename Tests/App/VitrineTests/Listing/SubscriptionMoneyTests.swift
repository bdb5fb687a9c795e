import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineTestSupport

/// Amounts that are computed from the prices of subscriptions, compared with the formats of ICU.
@Suite struct SubscriptionMoneyTests {
    /// Currencies with the number of their decimals in Unicode's CLDR.
    private static let currencies = [
        ("EUR", 2), ("USD", 2), ("JPY", 0), ("KWD", 3), ("HUF", 2), ("GBP", 2), ("CHF", 2), ("INR", 2), ("BRL", 2),
        ("KRW", 0), ("TND", 3), ("SEK", 2),
    ]

    /// Locales with the storefronts of their countries.
    private static let locales = [
        ("en-US", "USA"), ("de-DE", "DEU"), ("fr-FR", "FRA"), ("ja-JP", "JPN"), ("ar-EG", "EGY"),
    ]

    /// Yearly prices in the smallest unit of a currency. Twelfths of the first ones end in one half.
    private static let yearlyPrices = [6, 18, 30, 42, 54, 1_206, 1, 5, 7, 2_999, 4_999, 11_988, 119_999, 12_345_678]

    @Test(arguments: currencies, locales)
    func `a price per month and a saving are rounded and formatted like ICU does`(
        currency: (code: String, decimals: Int), locale: (tag: String, storefront: String)
    ) throws {
        let style = Decimal.FormatStyle.Currency(code: currency.code, locale: Locale(identifier: locale.tag))
        let smallest = Decimal(sign: .plus, exponent: -currency.decimals, significand: 1)
        for units in Self.yearlyPrices {
            let (yearly, monthly) = (Decimal(units) * smallest, Decimal(units / 10 + 1) * smallest)
            let plans = try ListedClub(
                products: [
                    .plan("year", "\(yearly)", style.format(yearly), "P1Y", currency: currency.code),
                    .plan("month", "\(monthly)", style.format(monthly), "P1M", currency: currency.code),
                ], languages: [locale.tag], storefront: locale.storefront
            ).listings()
            let (year, month) = (try #require(plans["year"]), try #require(plans["month"]))

            let perMonth = try #require(year.pricePerMonth)
            let reference = style.format(yearly / 12)
            #expect(style.format(perMonth) == reference)
            #expect(perMonth.exponent >= -currency.decimals, "\(perMonth)")
            #expect(
                year.displayPricePerMonth
                    == month.displayPricePerPeriod?.replacing(
                        style.format(monthly), with: reference))
            let saving = monthly * 12 - yearly
            #expect(year.saving == (saving > 0 ? saving : nil))
            #expect(year.displaySaving == (saving > 0 ? style.format(saving) : nil))
        }
    }

    @Test func `a price per month halfway between two amounts is rounded to the even digit`() throws {
        let plans = try ListedClub(products: [
            .plan("a", "1.5", "$1.50", "P1Y"), .plan("b", "1.62", "$1.62", "P1Y"), .plan("c", "0.06", "$0.06", "P1Y"),
        ]).listings()
        #expect(
            plans.mapValues(\.displayPricePerMonth) == [
                "a": "$0.12 a month", "b": "$0.14 a month", "c": "$0.00 a month",
            ])
    }
}
