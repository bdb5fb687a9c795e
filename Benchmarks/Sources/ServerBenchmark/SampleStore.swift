import Foundation
import VitrineStoreSimulator

/// Store with a subscription that has renewed many times, in a folder.
struct SampleStore {
    static let bundle = "com.example.club"
    private static let advances = 3
    /// Renewals of each advance of the clock; a store permits 20,000 at once.
    private static let renewals = 19_000
    /// Seconds of a period at the rate of the store.
    private static let period: TimeInterval = 2

    /// Number of the first transaction; those of the renewals follow it.
    let first: Int
    /// Number of the transactions.
    let count: Int

    init(in folder: URL) async throws {
        let configuration = try Data(contentsOf: URL(filePath: "Catalogs/Club.storekit"))
        try SimulatedStore.create(in: folder, configuration: configuration, bundleIdentifier: Self.bundle)
        let store = try SimulatedStore(folder: folder)
        try await store.setTimeRate(.oneRenewalEveryTwoSeconds)
        let transaction = try await store.purchaseElsewhere("club.silver")
        for _ in 0..<Self.advances { try await store.advance(by: TimeInterval(Self.renewals) * Self.period) }
        guard let first = Int(transaction.id) else { throw CancellationError() }
        self.first = first
        count = Self.advances * Self.renewals
    }
}
