import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrineTestSupport

/// Notifications that arrive in any order and more than once, at a server that records them in Vitrine's ledger.
///
/// `NOTIFICATION_ORDER_SEED` sets the first seed of the random orders.
@Suite struct NotificationOrderTests {
    private static let seed =
        ProcessInfo.processInfo.environment["NOTIFICATION_ORDER_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: 1...999_999)

    @Test func `ownership is the same for all 5,040 delivery orders of seven notifications`() async throws {
        let life = NotificationStory.subscription
        let orders = NotificationOrders.all(of: life.names.count)
        #expect(orders.count == 5_040)
        try await Self.compare(orders, of: life)
    }

    @Test func `ownership is the same for 10,000 random delivery orders of twelve notifications`() async throws {
        let life = NotificationStory.twoCustomers
        print("NOTIFICATION_ORDER_SEED=\(Self.seed)")
        let orders = (0..<10_000).map {
            NotificationOrders.random(of: life.names.count, seed: Self.seed &+ UInt64($0))
        }
        try await Self.compare(orders, of: life, "NOTIFICATION_ORDER_SEED=\(Self.seed)")
    }

    @Test(arguments: NotificationStory.otherLives)
    func `ownership is the same for all delivery orders of the notifications of a purchase history`(
        _ life: NotificationStory.Life
    ) async throws {
        try await Self.compare(NotificationOrders.all(of: life.names.count), of: life)
    }

    @Test func `the offer of each subscription period is known, even if consecutive periods have the same offer`()
        async throws
    {
        let life = NotificationStory.introductoryOffer
        for count in 1...life.names.count {
            let story = try await NotificationStory(life.tell)
            let states = try await Self.possessions(after: Array(0..<count), of: story).values.flatMap(\.self)
            #expect(
                states.first?.subscriptions.first?.offers.first
                    == AppliedOffer(kind: .introductory, paymentMode: .payAsYouGo))
        }
    }

    @Test(arguments: [NotificationStory.subscription, NotificationStory.twoCustomers])
    func `ownership is the same for random delivery orders of notifications with ledgers on disk`(
        _ life: NotificationStory.Life
    ) async throws {
        let folder = try TemporaryFolder()
        let orders = (0..<12).map {
            NotificationOrders.random(of: life.names.count, seed: Self.seed &+ UInt64($0))
        }
        try await Self.compare(orders, of: life, "NOTIFICATION_ORDER_SEED=\(Self.seed)") {
            try SQLiteLedger(url: folder["\(UUID().uuidString).sqlite"])
        }
    }

    // MARK: What depends on the order

    /// The ledger does not record a purchase that arrives after its refund.
    @Test(arguments: [NotificationStory.refundedPeriod, NotificationStory.refundInGracePeriod])
    func `ownership is the same for all orders in which a period, its refund and the reversal arrive in this order`(
        _ life: NotificationStory.Life
    ) async throws {
        let sequence = life.names.count == 3 ? [1, 2] : [1, 3, 4]
        let orders = NotificationOrders.all(of: life.names.count).filter { order in
            order.filter(sequence.contains) == sequence
        }
        #expect(orders.count == (life.names.count == 3 ? 3 : 20))
        try await Self.compare(orders, of: life)
    }

    @Test(arguments: [[0, 2, 1], [2, 0, 1], [2, 1, 0]])
    func `a subscription period that arrives after its refund grants no ownership and is not listed as a subscription`(
        _ order: [Int]
    )
        async throws
    {
        let story = try await NotificationStory(NotificationStory.refundedPeriod.tell)
        let states = try await Self.possessions(after: order, of: story).values.flatMap(\.self)

        #expect(states.allSatisfy { $0.owned.isEmpty })
        #expect(Set(states.flatMap { $0.subscriptions.map(\.product) }) == ["club.silver"])
        #expect(states.flatMap { $0.subscriptions.map(\.state) } == [.expired, .expired])
    }

    /// If the refund and its reversal arrive first, the units count as delivered by another ledger, because the first
    /// copy of the purchase that arrives was signed after the refund.
    @Test(arguments: NotificationOrders.all(of: 3))
    func `units are credited after a reversed refund, unless refund and reversal arrive before the purchase`(
        _ order: [Int]
    ) async throws {
        let story = try await NotificationStory(NotificationStory.refundedUnits.tell)
        let states = try await Self.possessions(after: order, of: story).values.flatMap(\.self)

        #expect(Set(states.map(\.balances)) == (order == [1, 2, 0] ? [[:]] : [["coins": 50]]))
    }

    // MARK: Comparison

    /// Compares the state of the customers after each order with the state after the order of the story.
    private static func compare(
        _ orders: [[Int]], of life: NotificationStory.Life, _ comment: Comment? = nil,
        makeLedger: @escaping @Sendable () throws -> any Ledger = { MemoryLedger() }
    ) async throws {
        let story = try await NotificationStory(life.tell)
        try #require(story.names == life.names)
        let expected = try await possessions(after: Array(life.names.indices), of: story)
        #expect(Set(expected.values.flatMap { $0.first?.owned ?? [] }) == life.owned)
        let lanes = 4
        let differing = try await withThrowingTaskGroup(of: [[Int]].self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    var differing: [[Int]] = []
                    for index in stride(from: lane, to: orders.count, by: lanes) {
                        let found = try await possessions(after: orders[index], of: story, makeLedger: makeLedger)
                        if found != expected { differing.append(orders[index]) }
                    }
                    return differing
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        guard let first = differing.min(by: { ($0.count, $0.description) < ($1.count, $1.description) }) else { return }
        let found = try await possessions(after: first, of: story, makeLedger: makeLedger)
        let differences = Set(
            found.flatMap { name, states in
                zip(states, expected[name] ?? []).flatMap { $0.differences(from: $1) }
            }
        ).sorted().joined(separator: "\n")
        Issue.record(
            """
            \(comment?.rawValue ?? "") \(differing.count) of \(orders.count) orders differ, such as \
            \(story.names(first)):
            \(differences)
            """)
    }

    private static func possessions(
        after order: [Int], of story: NotificationStory,
        makeLedger: @escaping @Sendable () throws -> any Ledger = { MemoryLedger() }
    ) async throws -> [String: [Possessions]] {
        let server = NotifiedServer(story, makeLedger: makeLedger)
        for index in order { try await server.receive(story.notifications[index]) }
        return try await server.possessions()
    }
}

/// Orders in which notifications arrive, by their indexes in a story.
private enum NotificationOrders {
    /// Returns all orders of a number of notifications, starting with the order of the story.
    static func all(of count: Int) -> [[Int]] {
        guard count > 0 else { return [[]] }
        return all(of: count - 1).flatMap { shorter in
            (0..<count).reversed().map { place in
                var order = shorter
                order.insert(count - 1, at: place)
                return order
            }
        }
    }

    /// Returns a random order of a number of notifications, in which up to half of them are repeated once.
    static func random(of count: Int, seed: UInt64) -> [Int] {
        var generator = SeededGenerator(seed: seed)
        let repeated = (0..<Int.random(in: 0...count / 2, using: &generator)).map { _ in
            Int.random(in: 0..<count, using: &generator)
        }
        return (Array(0..<count) + repeated).shuffled(using: &generator)
    }
}
