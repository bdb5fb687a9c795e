import Foundation
import Testing
import VitrineCatalog
import VitrineTestSupport

@testable import Vitrine

@Suite(.hangLimit) struct WrittenPriceStyleTests {
    @Test(
        arguments: [
            ("€ 0,99", "0.99", "1234.5", "€ 1234,50"), ("CN¥19,99", "19.99", "1.67", "CN¥1,67"),
            ("49,99 lei", "49.99", "4.17", "4,17 lei"), ("19,99 $", "19.99", "1.67", "1,67 $"),
            ("1.234,50 €", "1234.5", "99999.5", "99.999,50 €"), ("1 234,50 kr", "1234.5", "1234567", "1 234 567,00 kr"),
            ("US$5", "5", "0.42", "US$0.42"), ("1,000円", "1000", "2500.25", "2,500.25円"),
            ("0,00 €", "0", "1", "1,00 €"),
        ])
    func `an amount is written with the symbol, place and separators of a price`(
        price: String, value: String, amount: String, text: String
    ) throws {
        let (value, amount) = (try #require(Decimal(string: value)), try #require(Decimal(string: amount)))

        #expect(WrittenPriceStyle(price, of: value)?.text(amount, decimals: 2...2, usual: ".") == text)
    }

    @Test(
        arguments: [
            ("", "1"), ("free", "0"), ("99¢", "0.99"), ("$4.99", "5.99"), ("١٬٢٣٤٫٥٠", "1234.5"), ("1.2.3", "1.23"),
            ("$5-9", "59"),
        ])
    func `a text that is not the price has no style`(price: String, value: String) throws {
        #expect(WrittenPriceStyle(price, of: try #require(Decimal(string: value))) == nil)
    }

    @Test(
        arguments: [
            ("€ 0,99", "0.99", "EUR", "en", "DEU", "€ 0,50"), ("CN¥19,99", "19.99", "CNY", "de", "CHN", "CN¥0,50"),
            ("49,99 lei", "49.99", "RON", "en", "ROU", "0,50 lei"), ("$4.99", "4.99", "USD", "en", "USA", "$0.50"),
            ("99¢", "0.99", "USD", "en", "USA", nil),
        ] as [(String, String, String, String, String, String?)])
    func `a computed amount looks like the price of the store, or is left out`(
        price: String, value: String, currency: String, language: String, storefront: String, text: String?
    ) throws {
        let product = StoreProduct(
            identifier: "a", kind: .nonConsumable, displayName: "", description: "",
            price: try #require(Decimal(string: value)), currencyCode: currency, displayPrice: price)

        let style = PriceStyle(language: language, storefront: storefront)
        #expect(style.text(Decimal(string: "0.5") ?? 0, as: product)?.replacing("\u{A0}", with: " ") == text)
    }
}
