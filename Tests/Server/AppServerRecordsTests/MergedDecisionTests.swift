import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineCatalog
import VitrineEntitlements
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

/// What the server has decided for customers who are merged, or between whom an operator transfers something.
@Suite(.hangLimit) struct MergedDecisionTests {
    /// Returns customers with a hundred coins each, of whom each was created before the next one.
    private func owners(_ count: Int, in fixture: CustomersFixture) async throws -> [CustomersFixture.Owner] {
        var owners: [CustomersFixture.Owner] = []
        for index in 0..<count {
            owners.append(try await fixture.owner("account-\(index)", first: 1 + 2 * index))
            fixture.clock.advance(by: 1)
        }
        return owners
    }

    /// Merges the customers of two devices. The older customer remains.
    private func merge(
        _ first: CustomersFixture.Owner, _ second: CustomersFixture.Owner, in fixture: CustomersFixture
    ) async throws {
        let invitation = try fixture.invitation(by: first.phone, first.device)
        try await fixture.enroll(second.phone, invitation: invitation)
    }

    @Test func `a debit of the server counts after a merge, whatever wallet a document names under its token`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let owners = try await owners(2, in: fixture)
        _ = try await fixture.records.deposit(
            5, in: "gems", of: owners[0].device.customer, token: "gems", reason: "a present", by: "admin")
        fixture.clock.advance(by: 60)
        try await fixture.publish([(.spent(1, from: "gems", token: "order"), fixture.clock.now - 1)], of: owners[0])
        _ = try await fixture.records.spend(100, of: "coins", token: "order", from: owners[1].device)
        try await merge(owners[0], owners[1], in: fixture)
        #expect(try await fixture.coins(of: owners[1]) == 100)
        #expect(try await fixture.possessions(of: owners[1].device.customer).wallets["gems"] == 4)
    }

    @Test func `debits of the server count after a merge, also under tokens that begin with an identifier`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let owners = try await owners(2, in: fixture)
        let other = owners[1].device.customer
        for (owner, amount, token) in [
            (owners[0], 1, "order"), (owners[1], 2, "\(other) order"), (owners[1], 90, "order"),
            (owners[0], 3, "\(other) \(other) order"),
        ] {
            _ = try await fixture.records.spend(amount, of: "coins", token: token, from: owner.device)
            fixture.clock.advance(by: 1)
        }
        try await merge(owners[0], owners[1], in: fixture)
        #expect(try await fixture.coins(of: owners[0]) == 200 - 96)
    }

    @Test(arguments: [true, false])
    func `a debit of the server that took the place of a document's debit in a merge counts after the next merge`(
        isOlder: Bool
    ) async throws {
        let fixture = try await CustomersFixture()
        let owners = try await owners(3, in: fixture)
        let (holder, merged, other) = isOlder ? (owners[0], owners[1], owners[2]) : (owners[1], owners[2], owners[0])
        // Before the purchase it takes nothing.
        try await fixture.publish([(.spent(1, token: "order"), fixture.clock.now - 7_200)], of: holder)
        for (owner, amount) in [(merged, 60), (other, 50)] {
            _ = try await fixture.records.spend(amount, of: "coins", token: "order", from: owner.device)
            fixture.clock.advance(by: 1)
        }
        try await merge(holder, merged, in: fixture)
        #expect(try await fixture.coins(of: holder) == 140)
        try await merge(other, holder, in: fixture)
        #expect(try await fixture.coins(of: holder) == 190)
    }

    /// What the older of two customers has under the token of a debit of the younger one.
    enum Record: CaseIterable {
        case debitOfDocument, debitOfServer

        /// Records a debit of one unit under each token.
        func make(_ tokens: [String], of owner: CustomersFixture.Owner, in fixture: CustomersFixture) async throws {
            switch self {
            case .debitOfDocument:
                // Before the purchase it takes nothing.
                let debits = tokens.map { (Fact.spent(1, token: $0), fixture.clock.now - 7_200) }
                try await fixture.publish(debits, of: owner)
            case .debitOfServer:
                for token in tokens {
                    _ = try await fixture.records.spend(1, of: "coins", token: token, from: owner.device)
                }
            }
        }
    }

    @Test(arguments: Record.allCases)
    func `a request that is repeated after a merge is answered with its debit, whatever record has its token`(
        _ record: Record
    ) async throws {
        let fixture = try await CustomersFixture()
        let owners = try await owners(2, in: fixture)
        try await record.make(["order", "seat"], of: owners[0], in: fixture)
        let device = owners[1].device
        _ = try await fixture.records.spend(30, of: "coins", token: "order", from: device)
        _ = try await fixture.records.lease(40, of: "coins", token: "trip", seconds: 86_400, to: device)
        fixture.clock.advance(by: 60)
        let seat = LeaseDebit(token: "seat", amount: 15, spent: fixture.clock.now.milliseconds - 1_000)
        _ = try await fixture.records.report(lease: "trip", debits: [seat], returning: false, from: device)
        try await merge(owners[0], owners[1], in: fixture)

        let left = 200 - 45 - (record == .debitOfServer ? 2 : 0)
        let again = try await fixture.records.spend(30, of: "coins", token: "order", from: device)
        #expect((again.isNew, again.balance) == (false, left))
        #expect(
            try await fixture.records.report(lease: "trip", debits: [seat], returning: false, from: device).left == 25)
        let other = await #expect(throws: CustomerError.self) {
            try await fixture.records.spend(31, of: "coins", token: "order", from: device)
        }
        #expect(other?.code == .conflict)
        let wrong = LeaseDebit(token: "seat", amount: 14, spent: seat.spent)
        let refused = await #expect(throws: CustomerError.self) {
            try await fixture.records.report(lease: "trip", debits: [wrong], returning: false, from: device)
        }
        #expect(refused?.code == .conflict)
        #expect(try await fixture.coins(of: owners[0]) == left)
    }

    /// Transfers a device with its store account to a new customer.
    private func transfer(
        _ owner: CustomersFixture.Owner, of storeAccount: String, in fixture: CustomersFixture
    ) async throws -> TransferResult {
        let parts = TransferredParts(
            identities: [CustomerDetail.Identity(kind: "appTransaction", value: storeAccount)],
            devices: [owner.device.id])
        return try await fixture.records.transfer(
            parts, from: owner.device.customer, to: nil, token: "case", reason: "two people", by: "admin")
    }

    @Test(arguments: Record.allCases)
    func `a report that is repeated after a merge, and a transfer of its device, is answered with its debit`(
        _ record: Record
    ) async throws {
        let fixture = try await CustomersFixture()
        let owners = try await owners(2, in: fixture)
        try await record.make(["seat"], of: owners[0], in: fixture)
        let owner = owners[1]
        _ = try await fixture.records.lease(40, of: "coins", token: "trip", seconds: 86_400, to: owner.device)
        fixture.clock.advance(by: 60)
        let seat = LeaseDebit(token: "seat", amount: 15, spent: fixture.clock.now.milliseconds - 1_000)
        _ = try await fixture.records.report(lease: "trip", debits: [seat], returning: false, from: owner.device)
        try await merge(owners[0], owner, in: fixture)
        let result = try await transfer(owner, of: "account-1", in: fixture)

        let device = try await fixture.enroll(owner.phone).device
        #expect(device.customer == result.to)
        let answer = try await fixture.records.report(
            lease: "trip", debits: [seat], returning: false, from: device)
        #expect(answer.left == 25)
        #expect(try await fixture.possessions(of: result.to).wallets["coins"] == 85)
        let left = record == .debitOfServer ? 99 : 100
        #expect(try await fixture.possessions(of: result.customer).wallets["coins"] == left)
    }

    @Test func `a repeated request is answered with its debit after a merge and a transfer of the other customer`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let owners = try await owners(2, in: fixture)
        _ = try await fixture.records.lease(40, of: "coins", token: "trip", seconds: 86_400, to: owners[0].device)
        fixture.clock.advance(by: 60)
        let order = LeaseDebit(token: "order", amount: 15, spent: fixture.clock.now.milliseconds - 1_000)
        _ = try await fixture.records.report(lease: "trip", debits: [order], returning: true, from: owners[0].device)
        _ = try await fixture.records.spend(30, of: "coins", token: "order", from: owners[1].device)
        try await merge(owners[0], owners[1], in: fixture)
        let result = try await transfer(owners[0], of: "account-0", in: fixture)

        let device = try await fixture.enroll(owners[1].phone).device
        #expect(device.customer == result.customer)
        let again = try await fixture.records.spend(30, of: "coins", token: "order", from: device)
        #expect((again.isNew, again.balance) == (false, 70))
        #expect(try await fixture.possessions(of: result.to).wallets["coins"] == 85)
    }

    @Test(arguments: DatabaseKind.here)
    func `a request that is repeated after a transfer of its device is answered with its debit, and not paid twice`(
        _ kind: DatabaseKind
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let fixture = try await CustomersFixture(database: try await kind.scene(in: folder).database)
        let (owner, tablet) = (try await fixture.owner("account-0"), CustomersFixture.Device(name: "tablet"))
        let requester = try await fixture.enroll(tablet, "account-0").device
        _ = try await fixture.records.spend(30, of: "coins", token: "order", from: requester)
        fixture.clock.advance(by: 60)
        // Only the tablet is transferred, to a customer with units.
        let receiver = try await fixture.owner("account-1", first: 3)
        let parts = TransferredParts(identities: [], devices: [requester.id])
        let result = try await fixture.records.transfer(
            parts, from: owner.device.customer, to: receiver.device.customer, token: "case", reason: "a present",
            by: "admin")

        let device = try await fixture.enroll(tablet).device
        #expect(device.customer == receiver.device.customer)
        let again = try await fixture.records.spend(30, of: "coins", token: "order", from: device)
        #expect((again.isNew, again.balance) == (false, 100))
        for (amount, wallet) in [(31, "coins"), (30, "gems")] {
            let error = await #expect(throws: CustomerError.self) {
                try await fixture.records.spend(amount, of: wallet, token: "order", from: device)
            }
            #expect(error?.code == .conflict)
        }
        #expect(try await fixture.coins(of: receiver) == 100)
        #expect(try await fixture.possessions(of: result.customer).wallets["coins"] == 70)

        // What the first customer spends after the transfer is no debit of the tablet.
        fixture.clock.advance(by: 120)
        let phone = try await fixture.enroll(owner.phone).device
        #expect(try await fixture.records.spend(20, of: "coins", token: "seat", from: phone).isNew)
        #expect(try await fixture.records.spend(20, of: "coins", token: "seat", from: device).isNew)
        // Another device of the receiver has requested nothing before.
        #expect(try await fixture.records.spend(30, of: "coins", token: "order", from: receiver.device).isNew)
        #expect(try await fixture.coins(of: receiver) == 50)
    }

    @Test func `a debit of the server whose token begins with an identifier is no answer to a request without it`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let owner = try await fixture.owner()
        let token = "\(owner.device.customer) order"
        _ = try await fixture.records.spend(5, of: "coins", token: token, from: owner.device)
        try await fixture.publish([(.spent(1, token: "order"), fixture.clock.now - 1)], of: owner)
        let error = await #expect(throws: CustomerError.self) {
            try await fixture.records.spend(5, of: "coins", token: "order", from: owner.device)
        }
        #expect(error?.code == .conflict)
        #expect(try await fixture.records.spend(5, of: "coins", token: token, from: owner.device).isNew == false)
        #expect(try await fixture.coins(of: owner) == 94)
    }

    @Test(arguments: [true, false])
    func `a customer pays for each token after a merge, also if one token is the end of another one`(
        isOlder: Bool
    ) async throws {
        let fixture = try await CustomersFixture()
        let owners = try await owners(2, in: fixture)
        let (owner, other) = isOlder ? (owners[0], owners[1]) : (owners[1], owners[0])
        let identifier = UUID().uuidString.lowercased()
        let tokens = [
            "\(identifier) \(identifier) order", "\(owner.device.customer) order", "\(other.device.customer) order",
        ]
        for token in tokens {
            _ = try await fixture.records.spend(5, of: "coins", token: token, from: owner.device)
        }
        try await merge(owner, other, in: fixture)
        for token in ["\(identifier) order", "order"] {
            let answer = try await fixture.records.spend(5, of: "coins", token: token, from: other.device)
            #expect(answer.isNew, "\(token)")
        }
        for token in tokens {
            #expect(try await !fixture.records.spend(5, of: "coins", token: token, from: other.device).isNew)
        }
        #expect(try await fixture.coins(of: owner) == 200 - 25)
    }

    @Test func `grants, locks and deposits of operators have effect after a merge, whatever their tokens are`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let owners = try await owners(2, in: fixture)
        let customers = owners.map(\.device.customer)
        func grant(_ product: String, to customer: String, token: String) async throws {
            _ = try await fixture.records.grant(
                "com.example.voyager.\(product)", to: customer, token: token, reason: "a present", until: nil,
                by: "admin")
        }
        try await grant("lisbon", to: customers[0], token: "case")
        try await grant("porto", to: customers[1], token: "\(customers[1]) case")
        try await grant("rome", to: customers[1], token: "case")
        for (customer, amount, token) in [
            (customers[0], 1, "case"), (customers[1], 2, "\(customers[1]) case"), (customers[1], 4, "case"),
        ] {
            _ = try await fixture.records.deposit(
                amount, in: "coins", of: customer, token: token, reason: "a present", by: "admin")
        }
        fixture.clock.advance(by: 1)
        for (customer, product, token) in [
            (customers[0], "madrid", "end"), (customers[1], "porto", "\(customers[1]) end"),
            (customers[1], "rome", "end"),
        ] {
            _ = try await fixture.records.lock(
                "com.example.voyager.\(product)", of: customer, token: token, reason: "a mistake", by: "admin")
        }
        try await merge(owners[0], owners[1], in: fixture)
        #expect(try await fixture.coins(of: owners[0]) == 207)
        #expect(try await fixture.possessions(of: customers[0]).names == ["lisbon"])
        let facts = try await fixture.records.facts(of: customers[0], after: 0, limit: 500)
        #expect(facts.count { $0.kind == "grant" } == 3)
        #expect(facts.count { $0.kind == "lock" } == 3)
    }

    @Test func `a transferred debit counts for a receiver who has used the token that it would get`() async throws {
        let fixture = try await CustomersFixture()
        let owners = try await owners(2, in: fixture)
        let (source, receiver) = (owners[0], owners[1])
        _ = try await fixture.records.lease(60, of: "coins", token: "trip", seconds: 86_400, to: source.device)
        fixture.clock.advance(by: 60)
        let debit = LeaseDebit(token: "order", amount: 50, spent: fixture.clock.now.milliseconds - 1_000)
        _ = try await fixture.records.report(lease: "trip", debits: [debit], returning: true, from: source.device)
        for (amount, token) in [(10, "order"), (5, "\(source.device.customer) order")] {
            _ = try await fixture.records.spend(amount, of: "coins", token: token, from: receiver.device)
        }
        let parts = TransferredParts(
            identities: [CustomerDetail.Identity(kind: "appTransaction", value: "account-0")],
            devices: [source.device.id])
        let result = try await fixture.records.transfer(
            parts, from: source.device.customer, to: receiver.device.customer, token: "case", reason: "a sale",
            by: "admin")
        #expect(try await fixture.possessions(of: result.to).wallets["coins"] == 200 - 65)
        #expect(try await fixture.possessions(of: result.customer).wallets["coins", default: 0] == 0)
    }

    @Test func `a refund has effect after a merge, however many units documents have spent`() async throws {
        let fixture = try await CustomersFixture(publishing: PaidDebitTests.catalog)
        let holder = CustomersFixture.Device()
        try await fixture.enroll(holder, account: "person")
        let owner = try await fixture.owner()
        // The units of all documents together, and those of the purchases, are as many as 64 bits can be below zero.
        for document in 1...2 {
            let debits = (0..<16_384).map { number in
                (Fact.spent(1 << 48, token: "\(document) \(number)"), fixture.clock.now - 60)
            }
            try await fixture.publish(debits, of: owner, as: "tablet-\(document)")
        }
        try await fixture.publish([(.spent(100, token: "last"), fixture.clock.now - 30)], of: owner, as: "tablet-3")
        let refund = try fixture.app.transaction(
            "coins50", id: "1", account: "A", kind: .consumable, signed: .sample + 60
        ) { $0.revocationDate = .sample + 50 }
        _ = try await fixture.records.record(signed: [refund], from: owner.device)
        #expect(try await fixture.coins(of: owner) == -50)
        try await fixture.enroll(owner.phone, account: "person")
        #expect(try await fixture.coins(of: owner) == -50)
    }

    @Test func `the server decides no more units at once than a merge can record`() async throws {
        let fixture = try await CustomersFixture()
        let owner = try await fixture.owner()
        let most = 1 << 48
        func deposit(_ amount: Int, _ token: String) async throws {
            _ = try await fixture.records.deposit(
                amount, in: "coins", of: owner.device.customer, token: token, reason: "a present", by: "admin")
        }
        let error = await #expect(throws: CustomerError.self) { try await deposit(most + 1, "case-1") }
        #expect(error?.code == .invalid)
        try await deposit(most, "case-2")
        let refused = await #expect(throws: CustomerError.self) {
            try await fixture.records.spend(most + 1, of: "coins", token: "order", from: owner.device)
        }
        #expect(refused?.code == .invalid)
        #expect(try await fixture.coins(of: owner) == most + 100)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `the debits of the server count after any merges, whatever tokens devices choose`(seed: UInt64) async throws {
        let fixture = try await CustomersFixture(seed: seed)
        var random = SeededGenerator(seed: seed)
        var customers = try await owners(6, in: fixture)
        let names = customers.map(\.device.customer)
        let tokens = ["a", "b"].flatMap { token in
            [token] + names.flatMap { ["\($0) \(token)", "\($0) \($0) \(token)"] }
        }
        let separated = names.flatMap { ["\($0)\u{1F}a", "\($0)\u{1F}\($0)\u{1F}b"] }
        // What the server has decided for the customers of each device, by token.
        var decided: [String: [String: Set<Int>]] = [:]
        var left = 100 * customers.count
        for step in 0..<80 {
            fixture.clock.advance(by: 1)
            let owner = try #require(customers.randomElement(using: &random))
            let token = try #require(tokens.randomElement(using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0 where customers.count > 1:
                let pair = customers.shuffled(using: &random).prefix(2)
                try await merge(pair[0], pair[1], in: fixture)
                // Either device is one of the remaining customer, who is one of the two.
                customers.removeAll { $0.device.id == pair[1].device.id }
                decided[pair[0].device.id, default: [:]].merge(decided[pair[1].device.id] ?? [:]) { $0.union($1) }
            case 1...3:
                // A document's debit before all purchases takes nothing.
                let key = try await fixture.enroll(owner.phone).enrollment.key
                let present = CustomersFixture.Owner(phone: owner.phone, device: owner.device, key: key)
                try await fixture.publish(
                    [(token, 1), (try #require(separated.randomElement(using: &random)), 2)].map { token, more in
                        (.spent(more + step, token: token), .sample - 80_000)
                    }, of: present, as: "tablet-\(step)")
            default:
                let amount = Int.random(in: 1...9, using: &random)
                do throws(CustomerError) {
                    let answer = try await fixture.records.spend(amount, of: "coins", token: token, from: owner.device)
                    let known = decided[owner.device.id]?[token]?.contains(amount) == true
                    #expect(answer.isNew != known, "step \(step)")
                    if answer.isNew { left -= amount }
                    decided[owner.device.id, default: [:]][token, default: []].insert(amount)
                } catch {
                    #expect([.conflict, .insufficientFunds].contains(error.code), "\(error)")
                }
            }
            var coins = 0
            for customer in customers { coins += try await fixture.coins(of: customer) }
            #expect(coins == left, "step \(step)")
        }
    }
}
