import Foundation
import Testing
import VitrineEntitlements
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct EntitlementStoreTests {
    private static let date = Date(timeIntervalSince1970: 1_790_000_000)

    /// Observer that notes what it receives.
    private final class Observer: EntitlementObserver {
        let heard = Recorder<String>()

        func entitlementsChange(to entitlements: EntitlementSnapshot, _ changes: EntitlementSnapshot.Changes) {
            heard.record("owned \(entitlements.owned), new \(changes.newlyOwned)")
        }

        func entitlementsHaveChanged(_ changes: EntitlementSnapshot.Changes) { heard.record("unlocked") }

        func subscriptionsCatchUp(_ subscriptions: Set<String>) {}

        func subscriptionHasCaughtUp() {}

        func entitlementsNotRefreshed(_ error: LedgerError) { heard.record("not refreshed: \(error.reason)") }
    }

    private func store(of ledger: any Ledger) async throws -> EntitlementStore {
        EntitlementStore(ledger, summary: try await ledger.summary(), at: Self.date)
    }

    private func record(_ product: String, in store: EntitlementStore) async throws -> [Int64] {
        try await store.record([.bought(product, transaction: product)], at: Self.date).map(\.sequence)
    }

    @Test func `a recorded purchase is owned at once, without reading ledger entries`() async throws {
        let ledger = InterceptedLedger(MemoryLedger())
        let (store, observer) = (try await store(of: ledger), Observer())
        store.observe(observer)
        try await store.record([.bought("rome", transaction: "1")], at: Self.date) { entries in
            observer.heard.record("reported \(entries.map(\.sequence))")
        }

        #expect(store.snapshot.owned == ["rome"])
        #expect(observer.heard.values == ["reported [1]", "owned [\"rome\"], new [\"rome\"]", "unlocked"])
        #expect(ledger.calls.values == ["summary", "append"])
    }

    @Test func `ledger entries of another process are read and applied together with newly recorded ones`()
        async throws
    {
        let ledger = InterceptedLedger(MemoryLedger())
        let store = try await store(of: ledger)
        _ = try await ledger.base.append([.bought("athens", transaction: "2")], at: Self.date)

        #expect(try await record("rome", in: store) == [2])
        #expect(store.snapshot.owned == ["athens", "rome"])
        #expect(ledger.calls.values == ["summary", "append", "entries"])
    }

    @Test func `a purchase that another process has already recorded is not new, but is owned afterwards`() async throws
    {
        let ledger = MemoryLedger()
        let store = try await store(of: ledger)
        _ = try await ledger.append([.bought("rome", transaction: "rome")], at: Self.date)

        #expect(try await record("rome", in: store) == [])
        #expect(store.snapshot.owned == ["rome"])
    }

    @Test func `facts are recorded while the ledger cannot be read, and change the ownership once it is readable`()
        async throws
    {
        let base = MemoryLedger()
        var ledger = InterceptedLedger(base)
        let isBroken = Recorder<Bool>()
        ledger.before = { call throws(LedgerError) in
            guard call == "entries", isBroken.values.last ?? false else { return }
            throw LedgerError(code: .unavailable, reason: "the disk is gone")
        }
        let (store, observer) = (try await store(of: ledger), Observer())
        store.observe(observer)
        _ = try await base.append([.bought("athens", transaction: "2")], at: Self.date)
        isBroken.record(true)
        #expect(try await record("rome", in: store) == [2])
        #expect(store.snapshot.owned.isEmpty)
        #expect(observer.heard.values == ["not refreshed: the disk is gone"])

        isBroken.record(false)
        try await store.refresh()
        #expect(store.snapshot.owned == ["athens", "rome"])
    }

    @Test func `ledger entries are read again if the ledger was replaced while a fact was being recorded`() async throws
    {
        let (first, second) = (MemoryLedger(), MemoryLedger())
        let stage = Recorder<EntitlementStore>()
        var ledger = InterceptedLedger(first)
        ledger.before = { call throws(LedgerError) in
            // The entry has the number that the next one of the new ledger will have.
            guard call == "append", let store = stage.values.first else { return }
            store.replace(by: await second.summary(), at: Self.date)
        }
        let store = try await store(of: ledger)
        stage.record(store)
        _ = try await second.append([.bought("vienna", transaction: "3")], at: Self.date)
        _ = try await first.append([.bought("athens", transaction: "2")], at: Self.date)
        try await store.refresh()
        let calls = ledger.calls.values.count
        _ = try await record("rome", in: store)

        #expect(ledger.calls.values[calls...] == ["append", "entries"])
    }

    @Test(arguments: [(entries: 0, isIncomplete: true), (1, true), (2, false), (3, false)])
    func `a ledger that replaces the current one is incomplete if it has fewer entries, as from a backup`(
        entries: Int, isIncomplete: Bool
    ) async throws {
        let (first, second) = (MemoryLedger(), MemoryLedger())
        let products = ["rome", "athens", "vienna"]
        for product in products[..<2] {
            _ = try await first.append([.bought(product, transaction: product)], at: Self.date)
        }
        let store = try await store(of: first)
        for product in products[..<entries] {
            _ = try await second.append([.bought(product, transaction: product)], at: Self.date)
        }
        store.replace(by: await second.summary(), at: Self.date)

        #expect(store.snapshot.isIncomplete == isIncomplete)
        #expect(store.snapshot.owned == Array(products[..<entries]))
    }

    @Test func `concurrent calls that record purchases lose no purchase`() async throws {
        let store = try await store(of: MemoryLedger())
        let products = (1...200).map { "guide\($0)" }
        try await withThrowingTaskGroup { group in
            for product in products { group.addTask { _ = try await record(product, in: store) } }
            try await group.waitForAll()
        }

        #expect(Set(store.snapshot.owned) == Set(products))
        #expect(store.snapshot.lastSequence == 200)
    }
}
