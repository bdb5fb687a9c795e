import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineReceipts
import VitrineTestSupport

/// Several statements of the store about one purchase of coins, in every order.
@Suite(.hangLimit) struct RefundOrderTests {
    /// Statement of the store, signed a number of seconds after the purchase.
    struct Statement: Sendable {
        let signed: TimeInterval
        /// Seconds from the purchase to the refund; `nil` for a valid copy of the transaction.
        var refund: TimeInterval?
        /// Refunded part of the price, in thousandths of a percent; `nil` for the whole price.
        var part: Int?

        func transaction(of app: SignedApp) throws -> String {
            let bought = Date.sample - 3_600
            return try app.transaction("coins50", id: "1", account: "A", kind: .consumable, signed: bought + signed) {
                $0.revocationDate = refund.map { bought + $0 }
                $0.revocationPercentage = part
            }
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let statements: [Statement]
        let coins: Int
    }

    private static let bought = Statement(signed: 0)
    private static let cases = [
        Case(
            testDescription: "a part, then the whole price",
            statements: [bought, .init(signed: 60, refund: 50, part: 30_000), .init(signed: 61, refund: 50)], coins: 0),
        Case(
            testDescription: "the whole price, then a part",
            statements: [bought, .init(signed: 60, refund: 50), .init(signed: 61, refund: 50, part: 30_000)],
            coins: 35),
        Case(
            testDescription: "two parts on two dates",
            statements: [
                bought, .init(signed: 60, refund: 55, part: 30_000), .init(signed: 61, refund: 50, part: 50_000),
            ], coins: 25),
        Case(
            testDescription: "a part and the whole price, signed together",
            statements: [bought, .init(signed: 60, refund: 50, part: 30_000), .init(signed: 60, refund: 50)], coins: 0),
        Case(
            testDescription: "a part, the whole price, and the part again",
            statements: [
                bought, .init(signed: 60, refund: 50, part: 30_000), .init(signed: 61, refund: 50),
                .init(signed: 62, refund: 50, part: 30_000),
            ], coins: 35),
        Case(
            testDescription: "two refunds and their reversal",
            statements: [
                bought, .init(signed: 60, refund: 50, part: 30_000), .init(signed: 61, refund: 50), .init(signed: 62),
            ], coins: 50),
        Case(
            testDescription: "a reversal between two refunds",
            statements: [
                bought, .init(signed: 60, refund: 50), .init(signed: 61), .init(signed: 62, refund: 61, part: 30_000),
            ], coins: 35),
        Case(
            testDescription: "a refund and a valid copy, signed together",
            statements: [bought, .init(signed: 60, refund: 50, part: 30_000), .init(signed: 60)], coins: 35),
    ]

    /// Receives the statements in an order, as notifications and reports of a device in turn.
    private static func coins(after order: [Statement], in fixture: CustomersFixture) async throws -> Int? {
        let phone = try await fixture.enroll(.init(), "A").device
        for (index, statement) in order.enumerated() {
            let signed = try statement.transaction(of: fixture.app)
            if index.isMultiple(of: 2) {
                let type: NotificationType = statement.refund == nil ? .oneTimeCharge : .refund
                let notification = try fixture.app.notification(type, id: "n\(index)", transaction: signed)
                #expect(try await fixture.receive(notification) == .recorded)
            } else {
                let answers = try await fixture.records.record(signed: [signed], from: phone)
                #expect([[.accepted], [.known]].contains(answers.map(\.result)))
            }
        }
        return try await fixture.possessions(of: phone.customer).wallets["coins"]
    }

    @Test(arguments: cases)
    func `the refund that was signed last determines the balance at the server, in every order of the statements`(
        _ test: Case
    ) async throws {
        let app = try SignedApp()
        for order in test.statements.permutations {
            let coins = try await Self.coins(after: order, in: CustomersFixture(app: app))
            #expect(coins == test.coins, "\(order)")
        }
    }

    @Test(arguments: DatabaseKind.here, cases)
    func `a balance after several refunds is the same in each kind of database, also after a restart`(
        _ kind: DatabaseKind, _ test: Case
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let database = try await kind.scene(in: folder).database
        let app = try SignedApp()
        let fixture = try await CustomersFixture(app: app, database: database)
        #expect(try await Self.coins(after: test.statements.reversed(), in: fixture) == test.coins)

        let restarted = try await CustomersFixture(app: app, database: database, seed: 2)
        let phone = try await restarted.enroll(.init(), "A").device
        #expect(try await restarted.possessions(of: phone.customer).wallets["coins"] == test.coins)
    }
}
