import Crypto
import Foundation
import Testing
import Vitrine
import VitrineAppServerAPI
import VitrineAppServerPostgreSQL
import VitrineAppServerRecords
import VitrineCatalog
import VitrineDeviceExchange
import VitrineEntitlements
import VitrineFileSystem
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

/// Random customers whose device reports, notifications and merges arrive in any order and more than once.
///
/// `CUSTOMERS_SOAK` is the number of random histories, `CUSTOMERS_SEED` the seed of a single one.
@Suite(.blocksThreads) struct CustomerPropertyTests {
    private static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["CUSTOMERS_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let count = environment["CUSTOMERS_SOAK"].flatMap { UInt64($0) } ?? 20
        return Array(1...count)
    }

    @Test func `any order of events leads to the same customer state in an in-memory database`() async throws {
        let app = try SignedApp()
        for seed in Self.seeds {
            try await Self.compare(seed: seed, app) { try SQLiteCustomerDatabase.inMemory() }
        }
    }

    @Test func `any order of events leads to the same customer state in a SQLite file`() async throws {
        let (app, folder) = (try SignedApp(), try TemporaryFolder())
        for seed in Self.seeds.prefix(4) {
            try await Self.compare(seed: seed, app) {
                try SQLiteCustomerDatabase(file: folder[UUID().uuidString].appending(path: "customers.sqlite"))
            }
        }
    }

    #if PostgreSQL
        @Test(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL is not installed"))
        func `any order of events leads to the same customer state in PostgreSQL`() async throws {
            let (app, server) = (try SignedApp(), try PostgreSQLServer.shared())
            for seed in Self.seeds.prefix(4) {
                try await Self.compare(seed: seed, app) {
                    try await PostgreSQLCustomerDatabase.open(try server.makeDatabase())
                }
            }
        }
    #endif

    /// Compares the customer states after three orders of the same events.
    static func compare(
        seed: UInt64, _ app: SignedApp, makeDatabase: () async throws -> any CustomerDatabase
    ) async throws {
        var random = SeededGenerator(seed: seed)
        let life = try CustomerLife(app, &random)
        var expected: [String: String]?
        for number in 0..<3 {
            let order = number == 0 ? Array(life.events.indices) : life.randomOrder(&random)
            let database = try await makeDatabase()
            let fixture = try await CustomersFixture(app: app, database: database, seed: random.next())
            let found = try await life.states(after: order, in: fixture)
            await database.close()
            let first = expected ?? found
            expected = first
            guard found != first else { continue }
            let differing = found.filter { first[$0.key] != $0.value }
            Issue.record(
                """
                CUSTOMERS_SEED=\(seed), order \(number): \(order.map { life.events[$0].description }.joined(separator: "; ")):
                \(differing.map { "\($0.key): \($0.value)\n  not \(first[$0.key] ?? "-")" }.joined(separator: "\n"))
                """)
            return
        }
    }
}

/// Random history of ten store accounts, some of which have an account of the app.
private struct CustomerLife {
    enum Event {
        case enroll(device: Int, storeAccount: String?, account: String?)
        case link(device: Int, account: String)
        case report(device: Int, [String])
        case notify(String)
        /// Publication of units that a device has spent while it was offline.
        case publish(device: Int, token: String, units: Int, Date)

        var device: Int? {
            switch self {
            case .enroll(let device, _, _), .link(let device, _), .report(let device, _), .publish(let device, _, _, _):
                device
            case .notify: nil
            }
        }

        var isEnrollment: Bool { if case .enroll = self { true } else { false } }
    }

    struct Described {
        let description: String
        let event: Event
    }

    private(set) var events: [Described] = []
    private(set) var storeAccounts: [String] = []

