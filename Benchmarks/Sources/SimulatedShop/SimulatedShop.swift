import Foundation
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineReceipts
import VitrineStoreSimulator

/// Guides, of which every tenth is a pack of the four before it, and a store that sells all of them. Where there are
/// subscriptions, every third guide is one: three in a group, for a week, a month and a year.
package enum SimulatedShop {
    package static func catalog(count: Int, withSubscriptions: Bool = false) -> Catalog {
        let catalog = Catalog(
            products: (0..<count).map { index in
                CatalogProduct(
                    identifier: identifier(index), kind: kind(index, withSubscriptions),
                    childProducts: index % 10 == 9 ? contents(index, withSubscriptions) : [],
                    longDescription: LocalizedText("What is worth a visit in place \(index)"))
            })
        precondition(catalog.products.count == count && !catalog.hasErrors)
        return catalog
    }

    /// What a pack contains: the guides before it that are bought once.
    private static func contents(_ index: Int, _ withSubscriptions: Bool) -> [String] {
        (index - 4..<index).filter { kind($0, withSubscriptions) == .nonConsumable }.map(identifier)
    }

    private static func kind(_ index: Int, _ withSubscriptions: Bool) -> ProductKind {
        withSubscriptions && index % 3 == 1 ? .autoRenewableSubscription : .nonConsumable
    }

    package static func identifier(_ index: Int) -> String { "com.example.voyager.guide\(index)" }

    /// What the store says about the products, in another order than the catalog's.
    package static func storeProducts(count: Int, withSubscriptions: Bool = false) -> [StoreProduct] {
        var generator = Shuffling(state: 7)
        return (0..<count).map { index in
            StoreProduct(
                identifier: identifier(index), kind: kind(index, withSubscriptions), displayName: "Guide \(index)",
                description: "A guide to place \(index)", price: Decimal(index % 10 == 9 ? 4 : 1), currencyCode: "USD",
                displayPrice: index % 10 == 9 ? "$4.00" : "$1.00",
                subscription: kind(index, withSubscriptions) == .nonConsumable ? nil : subscription(index))
        }.shuffled(using: &generator)
    }

    private static func subscription(_ index: Int) -> StoreProduct.Subscription? {
        let units: [RenewalPeriod.Unit] = [.week, .month, .year]
        guard let period = RenewalPeriod(count: 1, unit: units[index / 3 % 3]),
            let week = RenewalPeriod(count: 1, unit: .week)
        else { return nil }
        return StoreProduct.Subscription(
            groupID: "group\(index / 9)", groupName: "Guides of region \(index / 9)", level: 1, period: period,
            introductoryOffer: StoreProduct.Subscription.Offer(
                kind: .introductory, paymentMode: .free, period: week, price: 0, displayPrice: "$0.00"),
            isEligibleForIntroductoryOffer: true)
    }

    /// Configuration of a store that sells coins.
    package static let coins = Data(
        """
        {"identifier": "0A1B2C3D", "nonRenewingSubscriptions": [], "products": [{"displayPrice": "0.99", \
        "familyShareable": false, "internalID": "coins", "localizations": [], "productID": "coins", \
        "referenceName": "Coins", "type": "Consumable"}], "settings": {}, "subscriptionGroups": [], \
        "version": {"major": 3, "minor": 0}}
        """.utf8)

    /// A manager with a new simulated store.
    ///
    /// - Parameters:
    ///   - folder: An empty one.
    ///   - ledger: Where it records facts; `nil` for the file in its storage directory, `home` in the folder.
    package static func manager(
        productCount: Int, in folder: URL, ledger: (any Ledger)? = MemoryLedger()
    ) async throws -> CatalogManager {
        let products = (0..<productCount).map { index in
            """
            {"displayPrice": "\(index % 10 == 9 ? 4 : 1).00", "familyShareable": false, "internalID": "\(index)", \
            "localizations": [{"description": "A guide", "displayName": "Guide \(index)", "locale": "en_US"}], \
            "productID": "\(identifier(index))", "referenceName": "Guide \(index)", "type": "NonConsumable"}
            """
        }
        let configuration = """
            {"identifier": "0A1B2C3D", "nonRenewingSubscriptions": [], "products": [\(products.joined(separator: ","))], \
            "settings": {}, "subscriptionGroups": [], "version": {"major": 3, "minor": 0}}
            """
        let storeFolder = folder.appending(path: "Store")
        try SimulatedStore.create(
            in: storeFolder, configuration: Data(configuration.utf8), bundleIdentifier: "com.example.voyager")
        let store = try SimulatedStore(folder: storeFolder)
        return try await CatalogManager(
            catalog: .catalog(catalog(count: productCount)), store: store,
            verifier: SignedDataVerifier(
                roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: store.bundleIdentifier,
                environment: .sandbox),
            home: Home(url: folder.appending(path: "home")), ledger: ledger)
    }
}

/// The same order in every run.
private struct Shuffling: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }
}
