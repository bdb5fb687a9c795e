import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

@testable import Vitrine
@testable import VitrineDeviceExchange

/// Devices that exchange the sums of their wallets.
@Suite(.hangLimit) struct KeyValueExchangeTests {
    private let date = Date(timeIntervalSince1970: 1_790_000_000)
    private let storage = MemoryValues()
    private let key: LedgerSealKey

    init() throws { key = try LedgerSealKey(Data.random(32)) }

    private func device() async -> EntitlementStore {
        let ledger = MemoryLedger()
        return EntitlementStore(ledger, summary: await ledger.summary(), at: date)
    }

    private func exchange(
        _ device: EntitlementStore, _ name: String, key: LedgerSealKey?? = .none,
        allowing isAllowed: @escaping @Sendable (LedgerEntry) async -> Bool = { _ in false }
    ) -> KeyValueExchange {
        let date = date
        return KeyValueExchange(
            entitlements: device, storage: storage, key: key ?? self.key, name: name, isAllowed: isAllowed,
            now: { date }, makeIdentifier: { UUID().uuidString.lowercased() })
    }

    /// Returns an exchange whose process ends before or after it has stored a value.
    private func interrupted(_ device: EntitlementStore, isStored: Bool) -> KeyValueExchange {
        let date = date
        return KeyValueExchange(
            entitlements: device, storage: Interrupted(base: storage, isStored: isStored), key: key, name: "0",
            isAllowed: { _ in false }, now: { date }, makeIdentifier: { "device-0" })
    }

