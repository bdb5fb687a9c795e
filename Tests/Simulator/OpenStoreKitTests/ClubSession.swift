import OpenStoreKitTest
import Testing
import VitrineStoreSimulator
import VitrineTestSupport

/// Scenarios of an app that uses StoreKit, each with a store of its own.
@Suite(.isolatedStoreKit, .hangLimit) struct StoreKitScenarioTests {}

extension SKTestSession {
    static let start = Date(timeIntervalSince1970: 1_768_435_200)  // 2026-01-15

    /// Creates a session of the sample club with a virtual clock.
    static func club(_ change: (inout SKTestOptions) -> Void = { _ in }) throws -> SKTestSession {
        var options = SKTestOptions(bundleIdentifier: "com.example.club")
        (options.seed, options.startDate) = (7, start)
        change(&options)
        let session = try SKTestSession(contentsOf: Repository.sample("Club.storekit"), options: options)
        session.disableDialogs = true
        return session
    }

    func advance(toDay text: String) throws {
        let date = try #require(try? Date(text, strategy: .iso8601.year().month().day()))
        try advance(by: date.timeIntervalSince(now))
    }
}

/// Loads a product, and expects that the store has it.
func product(_ id: String) async throws -> Product {
    try #require(try await Product.products(for: [id]).first)
}

/// Buys a product, and returns the verified transaction.
@discardableResult
func buy(_ id: String, _ options: Product.PurchaseOption...) async throws -> Transaction {
    let result = try await product(id).purchase(options: Set(options))
    guard case .success(.verified(let transaction)) = result else {
        Issue.record("\(id) was not bought: \(result)")
        throw StoreKitError.unknown
    }
    return transaction
}

extension AsyncSequence where Failure == Never {
    /// Returns all elements of a sequence that ends.
    func all() async -> [Element] {
        var elements: [Element] = []
        for await element in self { elements.append(element) }
        return elements
    }
}

extension Transaction.Transactions {
    /// Returns the verified transactions of a listing.
    func verified() async throws -> [Transaction] { try await all().map { try $0.payloadValue } }

    func products() async throws -> [String] { try await verified().map(\.productID) }
}

extension Transaction.Transactions.AsyncIterator {
    /// Returns the next transaction, and expects that it is verified.
    mutating func verified() async throws -> Transaction {
        try #require(await next()).payloadValue
    }
}

/// Returns the only status of the customer in a group.
func status(of group: String = "club") async throws -> Product.SubscriptionInfo.Status {
    let statuses = try await Product.SubscriptionInfo.status(for: group)
    try #require(statuses.count == 1)
    return statuses[0]
}

func renewal(of group: String = "club") async throws -> Product.SubscriptionInfo.RenewalInfo {
    try await status(of: group).renewalInfo.payloadValue
}
