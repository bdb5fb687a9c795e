import Foundation
import Measuring
import SimulatedShop
import Vitrine

/// A purchase of one product of a loaded catalog begins and ends, and is shown in the listing.
enum Changing {
    private static let changes = 2_000

    /// One of a hundred that are in no pack.
    private static func guide(_ number: Int) -> String { SimulatedShop.identifier(number % 100 * 10) }

    static func measureHere(productCount: Int) async throws {
        try await withTemporaryFolder { folder in
            let manager = try await SimulatedShop.manager(productCount: productCount, in: folder)
            await manager.loadProducts()
            precondition(manager.products.count == productCount)
            for change in 0..<changes { try await manager.unlock(guide(change)) }
            let events = manager.events()
            var times: [Double] = []
            for change in 0..<changes {
                let start = ContinuousClock.now
                // It is owned: the purchase is under way, and then refused, which are two changes.
                _ = await manager.purchase(guide(change))
                times.append(start.duration(to: .now).seconds * 1e6 / 2)
            }
            await manager.stop()
            var published: [Int] = []
            for await case .listingChanged(let changed) in events { published.append(changed.count) }
            precondition(published.count == 2 * changes)
            let sorted = times.sorted()
            print("\(ListingBenchmark.change)=\(sorted[sorted.count / 2])")
            print("products listed again by each=\(Double(published.reduce(0, +)) / Double(published.count))")
        }
    }
}
