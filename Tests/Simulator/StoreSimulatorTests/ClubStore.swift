import Foundation
import Testing
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Store in memory that sells the subscriptions of `Club.storekit`, with a virtual clock.
struct ClubStore {
    let store: SimulatedStore
    static let start = Date(timeIntervalSince1970: 1_768_435_200)  // 2026-01-15
    static let bundleIdentifier = "com.example.club"

    /// - Parameter edit: Function that changes the configuration.
    init(_ edit: (String) -> String = { $0 }) async throws {
        let configuration = try String(contentsOf: Repository.file("Catalogs/Club.storekit"), encoding: .utf8)
        store = try SimulatedStore.inMemory(
            configuration: Data(edit(configuration).utf8),
            bundleIdentifier: Self.bundleIdentifier, now: { Self.start }, seed: 0)
        try await store.useVirtualClock()
    }

    @discardableResult
    func buy(_ product: String, _ options: PurchaseOptions = PurchaseOptions(), on device: SimulatedStore? = nil)
        async throws -> TransactionPayload
    {
        let answer = try await (device ?? store).purchase(product.club, options: options)
        guard let transaction = answer.transaction else {
            throw StoreError(code: .unavailable, reason: "not purchased: \(answer)")
        }
        return try await payload(transaction)
    }

    func payload(_ transaction: StoreTransaction) async throws -> TransactionPayload {
        guard case .verified(let signed) = try await verifier.verify(transaction: transaction.signedData) else {
            throw StoreError(code: .unavailable, reason: "the transaction is not verified")
        }
        return signed.payload
    }

    func renewal(_ transaction: StoreTransaction) async throws -> RenewalPayload {
        let signed = try #require(transaction.signedRenewal)
        guard case .verified(let renewal) = try await verifier.verify(renewal: signed) else {
            throw StoreError(code: .unavailable, reason: "the renewal is not verified")
        }
        return renewal.payload
    }

    private var verifier: SignedDataVerifier {
        get throws {
            SignedDataVerifier(
                roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: Self.bundleIdentifier,
                environment: .sandbox)
        }
    }

    /// Returns the state of the customer's only subscription in the group, with the store's signed data.
    func status(of group: String = "club", on device: SimulatedStore? = nil) async throws -> (
        state: SubscriptionState, transaction: TransactionPayload, renewal: RenewalPayload
    ) {
        let statuses = try await (device ?? store).subscriptionStatuses(inGroup: group)
        let status = try #require(statuses.first)
        #expect(statuses.count == 1)
        return (status.state, try await payload(status.transaction), try await renewal(status.transaction))
    }

    /// Returns the unfinished transactions, and finishes them.
    func unfinished(on device: SimulatedStore? = nil) async throws -> [TransactionPayload] {
        var payloads: [TransactionPayload] = []
        for transaction in try await (device ?? store).unfinishedTransactions() {
            payloads.append(try await payload(transaction))
            try await (device ?? store).finish(transaction)
        }
        return payloads
    }

    func advance(to text: String) async throws { try await store.advance(to: .at(text)) }
}

extension String {
    /// Identifier of a product of the club.
    var club: String { ["coins", "map", "pass", "news"].contains(self) ? self : "club.\(self)" }
}

extension Date {
    /// Returns a date in UTC, such as `2026-01-31` or `2026-01-31T12:00:00Z`.
    static func at(_ text: String) -> Date {
        let full = text.contains("T") ? text : "\(text)T00:00:00Z"
        guard let date = try? Date(full, strategy: .iso8601) else { preconditionFailure("no date: \(text)") }
        return date
    }
}
