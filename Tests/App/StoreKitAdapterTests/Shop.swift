import Foundation
import OpenStoreKit
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Store of a customer with one device or two, with the simulated store behind it.
struct Shop: Sendable {
    /// Kind of store, with the number of devices, on which the contract of `Store` is tested.
    struct Arrangement: Sendable, CustomTestStringConvertible {
        let isAdapted: Bool
        let hasTwoDevices: Bool
        var quirks: StoreQuirks = []

        var testDescription: String {
            "\(isAdapted ? "adapter" : "simulator"), \(hasTwoDevices ? "two devices" : "one device")"
        }

        static let all = [false, true].flatMap { isAdapted in
            [false, true].map { Arrangement(isAdapted: isAdapted, hasTwoDevices: $0) }
        }
        static let adapter = Arrangement(isAdapted: true, hasTwoDevices: false)
        static let hostile = Arrangement(isAdapted: true, hasTwoDevices: false, quirks: .hostile)
    }

    /// Device whose store is tested.
    let device: SimulatedStore
    let store: any Store
    /// Another device of the customer; `nil` if the customer has only one.
    private let other: SimulatedStore?
    private let isAdapted: Bool
    private let quirks: StoreQuirks
    static let bundleIdentifier = "com.example.club"

    init(_ arrangement: Arrangement = .adapter) async throws {
        let start = Date(timeIntervalSince1970: 1_768_435_200)  // 2026-01-15
        let phone = try SimulatedStore.inMemory(
            configuration: Data(contentsOf: Repository.sample("Club.storekit")),
            bundleIdentifier: Self.bundleIdentifier, now: { start }, seed: 0)
        try await phone.useVirtualClock()
        try await phone.setOriginalPurchase(OriginalPurchase(version: "1.0", date: start, platform: .iOS))
        device = arrangement.hasTwoDevices ? try phone.device("tablet") : phone
        other = arrangement.hasTwoDevices ? phone : nil
        (isAdapted, quirks) = (arrangement.isAdapted, arrangement.quirks)
        store = isAdapted ? try AdaptedStore(device, quirks: quirks) : device
    }

    /// Returns a store in memory, in an environment, whose customer has bought the app.
    static func simulated(_ environment: StoreEnvironment) async throws -> SimulatedStore {
        let store = try SimulatedStore.inMemory(
            configuration: Data(contentsOf: Repository.sample("Club.storekit")), bundleIdentifier: bundleIdentifier,
            environment: environment, seed: 0)
        try await store.setOriginalPurchase(OriginalPurchase(version: "1.0", date: .now, platform: .iOS))
        return store
    }

    /// Returns the store as it is at the next launch of the app.
    func relaunched() throws -> any Store { isAdapted ? try AdaptedStore(device, quirks: quirks) : device }

    /// Buys a product on another device or, if there is none, outside the app.
    func buyElsewhere(_ product: String) async throws -> String {
        guard let other else { return try await device.purchaseElsewhere(product).id }
        return try #require(try await other.purchase(product, quantity: 1).transaction).id
    }

    @discardableResult
    func buy(_ product: String, _ options: PurchaseOptions = PurchaseOptions()) async throws -> StoreTransaction {
        try #require(try await store.purchase(product, options: options).transaction)
    }

    func verifier() throws -> SignedDataVerifier {
        SignedDataVerifier(
            roots: try TrustedRoots(pem: device.rootCertificate), bundleIdentifier: Self.bundleIdentifier,
            environment: .sandbox)
    }

    func payload(_ transaction: StoreTransaction) async throws -> TransactionPayload {
        guard case .verified(let signed) = try await verifier().verify(transaction: transaction.signedData) else {
            throw StoreError(code: .unavailable, reason: "the transaction is not verified")
        }
        return signed.payload
    }

    func renewal(_ transaction: StoreTransaction) async throws -> RenewalPayload {
        let signed = try #require(transaction.signedRenewal)
        guard case .verified(let renewal) = try await verifier().verify(renewal: signed) else {
            throw StoreError(code: .unavailable, reason: "the renewal is not verified")
        }
        return renewal.payload
    }

    func products(_ transactions: [StoreTransaction]) async throws -> [String] {
        var products: [String] = []
        for transaction in transactions { products.append(try await payload(transaction).productIdentifier) }
        return products
    }
}

extension AsyncSequence where Failure == Never {
    /// Returns the first element that meets a condition, because a store may send more elements than a test waits for.
    func next(where isWanted: (Element) async throws -> Bool) async throws -> Element {
        for await element in self where try await isWanted(element) { return element }
        throw StoreError(code: .unavailable, reason: "the stream has ended")
    }
}
