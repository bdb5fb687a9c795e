import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

/// Snapshots, which are the same whether they are updated entry by entry or rebuilt.
@Suite(.hangLimit) struct RebuiltSnapshotTests {
    private let start = Date(timeIntervalSince1970: 1_790_000_000)
    private let catalogs = [
        Catalog(products: [
            CatalogProduct(identifier: "guide", kind: .nonConsumable),
            CatalogProduct(identifier: "map", kind: .nonConsumable),
            CatalogProduct(identifier: "tour", kind: .nonConsumable),
            CatalogProduct(identifier: "pack", kind: .nonConsumable, childProducts: ["guide", "map"]),
            CatalogProduct(
                identifier: "all", kind: .nonConsumable, childProducts: ["pack", "tour"],
                grandfathered: [GrandfatheringRule(beforeBuild: VersionNumber("200"))]),
            CatalogProduct(identifier: "basic", kind: .autoRenewableSubscription, childProducts: ["guide"]),
            CatalogProduct(identifier: "best", kind: .autoRenewableSubscription, childProducts: ["guide", "tour"]),
            CatalogProduct(
                identifier: "week", kind: .nonRenewingSubscription, childProducts: ["map"],
                subscriptionDuration: SubscriptionDuration("PT10S")),
        ]),
        Catalog(products: [
            CatalogProduct(identifier: "tour", kind: .nonConsumable),
            CatalogProduct(identifier: "guide", kind: .nonConsumable),
            CatalogProduct(identifier: "pack", kind: .nonConsumable, childProducts: ["tour"]),
            CatalogProduct(identifier: "best", kind: .autoRenewableSubscription, childProducts: ["pack"]),
        ]),
        Catalog(products: [
            CatalogProduct(identifier: "map", kind: .nonConsumable),
            CatalogProduct(identifier: "pack", kind: .nonConsumable, childProducts: ["map", "nothing"]),
        ]),
    ]

    /// Returns a random fact about one of a few products and transactions.
    private func fact(_ random: inout SeededGenerator, at second: Int) -> Fact {
        let number = Int.random(in: 0..<8, using: &random)
        let signed = start + TimeInterval(second + Int.random(in: -20...5, using: &random))
        let products = ["guide", "map", "tour", "pack", "all"]
        let product = products[number % 5]
        let contents = Bool.random(using: &random) ? Array(products[..<(number % 5)]) : []
        let subscription = number % 3 == 0 ? "basic" : "best"
        let period = Fact.Period(
            expirationDate: start + TimeInterval(second + Int.random(in: -10...40, using: &random)),
            isUpgraded: number == 2)
        switch Int.random(in: 0..<24, using: &random) {
        case 19, 20, 21:
            return .bought(
                "week", transaction: "\(100 + number)", kind: .nonRenewingSubscription, signed: signed,
                until: .init(expirationDate: signed + TimeInterval(number % 3 * 10)), at: signed, contents: ["map"])
        case 22: return .revoked("week", transaction: "\(100 + number)", signed: signed)
        case 23: return .credited("week", transaction: "\(100 + number)", signed: signed)
        case 0, 1, 2: return .bought(product, transaction: "\(number)", signed: signed, contents: contents)
        case 3, 4, 5:
            return .bought(
                subscription, transaction: "s\(number)", kind: .autoRenewableSubscription, signed: signed,
                until: period, original: "s\(number % 2)", at: signed, contents: number > 4 ? ["guide", "tour"] : [])
        case 6: return .termed(subscription, transaction: "s\(number)", signed: signed, until: period)
        case 7: return .revoked(product, transaction: "\(number)", signed: signed)
        case 8: return .revoked(subscription, transaction: "s\(number)", signed: signed)
        case 9: return .credited(product, transaction: "\(number)", signed: signed)
        case 10:
            return .given(product, token: "\(second)", until: number < 4 ? start + TimeInterval(second + 15) : nil)
        case 11: return .locked(product, token: "\(second)")
        case 12: return .deposited(number + 1, token: "\(second)")
        case 13: return .spent(number + 1, token: "\(second)")
        case 16, 17, 18:
            return .renewed(
                subscription, transaction: "s\(number)", isRenewing: number < 6, original: "s\(number % 2)",
                signed: signed,
                terms: .init(
                    nextProduct: ["basic", "best"][number % 2], isPeriodOver: number == 5,
                    gracePeriodExpirationDate: number == 1 ? start + TimeInterval(second + 30) : nil,
                    isInBillingRetry: number == 4))
        case 14: return .firstGot(build: "\(number * 50)", signedDate: signed)
        default:
            return number == 0
                ? .loss(.init(token: "\(second)", reason: "gone"))
                : number == 1
                    ? .settlement(.init(token: "\(second)", reason: "looked at"))
                    : .note(.init(token: "\(second)", reason: "seen"))
        }
    }

