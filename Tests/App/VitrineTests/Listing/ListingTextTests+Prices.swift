import Testing
import Vitrine
import VitrineCatalog
import VitrineTestSupport

/// Prices in the store's format.
extension ListingTextTests {
    private static func coinPack(_ price: String, _ display: String, _ currency: String) -> [StoreProduct] {
        [sold("coins", price, display, currency, kind: .consumable, name: "Coins")]
    }

    @Test(arguments: [
        ListingCase(
            "dollars", coins("coins", 50), store: coinPack("4.99", "$4.99", "USD"),
            is: """
                coins: Coins
                  $4.99, offered, not owned
                  $0.0998 each
                """),
        ListingCase(
            "dollars, one a coin", coins("coins", 50), store: coinPack("49.99", "$49.99", "USD"),
            is: """
                coins: Coins
                  $49.99, offered, not owned
                  $1.00 each
                """),
        ListingCase(
            "dollars, many coins", coins("coins", 12_000), store: coinPack("4.99", "$4.99", "USD"),
            is: """
                coins: Coins
                  $4.99, offered, not owned
                  $0.000416 each
                """),
        ListingCase(
            "dollars, no rounding", coins("coins", 10), store: coinPack("1.00", "$1.00", "USD"),
            is: """
                coins: Coins
                  $1.00, offered, not owned
                  $0.10 each
                """),
        ListingCase(
            "euros in Germany", coins("coins", 50), store: coinPack("5.49", "5,49 €", "EUR"), languages: ["de-DE"],
            storefront: "DEU",
            is: """
                coins: Coins
                  5,49 €, offered, not owned
                  0,11 € each
                """),
        ListingCase(
            "euros for an American in Germany, as the store writes them", coins("coins", 50),
            store: coinPack("5.49", "5,49 €", "EUR"), storefront: "DEU",
            is: """
                coins: Coins
                  5,49 €, offered, not owned
                  0,11 € each
                """),
        ListingCase(
            "euros for a German, written as in America", coins("coins", 50), store: coinPack("5.49", "€5.49", "EUR"),
            languages: ["de-DE"], storefront: "DEU",
            is: """
                coins: Coins
                  €5.49, offered, not owned
                  €0.11 each
                """),
        ListingCase(
            "yen", coins("coins", 50), store: coinPack("120", "¥120", "JPY"), languages: ["ja-JP"], storefront: "JPN",
            is: """
                coins: Coins
                  ¥120, offered, not owned
                  ¥2.4 each
                """),
        ListingCase(
            "yen, many coins", coins("coins", 5_000), store: coinPack("120", "¥120", "JPY"), languages: ["ja-JP"],
            storefront: "JPN",
            is: """
                coins: Coins
                  ¥120, offered, not owned
                  ¥0.024 each
                """),
        ListingCase(
            "yen for a German, with a comma before decimals that the price does not have", coins("coins", 50),
            store: coinPack("0.99", "1 ¥", "JPY"), languages: ["de"], storefront: "JPN",
            is: """
                coins: Coins
                  1 ¥, offered, not owned
                  0,0198 ¥ each
                """),
        ListingCase(
            "Kuwaiti dinars", coins("coins", 50), store: coinPack("1.490", "KWD 1.490", "KWD"), languages: ["en-KW"],
            storefront: "KWT",
            is: """
                coins: Coins
                  KWD 1.490, offered, not owned
                  KWD 0.0298 each
                """),
        ListingCase(
            "free", coins("coins", 50), store: coinPack("0", "$0.00", "USD"),
            is: """
                coins: Coins
                  $0.00, offered, not owned
                  $0.00 each
                """),
        ListingCase(
            "a storefront that is not known", coins("coins", 50), store: coinPack("4.99", "$4.99", "USD"),
            storefront: nil,
            is: """
                coins: Coins
                  $4.99, offered, not owned
                  $0.0998 each
                """),
    ])
    func `a product is listed with its price and its price per unit, formatted as by the store`(_ test: ListingCase)
        throws
    { try check(test) }
}
