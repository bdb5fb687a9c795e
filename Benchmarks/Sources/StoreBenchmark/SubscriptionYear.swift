import Foundation
import Measuring
import VitrinePurchasing
import VitrineStoreSimulator

/// Store with the monthly subscriptions of a thousand customers, and a year of its own clock.
struct SubscriptionYear {
    static let customerCount = 1_000
    static let monthCount = 12
    static let renewalCount = customerCount * monthCount
    private static let bundleIdentifier = "com.example.club"
    private static let product = "com.example.club.monthly"
    private static let start = Date(timeIntervalSince1970: 1_768_435_200)  // 2026-01-15
    /// Time between the first purchases of two customers.
    private static let interval: TimeInterval = 60

    let folder: URL

    /// Store at the beginning of the year, in which every customer has subscribed.
    private var store: URL { folder.appending(path: "store") }
    /// Store at the end of the year.
    var renewed: URL { folder.appending(path: "renewed") }
    /// What the store has signed in the year, one a line: of each renewal its transaction and its renewal information.
    var tokens: URL { folder.appending(path: "tokens") }

    func prepare() async throws {
        try SimulatedStore.create(
            in: store, configuration: Data(Self.configuration.utf8), bundleIdentifier: Self.bundleIdentifier,
            now: { Self.start })
        let first = try SimulatedStore(folder: store, now: { Self.start })
        try await first.useVirtualClock()
        for customer in try devices(of: first) {
            guard
                case .purchased(let transaction) = try await customer.purchase(
                    Self.product, options: PurchaseOptions(quantity: 1))
            else { preconditionFailure("the customer has not subscribed") }
            try await customer.finish(transaction)
            try await first.advance(by: Self.interval)
        }
        try FileManager.default.copyItem(at: store, to: renewed)
        let renewedStore = try SimulatedStore(folder: renewed)
        let listeners = try listen(to: renewedStore) { updates in await updates.reduce(into: []) { $0.append($1) } }
        try await renew(renewedStore)
        var lines: [String] = []
        for listener in listeners { lines += await listener.value.flatMap { [$0.signedData, $0.signedRenewal ?? ""] } }
        try Data(lines.joined(separator: "\n").utf8).write(to: tokens)
    }

    /// Returns a new copy of the store at the beginning of the year.
    func copyOfStore() throws -> URL {
        let copy = folder.appending(path: UUID().uuidString)
        try FileManager.default.copyItem(at: store, to: copy)
        return copy
    }

    /// Returns the path of a store's database.
    static func database(of store: URL) -> String { store.appending(path: "store.sqlite").path(percentEncoded: false) }

    /// - Returns: Seconds until all listeners have received the renewals of the year.
    func measureStore() async throws -> Double {
        let store = try SimulatedStore(folder: copyOfStore())
        let listeners = try listen(to: store) { updates in
            await updates.reduce(0) { $0 + ($1.signedRenewal == nil ? 0 : 1) }
        }
        let start = ContinuousClock.now
        try await renew(store)
        var received = 0
        for listener in listeners { received += await listener.value }
        precondition(received == Self.renewalCount)
        return start.duration(to: .now).seconds
    }

    /// Lets a listener for each customer receive the renewals of the year.
    private func listen<Result: Sendable>(
        to store: SimulatedStore,
        _ receive: @escaping @Sendable (AsyncPrefixSequence<AsyncStream<StoreTransaction>>) async -> Result
    ) throws -> [Task<Result, Never>] {
        try devices(of: store).map { device in
            let updates = device.updates().prefix(Self.monthCount)
            return Task { await receive(updates) }
        }
    }

    /// Advances the store's clock by a year, month by month.
    private func renew(_ store: SimulatedStore) async throws {
        for date in Self.dates {
            let events = try await store.advance(to: date)
            precondition(events.count == Self.customerCount && events.allSatisfy { $0.kind == .renewed })
        }
    }

    private func devices(of store: SimulatedStore) throws -> [SimulatedStore] {
        try (0..<Self.customerCount).map { try store.device("phone", of: "customer \($0)") }
    }

    /// Dates to which the clock is advanced: after the renewals of each month.
    private static let dates: [Date] = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return (1...monthCount).compactMap { calendar.date(byAdding: .month, value: $0, to: start + 86_400) }
    }()

    private static let configuration = """
        {"identifier": "0A1B2C3D", "nonRenewingSubscriptions": [], "products": [], "settings": {}, \
        "subscriptionGroups": [{"id": "club", "localizations": [], "name": "Club", "subscriptions": [ \
        {"adHocOffers": [], "codeOffers": [], "displayPrice": "4.99", "familyShareable": false, "groupNumber": 1, \
        "internalID": "monthly", "localizations": [], "productID": "\(product)", "recurringSubscriptionPeriod": "P1M", \
        "referenceName": "monthly", "subscriptionGroupID": "club", "type": "RecurringSubscription"}]}], \
        "version": {"major": 4, "minor": 0}}
        """
}
