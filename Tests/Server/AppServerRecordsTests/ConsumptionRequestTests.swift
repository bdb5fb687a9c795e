import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineReceipts
import VitrineTestSupport

/// Notifications about a customer's request for a refund: the question of the store about the consumption, the refund, its
/// refusal and its reversal. Each contains the transaction as it is at that time.
@Suite(.hangLimit) struct ConsumptionRequestTests {
    /// Notification about a purchase of coins, signed a number of seconds after the purchase.
    struct Statement: Sendable {
        let type: NotificationType
        let signed: TimeInterval
        var isRefunded = false
        /// Refunded part of the price, in thousandths of a percent; `nil` for the whole price.
        var part: Int?

        func notification(of app: SignedApp, id: String) throws -> String {
            let bought = Date.sample - 3_600
            let transaction = try app.transaction(
                "coins50", id: "1", account: "A", kind: .consumable, signed: bought + signed
            ) {
                if isRefunded { ($0.revocationDate, $0.revocationPercentage) = (bought + signed - 5, part) }
            }
            return try app.notification(type, id: id, transaction: transaction, signed: bought + signed)
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let statements: [Statement]
        let coins: Int
    }

    private static let bought = Statement(type: .oneTimeCharge, signed: 0)
    private static let cases = [
        Case(
            testDescription: "requested and declined",
            statements: [
                bought, Statement(type: .consumptionRequest, signed: 40), Statement(type: .refundDeclined, signed: 60),
            ], coins: 50),
        Case(
            testDescription: "requested and refunded",
            statements: [
                bought, Statement(type: .consumptionRequest, signed: 40),
                Statement(type: .refund, signed: 60, isRefunded: true),
            ], coins: 0),
        Case(
            testDescription: "requested, refunded in part and reversed",
            statements: [
                bought, Statement(type: .consumptionRequest, signed: 40),
                Statement(type: .refund, signed: 60, isRefunded: true, part: 40_000),
                Statement(type: .refundReversed, signed: 80),
            ], coins: 50),
        Case(
            testDescription: "declined, requested again and refunded",
            statements: [
                bought, Statement(type: .refundDeclined, signed: 50), Statement(type: .consumptionRequest, signed: 70),
                Statement(type: .refund, signed: 90, isRefunded: true),
            ], coins: 0),
    ]

    @Test(arguments: cases)
    func `a request for a refund ends with the same balance in every order of its notifications`(_ test: Case)
        async throws
    {
        let app = try SignedApp()
        for order in test.statements.permutations {
            let fixture = try await CustomersFixture(app: app)
            let phone = try await fixture.enroll(.init(), "A").device
            for (index, statement) in order.enumerated() {
                let notification = try statement.notification(of: app, id: "n\(index)")
                #expect(try await fixture.receive(notification) == .recorded)
                #expect(try await fixture.receive(notification) == .known)
            }
            let coins = try await fixture.possessions(of: phone.customer).wallets["coins"]
            #expect(coins == test.coins, "\(order)")
        }
    }

    /// Catalog in which the purchase would credit twenty coins.
    private static let fewer = Data(
        """
        <plist version="1.0"><array><dict><key>productIdentifier</key><string>\(String.voyager("coins50"))</string>\
        <key>consumable</key><true/><key>storageKey</key><string>coins</string><key>productValue</key>\
        <integer>20</integer></dict></array></plist>
        """.utf8)

    @Test(arguments: DatabaseKind.here)
    func `a refund takes its part of the credited units, also after the catalog has changed their number`(
        _ kind: DatabaseKind
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let fixture = try await CustomersFixture(database: try await kind.scene(in: folder).database)
        let phone = try await fixture.enroll(.init(), "A").device
        func coins(after statement: Statement, _ id: String) async throws -> Int? {
            #expect(try await fixture.receive(statement.notification(of: fixture.app, id: id)) == .recorded)
            return try await fixture.possessions(of: phone.customer).wallets["coins"]
        }
        #expect(try await coins(after: Self.bought, "n1") == 50)
        try await fixture.replaceCatalog(Self.fewer)
        #expect(try await coins(after: Statement(type: .consumptionRequest, signed: 40), "n2") == 50)
        let part = Statement(type: .refund, signed: 60, isRefunded: true, part: 40_000)
        #expect(try await coins(after: part, "n3") == 30)
        #expect(try await coins(after: Statement(type: .refundReversed, signed: 80), "n4") == 50)
        #expect(try await coins(after: Statement(type: .refund, signed: 90, isRefunded: true), "n5") == 0)
    }
}
