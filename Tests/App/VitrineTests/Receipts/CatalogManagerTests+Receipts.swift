import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// App receipt at launch, and on request of the customer.
extension CatalogManagerTests {
    /// State of the receipt on the device when the app is launched.
    enum Found: String, Sendable {
        case nothing, damaged, good, unreadable, undetermined
    }

    struct Launch: Sendable, CustomTestStringConvertible {
        let found: Found
        let refresh: ReceiptOptions.Refresh
        let refreshes: Int
        let texts: [String]
        var refreshFails = false
        var testDescription: String { "\(found), \(refresh)\(refreshFails ? ", and no new one comes" : "")" }
    }

    private static let launches = [
        Launch(found: .nothing, refresh: .never, refreshes: 0, texts: ["missing", "missing"]),
        Launch(found: .damaged, refresh: .never, refreshes: 0, texts: ["rejected: signature", "rejected: signature"]),
        Launch(found: .good, refresh: .never, refreshes: 0, texts: ["good: 1", "good: 1"]),
        Launch(found: .unreadable, refresh: .never, refreshes: 0, texts: ["store: unavailable", "store: unavailable"]),
        Launch(found: .undetermined, refresh: .never, refreshes: 0, texts: ["undetermined", "undetermined"]),
        Launch(found: .nothing, refresh: .whenMissing, refreshes: 1, texts: ["good: 1", "missing"]),
        Launch(found: .damaged, refresh: .whenMissing, refreshes: 1, texts: ["good: 1", "rejected: signature"]),
        Launch(found: .good, refresh: .whenMissing, refreshes: 0, texts: ["good: 1", "good: 1"]),
        Launch(
            found: .unreadable, refresh: .whenMissing, refreshes: 0,
            texts: ["store: unavailable", "store: unavailable"]
        ),
        Launch(found: .undetermined, refresh: .whenMissing, refreshes: 0, texts: ["undetermined", "undetermined"]),
        Launch(
            found: .nothing, refresh: .whenMissing, refreshes: 1, texts: ["store: network", "missing"],
            refreshFails: true),
        Launch(
            found: .damaged, refresh: .whenMissing, refreshes: 1, texts: ["store: network", "rejected: signature"],
            refreshFails: true),
    ]

    @Test(arguments: launches)
    func `the receipt is read at each load, and a new receipt is requested at most once if requests are allowed`(
        _ launch: Launch
    ) async throws {
        try await buyElsewhere("lisbon")
        let good = try await voyager.store.refreshAppReceipt(ReceiptRequest())
        let refreshes = Recorder<ReceiptRequest>()
        var store = voyager.unlisted
        store.onAppReceipt = { () throws(StoreError) in
            switch launch.found {
            case .nothing: return nil
            case .damaged: return good.dropLast() + [~good[good.endIndex - 1]]
            case .good, .undetermined: return good
            case .unreadable: throw StoreError(code: .unavailable, reason: "it cannot be read")
            }
        }
        store.onRefreshAppReceipt = { request throws(StoreError) in
            refreshes.record(request)
            guard !launch.refreshFails else { throw StoreError(code: .network, reason: "no network") }
            return good
        }
        let manager = try await makeReader(
            store: store, verifier: launch.found == .undetermined ? Undecided() : nil, refresh: launch.refresh)
        let events = try await events(of: manager) {
            await manager.loadProducts()
            await manager.loadProducts()
        }

        #expect(events.receiptTexts == launch.texts)
        #expect(refreshes.values == Array(repeating: ReceiptRequest(), count: launch.refreshes))
        #expect(manager.status == .productsLoaded)
        let isOwned = launch.texts.contains("good: 1")
        #expect(manager.ownership(of: .voyager("lisbon")) == .notOwned || isOwned)
        #expect(try await self.entries.map(\.fact.kind) == (isOwned ? [.receipt, .purchase] : []))
    }

    @Test(
        arguments: [
            ([.app], 0), ([.environment], 0), ([.bundleIdentifier], 0), ([.expired, .environment], 0),
            ([.malformed], 1), ([.signature, .certificateChain], 1), ([.certificateValidity], 1), ([.device], 1),
            ([.appVersion], 1), ([.expired], 1),
        ] as [([RejectionReason.Code], Int)])
    func `a new receipt is requested only if a new one could pass the check that the present one failed`(
        codes: [RejectionReason.Code], count: Int
    ) async throws {
        let good = try await voyager.store.refreshAppReceipt(ReceiptRequest())
        let refreshes = Recorder<ReceiptRequest>()
        var store = InterceptedStore(voyager.store)
        store.onRefreshAppReceipt = { request throws(StoreError) in
            refreshes.record(request)
            return good
        }
        let verifier = Rejecting(reasons: codes.map { RejectionReason(code: $0, reason: "no") })
        await (try await makeReader(store: store, verifier: verifier, refresh: .whenMissing)).loadProducts()

        #expect(refreshes.values.count == count)
    }

    @Test func `refreshing the receipt before the first load records its purchases with a single request`() async throws
    {
        try await buyElsewhere("lisbon")
        try await voyager.store.removeAppReceipt()
        let (refreshes, base) = (Recorder<ReceiptRequest>(), voyager.store)
        var store = InterceptedStore(base)
        store.onRefreshAppReceipt = { request throws(StoreError) in
            refreshes.record(request)
            return try await base.refreshAppReceipt(request)
        }
        let manager = try await makeReader(store: store, refresh: .whenMissing)
        let events = try await events(of: manager) {
            try await manager.purchases.refreshReceipt()
            #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
        }

        #expect(events.receiptTexts == ["missing", "good: 1"])
        #expect(refreshes.values.count == 1)
    }

