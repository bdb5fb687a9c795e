import Foundation
import VitrineCatalog
import VitrineDeviceExchange
import VitrineEntitlements
import VitrineTestSupport

@testable import Vitrine

/// Ten devices of a customer, whose clocks differ, with a store that occasionally informs each of them.
final class ExchangeLife {
    struct Bought {
        let id: String
        let product: String
        let units: Int?
        let date: Date
        /// Signed statements of the store about the purchase: the signature date, and the date of the refund; `nil`
        /// without a refund.
        var statements: [(signed: Date, refund: Date?)]
    }

    final class Device {
        let ledger: any Ledger
        let lead: TimeInterval
        let entitlements: EntitlementStore

        init(_ ledger: any Ledger, lead: TimeInterval, at date: Date) async throws {
            (self.ledger, self.lead) = (ledger, lead)
            entitlements = EntitlementStore(ledger, summary: try await ledger.summary(), at: date)
        }
    }

    let policy: OverdraftPolicy
    let refundPolicy: RefundPolicy
    let transport = MemoryTransport()
    private(set) var devices: [Device] = []
    /// Negative balances that a device reported although its balance must not be negative.
    private(set) var shownBelowZero: [String] = []
    private let key: LedgerSealKey
    private var random: SeededGenerator
    private var now = Date(timeIntervalSince1970: 1_790_000_000)
    private var bought: [Bought] = []
    private var serial = 0

    init(seed: UInt64, ledger: (Int) throws -> any Ledger = { _ in MemoryLedger() }) async throws {
        random = SeededGenerator(seed: seed)
        policy = seed % 3 == 0 ? .owed : .forgiven
        refundPolicy = [.clawback, .clawback, .debt, .ignore][Int(seed / 3 % 4)]
        key = try LedgerSealKey(Data.random(32, seed: seed))
        for number in 0..<10 {
            let lead = TimeInterval(below(200_000) - 100_000)
            devices.append(try await Device(ledger(number), lead: lead, at: now))
            // Two catalogs differ in the starting balance.
            await record([.deposited(number % 3 == 0 ? 12 : 10, token: "start")], on: number)
        }
    }

    private func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    private func token() -> String {
        serial += 1
        return "\(serial)"
    }

    private func record(_ facts: [Fact], on number: Int) async {
        let device = devices[number]
        // Without the units, and for a copy from before a refund, nothing happens.
        _ = try? await device.entitlements.record(facts, at: now + device.lead)
    }

    // MARK: The store

    private func facts(of bought: Bought, as statement: (signed: Date, refund: Date?)) -> [Fact] {
        if let refund = statement.refund {
            var revocation = Fact.Revocation(
                origin: .of(bought.product, transaction: bought.id, signed: statement.signed), revocationDate: refund)
            revocation.percentage = nil
            return [.revocation(revocation)]
        }
        let purchase = Fact.bought(
            bought.product, transaction: bought.id, kind: bought.units == nil ? .nonConsumable : .consumable,
            signed: statement.signed, at: bought.date)
        guard let units = bought.units else { return [purchase] }
        return [
            purchase,
            .credit(
                Fact.Credit(
                    purchaseID: bought.id, productIdentifier: bought.product, wallet: "coins", amount: units,
                    refundPolicy: refundPolicy)),
        ]
    }

    /// Informs a device of a purchase, with a signature of the current date.
    private func tell(_ index: Int, to number: Int) async {
        now += 1
        let refund = bought[index].statements.last?.refund
        await record(facts(of: bought[index], as: (now, refund)), on: number)
    }

    private func someDevices() -> [Int] {
        (0..<10).filter { _ in below(4) == 0 } + [below(10)]
    }

    // MARK: Steps

    func step() async throws {
        now += TimeInterval(below(3_000))
        let number = below(10)
        switch below(14) {
        case 0, 1:
            bought.append(
                Bought(
                    id: "b\(token())", product: "guide\(below(6))", units: below(3) == 0 ? nil : 10 + below(90),
                    date: now, statements: [(now, nil)]))
            await tell(bought.count - 1, to: number)
            if below(5) == 0 { await tell(bought.count - 1, to: below(10)) }
        case 2 where !bought.isEmpty, 3 where !bought.isEmpty:
            let index = below(bought.count)
            let isRefunded = bought[index].statements.last?.refund != nil
            bought[index].statements.append((now, isRefunded ? nil : now))
            for number in someDevices() { await tell(index, to: number) }
        case 4, 5, 6: await record([.spent(1 + below(60), token: "s\(token())")], on: number)
        case 7:
            let grant = below(2) == 0 ? "welcome" : "g\(token())"
            await record([.given(grant == "welcome" ? "guide0" : "guide\(below(6))", token: grant)], on: number)
        case 8:
            let isShared = below(3) == 0
            await record(
                [.locked(isShared ? "guide0" : "guide\(below(6))", token: isShared ? "l" : "l\(token())")], on: number)
        case 9: await record([.deposited(1 + below(20), token: "d\(token())")], on: number)
        default: try await exchangeInBadWeather(number)
        }
        if policy == .forgiven, refundPolicy != .debt {
            for device in devices {
                for (wallet, balance) in device.entitlements.snapshot.balances where balance < 0 {
                    shownBelowZero.append("\(wallet) \(balance)")
                }
            }
        }
    }

    /// Exchanges while some documents are delayed and one is incomplete. The device may lose its records of the
    /// exchange, like a device that is restored from a backup.
    private func exchangeInBadWeather(_ number: Int) async throws {
        let names = transport.documents.keys.sorted()
        transport.hidden = Set(names.filter { _ in below(3) == 0 })
        if let name = names.randomElement(using: &random), let document = transport.documents[name] {
            transport.documents["\(name.dropLast(6)) (copy).facts"] = document
            transport.documents[name.replacing("-", with: "-9")] = document.prefix(document.count / 2)
        }
        let before = try await devices[number].ledger.value(for: "exchange")
        _ = try await exchange(number)
        if below(6) == 0, let before { try await devices[number].ledger.setValue(before, for: "exchange") }
        transport.hidden = []
    }

    @discardableResult func exchange(_ number: Int) async throws -> ExchangeReport {
        let (device, date) = (devices[number], now + devices[number].lead)
        let identifiers = (0..<3).map { _ in "device-\(token())" }
        let next = Recorder<String>()
        return try await DeviceExchange(
            entitlements: device.entitlements, transport: transport, key: key, name: "device \(number)", policy: policy,
            proof: Believing(), now: { date },
            makeIdentifier: {
                next.record("")
                return identifiers[next.values.count - 1]
            }
        ).run()
    }

    /// Informs each device of all purchases, and exchanges until no device has new facts.
    func end() async throws {
        for number in devices.indices {
            for index in bought.indices { await tell(index, to: number) }
        }
        for _ in 0..<8 {
            var isQuiet = true
            for number in devices.indices {
                let report = try await exchange(number)
                if report.sent + report.received + report.adjusted.count > 0 { isQuiet = false }
            }
            if isQuiet { return }
        }
    }
}
