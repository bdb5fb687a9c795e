import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineCatalog
import VitrineEntitlements
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

/// What a document of a device may state. A document that states anything else is refused as a whole.
@Suite(.hangLimit) struct DocumentBoundsTests {
    struct Statement: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fact: Fact
        /// Date of the fact relative to now, in seconds.
        var moment: TimeInterval = -1
        let reason: String
    }

    private static let day: TimeInterval = 86_400

    private static func lease(
        _ amount: Int = 1, of wallet: String = "coins", token: String = "l", until end: TimeInterval = 3_600
    ) -> Fact {
        .lease(Fact.Lease(token: token, wallet: wallet, amount: amount, expirationDate: .sample + end))
    }

    private static let amounts: [Int] = [0, -1, (1 << 48) + 1, .max, .min]

    static let refused: [Statement] =
        amounts.flatMap(statements(of:)) + [
            Statement(
                testDescription: "a debit of an unknown wallet", fact: .spent(1, from: "w", token: "f"),
                reason: "has the wallet \"w\""),
            Statement(
                testDescription: "a lease of an unknown wallet", fact: lease(of: "w"), reason: "has the wallet \"w\""),
            Statement(
                testDescription: "a debit more than 400 days ahead", fact: .spent(1, token: "f"), moment: 400 * day + 1,
                reason: "more than 400 days after the clock"),
            Statement(
                testDescription: "a gift more than 400 days ahead", fact: .given("x", token: "f"),
                moment: 400 * day + 1,
                reason: "more than 400 days after the clock"),
            // The app was first bought a day ago.
            Statement(
                testDescription: "a debit long before the first fact", fact: .spent(1, token: "f"),
                moment: -2 * day - 1, reason: "more than a day before the customer's first fact"),
            Statement(
                testDescription: "a lease long before the first fact", fact: lease(), moment: -2 * day - 1,
                reason: "more than a day before the customer's first fact"),
            Statement(
                testDescription: "a debit in 1970", fact: .spent(1, token: "f"),
                moment: 1 - Date.sample.timeIntervalSince1970, reason: "more than a day before"),
            Statement(
                testDescription: "a debit before 1970", fact: .spent(1, token: "f"),
                moment: -1 - Date.sample.timeIntervalSince1970, reason: "before 1970"),
            Statement(
                testDescription: "a lease of more than 400 days", fact: lease(until: 400 * day + 1),
                reason: "at most 400 days"),
            Statement(
                testDescription: "a lease that ends before it begins", fact: lease(until: -2),
                reason: "end after it begins"),
            Statement(testDescription: "a debit without a token", fact: .spent(1, token: ""), reason: "its token is"),
            Statement(
                testDescription: "a debit with a long token",
                fact: .spent(1, token: String(repeating: "é", count: 201)), reason: "longer than 400 bytes"),
            Statement(
                testDescription: "a lease with a long token", fact: lease(token: String(repeating: "l", count: 401)),
                reason: "longer than 400 bytes"),
            Statement(
                testDescription: "a release with a long token",
                fact: .release(Fact.Release(token: String(repeating: "l", count: 401))),
                reason: "longer than 400 bytes"),
            Statement(
                testDescription: "a lease of the server", fact: lease(token: "enrolled-1 trip"),
                reason: "is one of the server"),
            Statement(
                testDescription: "a release of a lease of the server",
                fact: .release(Fact.Release(token: "enrolled-1 trip")), reason: "is one of the server"),
        ]

    /// Returns statements of each kind about an impossible number of units.
    private static func statements(of amount: Int) -> [Statement] {
        let facts: [Fact] = [
            .spent(amount, token: "f"), lease(amount), .deposited(amount, token: "f"),
            .credited(amount, transaction: "9"),
        ]
        return facts.map { fact in
            Statement(testDescription: "a \(fact.kind.rawValue) of \(amount)", fact: fact, reason: "from 1 to")
        }
    }

    @Test(arguments: refused)
    func `a document with an impossible statement is refused with the reason, and nothing of it is recorded`(
        _ statement: Statement
    ) async throws {
        let fixture = try await CustomersFixture()
        let owner = try await fixture.owner()
        let before = try await fixture.records.documentNames(of: owner.device)
        let error = await #expect(throws: CustomerError.self) {
            try await fixture.publish(
                [
                    (.spent(10, token: "honest"), fixture.clock.now - 2),
                    (statement.fact, fixture.clock.now + statement.moment),
                ], of: owner)
        }
        #expect(error?.code == .rejected)
        #expect(error?.reason.contains(statement.reason) == true, "\(error?.reason ?? "-")")
        #expect(try await fixture.coins(of: owner) == 100)
        #expect(try await fixture.records.documentNames(of: owner.device) == before)
        #expect(try await fixture.records.spend(100, of: "coins", token: "all", from: owner.device).balance == 0)
    }

    static let permitted = [
        Statement(
            testDescription: "the most units", fact: .spent(1 << 48, token: "f"), reason: ""),
        Statement(testDescription: "the first moment", fact: .spent(100, token: "f"), moment: -2 * day, reason: ""),
        Statement(
            testDescription: "a clock that is ahead", fact: .spent(100, token: "f"), moment: 400 * day, reason: ""),
        Statement(testDescription: "the longest lease", fact: lease(until: 400 * day), reason: ""),
        Statement(
            testDescription: "the longest token", fact: .spent(1, token: String(repeating: "f", count: 400)),
            reason: ""),
        Statement(testDescription: "the largest lease", fact: lease(1 << 48), reason: ""),
        Statement(
            testDescription: "a gift of an unknown wallet", fact: .deposited(1, in: "w", token: "f"), reason: ""),
    ]

    @Test(arguments: permitted)
    func `a document within the bounds is stored and never adds units`(_ statement: Statement) async throws {
        let fixture = try await CustomersFixture()
        let owner = try await fixture.owner()
        try await fixture.publish([(statement.fact, fixture.clock.now + statement.moment)], of: owner)
        let names = try await fixture.records.documentNames(of: owner.device)
        #expect(names.contains { $0.hasPrefix("tablet-1") })
        #expect(try await fixture.coins(of: owner) <= 100)
        #expect(try await fixture.possessions(of: owner.device.customer).wallets["w"] == nil)
    }

    @Test func `a device can publish an entry again that the facts recorded since would not have permitted`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let phone = CustomersFixture.Device()
        let (device, enrollment) = try await fixture.enroll(phone)
        let owner = CustomersFixture.Owner(phone: phone, device: device, key: enrollment.key)
        let date = fixture.clock.now - 10 * Self.day
        try await fixture.publish([(.spent(1, token: "early"), date)], of: owner)
        let purchase = try fixture.app.transaction("coins50", id: "1", kind: .consumable) {
            $0.appAccountToken = UUID(uuidString: device.customer)
        }
        _ = try await fixture.records.record(signed: [purchase], from: device)
        #expect(try await fixture.coins(of: owner) == 50)
        try await fixture.publish(
            [(.spent(1, token: "early"), date), (.spent(10, token: "late"), fixture.clock.now - 1)], of: owner)
        #expect(try await fixture.coins(of: owner) == 40)
        for (token, moment) in [("early", date - 1), ("other", date)] {
            let error = await #expect(throws: CustomerError.self) {
                try await fixture.publish([(.spent(1, token: token), moment)], of: owner)
            }
            #expect(error?.code == .rejected, "\(token)")
        }
    }

    @Test func `a moment after the clock of the server counts as the receipt of the document`() async throws {
        let fixture = try await CustomersFixture()
        let owner = try await fixture.owner()
        try await fixture.publish([(.spent(10, token: "f"), fixture.clock.now + 30 * Self.day)], of: owner)
        fixture.clock.advance(by: 60)
        #expect(try await fixture.records.spend(20, of: "coins", token: "s", from: owner.device).balance == 70)
        let facts = try await fixture.records.facts(of: owner.device.customer, after: 0, limit: 100)
        let latest = facts.map { max($0.recordedAt, $0.moment ?? 0) }.max()
        #expect(latest == fixture.clock.now.milliseconds)
    }

    @Test func `a document of a device that is named like the server is refused`() async throws {
        let fixture = try await CustomersFixture()
        let owner = try await fixture.owner()
        for name in ["server-1", "server-\(owner.device.customer)", "enrolled-1"] {
            let error = await #expect(throws: CustomerError.self) {
                try await fixture.publish([(.spent(1, token: "f"), fixture.clock.now)], of: owner, as: name)
            }
            #expect(error?.code == .rejected)
        }
        #expect(try await fixture.coins(of: owner) == 100)
    }

    @Test func `a document cannot release a lease that the server has given to a device, nor stand in for it`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let owner = try await fixture.owner()
        let key = "\(owner.device.id) trip"
        for fact in [Self.lease(100, token: key), .release(Fact.Release(token: key))] {
            await #expect(throws: CustomerError.self) {
                try await fixture.publish([(fact, fixture.clock.now - 1)], of: owner)
            }
        }
        let unknown = await #expect(throws: CustomerError.self) {
            try await fixture.records.report(lease: "trip", debits: [], returning: false, from: owner.device)
        }
        #expect(unknown?.code == .notFound)
        _ = try await fixture.records.lease(60, of: "coins", token: "trip", seconds: 60, to: owner.device)
        await #expect(throws: CustomerError.self) {
            try await fixture.publish([(.release(Fact.Release(token: key)), fixture.clock.now)], of: owner)
        }
        let error = await #expect(throws: CustomerError.self) {
            try await fixture.records.spend(41, of: "coins", token: "s", from: owner.device)
        }
        #expect(error?.code == .insufficientFunds)
    }
}
