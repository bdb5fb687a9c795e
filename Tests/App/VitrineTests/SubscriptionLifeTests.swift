import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Random actions of a customer with subscriptions and two devices, each with an app and a ledger of its own. After a
/// device has asked the store, its statuses and owned products must match the store's.
@Suite(.hangLimit) struct SubscriptionLifeTests {
    /// Number of seeds: 6, or more by `make subscription-soak`.
    static let count = ProcessInfo.processInfo.environment["SUBSCRIPTION_SOAK"].flatMap(UInt64.init) ?? 6

    @Test(arguments: 0..<count)
    func `after each random step, each online device agrees with the store about subscriptions and ownership`(
        seed: UInt64
    )
        async throws
    {
        var life = try await SubscriptionLife(seed: seed)
        for step in 1...40 {
            let names = try await life.step()
            try await life.compare("seed \(seed), step \(step): \(names)")
        }
        await life.end()
    }
}

/// Random actions of a customer, step by step.
private struct SubscriptionLife {
    private static let start = Date(timeIntervalSince1970: 2_210_112_000)
    private static let plans = ["club.gold", "club.silver", "club.argent", "club.silver.year", "club.bronze"]

    private let folder: TemporaryFolder
    /// Stores of the two devices.
    private let stores: [SimulatedStore]
    private var managers: [CatalogManager] = []
    private var random: SeededGenerator
    private var isOffline = false

    init(seed: UInt64) async throws {
        folder = try TemporaryFolder()
        try SimulatedStore.create(
            in: folder["Store"], configuration: Data(contentsOf: Repository.file("Catalogs/Club.storekit")),
            bundleIdentifier: "com.example.club", seed: 0)
        let store = try SimulatedStore(folder: folder["Store"])
        try await store.useVirtualClock(at: Self.start)
        stores = [store, try store.device("tablet")]
        random = SeededGenerator(seed: seed)
        for device in 0...1 { managers.append(try await launch(device)) }
    }

    private func launch(_ device: Int) async throws -> CatalogManager {
        let (store, clock) = (stores[device], stores[device].clock)
        let products = Self.plans.map {
            CatalogProduct(identifier: $0, kind: .autoRenewableSubscription, childProducts: ["map"])
        }
        let manager = try await CatalogManager(
            catalog: .catalog(Catalog(products: products + [CatalogProduct(identifier: "map", kind: .nonConsumable)])),
            store: store.launched,
            verifier: SignedDataVerifier(
                roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: store.bundleIdentifier,
                environment: .sandbox, now: { clock.now }),
            home: Home(url: folder["home\(device)"]),
            options: ManagerOptions(choosing: {
                $0.clock = ManagerOptions.Clock(
                    now: { clock.now }, sleepUntil: { try await clock.sleep(until: $0) })
            }))
        await manager.loadProducts()
        return manager
    }

    /// Performs a random step, which has no effect if the store refuses it.
    ///
    /// - Returns: A description of the step.
    mutating func step() async throws -> String {
        let device = Int.random(in: 0...1, using: &random)
        let plan = Self.plans[Int.random(in: 0..<Self.plans.count, using: &random)]
        let store = stores[0]
        switch Int.random(in: 0..<17, using: &random) {
        case 0, 1, 2:
            _ = await managers[device].purchase(plan)
            return "buy \(plan) on device \(device)"
        case 3, 4, 5, 6:
            let days = Double(Int.random(in: 1...40, using: &random))
            try await store.advance(by: days * 86_400)
            return "\(days) days"
        case 7, 8:
            let isOn = Bool.random(using: &random)
            try? await store.setRenewal(isOn, of: plan)
            return "renewal \(isOn)"
        case 9:
            try? await store.failBilling(plan)
            return "billing fails"
        case 10:
            _ = try? await store.recoverBilling(plan)
            return "billing works"
        case 11, 12:
            let bought = try await store.transactions().filter { $0.revocationDate == nil }
            guard let last = bought.last(where: { Self.plans.contains($0.productIdentifier) }) else { return "nothing" }
            _ = try? await store.refund(last.id)
            return "refund \(last.id)"
        case 13:
            guard let last = try await store.transactions().last(where: { $0.revocationDate != nil }) else {
                return "nothing"
            }
            _ = try? await store.reverseRefund(last.id)
            return "reversed refund \(last.id)"
        case 14:
            isOffline.toggle()
            try await store.setOffline(isOffline)
            return isOffline ? "offline" : "online"
        case 15:
            let hasGracePeriod = Bool.random(using: &random)
            try await store.setGracePeriod(hasGracePeriod)
            return "grace period \(hasGracePeriod)"
        default:
            await managers[device].stop()
            managers[device] = try await launch(device)
            return "relaunch of device \(device)"
        }
    }

    /// Compares each device with the store after the device has asked the store.
    func compare(_ step: String) async throws {
        for (device, manager) in managers.enumerated() {
            await manager.loadProducts()
            let bought = try await manager.ledger.history().filter { $0.fact.kind == .purchase }.map(\.fact.key)
            #expect(Set(bought).count == bought.count, "\(step), device \(device)")
            guard !isOffline else {
                let leeway: TimeInterval = 16 * 86_400
                for subscription in manager.subscriptions where subscription.isActive {
                    let end: Date = subscription.expirationDate + leeway
                    let graceEnd: Date = subscription.gracePeriodExpirationDate ?? .distantPast
                    #expect(stores[0].clock.now < max(end, graceEnd), "\(step), device \(device)")
                }
                continue
            }
            let said = try await stores[0].subscriptions()
            let running = said.filter { $0.state == .active || $0.state == .billingGracePeriod }
            var owned: Set<String> = Set(running.map(\.productIdentifier))
            if !running.isEmpty { owned.insert("map") }
            #expect(Set(manager.ownedProducts) == owned, "\(step), device \(device)")
            let identifiers: [String] = said.map(\.id).sorted { (Int($0) ?? 0) < (Int($1) ?? 0) }
            #expect(manager.subscriptions.map(\.id) == identifiers, "\(step), device \(device)")
            for (subscription, expected) in zip(manager.subscriptions, said) {
                #expect(subscription.isActive == running.contains { $0.id == expected.id }, "\(step), device \(device)")
                // A period of which a device has heard only after its refund is not known there.
                guard expected.state != .revoked else { continue }
                #expect(subscription.expirationDate == expected.expirationDate, "\(step), device \(device)")
                #expect(subscription.productIdentifier == expected.productIdentifier, "\(step), device \(device)")
                if subscription.isActive {
                    #expect(subscription.isRenewing == expected.isRenewing, "\(step), device \(device)")
                    #expect(
                        subscription.nextProduct == (expected.isRenewing ? expected.renewalProduct : nil),
                        "\(step), device \(device)")
                }
            }
        }
    }

    func end() async {
        for manager in managers { await manager.stop() }
    }
}
