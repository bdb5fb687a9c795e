import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineCatalog
import VitrineEntitlements
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

/// What the server has decided, and what documents of devices say about it. The rows are those of the table "Who
/// decides" in `Documentation/Design.md`.
@Suite(.hangLimit) struct ServerDecisionTests {
    struct Lie: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var amount = 50
        /// Date of the record relative to now, in seconds.
        let moment: TimeInterval
    }

    static let lies = [
        Lie(testDescription: "the same debit before the purchase", moment: -7_200),
        Lie(testDescription: "the same debit a second earlier", moment: -1),
        Lie(testDescription: "fewer units before the purchase", amount: 1, moment: -7_200),
        Lie(testDescription: "fewer units a second earlier", amount: 1, moment: -1),
        Lie(testDescription: "fewer units later", amount: 1, moment: 3_600),
        Lie(testDescription: "more units earlier", amount: 99, moment: -1),
        Lie(testDescription: "more units than the wallet has ever had", amount: 1 << 48, moment: -1),
    ]

    @Test(arguments: lies)
    func `a document changes nothing of a debit that the server has decided`(_ lie: Lie) async throws {
        let fixture = try await CustomersFixture()
        let owner = try await fixture.owner()
        var spent = 0
        for number in 0..<5 {
            let token = "order-\(number)"
            do throws(CustomerError) {
                _ = try await fixture.records.spend(50, of: "coins", token: token, from: owner.device)
                spent += 50
            } catch {
                #expect(error.code == .insufficientFunds)
                continue
            }
            try await fixture.publish(
                [(.spent(lie.amount, token: token), fixture.clock.now + lie.moment)], of: owner,
                as: "tablet-\(number)")
            #expect(try await fixture.coins(of: owner) == 100 - spent)
            let again = try await fixture.records.spend(50, of: "coins", token: token, from: owner.device)
            #expect(!again.isNew)
        }
        #expect(spent == 100)
    }

    @Test(arguments: lies)
    func `a document changes nothing of a debit that was reported of the server's lease`(_ lie: Lie) async throws {
        let fixture = try await CustomersFixture()
        let owner = try await fixture.owner()
        _ = try await fixture.records.lease(60, of: "coins", token: "trip", seconds: 86_400, to: owner.device)
        fixture.clock.advance(by: 60)
        let report = [LeaseDebit(token: "l1", amount: 50, spent: fixture.clock.now.milliseconds - 1_000)]
        _ = try await fixture.records.report(lease: "trip", debits: report, returning: false, from: owner.device)

        try await fixture.publish([(.spent(lie.amount, token: "l1"), fixture.clock.now + lie.moment)], of: owner)
        #expect(try await fixture.coins(of: owner) == 50)
        let again = try await fixture.records.report(
            lease: "trip", debits: report, returning: true, from: owner.device)
        #expect(again.left == 10)
        #expect(try await fixture.coins(of: owner) == 50)
    }

    @Test func `the server decides no debit under a token that a document has used for a debit of its own`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let owner = try await fixture.owner()
        // Before the purchase it takes nothing.
        try await fixture.publish([(.spent(50, token: "order"), fixture.clock.now - 7_200)], of: owner)
        #expect(try await fixture.coins(of: owner) == 100)
        let error = await #expect(throws: CustomerError.self) {
            try await fixture.records.spend(50, of: "coins", token: "order", from: owner.device)
        }
        #expect(error?.code == .conflict)
        #expect(error?.reason.contains("a device has reported a debit") == true)

        _ = try await fixture.records.lease(60, of: "coins", token: "trip", seconds: 86_400, to: owner.device)
        fixture.clock.advance(by: 60)
        let report = [LeaseDebit(token: "order", amount: 50, spent: fixture.clock.now.milliseconds - 1_000)]
        let refused = await #expect(throws: CustomerError.self) {
            try await fixture.records.report(lease: "trip", debits: report, returning: false, from: owner.device)
        }
        #expect(refused?.code == .conflict)
        #expect(try await fixture.coins(of: owner) == 100)
        #expect(try await fixture.records.spend(40, of: "coins", token: "other", from: owner.device).balance == 60)
    }

    @Test func `a debit that a device made offline takes what the wallet contained, and never more`() async throws {
        let fixture = try await CustomersFixture()
        let owner = try await fixture.owner()
        _ = try await fixture.records.spend(70, of: "coins", token: "order", from: owner.device)
        try await fixture.publish([(.spent(20, token: "map"), fixture.clock.now - 60)], of: owner)
        #expect(try await fixture.coins(of: owner) == 10)
        // The two have spent 40 units more than there were.
        try await fixture.publish([(.spent(50, token: "guide"), fixture.clock.now - 30)], of: owner, as: "tablet-2")
        #expect(try await fixture.coins(of: owner) == 0)
        fixture.clock.advance(by: 60)
        let more = try fixture.app.transaction(
            "coins50", id: "3", account: "A", kind: .consumable, signed: .sample + 60
        ) { $0.purchaseDate = .sample + 60 }
        _ = try await fixture.records.record(signed: [more], from: owner.device)
        #expect(try await fixture.coins(of: owner) == 50)
    }

    @Test func `debits of two customers under one token both count after the customers are merged`() async throws {
        let fixture = try await CustomersFixture()
        let (first, second) = (try await fixture.owner("A"), try await fixture.owner("B", first: 3))
        for owner in [first, second] {
            _ = try await fixture.records.spend(60, of: "coins", token: "order", from: owner.device)
        }
        // What a device says under the token gives none of them back.
        try await fixture.publish([(.spent(1, token: "order"), fixture.clock.now - 1)], of: second)
        for owner in [first, second] { try await fixture.enroll(owner.phone, account: "person") }
        #expect(try await fixture.coins(of: first) == 80)
        #expect(try await fixture.coins(of: second) == 80)
        let names = try await fixture.records.documentNames(of: first.device)
        #expect(names.contains { $0.hasPrefix("server-") })
    }

    @Test func `the server's debit of a merged customer takes the place of a document's debit under its token`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let (first, second) = (try await fixture.owner("A"), try await fixture.owner("B", first: 3))
        try await fixture.publish([(.spent(1, token: "order"), fixture.clock.now - 60)], of: first)
        _ = try await fixture.records.spend(60, of: "coins", token: "order", from: second.device)
        for owner in [first, second] { try await fixture.enroll(owner.phone, account: "person") }
        #expect(try await fixture.coins(of: first) == 140)
    }

    @Test func `leases of documents whose units exceed every number leave a customer's other requests answered`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let owner = try await fixture.owner()
        let end = fixture.clock.now + 3_600
        for document in 1...2 {
            let leases = (0..<16_500).map { number in
                (
                    Fact.lease(
                        Fact.Lease(
                            token: "\(document) \(number)", wallet: "coins", amount: Fact.Lease.largestAmount,
                            expirationDate: end)), fixture.clock.now - 1
                )
            }
            try await fixture.publish(leases, of: owner, as: "tablet-\(document)")
        }
        let error = await #expect(throws: CustomerError.self) {
            try await fixture.records.lease(1, of: "coins", token: "t", seconds: 60, to: owner.device)
        }
        #expect(error?.code == .insufficientFunds)
        let debit = await #expect(throws: CustomerError.self) {
            try await fixture.records.spend(1, of: "coins", token: "t", from: owner.device)
        }
        #expect(debit?.code == .insufficientFunds)
        #expect(try await fixture.coins(of: owner) == 100)
    }
}
