import Foundation
import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct CatalogComparisonTests {
    private static let guide = CatalogProduct(identifier: "guide", kind: .nonConsumable)
    private static let map = CatalogProduct(identifier: "map", kind: .nonConsumable)
    private static let pack = CatalogProduct(
        identifier: "pack", kind: .nonConsumable, childProducts: ["guide", "map"], maxChildren: 2)
    private static let all = CatalogProduct(identifier: "all", kind: .nonConsumable, childProducts: ["pack"])
    private static let coins = CatalogProduct(
        identifier: "coins", kind: .consumable, storageKey: "wallet", productValue: 50)
    private static let products = [guide, map, pack, all, coins]

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

    @Test(arguments: [
        Case("nothing", []) { _ in },
        Case("another order", []) { $0.reverse() },
        Case("a new product", ["offer tour is new"]) {
            $0.append(CatalogProduct(identifier: "tour", kind: .nonConsumable))
        },
        Case("a product less", ["offer coins is removed: it is no longer sold"]) { $0.removeLast() },
        Case("a bundle less", ["takesAway all is removed: its owners lose \"pack\", \"guide\", \"map\""]) {
            $0.remove(at: 3)
        },
        Case(
            "a child less",
            [
                "takesAway pack no longer contains \"map\"", "takesAway all no longer contains \"map\"",
            ]
        ) { $0[2].childProducts = ["guide"] },
        Case("a child that was contained already", []) {
            $0[3].childProducts = ["pack", "map"]
        },
        Case(
            "a child more",
            ["safe pack now contains \"tour\"", "safe all now contains \"tour\"", "offer tour is new"]
        ) {
            $0.append(CatalogProduct(identifier: "tour", kind: .nonConsumable))
            $0[2].childProducts.append("tour")
        },
        Case(
            "something owned becomes something used up",
            [
                "takesAway guide is consumable instead of nonConsumable",
                "olderApps guide is credited to \"wallet\" instead of nothing",
                "offer guide has productValue 1 instead of none",
                "takesAway pack is removed: its owners lose \"guide\", \"map\"",
                "takesAway all is removed: its owners lose \"pack\", \"guide\", \"map\"",
            ]
        ) {
            $0[0].kind = .consumable
            ($0[0].storageKey, $0[0].productValue) = ("wallet", 1)
        },
        Case("another wallet", ["olderApps coins is credited to \"purse\" instead of \"wallet\""]) {
            $0[4].storageKey = "purse"
        },
        Case("another value", ["offer coins has productValue 40 instead of 50"]) { $0[4].productValue = 40 },
        Case("no limit", ["offer pack has maxChildren none instead of 2"]) { $0[2].maxChildren = nil },
        Case("another place in the app", ["olderApps guide has its content at a different path of the app"]) {
            $0[0].localContentPath = try? ContentPath("guides/guide")
        },
        Case("a rule", ["offer guide has different grandfathering rules: existing grants are kept"]) {
            $0[0].grandfathered = [GrandfatheringRule(beforeBuild: VersionNumber("2"))]
        },
        Case(
            "another place in a group of subscriptions",
            [
                "offer guide has subscriptionGroup \"club\" instead of nothing",
                "offer guide has level 2 instead of none",
            ]
        ) { ($0[0].subscriptionGroup, $0[0].level) = ("club", 2) },
        Case("a duration that is ignored", ["safe guide has a different subscriptionDuration, which is ignored"]) {
            $0[0].subscriptionDuration = SubscriptionDuration("P1M")
        },
        Case("words and pictures", ["safe guide has a different productTitle, productIcon"]) {
            $0[0].productTitle = LocalizedText("Guide")
            $0[0].productIcon = "new.png"
        },
    ])
    func `a comparison of catalogs lists each change with its product, effect and message`(_ test: Case) {
        var products = Self.products
        test.change(&products)
        let comparison = CatalogComparison(from: Catalog(products: Self.products), to: Catalog(products: products))

        #expect(comparison.changes.map { "\($0.effect.rawValue) \($0.product ?? "") \($0.message)" } == test.changes)
    }

    @Test(
        arguments: [
            (nil, nil, []), ("2.0", "2", []),
            (nil, "2.1", ["olderApps is no longer offered to apps before version 2.1"]),
            ("2.1", "2.10", ["olderApps is no longer offered to apps before version 2.10"]),
            ("2.10", "2.9", ["offer is now offered to apps from version 2.9 on"]),
            ("2.10", nil, ["offer is now offered to apps of every version"]),
        ] as [(String?, String?, [String])])
    func `a changed minimum app version of a product is reported as a catalog change`(
        old: String?, new: String?, changes: [String]
    ) {
        func catalog(_ version: String?) -> Catalog {
            Catalog(products: [
                CatalogProduct(
                    identifier: "guide", kind: .nonConsumable,
                    minimumAppVersion: version.flatMap { VersionNumber($0) })
            ])
        }
        let comparison = CatalogComparison(from: catalog(old), to: catalog(new))

        #expect(comparison.changes.map { "\($0.effect.rawValue) \($0.message)" } == changes)
    }

    @Test(
        arguments: [
            (nil, CatalogWallet(), []), (CatalogWallet(), nil, []),
            (nil, CatalogWallet(startingBalance: 5), [#"offer starts the wallet "wallet" with 5 instead of 0"#]),
            (CatalogWallet(startingBalance: 5), nil, [#"takesAway starts the wallet "wallet" with 0 instead of 5"#]),
            (
                CatalogWallet(startingBalance: 5), CatalogWallet(startingBalance: 4),
                [#"takesAway starts the wallet "wallet" with 4 instead of 5"#]
            ),
            (
                CatalogWallet(refundPolicy: .debt), CatalogWallet(refundPolicy: .ignore),
                [#"offer has the refundPolicy ignore instead of debt for the wallet "wallet""#]
            ),
            (
                nil, CatalogWallet(startingBalance: 1, refundPolicy: .debt),
                [
                    #"offer starts the wallet "wallet" with 1 instead of 0"#,
                    #"olderApps has the refundPolicy debt instead of clawback for the wallet "wallet": its balance may "#
                        + "become negative",
                ]
            ),
        ] as [(CatalogWallet?, CatalogWallet?, [String])])
    func `a changed starting balance or refund policy of a wallet is reported as a catalog change`(
        old: CatalogWallet?, new: CatalogWallet?, changes: [String]
    ) {
        func catalog(_ wallet: CatalogWallet?) -> Catalog {
            Catalog(products: [Self.coins], wallets: wallet.map { ["wallet": $0] } ?? [:])
        }
        let comparison = CatalogComparison(from: catalog(old), to: catalog(new))

        #expect(comparison.changes.map { "\($0.effect.rawValue) \($0.message)" } == changes)
        #expect(comparison.changes.allSatisfy { $0.product == nil })
    }

    @Test(
        arguments: [
            ("a", "b", "olderApps has its content at a different path: installed content is downloaded again"),
            (nil, "b", "offer now has hosted content: its owners can download it"),
            ("a", nil, "takesAway no longer has hosted content"), ("a", "a", nil),
        ] as [(String?, String?, String?)]
    )
    func `added, moved or removed hosted content is reported as a catalog change`(
        old: String?, new: String?, change: String?
    ) throws {
        func catalog(_ path: String?) throws -> Catalog {
            Catalog(products: [
                CatalogProduct(
                    identifier: "guide", kind: .nonConsumable, localContentPath: try path.map { try ContentPath($0) },
                    isHosted: path != nil)
            ])
        }
        let comparison = CatalogComparison(from: try catalog(old), to: try catalog(new))

        #expect(comparison.changes.map { "\($0.effect.rawValue) \($0.message)" } == [change].compactMap(\.self))
    }

    @Test(
        arguments: [
            (
                "<key>catalogVersion</key><integer>6</integer>",
                ["has a lower catalogVersion, 6 instead of 7: apps that have seen the higher one reject it"]
            ),
            ("", ["no longer has a catalogVersion: apps that have seen version 7 reject it"]),
            ("<key>catalogVersion</key><integer>8</integer>", []),
        ]
    )
    func `a lower or missing catalogVersion in the new catalog is reported as a catalog change`(
        version: String, messages: [String]
    ) throws {
        func catalog(_ version: String) throws -> Catalog {
            Catalog(
                document: try PlistText.read(
                    PlistText.document("<dict>\(version)<key>products</key><array><string>a</string></array></dict>")))
        }
        let comparison = CatalogComparison(
            from: try catalog("<key>catalogVersion</key><integer>7</integer>"), to: try catalog(version))

        #expect(comparison.changes.map(\.message) == messages)
        #expect(comparison.changes.allSatisfy { $0.effect == .olderApps && $0.product == nil })
    }

    private static let served = CatalogContent(
        version: "1", urls: [URL(string: "https://example.com/a.plist")].compactMap(\.self),
        digest: String(repeating: "0", count: 64), length: 1)

    @Test(
        arguments: [
            (
                nil, served,
                ["safe has contentVersion \"1\" instead of nothing", "safe has its content at a different address"]
            ),
            (
                served, nil,
                [
                    "safe has contentVersion nothing instead of \"1\"",
                    "olderApps no longer has an address for its content",
                ]
            ),
            (
                served,
                CatalogContent(version: "1", urls: served.urls, digest: String(repeating: "1", count: 64), length: 1),
                ["safe has different content with the same contentVersion"]
            ),
            (
                served, CatalogContent(version: "2", urls: served.urls),
                ["safe has contentVersion \"2\" instead of \"1\""]
            ),
            (served, served, []),
        ] as [(CatalogContent?, CatalogContent?, [String])])
    func `a changed address, version or digest of hosted content is reported as a catalog change`(
        old: CatalogContent?, new: CatalogContent?, changes: [String]
    )
        throws
    {
        let path = try ContentPath("a")
        func catalog(_ content: CatalogContent?) -> Catalog {
            Catalog(products: [
                CatalogProduct(
                    identifier: "guide", kind: .nonConsumable, localContentPath: path, isHosted: true, content: content)
            ])
        }
        let found = CatalogComparison(from: catalog(old), to: catalog(new)).changes
        #expect(found.map { "\($0.effect.rawValue) \($0.message)" } == changes)
    }
}