    /// Returns a copy of a device with a ledger, as from a backup.
    private func restored(from ledger: MemoryLedger) async throws -> EntitlementStore {
        let copied = MemoryLedger()
        let recorded = Dictionary(grouping: await ledger.entries(after: 0), by: \.recordedAt)
        for (date, entries) in recorded.sorted(by: { $0.key < $1.key }) {
            _ = try await copied.append(entries.map(\.fact), at: date)
        }
        try await copied.setValue(try #require(try await ledger.value(for: "exchange")), for: "exchange")
        return EntitlementStore(copied, summary: await copied.summary(), at: date)
    }

    private func pack(_ id: String, _ units: Int = 50) -> [Fact] {
        [.bought("pack", transaction: id, kind: .consumable), .credited(units, transaction: id)]
    }

    private func coins(_ device: EntitlementStore) -> Int { device.snapshot.balances["coins"] ?? 0 }

    private func exchangeAll(_ devices: [EntitlementStore]) async throws {
        for _ in 0..<3 {
            for (number, device) in devices.enumerated() { _ = try await exchange(device, "\(number)").run() }
        }
    }

    private func startOver(_ device: EntitlementStore) async throws {
        var state = try await ExchangeState.read(from: device.ledger)
        state.startOver()
        try await state.store(in: device.ledger)
    }

    @Test func `coins bought on one device and spent on another are counted once on every device`() async throws {
        let devices = [await device(), await device(), await device()]
        try await devices[0].record(pack("1") + [.deposited(10, token: "starting-balance:coins")], at: date)
        try await devices[1].record([.deposited(10, token: "starting-balance:coins")], at: date)
        try await exchangeAll(devices)
        #expect(devices.map(coins) == [60, 60, 50])

        try await devices[1].record([.spent(20, token: "a"), .given("guide", token: "b")], at: date + 1)
        try await devices[0].record([.spent(5, token: "c"), .locked("guide", token: "d")], at: date + 2)
        try await exchangeAll(devices)
        #expect(devices.map(coins) == [35, 35, 25])
        #expect(devices.map(\.snapshot.owned) == [[], [], []])
        let before = storage.all
        try await exchangeAll(devices)
        #expect(storage.all == before)
    }

    @Test func `a purchase that the store sends to two devices is credited once`() async throws {
        let devices = [await device(), await device(), await device()]
        for number in 0..<2 { try await devices[number].record(pack("1"), at: date) }
        try await exchangeAll(devices)
        #expect(devices.map(coins) == [50, 50, 50])
        // The third hears of it after its units have arrived.
        try await devices[2].record(pack("1"), at: date + 1)
        try await exchangeAll(devices)
        #expect(devices.map(coins) == [50, 50, 50])
    }

    @Test func `a refund, its reversal and a second refund are each counted once`() async throws {
        let devices = [await device(), await device(), await device()]
        for number in 0..<2 { try await devices[number].record(pack("1"), at: date) }
        try await exchangeAll(devices)
        for (index, balance) in [0, 50, 0].enumerated() {
            let signed = date + 100_000 * TimeInterval(index + 1)
            for number in 0..<2 {
                var revocation = Fact.Revocation(
                    origin: .of("pack", transaction: "1", signed: signed), revocationDate: signed)
                revocation.percentage = nil
                let fact: Fact =
                    balance == 0
                    ? .revocation(revocation) : .bought("pack", transaction: "1", kind: .consumable, signed: signed)
                try await devices[number].record([fact], at: signed)
            }
            try await exchangeAll(devices)
            #expect(devices.map(coins) == [balance, balance, balance])
        }
    }

    @Test func `a refund of a part of the price that becomes one of the whole price is counted once`() async throws {
        let devices = [await device(), await device(), await device()]
        for number in 0..<2 { try await devices[number].record(pack("1"), at: date) }
        try await exchangeAll(devices)
        let refunds: [(part: Int?, balance: Int)] = [(40_000, 30), (nil, 0)]
        for (index, (part, balance)) in refunds.enumerated() {
            let signed = date + 100_000 * TimeInterval(index + 1)
            for number in 0..<2 {
                try await devices[number].record(
                    [.revoked("pack", transaction: "1", signed: signed, percentage: part)], at: signed)
            }
            try await exchangeAll(devices)
            #expect(devices.map(coins) == [balance, balance, balance])
        }
    }

    @Test(arguments: RefundsHeard.cases)
    func `a third device counts the statement about a refund that was signed last, whatever two others have heard`(
        refunds: RefundsHeard
    ) async throws {
        for order in [[0, 1], [1, 0]] {
            for repeats in [true, false] {
                storage.all = [:]
                let devices = [await device(), await device(), await device()]
                for number in order { try await devices[number].record(pack("1"), at: date) }
                for step in 0..<3 {
                    for number in order where step < refunds.heard[number].count {
                        let fact = refunds.heard[number][step].fact(since: date)
                        try await devices[number].record([fact], at: date + TimeInterval(step))
                        guard repeats else { continue }
                        _ = try await exchange(devices[number], "\(number)").run()
                        _ = try await exchange(devices[2], "2").run()
                    }
                }
                for number in order + [2] { _ = try await exchange(devices[number], "\(number)").run() }
                #expect(coins(devices[2]) == refunds.balance, "in the order \(order), at each step: \(repeats)")
            }
        }
    }

    @Test func `units that two offline devices both spend cause a negative balance`() async throws {
        let devices = [await device(), await device()]
        try await devices[0].record(pack("1"), at: date)
        try await exchangeAll(devices)
        for (number, device) in devices.enumerated() {
            try await device.record([.spent(40, token: "\(number)")], at: date + 1)
        }
        try await exchangeAll(devices)
        #expect(devices.map(coins) == [-30, -30])
    }

    @Test func `repeating an interrupted exchange counts no fact twice`() async throws {
        let devices = [await device(), await device()]
        try await devices[0].record(pack("1") + [.spent(1, token: "a")], at: date)
        _ = try await exchange(devices[0], "0").run()
        // The summary is recorded, and the state says that it is being recorded.
        _ = try await exchange(devices[1], "1").run()
        var state = try await ExchangeState.read(from: devices[1].ledger)
        let (id, summary) = try #require(state.applied.first)
        (state.applied, state.applying) = ([:], [id: ExchangeState.Applying(summary: summary, isSealed: true)])
        try await state.store(in: devices[1].ledger)
        try await devices[0].record([.spent(2, token: "b")], at: date + 1)
        try await exchangeAll(devices)
        #expect(devices.map(coins) == [47, 47])
    }

    @Test func `a copy of a storage directory continues as a new device, and the facts of both are counted`()
        async throws
    {
        let (ledger, other) = (MemoryLedger(), await device())
        let first = EntitlementStore(ledger, summary: await ledger.summary(), at: date)
        try await first.record(pack("1") + [.spent(5, token: "s"), .deposited(3, token: "d")], at: date)
        _ = try await exchange(first, "first").run()
        let copy = try await restored(from: ledger)

        try await first.record([.spent(10, token: "a")], at: date + 1)
        _ = try await exchange(first, "first").run()
        try await copy.record([.spent(15, token: "b")], at: date + 2)
        let report = try await exchange(copy, "copy").run()
        #expect(report.problems.map(\.reason).first?.hasPrefix("a copy of this storage directory") == true)
        try await exchangeAll([first, copy, other])
        #expect([first, copy, other].map(coins) == [23, 23, 23])
        #expect(storage.all.count == 3)
    }

    struct UnpublishedFact: Sendable, CustomTestStringConvertible {
        let id: String
        /// Fact that the device has recorded before the copy was made, and not published.
        let fact: Fact
        var isFirstPublished = true
        var copySpends = 0
        var firstSpends = 0
        let balance: Int

        var testDescription: String { id }
    }

    @Test(arguments: [
        UnpublishedFact(id: "spent", fact: .spent(10, token: "a"), balance: 35),
        UnpublishedFact(
            id: "spent before the copy spends more", fact: .spent(10, token: "a"), copySpends: 3, balance: 32),
        UnpublishedFact(
            id: "spent before both spend more", fact: .spent(10, token: "a"), copySpends: 3, firstSpends: 4, balance: 28
        ),
        UnpublishedFact(id: "deposited", fact: .deposited(10, token: "a"), firstSpends: 4, balance: 51),
        UnpublishedFact(
            id: "spent before the first exchange", fact: .spent(10, token: "a"), isFirstPublished: false, copySpends: 3,
            balance: 32),
    ])
    func `a fact that a device and its copy have, and only the copy has published, counts once`(
        _ unpublished: UnpublishedFact
    ) async throws {
        let (ledger, other) = (MemoryLedger(), await device())
        let first = EntitlementStore(ledger, summary: await ledger.summary(), at: date)
        try await first.record(pack("1") + [.spent(5, token: "s")], at: date)
        if unpublished.isFirstPublished {
            _ = try await exchange(first, "first").run()
        } else {
            await #expect(throws: ExchangeError.self) { try await interrupted(first, isStored: false).run() }
        }
        try await first.record([unpublished.fact], at: date + 1)
        let copy = try await restored(from: ledger)
        if unpublished.copySpends > 0 {
            try await copy.record([.spent(unpublished.copySpends, token: "b")], at: date + 2)
        }
        _ = try await exchange(copy, "copy").run()
        if unpublished.firstSpends > 0 {
            try await first.record([.spent(unpublished.firstSpends, token: "c")], at: date + 3)
        }

        try await exchangeAll([first, copy, other])
        #expect([first, copy, other].map(coins) == Array(repeating: unpublished.balance, count: 3))
    }

    @Test func `a device leaves the exchange although the app's own values fill the key-value store`() async throws {
        let first = await device()
        try await first.record(pack("1"), at: date)
        storage.store(Data(count: 1_100_000), for: "the app's own")
        _ = try await exchange(first, "first").run()
        try await exchange(first, "first").leave()
        await #expect(throws: ExchangeError.self) { try await exchange(first, "first").leave() }
    }

    @Test(arguments: [false, true])
    func `a copy of a device whose publication was interrupted continues as a new device, and the facts of both count`(
        isCopiedAfterwards: Bool
    ) async throws {
        let (ledger, other) = (MemoryLedger(), await device())
        let first = EntitlementStore(ledger, summary: await ledger.summary(), at: date)
        try await first.record(pack("1") + [.spent(5, token: "s"), .deposited(3, token: "d")], at: date)
        _ = try await exchange(first, "first").run()
        var copy = try await restored(from: ledger)
        try await first.record([.spent(10, token: "a")], at: date + 1)
        await #expect(throws: ExchangeError.self) { try await interrupted(first, isStored: false).run() }
        if isCopiedAfterwards {
            copy = try await restored(from: ledger)
            try await first.record([.spent(1, token: "c")], at: date + 2)
            _ = try await exchange(first, "first").run()
        } else {
            try await first.record([.spent(1, token: "c")], at: date + 2)
        }

        try await copy.record([.spent(7, token: "b")], at: date + 3)
        _ = try await exchange(copy, "copy").run()
        try await exchangeAll([first, copy, other])
        #expect([first, copy, other].map(coins) == [30, 30, 30])
        #expect(storage.all.count == 3)
    }

    @Test(arguments: [3, 7, 12])
    func `an interrupted publication counts once beside a copy of the device that has some of its facts`(
        spent: Int
    ) async throws {
        let (ledger, other) = (MemoryLedger(), await device())
        let first = EntitlementStore(ledger, summary: await ledger.summary(), at: date)
        try await first.record(pack("1") + [.spent(5, token: "s")], at: date)
        _ = try await exchange(first, "first").run()
        try await first.record([.spent(10, token: "a")], at: date + 1)
        let copy = try await restored(from: ledger)
        try await first.record([.spent(5, token: "c")], at: date + 2)
        await #expect(throws: ExchangeError.self) { try await interrupted(first, isStored: false).run() }

        try await copy.record([.spent(spent, token: "b")], at: date + 3)
        _ = try await exchange(copy, "copy").run()
        try await exchangeAll([first, copy, other])
        #expect([first, copy, other].map(coins) == [30 - spent, 30 - spent, 30 - spent])
    }

    @Test func `a device that leaves the exchange and returns, or starts over, publishes no fact twice`() async throws {
        let (one, other) = (await device(), await device())
        try await one.record(pack("1") + [.spent(5, token: "s"), .deposited(3, token: "d")], at: date)
        try await exchangeAll([one, other])
        try await exchange(one, "0").leave()
        try await one.record([.spent(1, token: "t")], at: date + 1)
        try await exchangeAll([one, other])
        #expect([one, other].map(coins) == [47, 47])
        try await startOver(one)
        try await one.record([.spent(1, token: "u")], at: date + 2)
        try await exchangeAll([one, other])
        #expect([one, other].map(coins) == [46, 46])
        // A refund of what was credited under the first identity is told under the last one.
        try await one.record([.revoked("pack", transaction: "1")], at: date + 3)
        try await exchangeAll([one, other])
        #expect([one, other].map(coins) == [0, 0])
    }

    @Test(arguments: [false, true])
    func `a device that joins after the key was replaced has the balance of the devices that have started over`(
        isStoreNew: Bool
    ) async throws {
        let newKey = try LedgerSealKey(Data.random(32, seed: 9))
        let (devices, joining) = ([await device(), await device()], await device())
        try await devices[0].record(
            pack("1") + [.deposited(10, token: "d"), .spent(20, token: "a")], at: date)
        try await exchangeAll(devices)
        // The first device does not read this debit before it starts over.
        try await devices[1].record([.spent(5, token: "b")], at: date + 1)
        _ = try await exchange(devices[1], "1").run()
        if isStoreNew { storage.all = [:] }
        for device in devices { try await startOver(device) }
        try await devices[0].record([.spent(1, token: "c")], at: date + 2)
        let all = devices + [joining]
        for _ in 0..<3 {
            for (number, device) in all.enumerated() { _ = try await exchange(device, "\(number)", key: newKey).run() }
        }
        #expect(all.map(coins) == [34, 34, 34])
        #expect(try await ExchangeState.read(from: joining.ledger).devices.count == 2)

        // Another identifier tells the sums of both earlier ones.
        try await startOver(devices[1])
        try await devices[1].record([.spent(2, token: "e")], at: date + 3)
        let last = await device()
        for _ in 0..<3 {
            for (number, device) in (all + [last]).enumerated() {
                _ = try await exchange(device, "\(number)", key: newKey).run()
            }
        }
        #expect((all + [last]).map(coins) == [32, 32, 32, 32])
    }

    @Test func `sums of a former identifier that no device can have are refused`() throws {
        var (summary, former) = (DeviceSummary(), DeviceSummary())
        (summary.device, former.device) = ("device-new", "device-old")
        former.wallets["coins"] = DeviceSummary.Sums(spent: -1)
        summary.former = [DeviceSummary.Former(former)]
        let data = try summary.data(sealedWith: key)
        #expect(throws: DocumentError.refused("a number or date in it is impossible")) {
            try DeviceSummary.read(data, of: "device-new", key: key)
        }
    }

