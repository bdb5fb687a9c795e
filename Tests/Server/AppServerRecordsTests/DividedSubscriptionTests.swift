import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineReceipts
import VitrineTestSupport

/// Subscriptions whose plan was changed in the name of another customer: each period belongs to the customer that its
/// transaction names, and the periods of all of them determine when each one ends.
@Suite(.hangLimit) struct DividedSubscriptionTests {
    private static let catalog: Data = {
        let products = ["silver", "gold", "platinum"].enumerated().map { index, plan in
            """
            <dict><key>productIdentifier</key><string>com.example.voyager.\(plan)</string><key>type</key>\
            <string>autoRenewableSubscription</string><key>subscriptionGroup</key><string>Club</string><key>level</key>\
            <integer>\(3 - index)</integer><key>subscriptionDuration</key><string>P1M</string></dict>
            """
        }
        return Data(
            "<plist version=\"1.0\"><dict><key>products</key><array>\(products.joined())</array></dict></plist>".utf8)
    }()

    /// Statement of the store about a period of the subscription.
    struct Statement: Sendable {
        let plan: String
        let transaction: String
        /// Index of the customer that the transaction names.
        let customer: Int
        /// First and last day of the period, and the day on which the statement was signed, relative to the present day.
        let days: ClosedRange<Double>
        let signed: Double
        var isRefund = false
    }

    private static let silver = Statement(plan: "silver", transaction: "1", customer: 0, days: -10...20, signed: -10)
    private static let gold = Statement(plan: "gold", transaction: "2", customer: 1, days: -5...25, signed: -5)
    private static let platinum = Statement(plan: "platinum", transaction: "3", customer: 2, days: -1...29, signed: -1)
    private static let silverAgain = Statement(
        plan: "silver", transaction: "4", customer: 0, days: -0.5...29.5, signed: -0.5)

    private static func refund(of period: Statement, signed: Double) -> Statement {
        Statement(
            plan: period.plan, transaction: period.transaction, customer: period.customer, days: period.days,
            signed: signed, isRefund: true)
    }

    private static func reversal(of period: Statement, signed: Double) -> Statement {
        Statement(
            plan: period.plan, transaction: period.transaction, customer: period.customer, days: period.days,
            signed: signed)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let statements: [Statement]
        /// Products of each of the three customers.
        let owned: [Set<String>]
    }

    private static let cases = [
        Case(testDescription: "one plan", statements: [silver], owned: [["silver"], [], []]),
        Case(testDescription: "an upgrade", statements: [silver, gold], owned: [[], ["gold"], []]),
        Case(
            testDescription: "an upgrade that is refunded",
            statements: [silver, gold, refund(of: gold, signed: -2)], owned: [[], [], []]),
        Case(
            testDescription: "an upgrade whose refund is reversed",
            statements: [silver, gold, refund(of: gold, signed: -2), reversal(of: gold, signed: -1)],
            owned: [[], ["gold"], []]),
        Case(
            testDescription: "a refund of the earlier plan",
            statements: [silver, gold, refund(of: silver, signed: -2)], owned: [[], ["gold"], []]),
        Case(
            testDescription: "three plans", statements: [silver, gold, platinum], owned: [[], [], ["platinum"]]),
        Case(
            testDescription: "three plans and a refund of the last",
            statements: [silver, gold, platinum, refund(of: platinum, signed: -0.5)], owned: [[], [], []]),
        Case(
            testDescription: "three plans and a refund of the second",
            statements: [silver, gold, platinum, refund(of: gold, signed: -0.5)], owned: [[], [], ["platinum"]]),
        Case(
            testDescription: "an upgrade and a change back", statements: [silver, gold, silverAgain],
            owned: [["silver"], [], []]),
    ]

    /// Server with three enrolled customers.
    private struct Scene {
        let fixture: CustomersFixture
        let devices: [EnrolledDevice]
        let keys = [CustomersFixture.Device(), CustomersFixture.Device(), CustomersFixture.Device()]

        init(_ app: SignedApp, database: (any CustomerDatabase)? = nil) async throws {
            fixture = try await CustomersFixture(
                app: app, database: database, publishing: DividedSubscriptionTests.catalog)
            var devices: [EnrolledDevice] = []
            for key in keys { devices.append(try await fixture.enroll(key).device) }
            self.devices = devices
        }

        func transaction(_ statement: Statement) throws -> String {
            func day(_ number: Double) -> Date { .sample + number * 86_400 }
            return try fixture.app.transaction(
                statement.plan, id: statement.transaction, account: "A", kind: .autoRenewableSubscription,
                signed: day(statement.signed)
            ) {
                $0.originalTransactionID = "1"
                ($0.purchaseDate, $0.expiresDate) = (day(statement.days.lowerBound), day(statement.days.upperBound))
                $0.appAccountToken = UUID(uuidString: devices[statement.customer].customer)
                if statement.isRefund { $0.revocationDate = day(statement.signed) }
            }
        }

