import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineCatalog
import VitrineEntitlements
import VitrineReceipts
import VitrineTestSupport

/// Debits of the server, which count in full wherever they are in the order of the facts, because they were paid when the
/// server decided them.
@Suite(.hangLimit) struct PaidDebitTests {
    /// Catalog of coins whose refunds become debts.
    static let catalog = Data(
        """
        <plist version="1.0"><dict><key>products</key><array><dict>\
        <key>productIdentifier</key><string>com.example.voyager.coins50</string>\
        <key>consumable</key><true/><key>storageKey</key><string>coins</string>\
        <key>productValue</key><integer>50</integer></dict></array>\
        <key>wallets</key><dict><key>coins</key><dict><key>refundPolicy</key><string>debt</string></dict></dict>\
        </dict></plist>
        """.utf8)

    private static func transaction(
        _ id: String, of account: String, at date: Date = .sample - 3_600, refunded refund: Date? = nil,
        in fixture: CustomersFixture
    ) throws -> String {
        try fixture.app.transaction(
            "coins50", id: id, account: account, kind: .consumable, signed: refund.map { $0 + 1 } ?? .sample
        ) {
            ($0.purchaseDate, $0.originalPurchaseDate) = (date, date)
            $0.revocationDate = refund
        }
    }

    /// Returns two customers with a hundred coins each. One of them has spent them, and was refunded half of them.
    private static func owners(
        isDebtorOlder: Bool, in fixture: CustomersFixture
    ) async throws -> (debtor: CustomersFixture.Owner, other: CustomersFixture.Owner) {
        let older = try await fixture.owner("A", first: 1)
        fixture.clock.advance(by: 1)
        let younger = try await fixture.owner("B", first: 3)
        let (debtor, other) = isDebtorOlder ? (older, younger) : (younger, older)
        _ = try await fixture.records.spend(100, of: "coins", token: "order", from: debtor.device)
        let refund = try transaction(
            isDebtorOlder ? "1" : "3", of: isDebtorOlder ? "A" : "B", refunded: .sample + 50, in: fixture)
        #expect(try await fixture.records.record(signed: [refund], from: debtor.device).map(\.result) == [.accepted])
        #expect(try await fixture.coins(of: debtor) == -50)
        fixture.clock.advance(by: 100)
        return (debtor, other)
    }

    @Test func `units of a purchase that is dated ahead of the server's clock are spent once from leases`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let device = try await fixture.enroll(.init(), "A").device
        let purchase = try Self.transaction("1", of: "A", at: fixture.clock.now + 72_000, in: fixture)
        #expect(try await fixture.records.record(signed: [purchase], from: device).map(\.result) == [.accepted])
        _ = try await fixture.records.lease(50, of: "coins", token: "trip", seconds: 3_600, to: device)
        fixture.clock.advance(by: 60)
        let debit = LeaseDebit(token: "seat", amount: 50, spent: fixture.clock.now.milliseconds - 1_000)
        _ = try await fixture.records.report(lease: "trip", debits: [debit], returning: true, from: device)