    @Test func `devices hear of a new name, a removal and a departure although nothing else was recorded`() async throws
    {
        let devices = [await device(), await device(), await device()]
        try await devices[0].record(pack("1"), at: date)
        try await exchangeAll(devices)
        var state = try await ExchangeState.read(from: devices[0].ledger)
        let first = try #require(state.device)
        let removed = try #require(try await ExchangeState.read(from: devices[2].ledger).device)
        state.removing.append(removed)
        try await state.store(in: devices[0].ledger)
        _ = try await exchange(devices[0], "renamed").run()
        for number in 1...2 { _ = try await exchange(devices[number], "\(number)").run() }
        var known = try await ExchangeState.read(from: devices[1].ledger).devices
        #expect(known[first]?.name == "renamed")
        #expect(known[removed]?.isRemoved == true)
        let error = await #expect(throws: ExchangeError.self) { try await exchange(devices[2], "2").run() }
        #expect(error?.code == .removed)

        try await exchange(devices[0], "renamed").leave()
        _ = try await exchange(devices[1], "1").run()
        known = try await ExchangeState.read(from: devices[1].ledger).devices
        #expect(known[first]?.hasLeft == true)
        #expect(devices.map(coins) == [50, 50, 50])
    }

    @Test func `facts that could not be written to the key-value store are published by the next exchange`()
        async throws
    {
        struct Unreachable: KeyValueStorage {
            func values() -> [String: Data] { [:] }

            func store(_ value: Data, for key: String) throws(ExchangeError) {
                throw ExchangeError(code: .transport, reason: "there is no network")
            }
        }
        let one = await device()
        try await one.record(pack("1"), at: date)
        let date = date
        let failing = KeyValueExchange(
            entitlements: one, storage: Unreachable(), key: key, name: "0", isAllowed: { _ in false }, now: { date },
            makeIdentifier: { "device-0" })
        await #expect(throws: ExchangeError.self) { try await failing.run() }
        #expect(try await exchange(one, "0").run().sent == 1)
        #expect(storage.all.count == 1)
    }