    @Test(arguments: 0..<6)
    func `an entitlement snapshot is the same if updated, or rebuilt from the ledger's entries or summary`(
        seed: UInt64
    ) async throws {
        let leeway: TimeInterval = 12
        var random = SeededGenerator(seed: seed)
        let ledger = MemoryLedger()
        var catalog: Catalog? = catalogs[0]
        var updated = try EntitlementSnapshot(catalog: catalog, entries: [], at: start, renewalLeeway: leeway)
        var owned: Set<String> = []
        for second in 0..<150 {
            // What the rules refuse is no part of the story.
            _ = try? await ledger.append([fact(&random, at: second)], at: start + TimeInterval(second))
            guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
            // The clock of a device may be set, also back.
            let now = start + TimeInterval(second + Int.random(in: -30...30, using: &random))
            var changes = [try updated.apply(await ledger.entries(after: updated.lastSequence))]
            changes.append(updated.set(date: now))
            if Int.random(in: 0..<8, using: &random) == 0 {
                changes.append(
                    updated.applyAnswer(aboutSubscriptions: Bool.random(using: &random) ? ["s0", "s1"] : ["s1"]))
            }
            for change in changes {
                #expect(owned.isDisjoint(with: change.newlyOwned))
                #expect(owned.isSuperset(of: change.noLongerOwned))
                owned = owned.union(change.newlyOwned).subtracting(change.noLongerOwned)
            }
            #expect(Set(updated.owned) == owned)
            if Int.random(in: 0..<6, using: &random) == 0 {
                catalog = (catalogs + [nil]).randomElement(using: &random) ?? nil
                updated = updated.with(catalog: catalog)
                owned = Set(updated.owned)
            }
            let rebuilt = try EntitlementSnapshot(
                catalog: catalog, entries: await ledger.entries(after: 0), at: now, check: updated.check,
                renewalLeeway: leeway)
            let summarized = EntitlementSnapshot(
                catalog: catalog, summary: await ledger.summary(), at: now, check: updated.check,
                renewalLeeway: leeway)
            #expect(updated.summary == rebuilt.summary, "second \(second)")
            #expect(updated.summary == summarized.summary, "second \(second)")
        }
    }
}

/// Random number generator (SplitMix64) with the same sequence for the same seed.
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension EntitlementSnapshot {
    /// All values of the snapshot as text.
    fileprivate var summary: [String] {
        let products = ["guide", "map", "tour", "pack", "all", "basic", "best", "week"]
        return [
            "\(lastSequence)", "\(owned)", "\(balances.sorted { $0.key < $1.key })", "\(balance(of: "coins"))",
            "\(nextEnd as Any)", "\(unknownReason as Any)", "\(loss as Any)", "\(isSuccessor)",
            "\(appPurchase?.original.version as Any)", "\(missingGrandfatheringGrants)", "\(hasRevocations)",
        ]
            + products.map { product in
                "\(product): \(ownership(of: product)) \(ended(of: product)) \(locks(of: product)) "
                    + "\(revocations(of: product).map(\.origin.transactionID)) \(hasGrant(of: product))"
            }
    }
}
