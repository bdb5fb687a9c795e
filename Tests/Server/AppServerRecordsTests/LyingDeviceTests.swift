import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineCatalog
import VitrineEntitlements
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

/// Random customers with honest devices and one that lies: its documents state whatever could be of use to a customer
/// who wants units for nothing.
///
/// `CUSTOMERS_SOAK` is the number of random histories, `CUSTOMERS_SEED` the seed of a single one.
@Suite(.hangLimit) struct LyingDeviceTests {
    private static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["CUSTOMERS_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let count = environment["CUSTOMERS_SOAK"].flatMap { UInt64($0) } ?? 10
        return Array(1...count)
    }

    @Test func `a customer with a lying device has at most what was credited minus the debits of the server`()
        async throws
    {
        let app = try SignedApp()
        for seed in Self.seeds {
            let life = try await LyingLife(app, seed: seed)
            for _ in 0..<60 { try await life.step() }
            #expect(life.problems == [], "CUSTOMERS_SEED=\(seed)")
            #expect(life.refusals > 0, "CUSTOMERS_SEED=\(seed)")
        }
    }
}

/// Customer with two honest devices and one that lies.
private final class LyingLife {
    private let fixture: CustomersFixture
    private let owner: CustomersFixture.Owner
    private var random: SeededGenerator
    private var number = 2
    private var credited = 100
    private var debited = 0
    /// Tokens of debits that the server has decided.
    private var decided: [String] = []
    /// Tokens of debits that honest devices have made offline.
    private var offline: [String] = []
    /// Number of documents of the lying device that the server has refused.
    private(set) var refusals = 0
    /// Descriptions of the steps after which the balance was not what it may be.
    private(set) var problems: [String] = []

    init(_ app: SignedApp, seed: UInt64) async throws {
        fixture = try await CustomersFixture(app: app, seed: seed)
        owner = try await fixture.owner()
        random = SeededGenerator(seed: seed)
    }

    private var now: Date { fixture.clock.now }

    private func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    private func next(_ name: String) -> String {
        number += 1
        return "\(name)-\(number)"
    }

    func step() async throws {
        fixture.clock.advance(by: TimeInterval(1 + below(20_000)))
        let before = try await fixture.coins(of: owner)
        let (step, changes) = try await act()
        let after = try await fixture.coins(of: owner)
        if !changes.contains(after - before) {
            problems.append("\(step) changes \(before) to \(after), not by \(changes)")
        }
        if after > credited - debited {
            problems.append("after \(step) there are \(after) of \(credited) - \(debited)")
        }
    }

    /// Does something, and returns its description with the changes of the balance that it may lead to.
    private func act() async throws -> (String, ClosedRange<Int>) {
        switch below(12) {
        case 0, 1: return try await buy()
        case 2, 3: return try await spend(1 + below(60), as: next("order"))
        case 4: return try await spendOffline()
        case 5: return try await spendLeased()
        default: return try await lie()
        }
    }

    // MARK: Honest devices

    private func buy() async throws -> (String, ClosedRange<Int>) {
        let date = now
        number += 1
        let signed = try fixture.app.transaction(
            "coins50", id: "\(number)", account: "A", kind: .consumable, signed: date
        ) { ($0.purchaseDate, $0.originalPurchaseDate) = (date, date) }
        let results = try await fixture.records.record(signed: [signed], from: owner.device).map(\.result)
        if results != [.accepted] { problems.append("a purchase is \(results)") }
        credited += 50
        return ("a purchase", 50...50)
    }

    private func spend(_ amount: Int, as token: String) async throws -> (String, ClosedRange<Int>) {
        do throws(CustomerError) {
            _ = try await fixture.records.spend(amount, of: "coins", token: token, from: owner.device)
        } catch {
            return ("no debit of \(amount) as \(token): \(error.code)", 0...0)
        }
        debited += amount
        decided.append(token)
        return ("a debit of \(amount) as \(token)", -amount ... -amount)
    }

    /// Publishes a debit that an honest device has made offline. The document must be accepted.
    private func spendOffline() async throws -> (String, ClosedRange<Int>) {
        let (amount, token) = (1 + below(20), next("map"))
        let date = now - TimeInterval(below(1_000))
        try await fixture.publish([(.spent(amount, token: token), date)], of: owner, as: next("honest"))
        offline.append(token)
        return ("an offline debit of \(amount) as \(token)", -amount...0)
    }

    /// Leases units, spends some of them offline, reports that, and returns the rest.
    private func spendLeased() async throws -> (String, ClosedRange<Int>) {
        let (lease, amount) = (next("trip"), 1 + below(20))
        do throws(CustomerError) {
            _ = try await fixture.records.lease(20, of: "coins", token: lease, seconds: 3_600, to: owner.device)
        } catch {
            return ("no lease: \(error.code)", 0...0)
        }
        fixture.clock.advance(by: 60)
        let token = next("leased")
        let debits = [LeaseDebit(token: token, amount: amount, spent: (now - 1).milliseconds)]
        _ = try await fixture.records.report(lease: lease, debits: debits, returning: true, from: owner.device)
        debited += amount
        decided.append(token)
        return ("a leased debit of \(amount) as \(token)", -amount ... -amount)
    }

    // MARK: The lying device

    private func lie() async throws -> (String, ClosedRange<Int>) {
        let amount = [1, 1 + below(100), 1 << 48, (1 << 48) + 1, .max, 0, -below(100), .min][below(8)]
        let moment = now + TimeInterval(below(40 * 86_400) - 30 * 86_400)
        let (key, end) = ("\(owner.device.id) trip-\(number)", now + TimeInterval(below(120)))
        switch below(8) {
        case 0:
            guard let token = decided.randomElement(using: &random) else { break }
            return (try await publish(.spent(amount, token: token), moment), 0...0)
        case 1: return (try await publish(.spent(amount, from: next("wallet"), token: next("f")), moment), 0...0)
        case 2:
            let lease = Fact.Lease(
                token: below(2) == 0 ? key : next("l"), wallet: "coins", amount: min(amount, 20), expirationDate: end)
            return (try await publish(.lease(lease), moment), 0...0)
        case 3: return (try await publish(.release(Fact.Release(token: key)), moment), 0...0)
        case 4: return (try await publish(.deposited(amount, token: next("f")), moment), 0...0)
        case 5:
            // Of what devices have made offline, the earliest record counts, whether it takes more or less.
            guard let token = offline.randomElement(using: &random) else { break }
            return (try await publish(.spent(amount, token: token), moment), -(1 << 48)...(1 << 48))
        case 6:
            // What the device itself has reported is no debit of the server.
            let token = next("order")
            let said = try await publish(.spent(1, token: token), moment)
            let isRecorded = said.hasPrefix("accepted")
            let (asked, change) = try await spend(1 + below(60), as: token)
            if isRecorded, change != 0...0 { problems.append("\(asked) after \(said)") }
            return ("\(said), then \(asked)", change.lowerBound - 1...0)
        default: break
        }
        return (try await publish(.spent(amount, token: next("f")), moment), -(1 << 48)...0)
    }

    private func publish(_ fact: Fact, _ moment: Date) async throws -> String {
        let description = "\(fact.kind.rawValue) \(fact.key) of \(fact.walletChange?.amount ?? 0) at \(moment)"
        do {
            try await fixture.publish([(fact, moment)], of: owner, as: next("liar"))
        } catch let error as CustomerError {
            refusals += 1
            return "refused \(description): \(error.reason)"
        }
        return "accepted \(description)"
    }
}
