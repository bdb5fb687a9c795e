import Foundation
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator

/// Customer with transactions of every kind, bought, shared by the family, renewed and refunded, over two months.
enum HistoryCustomer {
    /// Lets the first customer of a store, and a member of the family, buy all products.
    static func live(in served: ServedStore) async throws {
        let (store, ann) = (served.store, try served.store.device("phone", of: "ann"))
        try await store.joinFamily("Smith")
        try await ann.joinFamily("Smith")
        let early = try await served.buy("coins", "map", "pass")
        try await store.advance(by: 1 * .days)
        let later = try await served.buy("coins", "coins", "club.silver")
        try await served.buy("news", "coins", by: ann)
        try await store.advance(by: 1 * .days)
        try await served.buy("club.gold")
        try await store.advance(by: 40 * .days)
        try await store.refund(later[0])
        try await store.refund(early[1])
        try await finish(early[0], in: store)
        try await finish(later[0], in: store)
    }

    private static func finish(_ id: String, in store: SimulatedStore) async throws {
        for transaction in try await store.unfinishedTransactions() where transaction.id == id {
            try await store.finish(transaction)
        }
    }
}

/// Filter of a history, with the transactions that match it.
struct HistoryFilterCase: Sendable {
    let id: String
    let query: [(String, String)]
    let matches: @Sendable (SimulatedTransaction) -> Bool

    init(
        _ id: String, _ query: [(String, String)], _ matches: @escaping @Sendable (SimulatedTransaction) -> Bool
    ) {
        (self.id, self.query, self.matches) = (id, query, matches)
    }

    private static let day = ServedStore.start.addingTimeInterval(1 * .days)
    private static let milliseconds = String(day.inMilliseconds)
    private static let next = String(day.inMilliseconds + 1)

    /// Single filters.
    static let alone = [
        HistoryFilterCase("none", []) { _ in true },
        HistoryFilterCase("a start", [("startDate", milliseconds)]) { $0.purchaseDate >= day },
        HistoryFilterCase("a start just after purchases", [("startDate", next)]) { $0.purchaseDate > day },
        HistoryFilterCase("an end at purchases", [("endDate", milliseconds)]) { $0.purchaseDate < day },
        HistoryFilterCase("an end just after purchases", [("endDate", next)]) { $0.purchaseDate <= day },
        HistoryFilterCase("an end in the future", [("endDate", "9000000000000000000")]) { _ in true },
        HistoryFilterCase("an end at the beginning of time", [("endDate", "0")]) { _ in false },
        HistoryFilterCase("a product", [("productId", "coins")]) { $0.productIdentifier == "coins" },
        HistoryFilterCase("two products", [("productId", "coins"), ("productId", "map")]) {
            ["coins", "map"].contains($0.productIdentifier)
        },
        HistoryFilterCase("a product twice", [("productId", "map"), ("productId", "map")]) {
            $0.productIdentifier == "map"
        },
        HistoryFilterCase("a product that no one has", [("productId", "club.bronze")]) { _ in false },
        HistoryFilterCase("a product with a strange name", [("productId", "' OR 1=1 --\u{1F600}")]) { _ in false },
        HistoryFilterCase("auto-renewable ones", [("productType", "AUTO_RENEWABLE")]) { $0.groupID != nil },
        HistoryFilterCase("non-renewing ones", [("productType", "NON_RENEWABLE")]) { $0.productIdentifier == "pass" },
        HistoryFilterCase("consumables", [("productType", "CONSUMABLE")]) { $0.kind == .consumable },
        HistoryFilterCase("non-consumables", [("productType", "NON_CONSUMABLE")]) { $0.kind == .nonConsumable },
        HistoryFilterCase("two types", [("productType", "CONSUMABLE"), ("productType", "NON_CONSUMABLE")]) {
            [.consumable, .nonConsumable].contains($0.kind)
        },
        HistoryFilterCase("a group", [("subscriptionGroupIdentifier", "club")]) { $0.groupID == "club" },
        HistoryFilterCase("two groups", ["club", "news"].map { ("subscriptionGroupIdentifier", $0) }) {
            $0.groupID != nil
        },
        HistoryFilterCase("what was bought", [("inAppOwnershipType", "PURCHASED")]) { $0.ownershipType == .purchased },
        HistoryFilterCase("what the family shares", [("inAppOwnershipType", "FAMILY_SHARED")]) {
            $0.ownershipType == .familyShared
        },
        HistoryFilterCase("revoked ones", [("revoked", "true")]) { $0.revocationDate != nil },
        HistoryFilterCase("revoked ones, as Python writes it", [("revoked", "True")]) { $0.revocationDate != nil },
        HistoryFilterCase("others than revoked ones", [("revoked", "False")]) { $0.revocationDate == nil },
        HistoryFilterCase("the old filter", [("excludeRevoked", "true")]) { $0.revocationDate == nil },
        HistoryFilterCase("the old filter, off", [("excludeRevoked", "false")]) { _ in true },
        HistoryFilterCase("parameters that no one knows", [("color", "red"), ("", "")]) { _ in true },
    ]

    /// Combined filters whose transactions overlap only partly: each pair, and all of them.
    static let combined: [HistoryFilterCase] = {
        let some = [
            "a start", "an end just after purchases", "consumables", "two groups", "what was bought",
            "others than revoked ones", "two products",
        ]
        let parts = alone.filter { some.contains($0.id) }
        var pairs: [HistoryFilterCase] = []
        for (index, first) in parts.enumerated() {
            for second in parts[(index + 1)...] {
                pairs.append(
                    HistoryFilterCase("\(first.id), \(second.id)", first.query + second.query) {
                        first.matches($0) && second.matches($0)
                    })
            }
        }
        let all = HistoryFilterCase("all of these", parts.flatMap(\.query)) { transaction in
            parts.allSatisfy { $0.matches(transaction) }
        }
        return pairs + [all]
    }()
}
