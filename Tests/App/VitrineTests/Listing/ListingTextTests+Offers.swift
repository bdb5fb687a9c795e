import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

/// Products that can be bought, and the reasons why others cannot.
extension ListingTextTests {
    private static let lisbon = sold("lisbon", "4.99", "$4.99", name: "Lisbon Guide")

    @Test(arguments: [
        ListingCase(
            "offered", guide("lisbon"), store: [lisbon],
            is: """
                lisbon: Lisbon Guide
                  $4.99, offered, not owned
                """),
        ListingCase(
            "the store has not been asked", guide("lisbon"), store: [], asked: [],
            is: """
                lisbon: lisbon
                  no price, not offered: the store has not answered yet which products it sells, not owned
                """),
        ListingCase(
            "the store was asked about others", guide("lisbon") + guide("porto"), store: [lisbon], asked: ["lisbon"],
            is: """
                lisbon: Lisbon Guide
                  $4.99, offered, not owned
                porto: porto
                  no price, not offered: the store has not answered yet which products it sells, not owned
                """),
        ListingCase(
            "a catalog out of date", guide("lisbon"), store: [lisbon],
            { $0.sellingObstacle = "the catalog has expired" },
            is: """
                lisbon: Lisbon Guide
                  $4.99, not offered: nothing new is sold from this catalog: the catalog has expired, not owned
                """),
        ListingCase(
            "a catalog out of date, and owned", guide("lisbon"), store: [lisbon],
            owned: [.bought("lisbon", transaction: "1")], { $0.sellingObstacle = "its signature does not hold" },
            is: """
                lisbon: Lisbon Guide
                  $4.99, not offered: the product is owned already, owned by purchase
                """),
        ListingCase(
            "unknown to the store", guide("lisbon"), store: [],
            is: """
                lisbon: lisbon
                  no price, not offered: the store does not know the product, not owned
                """),
        ListingCase(
            "another kind in the store", guide("lisbon"),
            store: [sold("lisbon", "0.99", "$0.99", kind: .consumable)],
            is: """
                lisbon: lisbon
                  $0.99, not offered: the product's type is nonConsumable in the catalog and consumable in the store, not owned
                """),
        ListingCase(
            "a consumable that nobody credits", "<string>coins</string>",
            store: [sold("coins", "0.99", "$0.99", kind: .consumable, name: "Coins")],
            is: """
                coins: Coins
                  $0.99, not offered: the catalog has no storageKey or productValue for the product, not owned
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
                  $0.99, not offered: the product's type is unknown, not owned
                """),
        ListingCase(
            "content that cannot be had",
            guide("lisbon", "<key>hosted</key><true/><key>localContentPath</key><string>lisbon</string>")
                + pack("iberia", of: ["lisbon"]),
            store: [lisbon, sold("iberia", "6.99", "$6.99", name: "Iberia")], { $0.availableContent = [] },
            is: """
                lisbon: Lisbon Guide
                  $4.99, not offered: the content of lisbon is not available, not owned
                iberia: Iberia
                  $6.99, not offered: the content of lisbon is not available, not owned
                  contains Lisbon Guide $4.99
                  one by one $4.99, of them missing $4.99
                """),
        ListingCase(
            "owned", guide("lisbon"), store: [lisbon], owned: [.bought("lisbon", transaction: "1")],
            is: """
                lisbon: Lisbon Guide
                  $4.99, not offered: the product is owned already, owned by purchase
                """),
        ListingCase(
            "owned, and gone from the store", guide("lisbon", "<key>productTitle</key><string>Lisbon</string>"),
            store: [], owned: [.bought("lisbon", transaction: "1")],
            is: """
                lisbon: Lisbon
                  no price, not offered: the store does not know the product, owned by purchase
                """),
        ListingCase(
            "given", guide("lisbon"), store: [lisbon], owned: [.given("lisbon", token: "t")],
            is: """
                lisbon: Lisbon Guide
                  $4.99, not offered: the product is owned already, owned as a gift
                """),
        ListingCase(
            "ownership that cannot be told",
            guide("lisbon", "<key>grandfathered</key><dict><key>beforeBuild</key><string>100</string></dict>"),
            store: [lisbon],
            is: """
                lisbon: Lisbon Guide
                  $4.99, not offered: whether the product is owned already cannot be determined now, maybe owned
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
                  $9.99, not offered: 2 of the bundle's 3 products are owned already, and maxChildren is 2, not owned
                  contains Lisbon Guide $4.99 (owned), Porto $4.99 (owned), Madrid $4.99
                  one by one $14.97, of them missing $4.99
                lisbon: Lisbon Guide
                  $4.99, not offered: the product is owned already, owned by purchase
                porto: Porto
                  $4.99, not offered: the product is owned already, owned by purchase
                madrid: Madrid
                  $4.99, offered, not owned
                """),
        ListingCase(
            "an app that is too old", guide("lisbon", "<key>minimumAppVersion</key><string>2.10</string>"),
            store: [lisbon], { $0.appVersion = VersionNumber("2.9.1") },
            is: """
                lisbon: Lisbon Guide
                  $4.99, not offered: the product needs version 2.10 of the app, not owned
                """),
        ListingCase(
            "an app that is just new enough", guide("lisbon", "<key>minimumAppVersion</key><string>2.10</string>"),
            store: [lisbon], { $0.appVersion = VersionNumber("2.10.0") },
            is: """
                lisbon: Lisbon Guide
                  $4.99, offered, not owned
                """),
        ListingCase(
            "an app of unknown version", guide("lisbon", "<key>minimumAppVersion</key><string>2.10</string>"),
            store: [lisbon],
            is: """
                lisbon: Lisbon Guide
                  $4.99, offered, not owned
                """),
        ListingCase(
            "payments that are not allowed", guide("lisbon"), store: [lisbon],
            { $0.paymentRestriction = "a parent has forbidden purchases" },
            is: """
                lisbon: Lisbon Guide
                  $4.99, not offered: payments are not allowed: a parent has forbidden purchases, not owned
                """),
    ])
    func `a product is listed as offered, or with the reason why it is not offered`(_ test: ListingCase) throws {
        try check(test)
    }
}
