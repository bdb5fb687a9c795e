import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Stores of real apps, where a developer has the corpus. Each of their products is sold, renewed and refunded.
@Suite(.hangLimit) struct CorpusStoreTests {
    @Test(.enabled(if: Repository.corpus("storekit") != nil, "the corpus of real files is not here"))
    func `each priced product of real .storekit files can be bought, renewed if it is renewable, and refunded`()
        async throws
    {
        var (sold, renewed, unpriced) = (0, 0, 0)
        for file in try Repository.corpusFiles("storekit") {
            let data = try Data(contentsOf: file)
            guard let configuration = try? StoreConfiguration(data: data) else { continue }
            let store = try await Self.store(data)
            let items = configuration.items + configuration.subscriptions.map(\.item)
            for (number, item) in items.enumerated() {
                let device = try store.device("phone", of: "customer \(number)")
                let options = PurchaseOptions()
                guard item.price != nil else {
                    let error = await #expect(throws: StoreError.self) {
                        try await device.purchase(item.identifier, options: options)
                    }
                    #expect(error?.code == .productNotAvailable)
                    unpriced += 1
                    continue
                }
                let answer = try await device.purchase(item.identifier, options: options)
                guard case .purchased = answer else {
                    Issue.record("\(file.lastPathComponent): \(item.identifier) is not sold: \(answer)")
                    continue
                }
                sold += 1
            }
            try await store.advance(by: 800 * 86_400)
            for number in items.indices where items[number].price != nil {
                let device = try store.device("phone", of: "customer \(number)")
                let transactions = try await device.transactions()
                #expect((transactions.count > 1) == (items[number].kind == .autoRenewableSubscription))
                renewed += transactions.count - 1
                let last = try #require(transactions.last)
                #expect(try await device.refund(last.id).revocationDate == store.clock.now)
            }
        }
        #expect(sold > 300, "\(sold) sold, \(renewed) renewals, \(unpriced) without a price")
        #expect(renewed > 1_000)
        print("\(sold) products sold, \(renewed) renewals, \(unpriced) products without a price")
    }

    /// Returns the store of a file, without the settings that prevent immediate purchases.
    private static func store(_ data: Data) async throws -> SimulatedStore {
        let store = try SimulatedStore.inMemory(
            configuration: data, bundleIdentifier: "com.example.shop", now: { ClubStore.start }, seed: 0)
        try await store.clearFailures()
        try await store.setAsksToBuy(false)
        try await store.setBillingFailing(false)
        try await store.setTimeRate(.realTime)
        try await store.useVirtualClock()
        return store
    }
}