    /// Key-value store whose process ends before or after it has stored a value.
    private struct Interrupted: KeyValueStorage {
        let base: MemoryValues
        let isStored: Bool

        func values() -> [String: Data] { base.all }

        func store(_ value: Data, for key: String) throws(ExchangeError) {
            if isStored { base.store(value, for: key) }
            throw ExchangeError(code: .transport, reason: "the process has ended")
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `a device that starts over after an interrupted publication of sums neither loses nor doubles units`(
        isStored: Bool, isKeyNew: Bool
    ) async throws {
        let devices = [await device(), await device()]
        try await devices[0].record(pack("1") + [.deposited(3, token: "d"), .spent(5, token: "a")], at: date)
        try await exchangeAll(devices)
        try await devices[0].record(pack("2") + [.spent(10, token: "b")], at: date + 1)
        await #expect(throws: ExchangeError.self) { try await interrupted(devices[0], isStored: isStored).run() }

        for device in devices[..<(isKeyNew ? 2 : 1)] { try await startOver(device) }
        try await devices[0].record([.spent(1, token: "c")], at: date + 2)
        let (all, present) = (devices + [await device()], isKeyNew ? try LedgerSealKey(Data.random(32, seed: 9)) : key)
        for _ in 0..<3 {
            for (number, device) in all.enumerated() { _ = try await exchange(device, "\(number)", key: present).run() }
        }
        #expect(all.map(coins) == [87, 87, 87])
    }

    @Test func `a device whose exchange state is lost publishes no totals, because they would count twice`()
        async throws
    {
        let one = await device()
        try await one.record(pack("1"), at: date)
        _ = try await exchange(one, "0").run()
        try await ExchangeState().store(in: one.ledger)
        let error = await #expect(throws: ExchangeError.self) { try await exchange(one, "0").run() }
        #expect(error?.reason.contains("would count twice") == true)
    }

    @Test func `unsealed facts are recorded only with the app's permission, and forged data is refused`() async throws {
        let devices = [await device(), await device()]
        try await devices[0].record(pack("1") + [.given("guide", token: "g")], at: date)
        _ = try await exchange(devices[0], "0", key: .some(nil)).run()
        let refused = try await exchange(devices[1], "1", key: .some(nil)).run()
        #expect(refused.problemCount == 2)
        #expect(coins(devices[1]) == 0)

        let third = await device()
        _ = try await exchange(third, "2", key: .some(nil), allowing: { $0.fact.kind == .deposit }).run()
        #expect(coins(third) == 50 && third.snapshot.owned.isEmpty)

        let sealed = await device()
        storage.all["vitrine.liar-0001"] = Data("nonsense".utf8)
        let honest = try #require(storage.all.first { !$0.key.contains("liar") })
        _ = try DeviceSummary.read(honest.value, of: String(honest.key.dropFirst(8)), key: nil)
        let report = try await exchange(sealed, "3").run()
        #expect(report.problems.contains { $0.device == "liar-0001" && $0.isFinal })
        #expect(report.problems.contains { $0.reason == "it is not sealed with the customer's key" })
        #expect(coins(sealed) == 0)
    }

    @Test func `twenty devices with a hundred wallets fit into the key-value store, and a full store loses no facts`()
        async throws
    {
        for number in 0..<20 {
            let device = await device()
            var facts: [Fact] = []
            for wallet in 0..<100 {
                facts.append(.deposited(1_000_000, in: "the wallet number \(wallet)", token: "gift \(wallet)"))
                facts.append(.spent(999, from: "the wallet number \(wallet)", token: "s \(wallet)"))
            }
            for purchase in 0..<50 { facts += pack("20000\(number)00\(purchase)") }
            for grant in 0..<20 { facts.append(.given("com.example.guide\(grant)", token: "g \(grant)")) }
            try await device.record(facts, at: date)
            let report = try await exchange(device, "device \(number)").run()
            #expect(report.problems.isEmpty, "\(number): \(report.problems)")
        }
        #expect(storage.all.count == 20)
        #expect(storage.all.values.reduce(0) { $0 + $1.count } < 1_024 * 1_024)

        storage.all["vitrine.full-0001"] = Data(count: 1_024 * 1_024 - 1)
        let last = await device()
        try await last.record(pack("1"), at: date)
        let report = try await exchange(last, "last").run()
        #expect(report.problems.last?.reason.hasPrefix("the key-value store has no room for it") == true)
        #expect(report.problems.last?.isFinal == false)
        #expect(coins(last) >= 50)
        storage.all["vitrine.full-0001"] = nil
        #expect(try await exchange(last, "last").run().sent == 1)
    }

    @Test(arguments: [false, true])
    func `a device that exchanges through a key-value store cannot also exchange through documents`(
        startsOver: Bool
    ) async throws {
        let devices = [await device(), await device()]
        try await devices[0].record(pack("1") + [.deposited(3, token: "d")], at: date)
        try await exchangeAll(devices)
        if startsOver { for device in devices { try await startOver(device) } }
        let (date, transport) = (date, MemoryTransport())
        for (number, device) in devices.enumerated() {
            let documents = DeviceExchange(
                entitlements: device, transport: transport, key: key, name: "a", policy: .forgiven,
                proof: Believing(), now: { date }, makeIdentifier: { "device-\(number)" })
            let error = await #expect(throws: ExchangeError.self) { try await documents.run() }
            #expect(error?.code == .invalid)
        }
        #expect(devices.map(coins) == [53, 53])
        // The sums go on.
        try await devices[1].record([.spent(1, token: "s")], at: date)
        try await exchangeAll(devices)
        #expect(devices.map(coins) == [52, 52])
    }

    @Test func `a device that exchanges documents cannot start over with a key-value store`() async throws {
        let device = await device()
        try await device.record([.deposited(3, token: "d")], at: date)
        let date = date
        let documents = DeviceExchange(
            entitlements: device, transport: MemoryTransport(), key: key, name: "a", policy: .forgiven,
            proof: Believing(), now: { date }, makeIdentifier: { "device-a" })
        _ = try await documents.run()
        try await startOver(device)
        let error = await #expect(throws: ExchangeError.self) { try await exchange(device, "a").run() }
        #expect(error?.code == .invalid)
        #expect(storage.all.isEmpty)
    }
}
