import Foundation
import Measuring
import OpenStoreKit
import SimulatedShop
import VitrinePurchasing
import VitrineStoreKitAdapter
import VitrineStoreSimulator

/// Time to load a product, buy it and finish its transaction through StoreKit's names, in relation to the same calls of `Store` to the
/// same kind of store: one in memory, as in a test session, and one in a folder, whose purchases are on the disk. Both sides take turns.
/// The adapter for StoreKit is compared with StoreKit's own calls. The exit status is 1 if a ratio exceeds its target.
@main
struct StoreKitBenchmark {
    private static let rounds = 7
    private static let purchases = 300
    private static let target = 1.2
    private static let targetShare = 0.1

    static func main() async throws {
        var isMet = true
        for isInMemory in [true, false] {
            var (plain, throughStoreKit) = ([Double](), [Double]())
            for _ in 0..<rounds {
                plain.append(try await withStore(isInMemory) { try await buyPlainly(in: $0) })
                throughStoreKit.append(
                    try await withStore(isInMemory) { store in
                        try await OpenStore.with(store) { try await buyThroughStoreKit() }
                    })
            }
            let ratio = median(zip(throughStoreKit, plain).map { $0 / $1 })
            print("a product loaded, bought and finished, with the store \(isInMemory ? "in memory" : "in a folder")")
            print("  \(column("Store, µs", width: 40))", formatted(median(plain)))
            print("  \(column("OpenStoreKit, µs", width: 40))", formatted(median(throughStoreKit)))
            print("  \(column("OpenStoreKit in relation to Store", width: 40))", formatted(ratio))
            if ratio > target { isMet = false }
        }
        if try await adapterShare() > targetShare { isMet = false }
        exit(isMet ? 0 : 1)
    }

    /// Compares what the adapter does for a purchase with StoreKit's own calls for it: whether payments are allowed, what is
    /// unfinished, the purchase, and its end, with the store in a folder.
    ///
    /// - Returns: Part of the adapter's time that StoreKit's calls do not take.
    private static func adapterShare() async throws -> Double {
        var (direct, adapted) = ([Double](), [Double]())
        for _ in 0..<rounds {
            direct.append(
                try await withStore(false) { store in try await OpenStore.with(store) { try await buyDirectly() } })
            adapted.append(
                try await withStore(false) { store in
                    try await OpenStore.with(store) { try await buyAdapted(in: StoreKitStore()) }
                })
        }
        let share = median(zip(adapted, direct).map { 1 - $1 / $0 })
        print("a product bought and finished, after a look at what is unfinished, with the store in a folder")
        print("  \(column("OpenStoreKit, µs", width: 40))", formatted(median(direct)))
        print("  \(column("StoreKitAdapter, µs", width: 40))", formatted(median(adapted)))
        print("  \(column("share of the adapter", width: 40))", formatted(share))
        return share
    }

    private static func buyDirectly() async throws -> Double {
        guard let product = try await Product.products(for: ["coins"]).first else {
            preconditionFailure("the store has no product")
        }
        let start = ContinuousClock.now
        for _ in 0..<purchases {
            guard AppStore.canMakePayments else { preconditionFailure("payments are not allowed") }
            for await _ in Transaction.unfinished { preconditionFailure("a transaction is unfinished") }
            guard case .success(.verified(let transaction)) = try await product.purchase() else {
                preconditionFailure("the store has not sold")
            }
            await transaction.finish()
        }
        return start.duration(to: .now).seconds * 1e6 / Double(purchases)
    }

    private static func buyAdapted(in store: StoreKitStore) async throws -> Double {
        guard try await store.products(for: ["coins"]).count == 1 else {
            preconditionFailure("the store has no product")
        }
        let start = ContinuousClock.now
        for _ in 0..<purchases {
            guard await store.paymentRestriction() == nil, try await store.unfinishedTransactions().isEmpty,
                case .purchased(let transaction) = try await store.purchase("coins", options: PurchaseOptions())
            else { preconditionFailure("the store has not sold") }
            try await store.finish(transaction)
        }
        return start.duration(to: .now).seconds * 1e6 / Double(purchases)
    }

    private static func withStore<Result>(
        _ isInMemory: Bool, _ body: @Sendable (SimulatedStore) async throws -> Result
    ) async throws -> Result {
        let (configuration, app) = (SimulatedShop.coins, "com.example.voyager")
        if isInMemory { return try await body(.inMemory(configuration: configuration, bundleIdentifier: app)) }
        return try await withTemporaryFolder { folder in
            try SimulatedStore.create(in: folder, configuration: configuration, bundleIdentifier: app)
            return try await body(SimulatedStore(folder: folder))
        }
    }

    /// - Returns: Microseconds for each purchase.
    private static func buyPlainly(in store: SimulatedStore) async throws -> Double {
        let start = ContinuousClock.now
        for _ in 0..<purchases {
            let products = try await store.products(for: ["coins"])
            guard products.count == 1, try await store.storefront() != nil,
                case .purchased(let transaction) = try await store.purchase("coins", options: PurchaseOptions())
            else { preconditionFailure("the store has not sold") }
            try await store.finish(transaction)
        }
        return start.duration(to: .now).seconds * 1e6 / Double(purchases)
    }

    /// - Returns: Microseconds for each purchase.
    private static func buyThroughStoreKit() async throws -> Double {
        let start = ContinuousClock.now
        for _ in 0..<purchases {
            guard let product = try await Product.products(for: ["coins"]).first,
                case .success(.verified(let transaction)) = try await product.purchase()
            else { preconditionFailure("the store has not sold") }
            await transaction.finish()
        }
        return start.duration(to: .now).seconds * 1e6 / Double(purchases)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