        #expect(try await fixture.possessions(of: device.customer).wallets["coins", default: 0] == 0)
        for _ in 0..<2 {
            let lease = await #expect(throws: CustomerError.self) {
                try await fixture.records.lease(1, of: "coins", token: "next", seconds: 3_600, to: device)
            }
            #expect(lease?.code == .insufficientFunds)
            fixture.clock.advance(by: 80_000)
        }
        // The next purchase is there to be spent.
        let next = try Self.transaction("2", of: "A", at: fixture.clock.now, in: fixture)
        _ = try await fixture.records.record(signed: [next], from: device)
        #expect(try await fixture.possessions(of: device.customer).wallets["coins"] == 50)
    }

    @Test func `units that a device spent offline are forgiven beside debits of the server, and refunds remain debts`()
        async throws
    {
        let fixture = try await CustomersFixture(publishing: Self.catalog)
        let owner = try await fixture.owner()
        let refund = try Self.transaction("1", of: "A", refunded: .sample + 50, in: fixture)
        _ = try await fixture.records.record(signed: [refund], from: owner.device)
        fixture.clock.advance(by: 100)
        #expect(try await fixture.records.spend(30, of: "coins", token: "order", from: owner.device).balance == 20)
        // The device has spent sixty of the hundred units before the refund.
        try await fixture.publish([(.spent(60, token: "map"), .sample + 10)], of: owner)
        #expect(try await fixture.coins(of: owner) == -10)
    }

    @Test func `a refund takes no units that the server has debited before it heard of the refund`() async throws {
        let fixture = try await CustomersFixture()
        let owner = try await fixture.owner()
        fixture.clock.advance(by: 100)
        _ = try await fixture.records.spend(80, of: "coins", token: "order", from: owner.device)
        let refund = try Self.transaction("1", of: "A", refunded: .sample + 50, in: fixture)
        _ = try await fixture.records.record(signed: [refund], from: owner.device)
        #expect(try await fixture.coins(of: owner) == 0)
    }

    @Test(arguments: [true, false])
    func `a debt remains when its customer is merged with one who has spent as much at the server`(
        isDebtorOlder: Bool
    ) async throws {
        let fixture = try await CustomersFixture(publishing: Self.catalog)
        let (debtor, other) = try await Self.owners(isDebtorOlder: isDebtorOlder, in: fixture)
        _ = try await fixture.records.spend(100, of: "coins", token: "order", from: other.device)
        for owner in [debtor, other] { try await fixture.enroll(owner.phone, account: "person") }
        for owner in [debtor, other] { #expect(try await fixture.coins(of: owner) == -50) }
    }

    /// Units that two customers with a starting balance of twenty have spent at the server, and those left after their merge.
    struct Spending: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let spent: [Int]
        let left: Int
    }

    private static let spendings = [
        Spending(testDescription: "none", spent: [0, 0], left: 20),
        Spending(testDescription: "all of one customer", spent: [20, 0], left: 0),
        Spending(testDescription: "all of the other customer", spent: [0, 20], left: 0),
        Spending(testDescription: "a part of each", spent: [5, 9], left: 6),
        Spending(testDescription: "more than one customer receives", spent: [15, 9], left: 0),
        Spending(testDescription: "all of both", spent: [20, 20], left: 0),
    ]

    @Test(arguments: spendings)
    func `a starting balance that two customers have spent counts once after a merge, and is no debt`(
        _ spending: Spending
    ) async throws {
        let text = String(decoding: Self.catalog, as: UTF8.self)
            .replacing(
                "<key>refundPolicy</key>",
                with: "<key>startingBalance</key><integer>20</integer><key>refundPolicy</key>")
        let fixture = try await CustomersFixture(publishing: Data(text.utf8))
        let phones = [CustomersFixture.Device(), CustomersFixture.Device()]
        for (phone, (account, amount)) in zip(phones, zip(["A", "B"], spending.spent)) {
            let device = try await fixture.enroll(phone, account).device
            fixture.clock.advance(by: 60)
            guard amount > 0 else { continue }
            #expect(
                try await fixture.records.spend(amount, of: "coins", token: account, from: device).balance == 20
                    - amount)
        }
        var customer = ""
        for phone in phones { customer = try await fixture.enroll(phone, account: "person").device.customer }
        #expect(try await fixture.possessions(of: customer).wallets["coins", default: 0] == spending.left)
        let device = try await fixture.enroll(phones[0]).device
        let purchase = try Self.transaction("1", of: "A", in: fixture)
        _ = try await fixture.records.record(signed: [purchase], from: device)
        #expect(try await fixture.possessions(of: customer).wallets["coins"] == spending.left + 50)
    }

    @Test func `a debt of the receiver of a transfer is not paid with units that were spent at the server`()
        async throws
    {
        let fixture = try await CustomersFixture(publishing: Self.catalog)
        let (debtor, other) = try await Self.owners(isDebtorOlder: false, in: fixture)
        _ = try await fixture.records.spend(100, of: "coins", token: "seat", from: other.device)
        let result = try await Self.transfer("A", of: other, to: debtor.device.customer, in: fixture)
        #expect(try await fixture.possessions(of: result.to).wallets["coins"] == -50)
        #expect(try await fixture.possessions(of: result.customer).wallets["coins", default: 0] == 0)
    }

    @Test func `a debt remains when the refunded purchase is transferred without the debits of its units`()
        async throws
    {
        let fixture = try await CustomersFixture(publishing: Self.catalog)
        let (debtor, _) = try await Self.owners(isDebtorOlder: true, in: fixture)
        let result = try await Self.transfer("A", of: debtor, to: nil, in: fixture)
        #expect(try await fixture.possessions(of: result.to).wallets["coins", default: 0] == 0)
        #expect(try await fixture.possessions(of: result.customer).wallets["coins"] == -50)
    }

    /// Transfers the store account and the device of a customer.
    private static func transfer(
        _ account: String, of owner: CustomersFixture.Owner, to receiver: String?, token: String = "case",
        in fixture: CustomersFixture
    ) async throws -> TransferResult {
        try await fixture.records.transfer(
            TransferredParts(
                identities: [CustomerDetail.Identity(kind: "appTransaction", value: account)],
                devices: [owner.device.id]),
            from: owner.device.customer, to: receiver, token: token, reason: "a sale", by: "admin")
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `merges and transfers neither add units nor lose a debt, wherever debits are in the order of the facts`(
        seed: UInt64
    ) async throws {
        let fixture = try await CustomersFixture(seed: seed, publishing: Self.catalog)
        var life = SeededGenerator(seed: seed)
        let accounts = ["A", "B", "C"]
        var owners: [CustomersFixture.Owner] = []
        for (index, account) in accounts.enumerated() {
            owners.append(try await fixture.owner(account, first: 1 + 2 * index))
            fixture.clock.advance(by: 1)
        }
        var purchases: [(id: String, account: Int, date: Date)] = []
        var left = 100 * owners.count
        for step in 0..<50 {
            fixture.clock.advance(by: TimeInterval(Int.random(in: 60...20_000, using: &life)))
            for (index, owner) in owners.enumerated() {
                let (device, enrollment) = try await fixture.enroll(owner.phone)
                owners[index] = CustomersFixture.Owner(phone: owner.phone, device: device, key: enrollment.key)
            }
            let index = Int.random(in: owners.indices, using: &life)
            let (owner, now) = (owners[index], fixture.clock.now)
            let amount = Int.random(in: 1...90, using: &life)
            switch Int.random(in: 0..<10, using: &life) {
            case 0, 1:
                let purchase = (
                    id: "\(100 + step)", account: index,
                    date: now + TimeInterval(Int.random(in: -7_200...72_000, using: &life))
                )
                let signed = try Self.transaction(purchase.id, of: accounts[index], at: purchase.date, in: fixture)
                _ = try await fixture.records.record(signed: [signed], from: owner.device)
                purchases.append(purchase)
                left += 50
            case 2 where !purchases.isEmpty:
                let purchase = purchases.removeFirst()
                let refund = try Self.transaction(
                    purchase.id, of: accounts[purchase.account], at: purchase.date, refunded: now, in: fixture)
                _ = try await fixture.records.record(signed: [refund], from: owners[purchase.account].device)
                left -= 50
            case 3 where owner.device.customer != owners[(index + 1) % owners.count].device.customer:
                let other = owners[(index + 1) % owners.count]
                try await fixture.enroll(
                    other.phone, invitation: try fixture.invitation(by: owner.phone, owner.device))
            case 4, 5:
                _ = try await Self.transfer(accounts[index], of: owner, to: nil, token: "case \(step)", in: fixture)
            case 6, 7:
                left -= try await Self.spendLeased(amount, as: "\(step)", by: owner, in: fixture)
            default:
                do throws(CustomerError) {
                    _ = try await fixture.records.spend(amount, of: "coins", token: "\(step)", from: owner.device)
                    left -= amount
                } catch {
                    #expect(error.code == .insufficientFunds)
                }
            }
            var coins: [String: Int] = [:]
            for customer in try await fixture.records.customers(matching: "", app: nil) {
                coins[customer.id] = try await fixture.possessions(of: customer.id).wallets["coins"] ?? 0
            }
            #expect(coins.values.reduce(0, +) == left, "step \(step): \(coins)")
        }
    }

    /// Leases units, spends all of them, and reports that.
    ///
    /// - Returns: The number of spent units; 0 if the customer has too few.
    private static func spendLeased(
        _ amount: Int, as token: String, by owner: CustomersFixture.Owner, in fixture: CustomersFixture
    ) async throws -> Int {
        do throws(CustomerError) {
            _ = try await fixture.records.lease(amount, of: "coins", token: token, seconds: 3_600, to: owner.device)
        } catch {
            #expect(error.code == .insufficientFunds)
            return 0
        }
        fixture.clock.advance(by: 60)
        let debit = LeaseDebit(token: token, amount: amount, spent: fixture.clock.now.milliseconds - 30_000)
        _ = try await fixture.records.report(lease: token, debits: [debit], returning: true, from: owner.device)
        return amount
    }
}
