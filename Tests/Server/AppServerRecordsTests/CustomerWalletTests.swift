import Foundation
import Testing
import Vitrine
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineCatalog
import VitrineDeviceExchange
import VitrineEntitlements
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

@Suite struct CustomerWalletTests {
    /// Creates a customer with fifty coins on two devices.
    private static func customer(
        _ database: (any CustomerDatabase)? = nil
    ) async throws -> (fixture: CustomersFixture, phone: EnrolledDevice, tablet: EnrolledDevice) {
        let fixture = try await CustomersFixture(database: database)
        let phone = try await fixture.enroll(.init(), "A").device
        let tablet = try await fixture.enroll(.init(), "A").device
        let coins = try fixture.app.transaction("coins50", id: "1", account: "A", kind: .consumable)
        try #require(try await fixture.records.record(signed: [coins], from: phone).map(\.result) == [.accepted])
        return (fixture, phone, tablet)
    }

    @Test func `a debit token is applied once, even if two devices of a customer send it`() async throws {
        let (fixture, phone, tablet) = try await Self.customer()

        let first = try await fixture.records.spend(30, of: "coins", token: "map", from: phone)
        let second = try await fixture.records.spend(30, of: "coins", token: "map", from: tablet)

        #expect(first.isNew && !second.isNew)
        #expect(first.balance == 20)
        #expect(second.balance == 20)
        let error = await #expect(throws: CustomerError.self) {
            try await fixture.records.spend(10, of: "coins", token: "map", from: tablet)
        }
        #expect(error?.code == .conflict)
    }

    @Test func `concurrent debits of two devices never exceed the credited units`() async throws {
        let (fixture, phone, tablet) = try await Self.customer()

        let spent = await withTaskGroup(of: Int.self) { group in
            for number in 0..<40 {
                group.addTask {
                    do {
                        let device = number.isMultiple(of: 2) ? phone : tablet
                        _ = try await fixture.records.spend(3, of: "coins", token: "t\(number)", from: device)
                        return 3
                    } catch {
                        return (error as? CustomerError)?.code == .insufficientFunds ? 0 : 1_000
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(spent == 48)
        #expect(try await fixture.possessions(of: phone.customer).wallets == ["coins": 2])
    }

    @Test(arguments: [
        ("no units", 0, "coins", "t"), ("fewer than no units", -5, "coins", "t"), ("no token", 1, "coins", ""),
        ("a long token", 1, "coins", String(repeating: "a", count: 201)), ("U+0000", 1, "coins", "a\u{0}"),
        ("a control character", 1, "coins", "a\u{1F}order"),
        ("no wallet", 1, "", "t"),
    ])
    func `a debit with an invalid amount, wallet or token is refused`(
        _ id: String, _ amount: Int, _ wallet: String, _ token: String
    )
        async throws
    {
        let (fixture, phone, _) = try await Self.customer()
        let error = await #expect(throws: CustomerError.self) {
            try await fixture.records.spend(amount, of: wallet, token: token, from: phone)
        }
        #expect(error?.code == .invalid)
    }

    @Test func `units leased to a device can be spent by that device only, and unused units are returned`() async throws
    {
        let (fixture, phone, tablet) = try await Self.customer()
        let lease = try await fixture.records.lease(30, of: "coins", token: "trip", seconds: 86_400, to: phone)
        #expect(lease.left == 30)

        let error = await #expect(throws: CustomerError.self) {
            try await fixture.records.spend(21, of: "coins", token: "a", from: tablet)
        }
        #expect(error?.code == .insufficientFunds)
        let second = await #expect(throws: CustomerError.self) {
            try await fixture.records.lease(1, of: "coins", token: "more", seconds: 60, to: phone)
        }
        #expect(second?.code == .conflict)

        fixture.clock.advance(by: 3_600)
        let spent = fixture.clock.now.milliseconds - 1_000
        let report = [LeaseDebit(token: "l1", amount: 10, spent: spent)]
        for _ in 0..<2 {
            let answer = try await fixture.records.report(lease: "trip", debits: report, returning: false, from: phone)
            #expect(answer.left == 20)
        }
        #expect(try await fixture.possessions(of: phone.customer).wallets == ["coins": 40])
        let returned = try await fixture.records.report(lease: "trip", debits: [], returning: true, from: phone)
        #expect(returned.left == 20)
        #expect(try await fixture.records.spend(40, of: "coins", token: "a", from: tablet).balance == 0)
    }

    struct Report: Sendable, CustomTestStringConvertible {
        let id: String
        let code: CustomerErrorCode
        let after: TimeInterval
        let amounts: [Int]
        var spentAgo: TimeInterval = 1
        var lease = "trip"

        var testDescription: String { id }
    }

    static let reports = [
        Report(id: "more than leased", code: .insufficientFunds, after: 60, amounts: [31]),
        Report(id: "more than leased in all", code: .insufficientFunds, after: 60, amounts: [20, 11]),
        Report(id: "no units", code: .invalid, after: 60, amounts: [0]),
        Report(
            id: "told more than a day after the lease", code: .insufficientFunds, after: 3_600 + 86_400, amounts: [1],
            spentAgo: 86_400 + 100),
        Report(id: "of another lease", code: .notFound, after: 60, amounts: [1], lease: "other"),
    ]

    @Test(arguments: reports)
    func `an invalid report of units spent from a lease is refused as a whole`(_ report: Report) async throws {
        let (fixture, phone, _) = try await Self.customer()
        _ = try await fixture.records.lease(30, of: "coins", token: "trip", seconds: 3_600, to: phone)
        fixture.clock.advance(by: report.after)
        let spent = (fixture.clock.now - report.spentAgo).milliseconds
        let debits = report.amounts.enumerated().map { LeaseDebit(token: "l\($0)", amount: $1, spent: spent) }

        let error = await #expect(throws: CustomerError.self) {
            try await fixture.records.report(lease: report.lease, debits: debits, returning: false, from: phone)
        }
        #expect(error?.code == report.code)
        #expect(try await fixture.possessions(of: phone.customer).wallets == ["coins": 50])
    }

    struct DeviceClock: Sendable, CustomTestStringConvertible {
        let id: String
        /// Seconds by which the clock of the device is ahead of that of the server.
        let lead: TimeInterval
        /// Time of the report after the beginning of the lease, in seconds.
        var after: TimeInterval = 1

        var testDescription: String { id }
    }

    static let deviceClocks = [
        DeviceClock(id: "2 seconds behind", lead: -2), DeviceClock(id: "5 minutes behind", lead: -300),
        DeviceClock(id: "5 minutes ahead", lead: 300), DeviceClock(id: "2 months ahead", lead: 5_184_000),
        DeviceClock(id: "20 years behind", lead: -630_720_000),
        DeviceClock(id: "at the moment of the lease", lead: 0, after: 0),
        DeviceClock(id: "5 minutes ahead, a day after the lease", lead: 300, after: 3_600 + 86_000),
    ]

    @Test(arguments: deviceClocks)
    func `debits of a lease are recorded despite a wrong clock of the device, up to the leased units`(
        _ clock: DeviceClock
    ) async throws {
        let (fixture, phone, _) = try await Self.customer()
        _ = try await fixture.records.lease(30, of: "coins", token: "trip", seconds: 3_600, to: phone)
        fixture.clock.advance(by: clock.after)
        let spent = (fixture.clock.now + clock.lead).milliseconds
        for (token, amount) in [("l1", 10), ("l2", 20)] {
            let debit = LeaseDebit(token: token, amount: amount, spent: spent)
            for _ in 0..<2 {
                _ = try await fixture.records.report(lease: "trip", debits: [debit], returning: false, from: phone)
            }
        }
        #expect(try await fixture.possessions(of: phone.customer).wallets == ["coins": 20])
        let error = await #expect(throws: CustomerError.self) {
            let debit = LeaseDebit(token: "l3", amount: 1, spent: spent)
            return try await fixture.records.report(lease: "trip", debits: [debit], returning: false, from: phone)
        }
        #expect(error?.code == .insufficientFunds)
    }

    @Test func `units spent from a lease that was returned are refused`() async throws {
        let (fixture, phone, _) = try await Self.customer()
        _ = try await fixture.records.lease(30, of: "coins", token: "trip", seconds: 3_600, to: phone)
        fixture.clock.advance(by: 60)
        _ = try await fixture.records.report(lease: "trip", debits: [], returning: true, from: phone)
        let debit = LeaseDebit(token: "l1", amount: 1, spent: fixture.clock.now.milliseconds)
        let error = await #expect(throws: CustomerError.self) {
            try await fixture.records.report(lease: "trip", debits: [debit], returning: false, from: phone)
        }
        #expect(error?.code == .invalid)
    }

    @Test func `unused units of an expired lease are available again a day after its end`() async throws {
        let (fixture, phone, tablet) = try await Self.customer()
        _ = try await fixture.records.lease(50, of: "coins", token: "trip", seconds: 3_600, to: phone)
        fixture.clock.advance(by: 3_600 + 86_399)
        await #expect(throws: CustomerError.self) {
            try await fixture.records.spend(1, of: "coins", token: "a", from: tablet)
        }
        fixture.clock.advance(by: 2)
        #expect(try await fixture.records.spend(50, of: "coins", token: "a", from: tablet).balance == 0)
    }

    // MARK: Documents

    private static func document(
        _ facts: [(Fact, Date)], device: String = "tablet-1", key: Data
    ) throws -> (name: String, content: Data) {
        let entries = facts.enumerated().map { index, fact in
            LedgerEntry(sequence: Int64(index + 1), recordedAt: fact.1, fact: fact.0)
        }
        let document = DeviceDocument(
            device: device, name: "tablet", first: 1, last: Int64(facts.count), entries: entries)
        let content = try document.data(sealedWith: LedgerSealKey(key))
        return (DocumentName(of: document, content).text, content)
    }

    @Test func `a ledger document from a device is recorded without grants and deposits that lack a proof`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let (phone, enrollment) = try await fixture.enroll(.init(), "A")
        let rome = try fixture.app.transaction("rome", id: "9", account: "A")
        let signed = fixture.app.payload("rome", id: "9", account: "A")
        let coins = try fixture.app.transaction("coins50", id: "1", account: "A", kind: .consumable)
        _ = try await fixture.records.record(signed: [coins], from: phone)
        let origin = Fact.Origin(
            purchaseID: signed.transactionID, originalTransactionID: "9", transactionID: "9",
            productIdentifier: .voyager("rome"), environment: "Sandbox", signedDate: .sample, signedData: rome)
        let facts: [(Fact, Date)] = [
            (
                .purchase(
                    Fact.Purchase(origin: origin, kind: .nonConsumable, quantity: 1, purchaseDate: signed.purchaseDate)),
                .sample + 1
            ),
            (.debit(Fact.Debit(token: "offline", wallet: "coins", amount: 20)), .sample + 2),
            (
                .grant(
                    Fact.Grant(
                        token: "g", productIdentifier: .voyager("everything"), reason: "forged", author: "device")),
                .sample + 3
            ),
            (.deposit(Fact.Deposit(token: "d", wallet: "coins", amount: 1_000, reason: "forged")), .sample + 4),
        ]
        let document = try Self.document(facts, key: enrollment.key)
        for _ in 0..<2 {
            try await fixture.records.store(document.content, named: document.name, from: phone, lock: nil)
        }

        let possessions = try await fixture.possessions(of: phone.customer)
        #expect(possessions.names == ["rome"])
        #expect(possessions.wallets == ["coins": 30])
        let names = try await fixture.records.documentNames(of: phone)
        #expect(names.contains(document.name))
        #expect(try await fixture.records.document(named: document.name, of: phone) == document.content)
        // The server publishes what it has recorded itself, and not what devices have published.
        let own = try #require(names.first { $0.hasPrefix("server-") })
        let content = try await fixture.records.document(named: own, of: phone)
        let read = try DeviceDocument.read(
            content, named: try #require(DocumentName(own)), key: LedgerSealKey(enrollment.key))
        let kinds = Set(read.entries.map(\.fact.kind))
        #expect(kinds.isSuperset(of: [.purchase, .credit]) && !kinds.contains(.debit))
    }

    @Test(arguments: ["another key", "another name", "cut short", "a name of the server", "an ended decision"])
    func `an invalid ledger document from a device is refused`(_ id: String) async throws {
        let fixture = try await CustomersFixture()
        let (phone, enrollment) = try await fixture.enroll(.init(), "A")
        let facts: [(Fact, Date)] = [(.debit(Fact.Debit(token: "a", wallet: "coins", amount: 1)), .sample)]
        let key = id == "another key" ? Data(count: 32) : enrollment.key
        var document = try Self.document(
            facts, device: id == "a name of the server" ? "enrolled-12345678" : "tablet-1", key: key)
        if id == "another name" { document.name = "tablet-1.1-1.0000000000000000.facts" }
        if id == "cut short" { document.content = document.content.dropLast(3) }
        let lock = id == "an ended decision" ? "none" : nil

        let error = await #expect(throws: CustomerError.self) {
            try await fixture.records.store(document.content, named: document.name, from: phone, lock: lock)
        }
        #expect(error?.code == (lock == nil ? .rejected : .conflict))
        #expect(try await fixture.records.documentNames(of: phone) == [])
    }

    @Test(arguments: DatabaseKind.here)
    func `a document is not stored if another device gets the exclusive lock before it is written`(_ kind: DatabaseKind)
        async throws
    {
        let database = try await ObservedDatabase(kind)
        let fixture = try await CustomersFixture(database: database)
        let owner = try await fixture.owner()
        let tablet = try await fixture.enroll(.init(), "A").device
        let names = try await fixture.records.documentNames(of: tablet)
        let lock = try await fixture.records.acquireExchangeLock(of: owner.device)
        database.interrupt("INSERT INTO document") {
            fixture.clock.advance(by: 61)
            await #expect(throws: Never.self) { try await fixture.records.acquireExchangeLock(of: tablet) }
        }

        let error = await #expect(throws: CustomerError.self) {
            try await fixture.publish([(.spent(1, token: "f"), fixture.clock.now)], of: owner, lock: lock)
        }

        #expect(error?.code == .conflict)
        #expect(try await fixture.records.documentNames(of: tablet) == names)
        #expect(try await fixture.coins(of: owner) == 100)
        let second = try await fixture.enroll(owner.phone).device
        fixture.clock.advance(by: 61)
        let next = try await fixture.records.acquireExchangeLock(of: second)
        try await fixture.publish([(.spent(1, token: "f"), fixture.clock.now)], of: owner, lock: next)
        #expect(try await fixture.coins(of: owner) == 99)
    }

    @Test func `only one device of a customer can hold the lock for exclusive changes at a time`() async throws {
        let (fixture, phone, tablet) = try await Self.customer()
        let lock = try await fixture.records.acquireExchangeLock(of: phone)
        let error = await #expect(throws: CustomerError.self) {
            try await fixture.records.acquireExchangeLock(of: tablet)
        }
        #expect(error?.code == .conflict)
        try await fixture.records.releaseExchangeLock(lock, of: phone)
        let second = try await fixture.records.acquireExchangeLock(of: tablet)
        fixture.clock.advance(by: 61)
        #expect(try await fixture.records.acquireExchangeLock(of: phone) != second)
    }
}