        func notification(_ statement: Statement, id: String) throws -> String {
            try fixture.app.notification(
                statement.isRefund ? .refund : .didChangeRenewalPreference, id: id,
                transaction: try transaction(statement))
        }

        func owned(in other: CustomersFixture? = nil) async throws -> [Set<String>] {
            var owned: [Set<String>] = []
            for device in devices { owned.append(try await (other ?? fixture).possessions(of: device.customer).names) }
            return owned
        }
    }

    @Test(arguments: cases)
    func `a later period ends an earlier one of another customer, in every order of the notifications`(_ test: Case)
        async throws
    {
        let app = try SignedApp()
        for order in test.statements.permutations {
            let scene = try await Scene(app)
            for (index, statement) in order.enumerated() {
                let outcome = try await scene.fixture.receive(scene.notification(statement, id: "n\(index)"))
                #expect(outcome == .recorded)
            }
            #expect(try await scene.owned() == test.owned, "\(order)")
        }
    }

    @Test(arguments: DatabaseKind.here, cases)
    func `a later period ends an earlier one of another customer in each kind of database, also after a restart`(
        _ kind: DatabaseKind, _ test: Case
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let database = try await kind.scene(in: folder).database
        let scene = try await Scene(try SignedApp(), database: database)
        // A device may report the transaction of another customer.
        let answers = try await scene.fixture.records.record(
            signed: test.statements.map(scene.transaction), from: scene.devices[0])
        #expect(answers.allSatisfy { [.accepted, .elsewhere, .known].contains($0.result) })
        #expect(try await scene.owned() == test.owned)
        // The states are read again, and then by another server.
        #expect(try await scene.owned() == test.owned)
        let restarted = try await CustomersFixture(
            app: scene.fixture.app, database: database, seed: 2, publishing: Self.catalog)
        #expect(try await scene.owned(in: restarted) == test.owned)
    }

    @Test(arguments: DatabaseKind.here)
    func `concurrent notifications about the periods of two customers end in the same state`(_ kind: DatabaseKind)
        async throws
    {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let scene = try await Scene(try SignedApp(), database: try await kind.scene(in: folder).database)
        let periods = (0..<20).map { number in
            let start = Double(number) - 20
            return Statement(
                plan: number.isMultiple(of: 2) ? "silver" : "gold", transaction: "\(number + 1)", customer: number % 2,
                days: start...(start + 30), signed: start)
        }
        let notifications = try periods.map { try scene.notification($0, id: "n\($0.transaction)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for notification in notifications {
                group.addTask {
                    let outcome = try await scene.fixture.receive(notification)
                    #expect(outcome == .recorded)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await scene.owned() == [[], ["gold"], []])
    }

    @Test func `a customer's sequence number grows only when another customer's period changes what the customer owns`()
        async throws
    {
        let scene = try await Scene(try SignedApp())
        let (records, first) = (scene.fixture.records, scene.devices[0].customer)
        func sequence() async throws -> Int64 { try #require(try await records.sequence(of: first)) }
        _ = try await scene.fixture.receive(scene.notification(Self.silver, id: "n1"))
        let before = try await sequence()

        _ = try await scene.fixture.receive(scene.notification(Self.gold, id: "n2"))
        let ended = try await sequence()
        #expect(ended > before)
        _ = try await scene.fixture.receive(scene.notification(Self.platinum, id: "n3"))
        #expect(try await sequence() == ended)

        for (index, period) in [Self.platinum, Self.gold].enumerated() {
            _ = try await scene.fixture.receive(
                scene.notification(Self.refund(of: period, signed: -0.25), id: "r\(index)"))
        }
        #expect(try await sequence() == ended)
        #expect(try await scene.owned() == [[], [], []])
    }

    @Test func `a customer whose period was ended learns nothing about the customer of the later period`() async throws
    {
        let scene = try await Scene(try SignedApp())
        for (index, statement) in [Self.silver, Self.gold].enumerated() {
            _ = try await scene.fixture.receive(scene.notification(statement, id: "n\(index)"))
        }
        let first = scene.devices[0].customer
        let state = String(decoding: try await scene.fixture.records.customerState(of: first).body, as: UTF8.self)
        let facts = try await scene.fixture.records.export(first).map { String(decoding: $0, as: UTF8.self) }
        let why = try await scene.fixture.records.why("com.example.voyager.silver", of: first)
        for text in [state] + facts + why {
            #expect(!text.contains(scene.devices[1].customer))
            #expect(!text.contains("voyager.gold"))
        }
        #expect(why.contains { $0.contains("which has ended") })
    }

    @Test func `a subscription whose customers are merged follows the rule of one customer`() async throws {
        let scene = try await Scene(try SignedApp())
        for (index, statement) in [Self.silver, Self.gold].enumerated() {
            _ = try await scene.fixture.receive(scene.notification(statement, id: "n\(index)"))
        }
        for key in scene.keys[..<2] { try await scene.fixture.enroll(key, account: "me") }
        #expect(try await scene.owned() == [["gold"], ["gold"], []])
    }
}
