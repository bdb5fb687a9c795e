import Entitlements
import Foundation
import ProductCatalog
import TestSupport
import Testing
import Vitrine

/// What customers read: each case is a catalog, a store and what is owned, with the listing as text.
@Suite struct ListingTextTests {
    private static let lisbon = sold(
        "lisbon", "4.99", "$4.99", name: "Lisbon Guide", description: "Seven hills and forty walks.")

    private func check(_ test: ListingCase) throws { #expect(try test.text() == test.expected) }

    // MARK: Offers

    @Test(arguments: [
        ListingCase(
            "offered", guide("lisbon"), store: [lisbon],
            is: """
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, offered, not owned
                """),
        ListingCase(
            "the store has not been asked", guide("lisbon"), store: [], asked: [],
            is: """
                lisbon: lisbon
                  no price, not offered: the store has not said yet what it sells, not owned
                """),
        ListingCase(
            "the store was asked about others", guide("lisbon") + guide("porto"), store: [lisbon], asked: ["lisbon"],
            is: """
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, offered, not owned
                porto: porto
                  no price, not offered: the store has not said yet what it sells, not owned
                """),
        ListingCase(
            "a catalog out of date", guide("lisbon"), store: [lisbon],
            { $0.sellingObstacle = "its signature was good until 2026-09-01" },
            is: """
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, not offered: nothing new is sold from this catalog: its signature was good until 2026-09-01, not owned
                """),
        ListingCase(
            "a catalog out of date, and owned", guide("lisbon"), store: [lisbon],
            owned: [.bought("lisbon", transaction: "1")], { $0.sellingObstacle = "its signature does not hold" },
            is: """
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, not offered: it is owned already, owned by purchase
                """),
        ListingCase(
            "unknown to the store", guide("lisbon"), store: [],
            is: """
                lisbon: lisbon
                  no price, not offered: the store does not know it, not owned
                """),
        ListingCase(
            "another kind in the store", guide("lisbon"),
            store: [sold("lisbon", "0.99", "$0.99", kind: .consumable)],
            is: """
                lisbon: lisbon
                  $0.99, not offered: the catalog says nonConsumable and the store consumable, not owned
                """),
        ListingCase(
            "a consumable that nobody credits", "<string>coins</string>",
            store: [sold("coins", "0.99", "$0.99", kind: .consumable, name: "Coins")],
            is: """
                coins: Coins
                  $0.99, not offered: the catalog names no wallet and value for it, not owned
                """),
        ListingCase(
            "a subscription without a time",
            "<dict><key>productIdentifier</key><string>month</string><key>type</key>"
                + "<string>nonRenewingSubscription</string></dict>",
            store: [sold("month", "1.99", "$1.99", kind: .nonRenewingSubscription, name: "A Month")],
            is: """
                month: A Month
                  $1.99, not offered: the catalog does not say how long the subscription lasts, not owned
                """),
        ListingCase(
            "a kind that nobody knows", "<string>lisbon</string>",
            store: [sold("lisbon", "0.99", "$0.99", kind: .unknown)],
            is: """
                lisbon: lisbon
                  $0.99, not offered: nobody says what kind of product it is, not owned
                """),
        ListingCase(
            "content that cannot be had",
            guide("lisbon", "<key>hosted</key><true/><key>localContentPath</key><string>lisbon</string>")
                + pack("iberia", of: ["lisbon"]),
            store: [lisbon, sold("iberia", "6.99", "$6.99", name: "Iberia")], { $0.availableContent = [] },
            is: """
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, not offered: the content of lisbon cannot be had, not owned
                iberia: Iberia
                  $6.99, not offered: the content of lisbon cannot be had, not owned
                  contains Lisbon Guide $4.99
                  one by one $4.99, of them missing $4.99
                """),
        ListingCase(
            "owned", guide("lisbon"), store: [lisbon], owned: [.bought("lisbon", transaction: "1")],
            is: """
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, not offered: it is owned already, owned by purchase
                """),
        ListingCase(
            "owned, and gone from the store", guide("lisbon", "<key>productTitle</key><string>Lisbon</string>"),
            store: [], owned: [.bought("lisbon", transaction: "1")],
            is: """
                lisbon: Lisbon
                  no price, not offered: the store does not know it, owned by purchase
                """),
        ListingCase(
            "given", guide("lisbon"), store: [lisbon], owned: [.given("lisbon", token: "t")],
            is: """
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, not offered: it is owned already, owned as a gift
                """),
        ListingCase(
            "ownership that cannot be told",
            guide("lisbon", "<key>grandfathered</key><dict><key>beforeBuild</key><string>100</string></dict>"),
            store: [lisbon],
            is: """
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, not offered: whether it is owned already cannot be told now, maybe owned
                """),
        ListingCase(
            "enough of a multipack",
            pack("iberia", of: ["lisbon", "porto", "madrid"], "<key>maxChildren</key><integer>2</integer>")
                + guide("lisbon") + guide("porto") + guide("madrid"),
            store: [
                lisbon, sold("porto", "4.99", "$4.99", name: "Porto"), sold("madrid", "4.99", "$4.99", name: "Madrid"),
                sold("iberia", "9.99", "$9.99", name: "Iberia"),
            ],
            owned: [.bought("lisbon", transaction: "1"), .bought("porto", transaction: "2")],
            is: """
                iberia: Iberia
                  $9.99, not offered: 2 of its 3 products are owned already, and maxChildren is 2, not owned
                  contains Lisbon Guide $4.99 (owned), Porto $4.99 (owned), Madrid $4.99
                  one by one $14.97, of them missing $4.99
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, not offered: it is owned already, owned by purchase
                porto: Porto
                  $4.99, not offered: it is owned already, owned by purchase
                madrid: Madrid
                  $4.99, offered, not owned
                """),
        ListingCase(
            "an app that is too old", guide("lisbon", "<key>minimumAppVersion</key><string>2.10</string>"),
            store: [lisbon], { $0.appVersion = "2.9.1" },
            is: """
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, not offered: it needs version 2.10 of the app, not owned
                """),
        ListingCase(
            "an app that is just new enough", guide("lisbon", "<key>minimumAppVersion</key><string>2.10</string>"),
            store: [lisbon], { $0.appVersion = "2.10.0" },
            is: """
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, offered, not owned
                """),
        ListingCase(
            "an app of unknown version", guide("lisbon", "<key>minimumAppVersion</key><string>2.10</string>"),
            store: [lisbon],
            is: """
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, offered, not owned
                """),
        ListingCase(
            "payments that are not allowed", guide("lisbon"), store: [lisbon],
            { $0.paymentRestriction = "a parent has forbidden purchases" },
            is: """
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, not offered: payments are not allowed: a parent has forbidden purchases, not owned
                """),
    ])
    func `an offer, or why there is none`(_ test: ListingCase) throws { try check(test) }

    // MARK: Texts

    private static let titles = texts(
        "productTitle", ["en": "Lisbon", "de": "Lissabon", "zh": "里斯本 (简)", "zh-Hant": "里斯本 (繁)"])
    private static let about = texts(
        "longDescription", ["en": "Hills.", "de": "Hügel.", "pt-BR": "Colinas.", "sr": "Брда.", "sr-Latn": "Brda."])

    @Test(arguments: [
        ListingCase(
            "the store's title and the catalog's description", guide("lisbon", titles + about), store: [lisbon],
            is: """
                lisbon: Lisbon Guide
                  Hills.
                  $4.99, offered, not owned
                """),
        ListingCase(
            "the store's title and description", guide("lisbon"), store: [lisbon],
            is: """
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, offered, not owned
                """),
        ListingCase(
            "the catalog's title while the store is silent", guide("lisbon", titles + about), store: [],
            languages: ["de-AT"], asked: [],
            is: """
                lisbon: Lissabon
                  Hügel.
                  no price, not offered: the store has not said yet what it sells, not owned
                """),
        ListingCase(
            "nothing but the identifier", guide("lisbon"), store: [],
            is: """
                lisbon: lisbon
                  no price, not offered: the store does not know it, not owned
                """),
        ListingCase(
            "a store without texts", guide("lisbon", titles), store: [sold("lisbon", "4.99", "$4.99")],
            is: """
                lisbon: Lisbon
                  $4.99, offered, not owned
                """),
        ListingCase(
            "what the store said in another language", guide("lisbon", titles + about), store: [lisbon],
            languages: ["de-DE", "en"], { $0.storeLanguage = "en-US" },
            is: """
                lisbon: Lissabon
                  Hügel.
                  $4.99, offered, not owned
                """),
        ListingCase(
            "what the store said in another language, and the catalog says nothing", guide("lisbon"), store: [lisbon],
            languages: ["de-DE"], { $0.storeLanguage = "en-US" },
            is: """
                lisbon: lisbon
                  $4.99, offered, not owned
                """),
        ListingCase(
            "Chinese in Hong Kong", guide("lisbon", titles + about), store: [], languages: ["zh-Hant-HK"],
            is: """
                lisbon: 里斯本 (繁)
                  Hills.
                  no price, not offered: the store does not know it, not owned
                """),
        ListingCase(
            "Chinese in Hong Kong, without a script", guide("lisbon", titles), store: [], languages: ["zh-HK"],
            is: """
                lisbon: 里斯本 (繁)
                  no price, not offered: the store does not know it, not owned
                """),
        ListingCase(
            "Chinese on the mainland", guide("lisbon", titles), store: [], languages: ["zh-Hans-CN"],
            is: """
                lisbon: 里斯本 (简)
                  no price, not offered: the store does not know it, not owned
                """),
        ListingCase(
            "Portuguese of Brazil and of Portugal", guide("lisbon", titles + about), store: [lisbon],
            languages: ["pt-PT"],
            is: """
                lisbon: Lisbon Guide
                  Colinas.
                  $4.99, offered, not owned
                """),
        ListingCase(
            "Serbian in Latin letters", guide("lisbon", about), store: [lisbon], languages: ["sr-Latn-RS"],
            is: """
                lisbon: Lisbon Guide
                  Brda.
                  $4.99, offered, not owned
                """),
        ListingCase(
            "Serbian in Montenegro", guide("lisbon", about), store: [lisbon], languages: ["sr-ME"],
            is: """
                lisbon: Lisbon Guide
                  Brda.
                  $4.99, offered, not owned
                """),
        ListingCase(
            "a second language before English", guide("lisbon", about), store: [lisbon], languages: ["fi", "de-CH"],
            is: """
                lisbon: Lisbon Guide
                  Hügel.
                  $4.99, offered, not owned
                """),
        ListingCase(
            "English before any", guide("lisbon", about), store: [lisbon], languages: ["fi"],
            is: """
                lisbon: Lisbon Guide
                  Hills.
                  $4.99, offered, not owned
                """),
    ])
    func `titles and descriptions in the customer's language`(_ test: ListingCase) throws { try check(test) }

    // MARK: Prices

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
    func `prices and what a unit costs`(_ test: ListingCase) throws { try check(test) }

    // MARK: Bundles

    private static let guides = guide("lisbon") + guide("porto")
    private static let porto = sold("porto", "4.99", "$4.99", name: "Porto Guide")
    private static let both = pack("portugal", of: ["lisbon", "porto"])

    private static func portugal(_ price: String, _ display: String, _ currency: String = "USD") -> StoreProduct {
        sold("portugal", price, display, currency, name: "Portugal")
    }

    @Test(arguments: [
        ListingCase(
            "a saving", both + guides, store: [lisbon, porto, portugal("6.99", "$6.99")],
            is: """
                portugal: Portugal
                  $6.99, offered, not owned
                  contains Lisbon Guide $4.99, Porto Guide $4.99
                  one by one $9.98, of them missing $9.98
                  saves $2.99 (30%)
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, offered, not owned
                porto: Porto Guide
                  $4.99, offered, not owned
                """),
        ListingCase(
            "no saving", both + guides, store: [lisbon, porto, portugal("9.98", "$9.98")],
            is: """
                portugal: Portugal
                  $9.98, offered, not owned
                  contains Lisbon Guide $4.99, Porto Guide $4.99
                  one by one $9.98, of them missing $9.98
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, offered, not owned
                porto: Porto Guide
                  $4.99, offered, not owned
                """),
        ListingCase(
            "dearer", both + guides, store: [lisbon, porto, portugal("12.99", "$12.99")],
            is: """
                portugal: Portugal
                  $12.99, offered, not owned
                  contains Lisbon Guide $4.99, Porto Guide $4.99
                  one by one $9.98, of them missing $9.98
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, offered, not owned
                porto: Porto Guide
                  $4.99, offered, not owned
                """),
        ListingCase(
            "one of it is owned", both + guides, store: [lisbon, porto, portugal("2.99", "$2.99")],
            owned: [.bought("lisbon", transaction: "1")],
            is: """
                portugal: Portugal
                  $2.99, offered, not owned
                  contains Lisbon Guide $4.99 (owned), Porto Guide $4.99
                  one by one $9.98, of them missing $4.99
                  saves $2.00 (40%)
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, not offered: it is owned already, owned by purchase
                porto: Porto Guide
                  $4.99, offered, not owned
                """),
        ListingCase(
            "one of it is owned, and the rest is cheaper alone", both + guides,
            store: [lisbon, porto, portugal("6.99", "$6.99")], owned: [.bought("lisbon", transaction: "1")],
            is: """
                portugal: Portugal
                  $6.99, offered, not owned
                  contains Lisbon Guide $4.99 (owned), Porto Guide $4.99
                  one by one $9.98, of them missing $4.99
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, not offered: it is owned already, owned by purchase
                porto: Porto Guide
                  $4.99, offered, not owned
                """),
        ListingCase(
            "the bundle is owned", both + guides, store: [lisbon, porto, portugal("6.99", "$6.99")],
            owned: [.bought("portugal", transaction: "1")],
            is: """
                portugal: Portugal
                  $6.99, not offered: it is owned already, owned by purchase
                  contains Lisbon Guide $4.99 (owned), Porto Guide $4.99 (owned)
                  one by one $9.98, of them missing $0.00
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, not offered: it is owned already, owned by portugal
                porto: Porto Guide
                  $4.99, not offered: it is owned already, owned by portugal
                """),
        ListingCase(
            "the price of one is not known", both + guides, store: [lisbon, portugal("6.99", "$6.99")],
            is: """
                portugal: Portugal
                  $6.99, offered, not owned
                  contains Lisbon Guide $4.99, porto no price
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, offered, not owned
                porto: porto
                  no price, not offered: the store does not know it, not owned
                """),
        ListingCase(
            "euros", both + guides,
            store: [
                sold("lisbon", "4.99", "4,99 €", "EUR", name: "Lissabon"),
                sold("porto", "4.99", "4,99 €", "EUR", name: "Porto"), portugal("6.99", "6,99 €", "EUR"),
            ], languages: ["de-DE"], storefront: "DEU",
            is: """
                portugal: Portugal
                  6,99 €, offered, not owned
                  contains Lissabon 4,99 €, Porto 4,99 €
                  one by one 9,98 €, of them missing 9,98 €
                  saves 2,99 € (30%)
                lisbon: Lissabon
                  4,99 €, offered, not owned
                porto: Porto
                  4,99 €, offered, not owned
                """),
        ListingCase(
            "other currencies", both + guides,
            store: [lisbon, sold("porto", "4.99", "4,99 €", "EUR", name: "Porto"), portugal("6.99", "$6.99")],
            is: """
                portugal: Portugal
                  $6.99, offered, not owned
                  contains Lisbon Guide $4.99, Porto 4,99 €
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, offered, not owned
                porto: Porto
                  4,99 €, offered, not owned
                """),
        ListingCase(
            "yen for a bundle", both + guides,
            store: [
                sold("lisbon", "600", "¥600", "JPY", name: "Lisbon"),
                sold("porto", "600", "¥600", "JPY", name: "Porto"), portugal("900", "¥900", "JPY"),
            ], storefront: "JPN",
            is: """
                portugal: Portugal
                  ¥900, offered, not owned
                  contains Lisbon ¥600, Porto ¥600
                  one by one ¥1,200, of them missing ¥1,200
                  saves ¥300 (25%)
                lisbon: Lisbon
                  ¥600, offered, not owned
                porto: Porto
                  ¥600, offered, not owned
                """),
        ListingCase(
            "a bundle of bundles", pack("iberia", of: ["portugal", "madrid"]) + both + guides + guide("madrid"),
            store: [
                lisbon, porto, portugal("6.99", "$6.99"), sold("madrid", "4.99", "$4.99", name: "Madrid"),
                sold("iberia", "9.99", "$9.99", name: "Iberia"),
            ], owned: [.bought("portugal", transaction: "1")],
            is: """
                iberia: Iberia
                  $9.99, offered, not owned
                  contains Portugal $6.99 (owned), Madrid $4.99
                  one by one $11.98, of them missing $4.99
                portugal: Portugal
                  $6.99, not offered: it is owned already, owned by purchase
                  contains Lisbon Guide $4.99 (owned), Porto Guide $4.99 (owned)
                  one by one $9.98, of them missing $0.00
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, not offered: it is owned already, owned by portugal
                porto: Porto Guide
                  $4.99, not offered: it is owned already, owned by portugal
                madrid: Madrid
                  $4.99, offered, not owned
                """),
    ])
    func `bundles with what they save`(_ test: ListingCase) throws { try check(test) }
}