    @Test func `an old receipt does not revoke a purchase whose refund was reversed`() async throws {
        let seller = try await makeManager()
        await seller.loadProducts()
        _ = await buy("lisbon", with: seller)
        await seller.stop()
        voyager.clock.advance(by: 60)
        try await voyager.store.refund("1")
        voyager.clock.advance(by: 60)
        try await voyager.store.reverseRefund("1")
        // The app was away at the refund.
        let away = try await makeManager()
        await away.loadProducts()
        await away.stop()

        let manager = try await makeReader()
        let events = try await events(of: manager) { await manager.loadProducts() }
        #expect(events.receiptTexts == ["good: 1"])
        #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
        #expect(try await self.entries.map(\.fact.kind) == [.purchase])
    }

    @Test func `purchases of a valid receipt are not reported as recorded if writing to the ledger fails`() async throws
    {
        try await buyElsewhere("lisbon")
        let manager = try await makeReader(ledger: FullLedger())
        let events = try await events(of: manager) { await manager.loadProducts() }

        #expect(events.receiptTexts.isEmpty)
        #expect(events.contains { if case .ledger(.failed) = $0 { true } else { false } })
    }

    @Test func `without receipt options the receipt is not read and cannot be refreshed`() async throws {
        try await buyElsewhere("lisbon")
        let manager = try await makeManager(store: voyager.unlisted)
        let events = try await events(of: manager) {
            await manager.loadProducts()
            let failure = await #expect(throws: ReceiptFailure.self) { try await manager.purchases.refreshReceipt() }
            #expect(failure?.description == "no receipt verifier is configured")
        }

        #expect(events.receiptTexts == ["undetermined"])
        #expect(try await self.entries.isEmpty)
    }

    @Test func `an explicit refresh requests a new receipt even if automatic requests are disabled`() async throws {
        let manager = try await makeReader()
        let events = try await events(of: manager) {
            await manager.loadProducts()
            try await buyElsewhere("lisbon")
            try await voyager.store.removeAppReceipt()
            let signed = try await manager.purchases.refreshReceipt()
            #expect(signed.receipt.purchases.count == 1)
            #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
            let expired = ReceiptRequest(isExpired: true)
            let failure = await #expect(throws: ReceiptFailure.self) {
                try await manager.purchases.refreshReceipt(expired)
            }
            #expect(failure?.word == "rejected: expired")
        }

        #expect(events.receiptTexts == ["missing", "good: 1", "rejected: expired"])
        #expect(events.ownershipChanges == [[.voyager("lisbon")]])
    }

    @Test func `owned products remain owned when no valid receipt exists any more`() async throws {
        try await buyElsewhere("lisbon")
        await (try await makeReader()).loadProducts()
        for request in [ReceiptRequest(isExpired: true), ReceiptRequest(isRevoked: true)] {
            _ = try await voyager.store.refreshAppReceipt(request)
            let manager = try await makeReader()
            #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
            await manager.loadProducts()
            #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
        }
        try await voyager.store.removeAppReceipt()
        let manager = try await makeReader()
        await manager.loadProducts()

        #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
        #expect(try await self.entries.map(\.fact.kind) == [.receipt, .purchase])
    }

    @Test func `the transaction queue and the receipt do not record the same purchase or refund twice`() async throws {
        let manager = try await makeReader()
        await manager.loadProducts()
        for name in ["lisbon", "coins50"] { #expect(await buy(name, with: manager) == "charged") }
        voyager.clock.advance(by: 60)
        let later = try await makeReader()
        await later.loadProducts()
        #expect(later.wallets.balance(for: "coins") == .known(50))
        #expect(try await self.entries.map(\.fact.kind) == [.purchase, .purchase, .credit])

        try await voyager.store.refund("1")
        voyager.clock.advance(by: 60)
        let (other, home) = (try await makeReader(), folder["home"])
        await other.loadProducts()
        #expect(other.ownership(of: .voyager("lisbon")) == .notOwned)
        #expect(try await self.entries.count == 4)
        #expect(try await self.entries.last?.fact.receiptDigest == nil)
        #expect(FileManager.default.fileExists(atPath: home.path()))
    }

    @Test func `a purchase in a receipt is applied once a later catalog contains its product`() async throws {
        try await buyElsewhere("lisbon")
        let first = try await makeReader(catalog: .catalog(Catalog(products: [])))
        let events = try await events(of: first) { await first.loadProducts() }
        #expect(events.receiptTexts == ["good: 1", "waits: com.example.voyager.lisbon is not in the catalog"])
        #expect(first.ownedProducts.isEmpty)

        let second = try await makeReader()
        await second.loadProducts()
        #expect(second.ownership(of: .voyager("lisbon")).isOwned)
    }
}

private struct Rejecting: ReceiptVerifier {
    let reasons: [RejectionReason]

    func verify(receipt data: Data) async -> Verification<SignedAppReceipt> { .rejected(reasons) }
}

private struct Undecided: ReceiptVerifier {
    func verify(receipt data: Data) async -> Verification<SignedAppReceipt> { .undetermined("the server is silent") }
}
