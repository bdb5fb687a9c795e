import Entitlements
import Foundation
import Receipts
import StoreSimulator
import TestSupport
import Testing

@Suite struct NotificationOrderTests {
    static let day: TimeInterval = 86_400

    @Test func `all orders`() async throws {
        let stories: [(String, (SimulatedStore) async throws -> Void)] = [
            (
                "A",
                { store in
                    try await store.purchaseElsewhere("club.silver")
                    try await store.advance(by: 32 * Self.day)
                    try await store.failBilling("club.silver")
                    try await store.advance(by: 28 * Self.day)
                    try await store.recoverBilling("club.silver")
                    try await store.advance(by: 2 * Self.day)
                    let gold = try await store.purchaseElsewhere("club.gold")
                    try await store.advance(by: 2 * Self.day)
                    try await store.refund(gold.id)
                    try await store.advance(by: 2 * Self.day)
                    try await store.reverseRefund(gold.id)
                }
            ),
            (
                "renewal switched",
                { store in
                    let s = try await store.purchaseElsewhere("club.silver")
                    try await store.advance(by: 2 * Self.day)
                    try await store.setRenewal(false, of: "club.silver")
                    try await store.advance(by: 2 * Self.day)
                    try await store.setRenewal(true, of: "club.silver")
                    try await store.advance(by: 2 * Self.day)
                    try await store.refund(s.id)
                    try await store.advance(by: 2 * Self.day)
                    try await store.reverseRefund(s.id)
                }
            ),
            (
                "refund reversed in grace",
                { store in
                    try await store.purchaseElsewhere("club.silver")
                    try await store.advance(by: 32 * Self.day)
                    try await store.failBilling("club.silver")
                    try await store.advance(by: 28 * Self.day)
                    let s = try await store.subscriptions()[0].transaction
                    try await store.advance(by: 1 * Self.day)
                    try await store.refund(s)
                    try await store.advance(by: 1 * Self.day)
                    try await store.reverseRefund(s)
                }
            ),
            (
                "grace expired",
                { store in
                    try await store.purchaseElsewhere("club.silver")
                    try await store.failBilling("club.silver")
                    try await store.advance(by: 80 * Self.day)
                }
            ),
            (
                "bronze",
                { store in
                    try await store.purchaseElsewhere("club.bronze")
                    try await store.advance(by: 65 * Self.day)
                    try await store.failBilling("club.bronze")
                    try await store.advance(by: 30 * Self.day)
                    try await store.recoverBilling("club.bronze")
                    try await store.advance(by: 2 * Self.day)
                    let s = try await store.purchaseElsewhere("club.silver")
                    try await store.advance(by: 2 * Self.day)
                    try await store.refund(s.id)
                    try await store.advance(by: 2 * Self.day)
                    try await store.reverseRefund(s.id)
                }
            ),
            (
                "bronze offers",
                { store in
                    try await store.purchaseElsewhere("club.bronze")
                    try await store.advance(by: 65 * Self.day)
                }
            ),
            (
                "downgrade",
                { store in
                    try await store.purchaseElsewhere("club.silver")
                    try await store.advance(by: 3 * Self.day)
                    try await store.purchaseElsewhere("news")
                    _ = try await store.purchase("club.bronze", quantity: 1)
                    try await store.advance(by: 3 * Self.day)
                    _ = try await store.purchase("club.silver", quantity: 1)
                    try await store.advance(by: 32 * Self.day)
                }
            ),
            (
                "coins",
                { store in
                    let c = try await store.purchaseElsewhere("coins")
                    try await store.advance(by: 3 * Self.day)
                    try await store.refund(c.id)
                    try await store.advance(by: 3 * Self.day)
                    try await store.reverseRefund(c.id)
                    try await store.advance(by: 3 * Self.day)
                    try await store.refund(c.id)
                }
            ),
            (
                "map",
                { store in
                    let c = try await store.purchaseElsewhere("map")
                    try await store.advance(by: 3 * Self.day)
                    try await store.refund(c.id, .percent(50))
                    try await store.advance(by: 3 * Self.day)
                    try await store.reverseRefund(c.id)
                    try await store.advance(by: 3 * Self.day)
                    try await store.refund(c.id)
                    try await store.advance(by: 3 * Self.day)
                    try await store.reverseRefund(c.id)
                }
            ),
        ]
        for (name, tell) in stories {
            let story = try await NotificationStory(tell)
            print(name, story.words)
            let clock = ContinuousClock()
            let begin = clock.now
            var results: [[String: [Possessions]]: [[Int]]] = [:]
            let n = story.notifications.count
            let orders = Self.permutations(n)
            let first = try await Self.run(story, Array(0..<n))
            for order in orders.prefix(6000) {
                results[try await Self.run(story, order), default: []].append(order)
            }
            print(name, "\(orders.count) orders, \(results.count) results, \(clock.now - begin)")
            for (result, orders) in results {
                print("   \(orders.count) orders \(result == first ? "CHRONO" : "") like \(orders[0])")
                if result != first {
                    for (customer, list) in result {
                        for (i, p) in list.enumerated() where p != first[customer]?[i] {
                            print("     #\(i)"); Self.difference(first[customer]![i], p)
                        }
                    }
                }
            }
        }
    }

    static func difference(_ a: Possessions, _ b: Possessions) {
        for (x, y) in zip(Mirror(reflecting: a).children, Mirror(reflecting: b).children)
        where "\(x.value)" != "\(y.value)" {
            if let l = x.value as? [CustomerSubscription], let r = y.value as? [CustomerSubscription] {
                for (l, r) in zip(l, r) {
                    for (x, y) in zip(Mirror(reflecting: l).children, Mirror(reflecting: r).children)
                    where "\(x.value)" != "\(y.value)" {
                        print("        sub.\(x.label ?? ""): \(x.value) -> \(y.value)")
                    }
                }
            } else {
                print("        \(x.label ?? ""): \(x.value) -> \(y.value)")
            }
        }
    }

    static func run(_ story: NotificationStory, _ order: [Int]) async throws -> [String: [Possessions]] {
        let server = NotifiedServer(story)
        for index in order { try await server.receive(story.notifications[index]) }
        return try await server.possessions(days: [5, 40])
    }

    static func permutations(_ n: Int) -> [[Int]] {
        if n == 0 { return [[]] }
        return permutations(n - 1).flatMap { p in
            (0...p.count).reversed().map {
                var q = p; q.insert(n - 1, at: $0); return q
            }
        }
    }
}
