import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineTestSupport

@testable import VitrineStoreSimulator

/// Random actions of customers, the developer and a server, in a store with the machine's clock or a virtual clock.
struct RecordedLife {
    let store: SimulatedStore
    private let clock: TestClock
    private var random: SeededGenerator
    private var devices: [SimulatedStore]

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        // A clock of a machine has fractions of a millisecond.
        clock = TestClock(ClubStore.start + Double.random(in: 0..<86_400, using: &random))
        let environment: StoreEnvironment = seed.isMultiple(of: 3) ? .production : .sandbox
        store = try RecordedStore.club(environment: environment, clock: clock)
        devices = [store]
    }

    /// Performs a number of random actions, some of which the store refuses.
    mutating func live(_ count: Int) async throws {
        for _ in 0..<count {
            try await pass()
            do {
                try await act()
            } catch is StoreError {
                continue
            } catch is SimulatedStoreError {
                continue
            } catch is ServerError {
                continue
            }
        }
    }

    /// Changes settings that affect the following actions.
    mutating func begin() async throws {
        if Bool.random(using: &random) {
            try await store.setTimeRate(TimeRate.allCases.randomElement(using: &random) ?? .realTime)
        }
        if Int.random(in: 0..<4, using: &random) > 0 {
            try await store.setNotificationURL(URL(string: "https://example.com/hook"))
        }
        if Bool.random(using: &random) { try await store.useVirtualClock() }
    }

    private mutating func pass() async throws {
        let rate = try await store.timeRate
        // At most some periods pass at once, however long they are.
        let month = rate.end(of: try #require(.init(iso8601: "P1M")), from: ClubStore.start, billingDay: 15)
            .timeIntervalSince(ClubStore.start)
        let interval = Double.random(in: 0..<1, using: &random) * month
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return
        case 1 where Int.random(in: 0..<4, using: &random) == 0: try await store.useMachineClock()
        default:
            if try await store.hasVirtualClock {
                try await store.advance(by: interval + 0.001)
            } else {
                clock.advance(by: interval)
            }
        }
    }

    private mutating func act() async throws {
        let device = devices.randomElement(using: &random) ?? store
        let plan = ClubPlan.all.randomElement(using: &random)?.product ?? "news"
        let owned = try await device.transactions()
        let transaction = owned.randomElement(using: &random)
        let isOn = Bool.random(using: &random)
        switch Int.random(in: 0..<34, using: &random) {
        case 0..<5: _ = try await device.purchase(plan, options: options(isOn))
        case 5..<8:
            let product = ["coins", "map", "pass"].randomElement(using: &random) ?? "map"
            _ = try await device.purchase(product, options: options(isOn))
        case 8: try addDevice()
        case 9: try await device.joinFamily("The Lovelaces")
        case 10: if isOn { try await device.leaveFamily() }
        case 11: for unfinished in try await device.unfinishedTransactions() { try await device.finish(unfinished) }
        case 12: try await device.setRenewal(isOn, of: plan)
        case 13: try await isOn ? device.failBilling(plan) : device.setBillingFailing(Bool.random(using: &random))
        case 14: try await device.recoverBilling(plan)
        case 15: try await store.setGracePeriod(isOn)
        case 16:
            try await store.setPrice(Decimal(Int.random(in: 1...20, using: &random)), of: plan, consentRequired: isOn)
        case 17: try await device.consentToPriceIncrease(isOn, of: plan)
        case 18: try await store.setAsksToBuy(isOn)
        case 19: try await store.setInterruptsPurchases(isOn)
        case 20..<22: try await decide(device, isOn)
        case 22: try await device.expire(plan)
        case 23: try await device.renew(plan)
        case 24: try await device.redeem("summer", of: "club.silver")
        case 25: try await device.purchaseElsewhere(["map", plan, "coins"].randomElement(using: &random) ?? plan)
        case 26: try await store.setStorefront(["DEU", "USA", "JPN"].randomElement(using: &random) ?? "USA")
        case 27: if Int.random(in: 0..<6, using: &random) == 0 { try await store.withdraw(plan) }
        case 28: try await store.setSendsConsumablesToAllDevices(isOn)
        case 29..<32: if let transaction { try await refund(transaction, of: device) }
        default: if let transaction { try await serve(transaction, plan) }
        }
    }

    private mutating func options(_ isOn: Bool) -> PurchaseOptions {
        PurchaseOptions(accountToken: isOn ? token() : nil)
    }

    private mutating func token() -> UUID {
        UUID(uuidString: "0000000\(Int.random(in: 1...3, using: &random))-aaaa-bbbb-cccc-dddddddddddd") ?? UUID()
    }

    private mutating func addDevice() throws {
        guard devices.count < 5 else { return }
        let customer = ["Ada", "Ben", "default"].randomElement(using: &random) ?? "Ada"
        let names = ["Ada's phone", "tablet", "default"]
        devices.append(try store.device(names.randomElement(using: &random) ?? "tablet", of: customer))
    }

    private mutating func decide(_ device: SimulatedStore, _ isOn: Bool) async throws {
        guard let pending = try await device.pendingPurchases().randomElement(using: &random) else { return }
        if pending.isInterrupted {
            try await device.resolve(pending.id)
        } else if isOn {
            try await device.approve(pending.id)
        } else {
            try await device.decline(pending.id)
        }
    }

    private mutating func refund(_ transaction: SimulatedTransaction, of device: SimulatedStore) async throws {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: try await device.requestRefund(transaction.id, because: .unsatisfied)
        case 1: try await device.declineRefund(transaction.id)
        case 2: try await device.refund(transaction.id, .prorated)
        case 3: try await device.refund(transaction.id, .percent(Int.random(in: 1...100, using: &random)))
        case 4: try await device.refund(transaction.id)
        default: try await device.reverseRefund(transaction.id)
        }
    }

    private mutating func serve(_ transaction: SimulatedTransaction, _ plan: String) async throws {
        let api = store.serverAPI
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            try await api.setAccountToken(
                transaction.originalID, .init(object: ["appAccountToken": .string(token().uuidString)]))
        case 1: try await api.finish(transaction.id)
        case 2:
            _ = try await api.extend(
                transaction.originalID, .extending(by: Int64.random(in: 1...90, using: &random), "request of Ada"))
        case 3:
            let request = UUID(
                uuidString: "1000000\(Int.random(in: 1...9, using: &random))-aaaa-bbbb-cccc-dddddddddddd")
            _ = try await api.extendAll(.extending(by: 3, request?.uuidString ?? "", of: plan))
        default: _ = try await api.requestTestNotification()
        }
    }
}

extension ServerBody {
    init(object: [String: JSONValue]) throws { try self.init(JSONEncoder().encode(object)) }

    /// Returns the body of a request to extend renewal dates.
    static func extending(by days: Int64, _ request: String, of product: String? = nil) throws -> ServerBody {
        var object: [String: JSONValue] = [
            "extendByDays": .integer(days), "extendReasonCode": .integer(1), "requestIdentifier": .string(request),
        ]
        object["productId"] = product.map(JSONValue.string)
        return try ServerBody(object: object)
    }
}
