import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineTestSupport

/// Starting balances of wallets after an operator has divided their customer.
@Suite(.hangLimit) struct StartingBalanceTests {
    /// Returns a catalog with wallets and their starting balances.
    private static func catalog(_ wallets: [String: Int]) -> Data {
        let products = wallets.keys.sorted().map { wallet in
            """
            <dict><key>productIdentifier</key><string>com.example.voyager.\(wallet)50</string>\
            <key>consumable</key><true/><key>storageKey</key><string>\(wallet)</string>\
            <key>productValue</key><integer>50</integer></dict>
            """
        }
        let declared = wallets.sorted { $0.key < $1.key }.map { wallet, units in
            "<key>\(wallet)</key><dict><key>startingBalance</key><integer>\(units)</integer></dict>"
        }
        return Data(
            """
            <plist version="1.0"><dict><key>products</key><array>\(products.joined())</array>\
            <key>wallets</key><dict>\(declared.joined())</dict></dict></plist>
            """.utf8)
    }

    private func transfer(
        _ storeAccount: String, from customer: String, in fixture: CustomersFixture
    ) async throws -> TransferResult {
        try await fixture.records.transfer(
            TransferredParts(
                identities: [CustomerDetail.Identity(kind: "appTransaction", value: storeAccount)], devices: []),
            from: customer, to: nil, token: "case-\(storeAccount)", reason: "stolen phone", by: "admin")
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        /// `true` to merge the customer with the one of another store account before the transfer.
        var isMerged = false
        /// Units that the customer has spent before.
        let spent: Int
        /// Units that remain with the first customer.
        let remaining: Int

        var testDescription: String { id }
    }

    static let cases = [
        Case(id: "spent", spent: 20, remaining: 0),
        Case(id: "not spent", spent: 0, remaining: 20),
        Case(id: "spent, of two store accounts", isMerged: true, spent: 20, remaining: 0),
        Case(id: "not spent, of two store accounts", isMerged: true, spent: 0, remaining: 20),
    ]

    @Test(arguments: DatabaseKind.here, cases)
    func `a starting balance is not received again with a transferred store account`(
        _ kind: DatabaseKind, _ test: Case
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let fixture = try await CustomersFixture(
            database: try await kind.scene(in: folder).database, publishing: Self.catalog(["coins": 20]))
        let phone = CustomersFixture.Device()
        let device = try await fixture.enroll(phone, "A").device
        #expect(try await fixture.possessions(of: device.customer).wallets == ["coins": 20])
        if test.spent > 0 { _ = try await fixture.records.spend(test.spent, of: "coins", token: "order", from: device) }
        if test.isMerged {
            try await fixture.enroll(.init(), "B", account: "anna")
            try await fixture.enroll(phone, account: "anna")
        }
        #expect(try await fixture.possessions(of: device.customer).wallets["coins", default: 0] == test.remaining)

        let result = try await transfer("A", from: device.customer, in: fixture)

        for _ in 0..<2 {
            #expect(try await fixture.enroll(.init(), "A").device.customer == result.to)
            #expect(try await fixture.possessions(of: result.to).wallets["coins", default: 0] == 0)
            #expect(try await fixture.possessions(of: result.customer).wallets["coins", default: 0] == test.remaining)
        }
    }

    @Test func `a wallet that is added after a transfer gives both customers its starting balance`() async throws {
        let fixture = try await CustomersFixture(publishing: Self.catalog(["coins": 20]))
        _ = try await fixture.enroll(.init(), "A", account: "anna")
        let device = try await fixture.enroll(.init(), "B", account: "anna").device
        let result = try await transfer("A", from: device.customer, in: fixture)

        try await fixture.replaceCatalog(Self.catalog(["coins": 20, "tickets": 3]))

        #expect(try await fixture.possessions(of: result.to).wallets == ["tickets": 3])
        #expect(try await fixture.possessions(of: result.customer).wallets == ["coins": 20, "tickets": 3])
    }
}
