import Foundation
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Random actions of three customers, two of whom may share a family, in a store that creates notifications.
struct NotificationLife {
    let store: SimulatedStore
    private var random: SeededGenerator

    private static let customers = ["default", "Ada", "Grace"]
    private static let subscriptions = [
        "club.gold", "club.silver", "club.argent", "club.silver.year", "club.bronze", "club.week", "news",
    ]

    init(seed: UInt64, _ environment: StoreEnvironment) async throws {
        random = SeededGenerator(seed: seed)
        store = try ServedStore.club(environment, seed: seed)
        try await store.useVirtualClock(at: NotifiedStore.start)
        try await store.setNotificationURL(URL(string: "http://127.0.0.1:1/notifications"))
    }

    mutating func live(_ count: Int) async throws {
        for _ in 0..<count {
            // An action that the store refuses changes nothing.
            do {
                try await act()
            } catch is SimulatedStoreError {
            } catch is StoreError {}
        }
    }

    private mutating func act() async throws {
        let name = pick(Self.customers)
        let customer = name == "default" ? store : try store.device("phone", of: name)
        let product = pick(Self.subscriptions)
        switch Int.random(in: 0..<20, using: &random) {
        case 0...2: _ = try await customer.purchase(product, options: PurchaseOptions())
        case 3: try await customer.purchaseElsewhere(pick(["coins", "map", "pass"]))
        case 4: try await customer.setRenewal(.random(using: &random), of: product)
        case 5: try await customer.failBilling(product)
        case 6: try await customer.recoverBilling(product)
        case 7: try await store.setGracePeriod(.random(using: &random))
        case 8: try await customer.refund(transaction(of: customer), pick([.full, .prorated, .percent(30)]))
        case 9: try await customer.reverseRefund(transaction(of: customer))
        case 10: try await customer.requestRefund(transaction(of: customer))
        case 11: try await customer.declineRefund(transaction(of: customer))
        case 12:
            try await store.setPrice(
                Decimal(Int.random(in: 1...90, using: &random)), of: product,
                consentRequired: .random(using: &random))
        case 13: try await customer.consentToPriceIncrease(.random(using: &random), of: product)
        case 14: if name != "Grace" { try await customer.joinFamily("Lovelace") }
        case 15: try await customer.leaveFamily()
        case 16: try await customer.redeem("summer", of: "club.silver")
        case 17: _ = try await customer.purchase("club.silver", options: PurchaseOptions(winBackOffer: "again"))
        case 18: try await store.device("phone", of: "Grace").expire(product)
        default: try await store.advance(by: TimeInterval(Int.random(in: 1...40, using: &random)) * NotifiedStore.day)
        }
    }

    private mutating func transaction(of customer: SimulatedStore) async throws -> String {
        let transactions = try await customer.transactions()
        return transactions.isEmpty ? "0" : pick(transactions).id
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }
}
