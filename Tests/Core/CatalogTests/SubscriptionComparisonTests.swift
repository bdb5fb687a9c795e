import Foundation
import Testing
import VitrineCatalog
import VitrineTestSupport

/// Consequences of catalog changes for subscribers.
@Suite(.hangLimit) struct SubscriptionComparisonTests {
    private static let map = CatalogProduct(identifier: "map", kind: .nonConsumable)
    private static let tour = CatalogProduct(identifier: "tour", kind: .nonConsumable)
    private static let pack = CatalogProduct(
        identifier: "pack", kind: .nonConsumable, childProducts: ["map", "tour"])
    private static let pass = CatalogProduct(
        identifier: "pass", kind: .nonRenewingSubscription, childProducts: ["map"],
        subscriptionDuration: SubscriptionDuration("P1M"))
    private static let gold = CatalogProduct(
        identifier: "gold", kind: .autoRenewableSubscription, childProducts: ["pack"], subscriptionGroup: "club",
        level: 1, subscriptionDuration: SubscriptionDuration("P1M"))
    private static let silver = CatalogProduct(
        identifier: "silver", kind: .autoRenewableSubscription, subscriptionGroup: "club", level: 2)
    private static let products = [map, tour, pack, pass, gold, silver]

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout [CatalogProduct]) -> Void
        let changes: [String]

        init(_ description: String, _ changes: [String], _ change: @escaping @Sendable (inout [CatalogProduct]) -> Void)
        {
            testDescription = description
            self.changes = changes
            self.change = change
        }
    }

    private static let untilStoreAnswers = "this applies only until the store has answered"

    @Test(arguments: [
        Case(
            "another group",
            [
                "offer gold has subscriptionGroup \"premium\" instead of \"club\": \(untilStoreAnswers), and subscribers "
                    + "keep their subscriptions; the store's group decides which of them a customer can have at once"
            ]
        ) { $0[4].subscriptionGroup = "premium" },
        Case(
            "another level",
            [
                "offer silver has level 1 instead of 2: \(untilStoreAnswers); the store's level decides whether a change "
                    + "of plan is an upgrade"
            ]
        ) { $0[5].level = 1 },
        Case(
            "another period",
            [
                "safe gold has subscriptionDuration P1Y instead of P1M: subscribers are not affected, because the store "
                    + "defines the period"
            ]
        ) { $0[4].subscriptionDuration = SubscriptionDuration("P1Y") },
        Case(
            "a period that the catalog did not have",
            [
                "safe silver has subscriptionDuration P1M instead of none: subscribers are not affected, because the store "
                    + "defines the period"
            ]
        ) { $0[5].subscriptionDuration = SubscriptionDuration("P1M") },
        Case(
            "a child more",
            ["safe silver now contains \"map\": subscribers receive it at once"]
        ) { $0[5].childProducts = ["map"] },
        Case(
            "several children more",
            ["safe silver now contains \"pack\", \"map\", \"tour\": subscribers receive them at once"]
        ) { $0[5].childProducts = ["pack"] },
        Case(
            "a child less, in a bundle within",
            [
                "takesAway pack no longer contains \"tour\"",
                "takesAway gold no longer contains \"tour\": subscribers keep it until the period recorded on their "
                    + "device ends",
            ]
        ) { $0[2].childProducts = ["map"] },
        Case(
            "no children",
            [
                "takesAway pass no longer contains \"map\": subscribers keep it until the period recorded on their "
                    + "device ends",
                "takesAway gold no longer contains \"pack\", \"map\", \"tour\": subscribers keep them until the period recorded on their "
                    + "device ends",
            ]
        ) { ($0[3].childProducts, $0[4].childProducts) = ([], []) },
        Case(
            "a subscription less",
            [
                "takesAway silver is removed: it is no longer sold, and renewals are not delivered until a catalog "
                    + "contains it, so that subscribers lose it when their period ends"
            ]
        ) { $0.remove(at: 5) },
        Case(
            "a subscription with children less",
            [
                "takesAway gold is removed: it is no longer sold, and renewals are not delivered until a catalog "
                    + "contains it, so that subscribers lose it and \"pack\", \"map\", \"tour\" when their period ends"
            ]
        ) { $0.remove(at: 4) },
        Case(
            "another type",
            [
                "takesAway silver is nonConsumable instead of autoRenewableSubscription: renewals are not delivered until "
                    + "the types in catalog and store agree, so that subscribers lose it when their period ends",
                "safe silver has a different productIcon",
            ]
        ) { ($0[5].kind, $0[5].productIcon) = (.nonConsumable, "new.png") },
        Case("no type any more", ["offer silver is unknown instead of autoRenewableSubscription"]) {
            $0[5].kind = .unknown
        },
    ])
    func `a comparison of catalogs describes the effect of a change on subscribers`(_ test: Case) {
        var products = Self.products
        test.change(&products)
        let comparison = CatalogComparison(from: Catalog(products: Self.products), to: Catalog(products: products))

        #expect(comparison.changes.map { "\($0.effect.rawValue) \($0.product ?? "") \($0.message)" } == test.changes)
    }

    private static let purchases = "new purchases, and earlier ones that are restored on another device, may end"

    private static func rest(_ duration: String) -> String {
        "recorded ones keep their end. With \(duration) in formerDurations, earlier ones keep their duration on every "
            + "device"
    }

    @Test(
        arguments: [
            ("P1M", "P1M", nil), ("P7D", "P1W", nil), ("P1Y", "P12M", nil), (nil, nil, nil),
            ("P1M", "P2M", "offer: \(purchases) later; \(rest("P1M"))"),
            ("P7D", "P1M", "offer: \(purchases) later; \(rest("P7D"))"),
            ("P365D", "P1Y", "offer: \(purchases) later; \(rest("P365D"))"),
            ("P1M", "P31D", "offer: \(purchases) later; \(rest("P1M"))"),
            (nil, "P1M", "offer: it can be sold, and purchases that wait for a duration are delivered"),
            ("P2M", "P1M", "takesAway: \(purchases) earlier; \(rest("P2M"))"),
            ("P1M", "P30D", "takesAway: \(purchases) earlier; \(rest("P1M"))"),
            ("P30D", "P1M", "takesAway: \(purchases) earlier; \(rest("P30D"))"),
            ("P1Y", "P365D", "takesAway: \(purchases) earlier; \(rest("P1Y"))"),
            (
                "P1M", nil,
                "takesAway: it is no longer sold, and purchases that are not recorded yet wait; recorded ones keep their end"
            ),
        ] as [(String?, String?, String?)])
    func `a changed subscription duration is reported with its effect on purchases`(
        old: String?, new: String?, consequence: String?
    ) {
        for kind in [ProductKind.nonRenewingSubscription, .unknown] {
            func catalog(_ duration: String?) -> Catalog {
                Catalog(products: [
                    CatalogProduct(
                        identifier: "pass", kind: kind,
                        subscriptionDuration: duration.flatMap(SubscriptionDuration.init))
                ])
            }
            let found = CatalogComparison(from: catalog(old), to: catalog(new)).changes
            let change = "has subscriptionDuration \(new ?? "none") instead of \(old ?? "none"): "

            #expect(
                found.map { "\($0.effect.rawValue): \($0.message)" }
                    == [consequence?.replacing(": ", with: ": \(change)", maxReplacements: 1)].compactMap(\.self))
        }
    }

    @Test func `a former duration is reported as the duration of earlier purchases on every device`() throws {
        var (old, new) = (Self.pass, Self.pass)
        (old.childProducts, new.childProducts) = ([], [])
        new.subscriptionDuration = SubscriptionDuration("P7D")
        new.formerDurations = [
            FormerDuration(
                try #require(SubscriptionDuration("P1M")), until: Date(timeIntervalSince1970: 1_893_456_000))
        ]
        func changes(_ old: CatalogProduct, _ new: CatalogProduct) -> [String] {
            CatalogComparison(from: Catalog(products: [old]), to: Catalog(products: [new])).changes
                .map { "\($0.effect.rawValue): \($0.message)" }
        }
        #expect(
            changes(old, new).sorted() == [
                "offer: has P1M until 2030-01-01T00:00:00Z in formerDurations: earlier purchases last at least that long on "
                    + "every device",
                "offer: has subscriptionDuration P7D instead of P1M: new purchases may end earlier",
            ])
        var without = new
        without.formerDurations = []
        #expect(
            changes(new, without) == [
                "takesAway: no longer has P1M until 2030-01-01T00:00:00Z in formerDurations: earlier purchases may end "
                    + "earlier on devices that have not recorded them"
            ])
        (new.kind, without.kind) = (.autoRenewableSubscription, .autoRenewableSubscription)
        #expect(changes(new, without) == ["safe: has different formerDurations, which are ignored"])
    }
}
