import Foundation
import Measuring
import SimulatedShop
import Vitrine
import VitrineCatalog
import VitrineEntitlements

/// Catalog, store and ownership as listings, and what an app would write without Vitrine.
enum Merging {
    /// What a dictionary joins.
    private struct Pair {
        let product: CatalogProduct
        let stored: StoreProduct?
    }

    static func measureHere(productCount: Int) throws {
        for withSubscriptions in [false, true] { try measure(productCount, withSubscriptions: withSubscriptions) }
    }

    private static func measure(_ productCount: Int, withSubscriptions: Bool) throws {
        let catalog = SimulatedShop.catalog(count: productCount, withSubscriptions: withSubscriptions)
        let stored = SimulatedShop.storeProducts(count: productCount, withSubscriptions: withSubscriptions)
        let identifiers = catalog.products.map(\.identifier)
        let entitlements = entitlements(of: catalog)
        let store = StoreSnapshot(
            requested: identifiers, products: stored, date: entitlements.date, storefront: "USA")
        // One after the other, so that what disturbs one disturbs the other.
        var times: [(join: Double, listings: Double)] = []
        for _ in 0..<max(11, 200_000 / productCount) {
            times.append(
                (
                    milliseconds { join(catalog, stored).count { $0.stored != nil } },
                    milliseconds {
                        ProductListing.listings(for: entitlements, store: store, languages: ["en"]).count
                    }
                ))
        }
        let addition = withSubscriptions ? ", a third subscriptions" : ""
        report("a dictionary join of catalog and store\(addition), ms", times.map(\.join))
        report("listings, with ownership and offers\(addition), ms", times.map(\.listings))
        report(
            withSubscriptions ? ListingBenchmark.subscriptionRatio : ListingBenchmark.ratio,
            times.map { $0.listings / $0.join })

        func milliseconds(_ body: () -> Int) -> Double {
            var found = 0
            let time = ContinuousClock().measure { found = body() }
            precondition(found == productCount)
            return time.seconds * 1_000
        }
    }

    private static func join(_ catalog: Catalog, _ stored: [StoreProduct]) -> [Pair] {
        let products = Dictionary(uniqueKeysWithValues: stored.map { ($0.identifier, $0) })
        return catalog.products.map { Pair(product: $0, stored: products[$0.identifier]) }
    }

    /// Every third guide is owned.
    private static func entitlements(of catalog: Catalog) -> EntitlementSnapshot {
        let date = Date(timeIntervalSince1970: 1_790_000_000)
        let entries = stride(from: 0, to: catalog.products.count, by: 3).enumerated().map { number, index in
            let grant = Fact.Grant(
                token: "\(number)", productIdentifier: SimulatedShop.identifier(index), reason: "a benchmark")
            return LedgerEntry(sequence: Int64(number + 1), recordedAt: date, fact: .grant(grant))
        }
        return EntitlementSnapshot(
            catalog: catalog,
            summary: LedgerSummary(lastSequence: Int64(entries.count), entries: entries, balances: [:]), at: date)
    }

    private static func report(_ name: String, _ values: [Double]) {
        let sorted = values.sorted()
        print("\(name)=\(sorted[sorted.count / 2])")
    }
}