    init(_ app: SignedApp, _ random: inout SeededGenerator) throws {
        let products = ["lisbon", "porto", "rome", "iberia", "everything", "madrid"]
        var (device, transaction) = (0, 0)
        for number in 0..<10 {
            let storeAccount = "store\(number)"
            storeAccounts.append(storeAccount)
            // Two store accounts may belong to one account of the app.
            let account = Bool.random(using: &random) ? "account\(number / 2)" : nil
            var devices: [Int] = []
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                // A device without an app transaction is known by what it reports, or by the account.
                let isShown = devices.isEmpty || Bool.random(using: &random)
                let isLinkedLater = account != nil && !isShown && Bool.random(using: &random)
                add(
                    "device \(device) of \(isShown ? storeAccount : "-") \(account ?? "-")\(isLinkedLater ? " later" : "")",
                    .enroll(
                        device: device, storeAccount: isShown ? storeAccount : nil,
                        account: isLinkedLater ? nil : account))
                if isLinkedLater, let account {
                    add("device \(device) links \(account)", .link(device: device, account: account))
                }
                devices.append(device)
                device += 1
            }
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                transaction += 1
                let isCoins = Bool.random(using: &random)
                let product = isCoins ? "coins50" : products.randomElement(using: &random) ?? "rome"
                let bought = Date.sample - TimeInterval(Int.random(in: 1...1_000, using: &random) * 60)
                /// Returns the purchase, or its refund, as the store signs it for a device or a server.
                func statement(_ index: Int, of device: Int? = nil) throws -> String {
                    try app.transaction(
                        product, id: "\(transaction)", account: storeAccount,
                        kind: isCoins ? .consumable : .nonConsumable, signed: bought + (index == 1 ? 7_200 : 1)
                    ) {
                        ($0.purchaseDate, $0.originalPurchaseDate) = (bought, bought)
                        if index == 1 { $0.revocationDate = bought + 7_000 }
                        if let device { $0.bind(to: Self.verificationID(of: device)) }
                    }
                }
                for index in 0...(Int.random(in: 0..<3, using: &random) == 0 ? 1 : 0) {
                    let description = "\(transaction) \(product)\(index == 1 ? " refunded" : "") of \(storeAccount)"
                    add(
                        "notification \(description)",
                        .notify(
                            try app.notification(
                                index == 0 ? .oneTimeCharge : .refund, id: "n\(transaction)-\(index)",
                                transaction: try statement(index))))
                    if Bool.random(using: &random), let device = devices.randomElement(using: &random) {
                        // A copy that is bound to no device proves no store account.
                        let isBound = Bool.random(using: &random)
                        add(
                            "device \(device) reports \(description)\(isBound ? "" : " as a copy")",
                            .report(device: device, [try statement(index, of: isBound ? device : nil)]))
                    }
                }
                if isCoins, let device = devices.randomElement(using: &random), Bool.random(using: &random) {
                    let units = Int.random(in: 1...60, using: &random)
                    add(
                        "device \(device) has spent \(units)",
                        .publish(device: device, token: "t\(transaction)", units: units, bought + 3_600))
                }
            }
        }
    }

    /// Identifier to which the store binds what it signs for a device.
    static func verificationID(of device: Int) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(device)))
    }

    private mutating func add(_ description: String, _ event: Event) {
        events.append(Described(description: description, event: event))
    }

    /// Random order of the events, with repetitions, in which a device enrolls before everything else that it does.
    func randomOrder(_ random: inout SeededGenerator) -> [Int] {
        var order = Array(events.indices).shuffled(using: &random)
        for index in events.indices.shuffled(using: &random) where Int.random(in: 0..<4, using: &random) == 0 {
            order.append(index)
        }
        var enrolled: Set<Int> = []
        var result: [Int] = []
        for index in order {
            if let device = events[index].event.device, enrolled.insert(device).inserted,
                let enrollment = events.indices.first(where: {
                    events[$0].event.isEnrollment && events[$0].event.device == device
                }), enrollment != index
            {
                result.append(enrollment)
            }
            result.append(index)
        }
        return result
    }

    /// Returns the products and balances of each store account after events in an order.
    func states(after order: [Int], in fixture: CustomersFixture) async throws -> [String: String] {
        var devices: [Int: (CustomersFixture.Device, EnrolledDevice)] = [:]
        for index in order {
            switch events[index].event {
            case .enroll(let number, let storeAccount, let account):
                let device = CustomersFixture.Device(
                    key: devices[number]?.0.key ?? P256.Signing.PrivateKey(),
                    verificationID: Self.verificationID(of: number))
                devices[number] = (device, try await fixture.enroll(device, storeAccount, account: account).device)
            case .link(let number, let account):
                guard let device = devices[number]?.0 else { continue }
                devices[number] = (device, try await fixture.enroll(device, account: account).device)
            case .report(let number, let signed):
                guard let device = devices[number]?.1 else { continue }
                _ = try await fixture.records.record(
                    signed: signed, boundTo: Self.verificationID(of: number), from: device)
            case .notify(let notification): _ = try await fixture.receive(notification)
            case .publish(let number, let token, let units, let date):
                guard let device = devices[number] else { continue }
                try await publish(number, device, token, units, date, in: fixture)
            }
        }
        var states: [String: String] = [:]
        for account in storeAccounts {
            let found = try await fixture.records.customers(matching: account, app: nil)
            try #require(found.count == 1)
            states[account] = try await fixture.possessions(of: found[0].id).description
        }
        return states
    }

    private func publish(
        _ number: Int, _ device: (CustomersFixture.Device, EnrolledDevice), _ token: String, _ units: Int, _ date: Date,
        in fixture: CustomersFixture
    ) async throws {
        let renewed = try await fixture.records.renewToken(fixture.tokenRequest(device.0, device.1))
        let entry = LedgerEntry(
            sequence: 1, recordedAt: date, fact: .debit(Fact.Debit(token: token, wallet: "coins", amount: units)))
        let document = DeviceDocument(
            device: "device-\(number)-\(token)", name: "device", first: 1, last: 1, entries: [entry])
        let content = try document.data(sealedWith: LedgerSealKey(renewed.key))
        let present = try await fixture.records.device(bearing: renewed.token.token)
        try await fixture.records.store(
            content, named: DocumentName(of: document, content).text, from: present, lock: nil)
    }
}
